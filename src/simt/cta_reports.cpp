// What a KernelError says.
#include <fmt/format.h>

#include <bit>

#include "simt/cta.h"

namespace flashlens::simt {
namespace {

/// "0-3, 7" for a set of lanes.
std::string ranges(std::uint32_t lanes) {
    std::string text;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((lanes >> lane & 1) == 0) {
            continue;
        }
        unsigned last = lane;
        while (last < 31 && (lanes >> (last + 1) & 1) != 0) {
            ++last;
        }
        text += text.empty() ? "" : ", ";
        text += last == lane ? fmt::format("{}", lane) : fmt::format("{}-{}", lane, last);
        lane = last;
    }
    return text;
}

std::string lane_text(unsigned thread) {
    return fmt::format("warp {} lane {}", thread / 32, thread % 32);
}

bool is_write(Access access) {
    return access == Access::store_shared || access == Access::store_global || access == Access::cp_async;
}

KernelError::Kind kind_of(GlobalFinding finding) {
    return finding == GlobalFinding::unwritten ? KernelError::Kind::unwritten_read : KernelError::Kind::race;
}

}  // namespace

const char* name_of(Meeting meeting) {
    switch (meeting) {
        case Meeting::barrier:
            return "__syncthreads";
        case Meeting::sync_warp:
            return "__syncwarp";
        case Meeting::shuffle:
            return "shuffle";
        case Meeting::vote:
            return "vote";
        case Meeting::ldmatrix:
            return "ldmatrix";
        case Meeting::mma_fp16:
            return "mma (fp16)";
        case Meeting::mma_bf16:
            return "mma (bf16)";
        case Meeting::mma_k8_fp16:
            return "mma.m16n8k8 (fp16)";
    }
    return "meeting point";
}

std::string Cta::access_text(std::uint32_t site_id, unsigned thread) const {
    const SiteTable& table = launch_.sites[site_id / SiteTable::per_worker % launch_.sites.size()];
    const Site& site = table[site_id];
    return fmt::format("{} at {} by {}", name_of(site.access), place(site.where, site.step), lane_text(thread));
}

void Cta::fail(KernelError::Kind kind, const std::string& what, const Where& where) const {
    throw KernelError(kind, fmt::format("{}\n  at {}\n  kernel {}, block ({}, {}, {}), {}", what,
                                        place(where, static_cast<const StepTally*>(tally)), launch_.kernel, block_.x,
                                        block_.y, block_.z, lane_text(lane().thread)));
}

void Cta::fail_shared(Finding finding, Access access, const Where& where, unsigned thread, std::uint32_t address,
                      const Granule& granule) const {
    const std::string here = fmt::format("{} at {} by {}", name_of(access),
                                         place(where, static_cast<const StepTally*>(tally)), lane_text(thread));
    const std::string kernel =
        fmt::format("kernel {}, block ({}, {}, {})", launch_.kernel, block_.x, block_.y, block_.z);
    const auto earlier = [&](Stamp stamp) { return access_text(stamp::site(stamp), stamp::thread(stamp)); };
    switch (finding) {
        case Finding::fine:
            break;
        case Finding::unwritten:
            throw KernelError(
                KernelError::Kind::unwritten_read,
                fmt::format("shared memory read that nobody wrote: 4 bytes at {}\n  {}\n  {}", address, here, kernel));
        case Finding::in_flight:
            throw KernelError(
                KernelError::Kind::unfinished_copy,
                fmt::format("{} of shared memory that a cp.async still copies to: 4 bytes at {}\n  {}\n  {}, whose "
                            "cp_async_wait has not come yet\n  {}",
                            is_write(access) ? "write" : "read", address, here, earlier(granule.write), kernel));
        case Finding::race_with_write:
            throw KernelError(
                KernelError::Kind::race,
                fmt::format("race in shared memory: 4 bytes at {}\n  {}\n  {}, and nothing orders the two\n  {}",
                            address, here, earlier(granule.write), kernel));
        case Finding::race_with_read: {
            const bool others = (granule.read & (stamp::several | stamp::several_lanes)) != 0;
            throw KernelError(
                KernelError::Kind::race,
                fmt::format("race in shared memory: 4 bytes at {}\n  {}\n  {}{}, and nothing orders the two\n  {}",
                            address, here, earlier(granule.read), others ? " and others" : "", kernel));
        }
    }
    throw std::logic_error("a finding that is none");
}

void Cta::fail_global(GlobalFinding finding, Access access, const Where& where, const MappedRegion& region,
                      std::size_t position, const GlobalGranule& granule) const {
    const std::string at = fmt::format("4 bytes at offset {} of {}", position / 4 * 4 - region.skew, region.name);
    const auto earlier = [&](Stamp stamp) { return access_text(stamp::site(stamp), stamp::thread(stamp)); };
    std::string text;
    switch (finding) {
        case GlobalFinding::fine:
            throw std::logic_error("a finding that is none");
        case GlobalFinding::unwritten:
            text = fmt::format("global memory read that nobody wrote: {}", at);
            break;
        case GlobalFinding::race_with_write:
            text = fmt::format("race in global memory: {}\n  {}, and nothing orders the two", at,
                               earlier(granule.order.write));
            break;
        case GlobalFinding::race_with_read:
            text = fmt::format("race in global memory: {}\n  {}, and nothing orders the two", at,
                               earlier(granule.order.read));
            break;
        case GlobalFinding::other_cta_wrote:
            text = fmt::format("race in global memory between two CTAs: {}\n  {} of another block", at,
                               earlier(granule.order.write));
            break;
    }
    fail(kind_of(finding), fmt::format("{}\n  {}", text, name_of(access)), where);
}

void Cta::fail_bounds_shared(Access access, const Where& where, unsigned thread, std::uint32_t address,
                             unsigned bytes) const {
    const bool outside = !shared_.contains(address, bytes);
    const std::string what =
        outside ? fmt::format("{} out of bounds: {} bytes at shared address {}, of {} bytes", name_of(access), bytes,
                              address, shared_.bytes())
                : fmt::format("{} misaligned: {} bytes at shared address {}", name_of(access), bytes, address);
    throw KernelError(outside ? KernelError::Kind::out_of_bounds : KernelError::Kind::misaligned,
                      fmt::format("{}\n  at {}\n  kernel {}, block ({}, {}, {}), {}", what,
                                  place(where, static_cast<const StepTally*>(tally)), launch_.kernel, block_.x,
                                  block_.y, block_.z, lane_text(thread)));
}

void Cta::fail_bounds_global(Access access, const Where& where, const void* address, unsigned bytes) const {
    fail(KernelError::Kind::out_of_bounds,
         fmt::format("{} out of bounds: {} bytes of global memory, {}", name_of(access), bytes,
                     launch_.memory.nearest(address, bytes)),
         where);
}

std::string Cta::lanes_text(const Warp& warp) const {
    const auto first = static_cast<unsigned>(&warp - warps_.data()) * 32;
    std::string text;
    std::uint32_t rest = warp.arrived;
    while (rest != 0) {
        const Lane& leader = lanes_[first + static_cast<unsigned>(std::countr_zero(rest))];
        std::uint32_t together = 0;
        for (std::uint32_t others = rest; others != 0; others &= others - 1) {
            const Lane& lane = lanes_[first + static_cast<unsigned>(std::countr_zero(others))];
            if (lane.meeting == leader.meeting && same_place(lane.where, leader.where)) {
                together |= lane.bit;
            }
        }
        const Counters* step = running_lane == &leader ? tally : leader.tally;
        text += fmt::format("\n  warp {} lanes {} wait at {} at {}", first / 32, ranges(together),
                            name_of(leader.meeting), place(leader.where, static_cast<const StepTally*>(step)));
        rest &= ~together;
    }
    if (warp.exited != 0) {
        text += fmt::format("\n  warp {} lanes {} returned", first / 32, ranges(warp.exited));
    }
    return text;
}

std::exception_ptr Cta::stuck_error(const Warp& warp) const {
    bool only_barriers = true;
    const auto first = static_cast<unsigned>(&warp - warps_.data()) * 32;
    for (std::uint32_t rest = warp.arrived; rest != 0; rest &= rest - 1) {
        only_barriers &= lanes_[first + static_cast<unsigned>(std::countr_zero(rest))].meeting == Meeting::barrier;
    }
    return std::make_exception_ptr(KernelError(
        only_barriers ? KernelError::Kind::divergent_barrier : KernelError::Kind::missing_lane,
        fmt::format("{}{}\n  kernel {}, block ({}, {}, {})",
                    only_barriers ? "__syncthreads in divergent code: not all lanes of a warp come to the same one"
                                  : "a warp-wide instruction that not all lanes of the warp come to",
                    lanes_text(warp), launch_.kernel, block_.x, block_.y, block_.z)));
}

std::exception_ptr Cta::barrier_error() const {
    std::string text = "__syncthreads in divergent code: not all warps of the CTA come to the same one";
    for (const Warp& warp : warps_) {
        text += lanes_text(warp);
    }
    return std::make_exception_ptr(KernelError(
        KernelError::Kind::divergent_barrier,
        fmt::format("{}\n  kernel {}, block ({}, {}, {})", text, launch_.kernel, block_.x, block_.y, block_.z)));
}

}  // namespace flashlens::simt
