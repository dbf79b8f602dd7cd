// One CTA at a time on one OS thread: its lanes are fibers that switch directly from one to the next.
//
// A lane runs until a meeting point. There it either hands over to the next lane of its warp that can still run or,
// being the last to arrive, does the collective's work for all 32 and goes on; the others then resume one by one. A
// warp in which no lane can run although some wait is stuck for ever: that is how a missing lane is found.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "simt/access_log.h"
#include "simt/fiber.h"
#include "simt/global_memory.h"
#include "simt/launch.h"
#include "simt/matrix.h"
#include "simt/order.h"
#include "simt/shared_memory.h"
#include "simt/sites.h"
#include "simt/stacks.h"

namespace flashlens::simt {

/// What the workers of one launch share.
struct LaunchState {
    const char* kernel;
    Dim3 grid;
    unsigned threads;
    std::size_t shared_bytes;
    const LaunchOptions& options;
    const std::function<void()>& lane_main;
    GlobalMemory memory;
    // One per worker. They outlive the workers: stamps in global memory lead here.
    std::vector<SiteTable> sites;
    std::vector<StepTable> steps;
    /// The lowest job that failed: a CTA by its place in the list of those to run, or a warp of it where warps run
    /// alone. Jobs behind it stop; those before it go on, so that the error reported is the same however many threads
    /// there are.
    std::atomic<std::uint64_t> failed_job{~std::uint64_t{0}};
};

enum class Meeting : std::uint8_t { barrier, sync_warp, shuffle, vote, ldmatrix, mma_fp16, mma_bf16, mma_k8_fp16 };
const char* name_of(Meeting meeting);

/// Thrown in lanes that must end because the launch failed elsewhere.
struct Stopped {};

/// A cp.async that has not arrived.
struct PendingCopy {
    std::uint32_t shared_address;
    std::uint32_t site;
    std::uint32_t group;
    std::uint32_t waits;  ///< of its lane, before it
    unsigned source_bytes;
    const void* from;
};

struct Warp;

struct alignas(64) Lane : RunningLane {
    Fiber fiber;                ///< while it doesn't run
    Counters* tally = nullptr;  ///< the step it is in, while it doesn't run
    Warp* warp = nullptr;
    std::uint32_t bit = 0;  ///< in the masks of its warp
    bool started = false;
    Meeting meeting = Meeting::barrier;  ///< where it waits, or waited last
    Where where;
    unsigned steps_entered = 0;
    std::vector<PendingCopy> copies;  ///< oldest first; those before first_copy have arrived
    std::size_t first_copy = 0;
    std::uint32_t committed = 0;  ///< cp.async groups
    std::uint32_t waits = 0;
    std::uint32_t committed_at_wait = 0;
    std::uint32_t newest = 0;  ///< groups up to that of the newest copy,
    std::uint32_t waited = 0;  ///< and up to the last that was waited for

    bool copies_under_way() const { return newest > waited; }
};

struct Warp {
    Lane* lanes = nullptr;      ///< its 32
    std::uint32_t running = 0;  ///< lanes that can run
    std::uint32_t arrived = 0;  ///< lanes that wait at a meeting point
    std::uint32_t paused = 0;   ///< lanes whose access log is full: they wait for the others to catch up
    std::uint32_t exited = 0;
    Meeting meeting = Meeting::barrier;  ///< of the first that arrived
    bool scattered = false;              ///< another arrived elsewhere, it seems
    Where where;
    Stamp since_sync = 0;  ///< the clock at the last __syncwarp or __syncthreads

    // What lanes bring to a meeting point, and take from it.
    MatrixOperands matrix;
    std::uint32_t* registers[32];
    std::uint32_t value[32];
    std::uint32_t partner[32];
    std::uint32_t result[32];
    std::uint32_t votes = 0;
    bool vote_result = false;

    AccessLog log;
};

class Cta {
public:
    static constexpr std::uint32_t all_lanes = 0xFFFFFFFF;

    Cta(LaunchState& launch, unsigned worker);
    ~Cta();
    Cta(const Cta&) = delete;
    Cta& operator=(const Cta&) = delete;

    /// Runs a CTA, or in a launch that only counts one of its warps, the job's number modulo the warps; what it counted
    /// goes into the step table, `times` over. Throws what a lane threw; Stopped when an earlier job failed.
    void run(std::uint64_t ordinal, Dim3 block, std::uint64_t times);

    // --- for the lane that runs (device.cpp, device_memory.cpp) ---

    LaunchState& launch() { return launch_; }
    static Lane& lane() { return static_cast<Lane&>(*running_lane); }
    static Warp& warp() { return *lane().warp; }
    const Lane& lane(unsigned thread) const { return lanes_[thread]; }
    Dim3 block() const { return block_; }
    SharedMemory& shared() { return shared_; }
    MappedRegion* find_global(const void* p, unsigned bytes) { return launch_.memory.find(p, bytes, region_hint_); }
    bool checks() const { return checks_; }
    /// False: the launch only counts.
    bool values() const { return values_; }
    std::uint32_t cta_number() const { return static_cast<std::uint32_t>(ordinal_ % 0x3FFFFFFE) + 1; }

    std::uint32_t site(const Where& where, Access access, unsigned bytes) {
        return sites_.id(where, static_cast<const StepTally*>(tally), access, bytes);
    }
    /// Now, for thread `thread` at `site`.
    Moment moment(const Warp& warp, unsigned thread, std::uint32_t site) const {
        return {since_barrier_, warp.since_sync, clock_ | Stamp{thread} << 20 | site, thread};
    }
    /// `origin` is the site, or for global loads and stores AccessLog::pack_origin.
    void log(std::uint32_t origin, std::uint64_t address) {
        if (warp().log.add(lane().thread % 32, origin, address)) [[unlikely]] {
            pause();
        }
    }

    /// The running lane arrives at a meeting point. True: other lanes of its warp can still run, and it has to
    /// hand_over() to the next. False: it is the last, and has to complete() the arrival.
    bool arrive(Meeting meeting, Where where);
    /// Switches to the next lane of the warp; returns when this lane is resumed, the collective's work done. Best
    /// called last in a function (see fiber.h).
    void hand_over() { switch_to(pick(warp())); }
    /// True: every lane of the warp has arrived at the same place, and the running lane is to do the collective's work
    /// before any other runs. False: others had to catch up first, and the last of them has done the work.
    bool complete(Meeting meeting);
    /// Suspends the running lane and runs `next`. Best called last in a function (see fiber.h).
    void switch_to(Lane& next);
    /// Where a warp-wide instruction of the running lane's warp is counted: the step of the warp's lane 0.
    Counters& warp_tally() {
        lane().tally = tally;
        return *lanes_[lane().thread / 32 * 32].tally;
    }
    /// Where a warp-wide instruction is no meeting point: counts it, once for the warp.
    template <auto counter>
    static void count_once() {
        if (lane().bit == 1) {
            ++(tally->*counter);
        }
    }
    void barrier(const Where& where);
    /// Orders memory among the lanes of the running lane's warp.
    void order_warp() {
        clock_ += Stamp{1} << 32;
        warp().since_sync = clock_;
    }
    void enter(StepTally* step) {
        Lane& lane = Cta::lane();
        if (step->first_cta > ordinal_ || (step->first_cta == ordinal_ && step->first_thread > lane.thread)) {
            step->first_cta = ordinal_;
            step->first_thread = lane.thread;
            step->first_position = lane.steps_entered;
        }
        ++lane.steps_entered;
        tally = step;
    }
    StepTable& step_table() { return steps_; }
    /// True when the launch asks to leave out what stands here.
    bool omitted(Omission::What what, const Where& where) const;

    // Reports (cta_reports.cpp).
    /// `details` lack the launch and the access itself, which is the running lane's.
    [[noreturn]] void fail(KernelError::Kind kind, const std::string& what, Access access, const Where& where,
                           KernelError::Details details) const;
    [[noreturn]] void fail_shared(Finding finding, Access access, const Where& where, unsigned thread,
                                  std::uint32_t address, const Granule& granule) const;
    [[noreturn]] void fail_global(GlobalFinding finding, Access access, const Where& where, const MappedRegion& region,
                                  std::size_t position, const GlobalGranule& granule) const;
    [[noreturn]] void fail_bounds_shared(Access access, const Where& where, unsigned thread, std::uint32_t address,
                                         unsigned bytes) const;
    [[noreturn]] void fail_bounds_global(Access access, const Where& where, const void* address, unsigned bytes) const;

private:
    void lane_body();
    void pause();
    /// The running lane returned (or unwound): who runs next.
    Lane& next_after_exit();
    Lane& pick(Warp& warp);
    Lane& pick_at_random(Warp& warp);
    Lane* pick_any();
    void release_barrier();
    void release_warp_at_barrier();
    void resume_paused(Warp& warp);
    bool together(const Warp& warp) const;
    void check_stop() const;
    void note_failure(const std::exception_ptr& error);
    std::exception_ptr stuck_error(const Warp& warp) const;
    std::exception_ptr barrier_error() const;
    std::uint64_t random();
    KernelError::Details details_of_launch() const;
    KernelError::Details shared_details(Access access, const Where& where, unsigned thread, std::uint32_t address,
                                        unsigned bytes) const;
    std::string kernel_text() const;
    std::string waiting_text(const std::vector<Place>& waiting) const;
    void add_waiting(std::vector<Place>& waiting, const Warp& warp) const;
    Place earlier(Stamp stamp) const;

    Lane host_;  ///< the OS thread's own stack
    LaunchState& launch_;
    SiteTable& sites_;
    StepTable& steps_;
    SharedMemory shared_;
    LaneStacks stacks_;
    std::vector<Lane> lanes_;
    std::vector<Warp> warps_;
    const bool checks_;
    const bool values_;
    bool quit_ = false;
    bool stopping_ = false;
    std::exception_ptr error_;

    std::uint64_t ordinal_ = 0;
    Dim3 block_;
    Stamp clock_ = 0;
    Stamp since_barrier_ = 0;
    unsigned warps_at_barrier_ = 0;
    unsigned region_hint_ = 0;
    std::uint64_t random_ = 0;
};

/// The machine of this OS thread, while a launch runs on it.
constinit inline thread_local Cta* machine = nullptr;

inline void Cta::switch_to(Lane& next) {
    Lane& self = lane();
    self.tally = tally;
    running_lane = &next;
    tally = next.tally;
    resume(self.fiber, next.fiber);
}

inline Lane& Cta::pick(Warp& warp) {
    return random_ == 0 ? warp.lanes[std::countr_zero(warp.running)] : pick_at_random(warp);
}

inline bool Cta::arrive(Meeting meeting, Where where) {
    Lane& lane = Cta::lane();
    Warp& warp = *lane.warp;
    lane.meeting = meeting;
    lane.where = where;
    if (warp.arrived == 0) {
        warp.meeting = meeting;
        warp.where = where;
        warp.scattered = false;
    } else if (warp.meeting != meeting || identity(warp.where) != identity(where)) {
        warp.scattered = true;  // perhaps: complete() looks closer
    }
    warp.arrived |= lane.bit;
    return (warp.running &= ~lane.bit) != 0;
}

inline void Cta::check_stop() const {
    if (launch_.failed_job.load(std::memory_order_relaxed) < ordinal_) [[unlikely]] {
        throw Stopped{};
    }
}

}  // namespace flashlens::simt
