#include "explorer/sweep.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>

#include "explorer/inputs.h"
#include "explorer/variant.h"
#include "gpu/gpu.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens {
namespace {

/// What counting alone does in a second on one core, for estimates only; measured progress replaces it.
constexpr double counted_flops_per_core = 1e10;
/// Up to here the counters are there unasked: some 20 seconds on two cores. In FLOPs, not in seconds, so that every
/// machine shows the same.
constexpr double counted_unasked_flops = 4e11;
/// For the progress bar: inputs, copies and samples of one variant at one point.
constexpr double guessed_timing_seconds = 0.1;

double counting_seconds(double flops) {
    return flops / (counted_flops_per_core * std::max(1U, std::thread::hardware_concurrency()));
}

std::vector<TimedFacts> time_on_gpu(const std::vector<const VariantFacts*>& variants, const Problem& problem) {
    std::vector<TimedFacts> times;
    for (const gpu::Run& run : run_on_gpu(variants, problem, repeated_inputs(problem), timing_samples)) {
        times.push_back(timed_facts(run.samples_us));
    }
    return times;
}

/// A sweep under way.
class Run {
public:
    Run(const SweepRequest& request, const SweepSteps& steps) : request_(request), steps_(steps) {}

    Sweep all() {
        sweep_.options = request_.options;
        for (const SweepQuestion& question : request_.questions) {
            plan(question);
        }
        refuse_when_nothing_runs();
        decide_about_counting();
        start_ = std::chrono::steady_clock::now();
        // All times first: a card that waits for the CPU machine in between cools down and lowers its clocks.
        each_point([&](SweepPoint& point) { time(point); });
        each_point([&](SweepPoint& point) { count(point); });
        refuse_when_nothing_runs();
        return std::move(sweep_);
    }

private:
    void plan(const SweepQuestion& question) {
        SweepPoint& point = sweep_.points.emplace_back();
        point.at = question.at;
        point.refusal = question.refusal;
        if (point.refusal.empty()) {
            guarded(point, [&] { point.comparison = steps_.explain(question.request); });
        }
    }

    /// A mistake of one point is that point's alone.
    template <typename Step>
    static void guarded(SweepPoint& point, const Step& step) {
        try {
            step();
        } catch (const UsageError& error) {
            point.refusal = error.message();
        } catch (const gpu::Error& error) {
            point.refusal = error.message();
            point.failed = true;
        } catch (const std::bad_alloc&) {
            fail_for_memory(point);
        } catch (const std::length_error&) {  // more elements than a vector can have
            fail_for_memory(point);
        }
    }

    static void fail_for_memory(SweepPoint& point) {
        point.refusal = say("out of memory: the shape is too large for this machine");
        point.failed = true;
    }

    static bool runs(const VariantFacts& variant) { return variant.refusal.empty() && variant.launch.ctas > 0; }
    static bool timed(const SweepPoint& point) {
        return point.refusal.empty() && point.comparison.machine == Machine::gpu;
    }

    void refuse_when_nothing_runs() const {
        const auto& points = sweep_.points;
        if (std::any_of(points.begin(), points.end(), [](const SweepPoint& p) { return p.refusal.empty(); })) {
            return;
        }
        const auto failure = std::find_if(points.begin(), points.end(), [](const SweepPoint& p) { return p.failed; });
        const SweepPoint& first = failure != points.end() ? *failure : points.front();
        const bool alike =
            std::all_of(points.begin(), points.end(), [&](const SweepPoint& p) { return p.refusal == first.refusal; });
        const Message why =
            alike ? first.refusal : say("none of the {} points can run; one says: {}", points.size(), first.refusal);
        if (failure != points.end()) {
            throw Failure(why);
        }
        throw UsageError(why);
    }

    void decide_about_counting() {
        double flops = 0.0;
        for (const SweepPoint& point : sweep_.points) {
            for (const VariantFacts& variant : point.comparison.variants) {
                const bool counts = point.refusal.empty() && runs(variant) && request_.counting != Counting::off;
                flops += counts ? steps_.counting_flops(variant, point.comparison.problem) : 0.0;
                total_seconds_ += timed(point) && runs(variant) ? guessed_timing_seconds : 0.0;
            }
        }
        const bool too_much = flops > counted_unasked_flops;
        sweep_.counted = request_.counting == Counting::on || (request_.counting == Counting::automatic && !too_much);
        sweep_.counting_left_out = request_.counting == Counting::automatic && too_much;
        sweep_.counting_seconds = counting_seconds(flops);
        total_seconds_ += sweep_.counted ? sweep_.counting_seconds : 0.0;
    }

    template <typename Step>
    void each_point(const Step& step) {
        for (point_ = 0; point_ < sweep_.points.size(); ++point_) {
            SweepPoint& point = sweep_.points[point_];
            if (point.refusal.empty()) {
                guarded(point, [&] { step(point); });
            }
        }
    }

    void time(SweepPoint& point) {
        std::vector<VariantFacts*> running;
        for (VariantFacts& variant : point.comparison.variants) {
            if (runs(variant)) {
                running.push_back(&variant);
            }
        }
        if (!timed(point) || running.empty()) {
            return;
        }
        report(say("timing on the card"), 0.0);
        const std::vector<TimedFacts> times = steps_.time({running.begin(), running.end()}, point.comparison.problem);
        for (std::size_t i = 0; i < running.size(); ++i) {
            running[i]->timed = times[i];
            done_seconds_ += guessed_timing_seconds;
        }
    }

    void count(SweepPoint& point) {
        for (VariantFacts& variant : point.comparison.variants) {
            if (!sweep_.counted || !variant.refusal.empty()) {
                continue;
            }
            const Problem& problem = point.comparison.problem;
            const double seconds = counting_seconds(steps_.counting_flops(variant, problem));
            variant.counted = steps_.count(variant, problem, [&](double done) {
                report(say("{} on the CPU machine", variant.name), done * seconds);
            });
            done_seconds_ += seconds;
        }
    }

    /// `more`: guessed seconds of what is under way, done already.
    void report(const Message& what, double more) const {
        if (!request_.progress || !(total_seconds_ > 0.0)) {
            return;
        }
        const double done = (done_seconds_ + more) / total_seconds_;
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
        request_.progress(say("point {} of {}: {}", point_ + 1, sweep_.points.size(), what), done,
                          done > 0.02 ? elapsed.count() / done : total_seconds_);
    }

    const SweepRequest& request_;
    const SweepSteps& steps_;
    Sweep sweep_;
    std::size_t point_ = 0;
    double total_seconds_ = 0.0;  ///< as guessed beforehand
    double done_seconds_ = 0.0;   ///< of those
    std::chrono::steady_clock::time_point start_;
};

}  // namespace

std::vector<std::vector<std::size_t>> combinations(const std::vector<SweptOption>& options) {
    std::vector<std::vector<std::size_t>> all{{}};
    for (const SweptOption& option : options) {
        std::vector<std::vector<std::size_t>> longer;
        longer.reserve(all.size() * option.values.size());
        for (const std::vector<std::size_t>& before : all) {
            for (std::size_t i = 0; i < option.values.size(); ++i) {
                longer.push_back(before);
                longer.back().push_back(i);
            }
        }
        all = std::move(longer);
    }
    return all;
}

SweepSteps real_sweep_steps() {
    return {explain, counting_flops, count_on_cpu, time_on_gpu};
}

Sweep sweep(const SweepRequest& request, const SweepSteps& steps) {
    return Run(request, steps).all();
}

}  // namespace flashlens
