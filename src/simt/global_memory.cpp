#include "simt/global_memory.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

namespace flashlens::simt {
namespace {

/// Two lanes wrote a half each, so the stamp tells of neither: what the checks then leave undecided, they let pass.
bool mixed(const GlobalGranule& g) {
    return (g.order.write & stamp::several) != 0;
}

}  // namespace

GlobalFinding note_global_read(GlobalGranule& g, const Moment& m, std::uint32_t cta, unsigned halves) {
    if (g.writer == 0) {
        return GlobalFinding::unwritten;
    }
    if (g.writer / 4 != cta) {
        return GlobalFinding::other_cta_wrote;
    }
    if ((g.writer & halves) != halves) {
        return GlobalFinding::unwritten;
    }
    if (!(mixed(g) && halves != 3) && unordered_write(g.order.write, m)) {
        return GlobalFinding::race_with_write;
    }
    if (g.reader == cta) {
        add_read(g.order.read, m);
    } else {
        g.reader = g.reader == 0 ? cta : GlobalGranule::many_readers;
        g.order.read = m.mine;
    }
    return GlobalFinding::fine;
}

GlobalFinding note_global_write(GlobalGranule& g, const Moment& m, std::uint32_t cta, unsigned halves) {
    if (g.writer != 0 && g.writer / 4 != cta) {
        return GlobalFinding::other_cta_wrote;
    }
    if (g.reader != 0 && g.reader != cta) {
        return GlobalFinding::other_cta_read;
    }
    const bool overlaps = (g.writer & halves) != 0 && !(mixed(g) && halves != 3);
    if (overlaps && unordered_write(g.order.write, m)) {
        return GlobalFinding::race_with_write;
    }
    if (halves == 3 && unordered_read(g.order.read, m)) {
        return GlobalFinding::race_with_read;
    }
    const bool other_half_is_recent =
        (g.writer & 3 & ~halves) != 0 && g.order.write >= m.since_barrier && stamp::thread(g.order.write) != m.thread;
    g.order.write = other_half_is_recent ? m.mine | stamp::several : m.mine;
    g.order.read = stamp::nobody_read;
    g.writer = cta * 4 | (g.writer & 3) | halves;
    return GlobalFinding::fine;
}

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
        mapped.skew = std::bit_cast<std::uintptr_t>(region.base) % 16;
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

std::string GlobalMemory::nearest(const void* address, unsigned bytes) const {
    const auto first = std::bit_cast<std::uintptr_t>(address);
    std::uint64_t distance = std::numeric_limits<std::uint64_t>::max();
    std::string text = "the launch names no memory";
    for (const MappedRegion& region : regions_) {
        const auto begin = std::bit_cast<std::uintptr_t>(region.begin);
        const auto end = std::bit_cast<std::uintptr_t>(region.end);
        if (first + bytes > end && first >= begin && first - end + bytes < distance) {
            distance = first >= end ? first - end : 0;
            text = first >= end
                       ? fmt::format("{} bytes past the end of {} ({} bytes)", distance, region.name, end - begin)
                       : fmt::format("across the end of {} ({} bytes)", region.name, end - begin);
        } else if (first < begin && begin - first < distance) {
            distance = begin - first;
            text = fmt::format("{} bytes before {} ({} bytes)", distance, region.name, end - begin);
        }
    }
    return text;
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
