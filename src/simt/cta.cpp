#include "simt/cta.h"

#include <algorithm>

namespace flashlens::simt {
namespace {

[[noreturn]] void stop_lane() {
    throw Stopped{};
}

std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

}  // namespace

Cta::Cta(LaunchState& launch, unsigned worker)
    : launch_(launch),
      sites_(launch.sites[worker]),
      steps_(launch.steps[worker]),
      shared_(launch.shared_bytes),
      stacks_(launch.threads),
      lanes_(launch.threads),
      warps_(launch.threads / 32),
      checks_(launch.options.checks && launch.options.values),
      values_(launch.options.values) {
    for (unsigned thread = 0; thread < launch.threads; ++thread) {
        Lane& lane = lanes_[thread];
        lane.thread = thread;
        lane.bit = std::uint32_t{1} << (thread % 32);
        lane.warp = &warps_[thread / 32];
        lane.warp->lanes = &lanes_[thread / 32 * 32];
        lane.fiber = make_fiber(
            stacks_.top(thread), stacks_.size(thread), [](void* cta) { static_cast<Cta*>(cta)->lane_body(); }, this);
    }
}

Cta::~Cta() {
    for (Lane& lane : lanes_) {
        forget(lane.fiber);
    }
}

/// What a lane's fiber runs: the kernel, once for each CTA.
void Cta::lane_body() {
    for (;;) {
        if (!stopping_) {
            lane().started = true;
            try {
                launch_.lane_main();
            } catch (const Stopped&) {
                note_failure(nullptr);
            } catch (...) {
                note_failure(std::current_exception());
            }
        }
        Lane& next = next_after_exit();
        if (stopping_ && next.started) {
            Lane& self = lane();
            running_lane = &next;
            tally = next.tally;
            resume_to_unwind(self.fiber, next.fiber, stop_lane);
        } else {
            switch_to(next);
        }
    }
}

void Cta::run(std::uint64_t ordinal, Dim3 block, std::uint64_t times) {
    ordinal_ = ordinal;
    block_ = block;
    stopping_ = false;
    error_ = nullptr;
    clock_ = Stamp{1} << 32;
    since_barrier_ = clock_;
    warps_at_barrier_ = 0;
    const std::uint64_t seed = launch_.options.lane_order_seed;
    random_ = seed == 0 ? 0 : mix(seed + ordinal) | 1;
    if (values_) {
        shared_.reset(launch_.options.shared_is_written);
    }
    for (std::size_t i = 0; i < warps_.size(); ++i) {
        Warp& warp = warps_[i];
        warp.running = values_ || i == ordinal % warps_.size() ? all_lanes : 0;
        warp.exited = ~warp.running;
        warp.arrived = warp.paused = 0;
        warp.scattered = false;
        warp.since_sync = clock_;
        warp.log.clear();
    }
    for (Lane& lane : lanes_) {
        lane.tally = steps_.outside();
        lane.started = false;
        lane.steps_entered = 0;
        lane.copies.clear();
        lane.first_copy = 0;
        lane.committed = lane.waits = lane.committed_at_wait = lane.newest = lane.waited = 0;
    }
    machine = this;
    running_block = block;
    running_grid = launch_.grid;
    running_lane = &host_;
    switch_to(*pick_any());
    machine = nullptr;
    if (stopping_) {
        steps_.clear_cta();
        if (error_ != nullptr) {
            std::rethrow_exception(error_);
        }
        throw Stopped{};
    }
    steps_.finish_cta(times);
}

std::uint64_t Cta::random() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return random_;
}

Lane& Cta::pick_at_random(Warp& warp) {
    std::uint32_t candidates = warp.running;
    for (auto skip = random() % static_cast<unsigned>(std::popcount(candidates)); skip != 0; --skip) {
        candidates &= candidates - 1;
    }
    return warp.lanes[std::countr_zero(candidates)];
}

Lane* Cta::pick_any() {
    const std::size_t start = random_ == 0 ? 0 : random() % warps_.size();
    for (std::size_t i = 0; i < warps_.size(); ++i) {
        Warp& warp = warps_[(start + i) % warps_.size()];
        if (warp.running != 0) {
            return &pick(warp);
        }
    }
    return nullptr;
}

void Cta::resume_paused(Warp& warp) {
    warp.log.merge(sites_);
    warp.running = warp.paused;
    warp.paused = 0;
    check_stop();
}

/// Not a meeting point: nothing is ordered, and other lanes may wait elsewhere. It keeps the log short.
void Cta::pause() {
    Lane& lane = Cta::lane();
    Warp& warp = *lane.warp;
    warp.running &= ~lane.bit;
    warp.paused |= lane.bit;
    if (warp.running == 0) {
        resume_paused(warp);
    }
    Lane& next = pick(warp);
    if (&next != &lane) {
        switch_to(next);
    }
}

bool Cta::complete(Meeting meeting) {
    Warp& w = warp();
    if (w.paused != 0) {
        resume_paused(w);
        hand_over();
        return false;
    }
    if (w.arrived != all_lanes || (w.scattered && !together(w))) {
        std::rethrow_exception(stuck_error(w));
    }
    w.log.merge(sites_);
    if (meeting != Meeting::barrier) {
        check_stop();
        w.arrived = 0;
        w.running = all_lanes;
    }
    return true;
}

/// All lanes of a warp have arrived; at the same place?
bool Cta::together(const Warp& warp) const {
    return std::all_of(warp.lanes, warp.lanes + 32, [&](const Lane& lane) {
        return lane.meeting == warp.meeting && same_place(lane.where, warp.where);
    });
}

void Cta::barrier(const Where& where) {
    if (arrive(Meeting::barrier, where)) {
        return hand_over();
    }
    if (!complete(Meeting::barrier)) {
        return;
    }
    if (!values_) {
        release_warp_at_barrier();
    } else if (++warps_at_barrier_ == warps_.size()) {
        release_barrier();
    } else if (Lane* next = pick_any(); next != nullptr) {
        switch_to(*next);
    } else {
        std::rethrow_exception(barrier_error());
    }
}

void Cta::release_barrier() {
    check_stop();
    for (const Warp& warp : warps_) {
        if (!same_place(warp.where, warps_.front().where)) {
            std::rethrow_exception(barrier_error());
        }
    }
    clock_ += Stamp{1} << 32;
    since_barrier_ = clock_;
    warps_at_barrier_ = 0;
    for (Warp& warp : warps_) {
        warp.since_sync = clock_;
        warp.arrived = 0;
        warp.running = all_lanes;
    }
    lane().tally = tally;
    ++lanes_[0].tally->barriers;
}

/// In a launch that only counts: the barrier is where the warp's lanes meet, to write up their accesses.
void Cta::release_warp_at_barrier() {
    check_stop();
    Warp& w = warp();
    w.arrived = 0;
    w.running = all_lanes;
    if (&w == &warps_.front()) {
        ++warp_tally().barriers;
    }
}

Lane& Cta::next_after_exit() {
    Lane& lane = Cta::lane();
    Warp& warp = *lane.warp;
    warp.exited |= lane.bit;
    warp.running &= ~lane.bit;
    if (!stopping_) {
        if (warp.running == 0 && warp.paused != 0) {
            warp.log.merge(sites_);
            warp.running = warp.paused;
            warp.paused = 0;
        }
        if (warp.running != 0) {
            return pick(warp);
        }
        if (warp.arrived != 0) {
            note_failure(stuck_error(warp));
        } else {
            warp.log.merge(sites_);
            if (Lane* next = pick_any(); next != nullptr) {
                return *next;
            }
            if (warps_at_barrier_ != 0) {
                note_failure(barrier_error());
            }
        }
    }
    if (stopping_) {
        for (Lane& other : lanes_) {
            if ((other.warp->exited & other.bit) == 0) {
                return other;
            }
        }
    }
    return host_;
}

void Cta::note_failure(const std::exception_ptr& error) {
    if (!stopping_) {
        stopping_ = true;
        error_ = error;
    }
}

bool Cta::omitted(Omission::What what, const Where& where) const {
    const auto& omissions = launch_.options.omissions;
    return std::any_of(omissions.begin(), omissions.end(), [&](const Omission& omission) {
        return omission.what == what && omission.line == where.line() &&
               (omission.file.empty() || std::string_view(where.file_name()).ends_with(omission.file));
    });
}

}  // namespace flashlens::simt
