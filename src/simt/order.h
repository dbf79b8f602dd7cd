// When memory accesses of one CTA happen, as far as __syncthreads and __syncwarp order them, and the check that a word
// of memory obeys: two accesses by different lanes, one of them a write, need one of the two between them.
//
// The check does not depend on the order in which lanes happened to run: any two accesses that nothing orders are
// found, whichever came first.
#pragma once

#include <cstdint>

namespace flashlens::simt {

/// The packed record of an access:
///   63..32  the CTA's clock, which every __syncthreads and every __syncwarp of any warp advances
///   31      several: reads by lanes of several warps; a write of two lanes, two bytes each
///   30      reads by several lanes of one warp
///   29..20  thread
///   19..0   site (sites.h)
using Stamp = std::uint64_t;

namespace stamp {
inline constexpr Stamp several = Stamp{1} << 31;
inline constexpr Stamp several_lanes = Stamp{1} << 30;
inline constexpr Stamp never = ~Stamp{0};  ///< nobody wrote this word
inline constexpr Stamp in_flight = Stamp{0xFFFFFFFE}
                                   << 32;  ///< a cp.async is on its way here; thread and site as usual
inline constexpr Stamp nobody_read = 0;

constexpr unsigned thread(Stamp s) {
    return static_cast<unsigned>(s >> 20) & 0x3FF;
}
constexpr unsigned warp(Stamp s) {
    return thread(s) / 32;
}
constexpr std::uint32_t site(Stamp s) {
    return static_cast<std::uint32_t>(s & 0xFFFFF);
}
}  // namespace stamp

/// Who accesses, and when: a lane's place in the order.
struct Moment {
    Stamp since_barrier;  ///< stamps below it lie before the CTA's last __syncthreads
    Stamp since_warp;     ///< stamps of this warp below it lie before the warp's last __syncwarp or __syncthreads
    Stamp mine;           ///< the stamp of an access made now
    unsigned thread;

    unsigned warp() const { return thread / 32; }
};

/// What is known of one word of memory.
struct Granule {
    Stamp write = stamp::never;
    Stamp read = stamp::nobody_read;  ///< a summary of the reads since the last write and the last __syncthreads
};

enum class Finding { fine, unwritten, in_flight, race_with_write, race_with_read };

/// Does nothing order the write `w` before the access at `m`? (`w` is no special stamp.)
inline bool unordered_write(Stamp w, const Moment& m) {
    if (w < m.since_barrier || stamp::thread(w) == m.thread) {
        return false;
    }
    return stamp::warp(w) != m.warp() || w >= m.since_warp;
}

/// Adds a read at `m` to the summary `read`.
inline void add_read(Stamp& read, const Moment& m) {
    const bool first = read < m.since_barrier;
    if (!first && (read & stamp::several) != 0) {
        return;  // more than one warp already: any write of this epoch is a race
    }
    if (!first && stamp::warp(read) != m.warp()) {
        read |= stamp::several;
    } else if (first || read < m.since_warp) {
        read = m.mine;
    } else if (stamp::thread(read) != m.thread) {
        read |= stamp::several_lanes;
    }
}

inline Finding note_read(Granule& g, const Moment& m) {
    if (g.write >= m.since_barrier) [[unlikely]] {
        if (g.write == stamp::never) {
            return Finding::unwritten;
        }
        if (g.write >= stamp::in_flight) {
            return Finding::in_flight;
        }
        if (unordered_write(g.write, m)) {
            return Finding::race_with_write;
        }
    }
    add_read(g.read, m);
    return Finding::fine;
}

/// Does nothing order some read of the summary `read` before a write at `m`?
inline bool unordered_read(Stamp read, const Moment& m) {
    if (read < m.since_barrier) {
        return false;
    }
    if ((read & stamp::several) != 0 || stamp::warp(read) != m.warp()) {
        return true;
    }
    return read >= m.since_warp && ((read & stamp::several_lanes) != 0 || stamp::thread(read) != m.thread);
}

/// Checks a write at `m` and records it as `record` (m.mine, or an in-flight stamp).
inline Finding note_write(Granule& g, const Moment& m, Stamp record) {
    if (g.write >= m.since_barrier && g.write != stamp::never) [[unlikely]] {
        if (g.write >= stamp::in_flight) {
            return Finding::in_flight;
        }
        if (unordered_write(g.write, m)) {
            return Finding::race_with_write;
        }
    }
    if (unordered_read(g.read, m)) [[unlikely]] {
        return Finding::race_with_read;
    }
    g.write = record;
    g.read = stamp::nobody_read;
    return Finding::fine;
}

}  // namespace flashlens::simt
