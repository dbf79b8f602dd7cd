#include "simt/global_memory.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

namespace flashlens::simt {
std::uint64_t TouchedMap::bytes() const {
    std::uint64_t bits = 0;
    for (const std::atomic<std::uint64_t>& word : words_) {
        bits += static_cast<unsigned>(std::popcount(word.load(std::memory_order_relaxed)));
    }
    return 2 * bits;
}

GlobalMemory::GlobalMemory(const std::vector<Region>& regions, bool track_words, bool track_touched) {
    std::uint64_t device_address = 256;
    for (const Region& region : regions) {
        if (region.bytes == 0) {
            continue;
        }
        MappedRegion& mapped = regions_.emplace_back();
        mapped.begin = static_cast<const std::byte*>(region.base);
        mapped.end = mapped.begin + region.bytes;
        mapped.name = region.name;
        mapped.use = region.use;
        mapped.number = static_cast<std::uint32_t>((regions_.size() - 1) % 4096);
        mapped.skew = reinterpret_cast<std::uintptr_t>(region.base) % 16;
        mapped.device_address = device_address;
        const std::size_t span = mapped.skew + region.bytes;
        device_address = (device_address + span + 2 * 256 - 1) / 256 * 256;
        const bool writable = region.use != Region::Use::input;
        if (track_words && writable) {
            mapped.granules = ZeroedPages<GlobalGranule>((span + 3) / 4);
        }
        if (track_touched) {
            mapped.read = TouchedMap(span);
            mapped.written = writable ? TouchedMap(span) : TouchedMap();
        }
    }
}

GlobalMemory::Nearest GlobalMemory::nearest(const void* address, unsigned bytes) const {
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    std::uint64_t distance = std::numeric_limits<std::uint64_t>::max();
    Nearest nearest{nullptr, 0, "the launch names no memory"};
    const auto take = [&](const MappedRegion& region, std::string text) {
        const auto begin = reinterpret_cast<std::uintptr_t>(region.begin);
        nearest = {&region, static_cast<std::int64_t>(first) - static_cast<std::int64_t>(begin), std::move(text)};
    };
    for (const MappedRegion& region : regions_) {
        const auto begin = reinterpret_cast<std::uintptr_t>(region.begin);
        const auto end = reinterpret_cast<std::uintptr_t>(region.end);
        if (first + bytes > end && first >= begin && first - end + bytes < distance) {
            distance = first >= end ? first - end : 0;
            take(region, first >= end
                             ? fmt::format("{} bytes past the end of {} ({} bytes)", distance, region.name, end - begin)
                             : fmt::format("across the end of {} ({} bytes)", region.name, end - begin));
        } else if (first < begin && begin - first < distance) {
            distance = begin - first;
            take(region, fmt::format("{} bytes before {} ({} bytes)", distance, region.name, end - begin));
        }
    }
    return nearest;
}

std::uint64_t GlobalMemory::unique_read_bytes() const {
    std::uint64_t sum = 0;
    for (const MappedRegion& region : regions_) {
        sum += region.read.bytes();
    }
    return sum;
}

std::uint64_t GlobalMemory::unique_write_bytes() const {
    std::uint64_t sum = 0;
    for (const MappedRegion& region : regions_) {
        sum += region.written.bytes();
    }
    return sum;
}

}  // namespace flashlens::simt
