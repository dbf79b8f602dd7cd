#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace flashlens::reference {

/// Calls make_worker() once per thread, and each worker(item) for its share of the items 0 .. count - 1; a worker keeps
/// its buffers from item to item. The first exception ends the work and is thrown again here. threads = 0: one per core.
template <class MakeWorker>
void for_each_parallel(std::int64_t count, unsigned threads, const MakeWorker& make_worker) {
    std::atomic<std::int64_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_mutex;
    const auto work = [&] {
        try {
            auto worker = make_worker();
            for (std::int64_t item = next++; item < count; item = next++) {
                worker(item);
            }
        } catch (...) {
            next = count;
            const std::scoped_lock lock(failure_mutex);
            if (!failure) {
                failure = std::current_exception();
            }
        }
    };
    const unsigned cores = threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
    {
        std::vector<std::jthread> helpers;
        for (unsigned i = 1; i < cores && static_cast<std::int64_t>(i) < count; ++i) {
            helpers.emplace_back(work);
        }
        work();
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace flashlens::reference
