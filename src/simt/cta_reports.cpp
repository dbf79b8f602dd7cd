// What a KernelError says.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "simt/cta.h"

namespace flashlens::simt {
namespace {

bool is_write(Access access) {
    return access == Access::store_shared || access == Access::store_global || access == Access::cp_async;
}

Place place_of(Access access, const Where& where, const Counters* step, unsigned thread) {
    return {name_of(access), where.file_name(), where.line(),    static_cast<const StepTally*>(step)->name,
            thread / 32,     1U << thread % 32, is_write(access)};
}

/// "kernels/v1/v1.h:120, step gemm_q_k"
std::string at(const Place& place) {
    return fmt::format("{}:{}{}{}", place.file, place.line, place.step.empty() ? "" : ", step ", place.step);
}

/// "warp 1 lane 0"
std::string by(const Place& place) {
    return fmt::format("warp {} lane {}", place.warp, lane_ranges(place.lanes));
}

std::string access_text(const Place& place) {
    return fmt::format("{} at {} by {}", place.what, at(place), by(place));
}

KernelError::Kind kind_of(GlobalFinding finding) {
    return finding == GlobalFinding::unwritten ? KernelError::Kind::unwritten_read : KernelError::Kind::race;
}

}  // namespace

std::string lane_ranges(std::uint32_t lanes) {
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

std::string Cta::kernel_text() const {
    return fmt::format("kernel {}, block ({}, {}, {})", launch_.kernel, block_.x, block_.y, block_.z);
}

Place Cta::earlier(Stamp stamp) const {
    const std::uint32_t id = stamp::site(stamp);
    const Site& site = launch_.sites[id / SiteTable::per_worker % launch_.sites.size()][id];
    return place_of(site.access, site.where, site.step, stamp::thread(stamp));
}

KernelError::Details Cta::details_of_launch() const {
    KernelError::Details details;
    details.kernel = launch_.kernel;
    details.block = block_;
    return details;
}

KernelError::Details Cta::shared_details(Access access, const Where& where, unsigned thread, std::uint32_t address,
                                         unsigned bytes) const {
    KernelError::Details details = details_of_launch();
    details.access = place_of(access, where, tally, thread);
    details.memory = "shared memory";
    details.memory_bytes = shared_.bytes();
    details.address = address;
    details.bytes = bytes;
    return details;
}

void Cta::fail(KernelError::Kind kind, const std::string& what, Access access, const Where& where,
               KernelError::Details details) const {
    const Place here = place_of(access, where, tally, lane().thread);
    details.kernel = launch_.kernel;
    details.block = block_;
    details.access = here;
    throw KernelError(kind, fmt::format("{}\n  at {}\n  {}, {}", what, at(here), kernel_text(), by(here)),
                      std::move(details));
}

void Cta::fail_shared(Finding finding, Access access, const Where& where, unsigned thread, std::uint32_t address,
                      const Granule& granule) const {
    KernelError::Details details = shared_details(access, where, thread, address, 4);
    if (finding != Finding::unwritten) {
        const bool of_read = finding == Finding::race_with_read;
        details.earlier = earlier(of_read ? granule.read : granule.write);
        details.earlier_by_others = of_read && (granule.read & (stamp::several | stamp::several_lanes)) != 0;
    }
    if (finding == Finding::in_flight) {
        const Lane& copier = lanes_[stamp::thread(granule.write)];
        const auto copy =
            std::find_if(copier.copies.begin() + static_cast<std::ptrdiff_t>(copier.first_copy), copier.copies.end(),
                         [&](const PendingCopy& pending) { return pending.shared_address == address / 16 * 16; });
        if (copy != copier.copies.end()) {
            details.copy_group = copy->group + 1;
            details.waits_since_copy = copier.waits - copy->waits;
        }
        details.committed_groups = copier.committed;
        details.committed_at_wait = copier.committed_at_wait;
    }
    const std::string here = access_text(*details.access);
    const std::string before = details.earlier ? access_text(*details.earlier) : "";
    KernelError::Kind kind = KernelError::Kind::race;
    std::string text;
    switch (finding) {
        case Finding::fine:
            throw std::logic_error("a finding that is none");
        case Finding::unwritten:
            kind = KernelError::Kind::unwritten_read;
            text = fmt::format("shared memory read that nobody wrote: 4 bytes at {}\n  {}", address, here);
            break;
        case Finding::in_flight:
            kind = KernelError::Kind::unfinished_copy;
            text = fmt::format(
                "{} of shared memory that a cp.async still copies to: 4 bytes at {}\n  {}\n  {}, whose cp_async_wait "
                "has not come yet",
                is_write(access) ? "write" : "read", address, here, before);
            break;
        case Finding::race_with_write:
        case Finding::race_with_read:
            text = fmt::format("race in shared memory: 4 bytes at {}\n  {}\n  {}{}, and nothing orders the two",
                               address, here, before, details.earlier_by_others ? " and others" : "");
            break;
    }
    throw KernelError(kind, text + "\n  " + kernel_text(), std::move(details));
}

void Cta::fail_global(GlobalFinding finding, Access access, const Where& where, const MappedRegion& region,
                      std::size_t position, const GlobalGranule& granule) const {
    KernelError::Details details = region.details(position / 4 * 4, 4);
    if (finding != GlobalFinding::unwritten) {
        const bool of_read = finding == GlobalFinding::race_with_read;
        details.earlier = earlier(of_read ? granule.order.read : granule.order.write);
        details.other_cta = finding == GlobalFinding::other_cta_wrote;
    }
    const std::string bytes = fmt::format("4 bytes at offset {} of {}", details.address, region.name);
    std::string text;
    switch (finding) {
        case GlobalFinding::fine:
            throw std::logic_error("a finding that is none");
        case GlobalFinding::unwritten:
            text = fmt::format("global memory read that nobody wrote: {}", bytes);
            break;
        case GlobalFinding::race_with_write:
        case GlobalFinding::race_with_read:
            text = fmt::format("race in global memory: {}\n  {}, and nothing orders the two", bytes,
                               access_text(*details.earlier));
            break;
        case GlobalFinding::other_cta_wrote:
            text = fmt::format("race in global memory between two CTAs: {}\n  {} of another block", bytes,
                               access_text(*details.earlier));
            break;
    }
    fail(kind_of(finding), fmt::format("{}\n  {}", text, name_of(access)), access, where, std::move(details));
}

void Cta::fail_bounds_shared(Access access, const Where& where, unsigned thread, std::uint32_t address,
                             unsigned bytes) const {
    const bool outside = !shared_.contains(address, bytes);
    const std::string what =
        outside ? fmt::format("{} out of bounds: {} bytes at shared address {}, of {} bytes", name_of(access), bytes,
                              address, shared_.bytes())
                : fmt::format("{} misaligned: {} bytes at shared address {}", name_of(access), bytes, address);
    const KernelError::Details details = shared_details(access, where, thread, address, bytes);
    const Place& here = *details.access;
    throw KernelError(outside ? KernelError::Kind::out_of_bounds : KernelError::Kind::misaligned,
                      fmt::format("{}\n  at {}\n  {}, {}", what, at(here), kernel_text(), by(here)), details);
}

void Cta::fail_bounds_global(Access access, const Where& where, const void* address, unsigned bytes) const {
    const GlobalMemory::Nearest nearest = launch_.memory.nearest(address, bytes);
    KernelError::Details details;
    if (nearest.region != nullptr) {
        details = nearest.region->details(nearest.region->skew, bytes);
        details.address = nearest.offset;
    }
    fail(KernelError::Kind::out_of_bounds,
         fmt::format("{} out of bounds: {} bytes of global memory, {}", name_of(access), bytes, nearest.text), access,
         where, std::move(details));
}

void Cta::add_waiting(std::vector<Place>& waiting, const Warp& warp) const {
    const auto first = static_cast<unsigned>(&warp - warps_.data()) * 32;
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
        waiting.push_back({name_of(leader.meeting), leader.where.file_name(), leader.where.line(),
                           static_cast<const StepTally*>(step)->name, first / 32, together, false});
        rest &= ~together;
    }
    if (warp.exited != 0) {
        waiting.push_back({"", "", 0, "", first / 32, warp.exited, false});
    }
}

std::string Cta::waiting_text(const std::vector<Place>& waiting) const {
    std::string text;
    for (const Place& place : waiting) {
        text += fmt::format("\n  warp {} lanes {}", place.warp, lane_ranges(place.lanes));
        text += place.file.empty() ? " returned" : fmt::format(" wait at {} at {}", place.what, at(place));
    }
    return text + "\n  " + kernel_text();
}

std::exception_ptr Cta::stuck_error(const Warp& warp) const {
    bool only_barriers = true;
    const auto first = static_cast<unsigned>(&warp - warps_.data()) * 32;
    for (std::uint32_t rest = warp.arrived; rest != 0; rest &= rest - 1) {
        only_barriers &= lanes_[first + static_cast<unsigned>(std::countr_zero(rest))].meeting == Meeting::barrier;
    }
    KernelError::Details details = details_of_launch();
    add_waiting(details.waiting, warp);
    return std::make_exception_ptr(
        KernelError(only_barriers ? KernelError::Kind::divergent_barrier : KernelError::Kind::missing_lane,
                    (only_barriers ? "__syncthreads in divergent code: not all lanes of a warp come to the same one"
                                   : "a warp-wide instruction that not all lanes of the warp come to") +
                        waiting_text(details.waiting),
                    details));
}

std::exception_ptr Cta::barrier_error() const {
    KernelError::Details details = details_of_launch();
    for (const Warp& warp : warps_) {
        add_waiting(details.waiting, warp);
    }
    return std::make_exception_ptr(
        KernelError(KernelError::Kind::divergent_barrier,
                    "__syncthreads in divergent code: not all warps of the CTA come to the same one" +
                        waiting_text(details.waiting),
                    details));
}

}  // namespace flashlens::simt
