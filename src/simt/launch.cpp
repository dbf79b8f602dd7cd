#include "simt/launch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>

#include "simt/cta.h"

namespace flashlens::simt {
namespace {

struct CtaToRun {
    std::uint64_t block;  ///< x fastest
    std::uint64_t times;
};

Dim3 block_of(std::uint64_t number, Dim3 grid) {
    return {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
            static_cast<unsigned>(number / grid.x / grid.y)};
}

/// The CTAs that stand for others, with how many; of all, when nothing is left out.
std::vector<CtaToRun> list_ctas(Dim3 grid, const std::function<std::uint64_t(Dim3)>& multiplicity) {
    std::vector<CtaToRun> list;
    const std::uint64_t count = std::uint64_t{grid.x} * grid.y * grid.z;
    for (std::uint64_t block = 0; block < count; ++block) {
        if (const std::uint64_t times = multiplicity(block_of(block, grid)); times != 0) {
            list.push_back({block, times});
        }
    }
    return list;
}

/// The first failure in block order, over all workers.
class FirstFailure {
public:
    void note(std::uint64_t ordinal, std::exception_ptr error, std::atomic<std::uint64_t>& failed_job) {
        const std::lock_guard lock(mutex_);
        if (ordinal < ordinal_) {
            ordinal_ = ordinal;
            error_ = std::move(error);
            failed_job.store(ordinal, std::memory_order_relaxed);
        }
    }
    void rethrow() const {
        if (error_ != nullptr) {
            std::rethrow_exception(error_);
        }
    }

private:
    std::mutex mutex_;
    std::uint64_t ordinal_ = ~std::uint64_t{0};
    std::exception_ptr error_;
};

/// Steps of all workers, by name, in order of first appearance.
std::vector<StepCounters> merge_steps(const std::vector<StepTable>& workers) {
    std::vector<StepTally> merged;
    for (const StepTable& steps : workers) {
        for (const auto& of_worker : steps.all()) {
            const StepTally& step = *of_worker;
            const auto same = std::find_if(merged.begin(), merged.end(), [&](const StepTally& other) {
                return std::string_view(other.name) == step.name;
            });
            if (same == merged.end()) {
                merged.push_back(step);
                continue;
            }
            same->finished.add(step.finished);
            const auto order = [](const StepTally& s) {
                return std::tuple(s.first_cta, s.first_thread, s.first_position);
            };
            if (order(step) < order(*same)) {
                same->first_cta = step.first_cta;
                same->first_thread = step.first_thread;
                same->first_position = step.first_position;
            }
        }
    }
    std::sort(merged.begin(), merged.end(), [](const StepTally& a, const StepTally& b) {
        const bool a_outside = *a.name == '\0';
        const bool b_outside = *b.name == '\0';
        if (a_outside != b_outside) {
            return a_outside;
        }
        return std::tuple(a.first_cta, a.first_thread, a.first_position) <
               std::tuple(b.first_cta, b.first_thread, b.first_position);
    });
    std::vector<StepCounters> result;
    result.reserve(merged.size());
    for (const StepTally& step : merged) {
        result.push_back({step.name, step.finished});
    }
    return result;
}

}  // namespace

Counters LaunchReport::step(std::string_view name) const {
    const auto found =
        std::find_if(steps.begin(), steps.end(), [&](const StepCounters& step) { return step.name == name; });
    return found == steps.end() ? Counters{} : found->counters;
}

LaunchReport launch(const char* kernel, Dim3 grid, unsigned threads, std::size_t shared_bytes,
                    const LaunchOptions& options, const std::function<void()>& lane_main) {
    if (threads == 0 || threads % 32 != 0 || threads > 1024) {
        throw std::invalid_argument("a CTA has 32, 64, ... 1024 threads, not " + std::to_string(threads));
    }
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t in_grid = std::uint64_t{grid.x} * grid.y * grid.z;
    const std::vector<CtaToRun> list =
        options.multiplicity ? list_ctas(grid, options.multiplicity) : std::vector<CtaToRun>{};
    const std::uint64_t count = options.multiplicity ? list.size() : in_grid;
    // Warps that exchange no values are jobs of their own: the cores share even a single CTA.
    const std::uint64_t jobs_per_cta = options.values ? 1 : threads / 32;
    const std::uint64_t jobs = count * jobs_per_cta;

    unsigned os_threads =
        options.os_threads != 0 ? options.os_threads : std::max(1U, std::thread::hardware_concurrency());
    os_threads = static_cast<unsigned>(std::min<std::uint64_t>({os_threads, std::max<std::uint64_t>(jobs, 1), 256}));

    LaunchState state{
        kernel,
        grid,
        threads,
        shared_bytes,
        options,
        lane_main,
        GlobalMemory(options.memory, options.checks && options.values, options.values && !options.multiplicity),
        {},
        std::vector<StepTable>(os_threads)};
    state.sites.reserve(os_threads);
    for (unsigned worker = 0; worker < os_threads; ++worker) {
        state.sites.emplace_back(worker);
    }

    FirstFailure failure;
    std::atomic<std::uint64_t> next{0};
    std::atomic<std::uint64_t> done{0};
    std::mutex mutex;
    std::condition_variable finished;
    unsigned workers_left = os_threads;

    const auto work = [&](unsigned worker) {
        std::uint64_t ordinal = 0;
        try {
            Cta cta(state, worker);
            while ((ordinal = next.fetch_add(1, std::memory_order_relaxed)) < jobs &&
                   ordinal < state.failed_job.load(std::memory_order_relaxed)) {
                const std::uint64_t i = ordinal / jobs_per_cta;
                const CtaToRun job = options.multiplicity ? list[i] : CtaToRun{i, 1};
                cta.run(ordinal, block_of(job.block, grid), job.times);
                done.fetch_add(1, std::memory_order_relaxed);
            }
        } catch (const Stopped&) {
            // an earlier CTA failed
        } catch (...) {
            failure.note(ordinal, std::current_exception(), state.failed_job);
        }
        const std::lock_guard lock(mutex);
        --workers_left;
        finished.notify_one();
    };

    std::vector<std::jthread> workers;
    for (unsigned worker = 0; worker < os_threads; ++worker) {
        workers.emplace_back(work, worker);
    }
    {
        std::unique_lock lock(mutex);
        const auto all_finished = [&] { return workers_left == 0; };
        while (!finished.wait_for(lock, std::chrono::milliseconds(100), all_finished)) {
            if (options.progress) {
                lock.unlock();
                options.progress(static_cast<double>(done.load()) / static_cast<double>(jobs));
                lock.lock();
            }
        }
    }
    for (std::jthread& worker : workers) {
        worker.join();
    }
    failure.rethrow();

    LaunchReport report;
    report.steps = merge_steps(state.steps);
    for (const StepCounters& step : report.steps) {
        report.total.add(step.counters);
    }
    if (options.values && !options.multiplicity) {
        report.unique_read_bytes = state.memory.unique_read_bytes();
        report.unique_write_bytes = state.memory.unique_write_bytes();
    }
    report.ctas_run = count;
    report.shared_bytes = shared_bytes;
    report.wall_us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    return report;
}

}  // namespace flashlens::simt
