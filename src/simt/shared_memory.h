// A CTA's shared memory: its bytes, and what is known of each of its words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simt/order.h"

namespace flashlens::simt {

class SharedMemory {
public:
    explicit SharedMemory(std::size_t bytes);

    /// For the next CTA: every byte 0xFF (a NaN in every floating-point type here), no word ever written, or all of them
    /// before anything else.
    void reset(bool written);

    bool contains(std::uint32_t address, unsigned bytes) const { return address + std::uint64_t{bytes} <= bytes_; }
    std::size_t bytes() const { return bytes_; }
    std::byte* at(std::uint32_t address) { return data_ + address; }
    Granule* granule(std::uint32_t address) { return granules_.data() + address / 4; }

private:
    std::size_t bytes_;
    std::vector<std::byte> storage_;
    std::byte* data_;  ///< aligned to 128 bytes
    std::vector<Granule> granules_;
};

}  // namespace flashlens::simt
