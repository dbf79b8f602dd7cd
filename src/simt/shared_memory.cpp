#include "simt/shared_memory.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace flashlens::simt {

SharedMemory::SharedMemory(std::size_t bytes) : bytes_(bytes), storage_(bytes + 128), granules_((bytes + 3) / 4) {
    void* start = storage_.data();
    std::size_t space = storage_.size();
    data_ = static_cast<std::byte*>(std::align(128, bytes, start, space));
}

void SharedMemory::reset(bool written) {
    std::memset(data_, 0xFF, bytes_);
    std::fill(granules_.begin(), granules_.end(), Granule{written ? Stamp{0} : stamp::never, stamp::nobody_read});
}

}  // namespace flashlens::simt
