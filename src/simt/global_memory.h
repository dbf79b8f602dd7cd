// The pieces of global memory that a launch may touch: where they are, which bytes were touched, and, for those that
// the kernel may write, what is known of each word.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/launch.h"
#include "simt/order.h"
#include "simt/pages.h"

namespace flashlens::simt {

/// What is known of four bytes of global memory. CTAs are numbered from 1; nothing orders two CTAs of one launch.
/// All zeros: never touched.
struct GlobalGranule {
    Granule order{0, 0};       ///< among the lanes of the CTA that wrote or read
    std::uint32_t writer = 0;  ///< the CTA that wrote, times 4, plus which halves (1 low, 2 high) were written

    /// Two lanes wrote a half each, so the stamp tells of neither: what that leaves undecided, the checks let pass.
    bool mixed() const { return (order.write & stamp::several) != 0; }
};

enum class GlobalFinding { fine, unwritten, race_with_write, race_with_read, other_cta_wrote };

/// `halves`: 3, or 1 or 2 for an access of two bytes.
inline GlobalFinding note_global_read(GlobalGranule& g, const Moment& m, std::uint32_t cta, unsigned halves) {
    if (g.writer == 0) {
        return GlobalFinding::unwritten;
    }
    if (g.writer / 4 != cta) {
        return GlobalFinding::other_cta_wrote;
    }
    if ((g.writer & halves) != halves) {
        return GlobalFinding::unwritten;
    }
    if (!(g.mixed() && halves != 3) && unordered_write(g.order.write, m)) {
        return GlobalFinding::race_with_write;
    }
    add_read(g.order.read, m);
    return GlobalFinding::fine;
}

inline GlobalFinding note_global_write(GlobalGranule& g, const Moment& m, std::uint32_t cta, unsigned halves) {
    if (g.writer != 0 && g.writer / 4 != cta) {
        return GlobalFinding::other_cta_wrote;
    }
    const bool overlaps = (g.writer & halves) != 0 && !(g.mixed() && halves != 3);
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

/// Which bytes were touched, two to a bit.
class TouchedMap {
public:
    TouchedMap() = default;
    explicit TouchedMap(std::size_t bytes) : words_((bytes + 127) / 128) {}

    explicit operator bool() const { return static_cast<bool>(words_); }
    /// `position` is a multiple of `bytes`.
    void touch(std::size_t position, unsigned bytes) {
        std::atomic<std::uint64_t>& word = words_[position / 128];
        const std::uint64_t bits = ((std::uint64_t{1} << (bytes / 2)) - 1) << (position % 128 / 2);
        if ((word.load(std::memory_order_relaxed) & bits) != bits) {
            word.fetch_or(bits, std::memory_order_relaxed);
        }
    }
    std::uint64_t bytes() const;

private:
    ZeroedPages<std::atomic<std::uint64_t>> words_;
};

/// A Region at work. `position` is the distance of an address from the region's start, plus the start's distance from
/// a 16-byte boundary: it is as well aligned as the address, and does not depend on where the host put the region.
struct MappedRegion {
    const std::byte* begin = nullptr;
    const std::byte* end = nullptr;
    std::string name;
    Region::Use use = Region::Use::input;
    std::uint32_t number = 0;          ///< modulo 4096: tells the regions of one warp instruction apart
    std::size_t skew = 0;              ///< begin modulo 16
    std::uint64_t device_address = 0;  ///< of position 0, a multiple of 256 as cudaMalloc gives: sectors depend on it
    ZeroedPages<GlobalGranule> granules;  ///< by position / 4; none for inputs
    TouchedMap read;
    TouchedMap written;

    bool contains(const std::byte* address, unsigned bytes) const { return address >= begin && address + bytes <= end; }
    std::size_t position(const std::byte* address) const { return static_cast<std::size_t>(address - begin) + skew; }
    /// What a report on an access says of memory.
    KernelError::Details details(std::size_t position, unsigned bytes) const {
        KernelError::Details details;
        details.memory = name;
        details.memory_bytes = static_cast<std::uint64_t>(end - begin);
        details.address = static_cast<std::int64_t>(position) - static_cast<std::int64_t>(skew);
        details.bytes = bytes;
        return details;
    }
};

class GlobalMemory {
public:
    /// track_words: keep granules. track_touched: keep touched maps.
    GlobalMemory(const std::vector<Region>& regions, bool track_words, bool track_touched);

    /// The region that holds all of an access, or null. `hint` is where the last search of this worker ended.
    MappedRegion* find(const void* address, unsigned bytes, unsigned& hint) {
        const auto* first = static_cast<const std::byte*>(address);
        if (hint < regions_.size() && regions_[hint].contains(first, bytes)) {
            return &regions_[hint];
        }
        for (unsigned i = 0; i < regions_.size(); ++i) {
            if (regions_[i].contains(first, bytes)) {
                hint = i;
                return &regions_[i];
            }
        }
        return nullptr;
    }

    struct Nearest {
        const MappedRegion* region = nullptr;  ///< null: the launch names none
        std::int64_t offset = 0;               ///< of the address, from the region's first byte
        std::string text{};                    ///< "16 bytes past the end of k"
    };
    /// The region nearest to an access that is in none.
    Nearest nearest(const void* address, unsigned bytes) const;

    std::uint64_t unique_read_bytes() const;
    std::uint64_t unique_write_bytes() const;

private:
    std::vector<MappedRegion> regions_;
};

}  // namespace flashlens::simt
