// How far a long run is.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "explorer/explorer.h"

namespace flashlens {

/// Tells the progress function of a request what runs, how far it is and how long it will take in all.
class ProgressOf {
public:
    ProgressOf(const Request& request, const Problem& problem, Message what)
        : request_(request),
          what_(std::move(what)),
          guess_s_(static_cast<double>(flops(problem)) /
                   (guessed_flops_per_core * std::max(1U, std::thread::hardware_concurrency()))) {}

    void operator()(double done) const {
        if (!request_.progress) {
            return;
        }
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
        request_.progress(what_, done, done > 0.02 ? elapsed.count() / done : guess_s_);
    }

private:
    /// What the CPU machine does in a second on one core, for estimates only; measured progress replaces it.
    static constexpr double guessed_flops_per_core = 2e9;

    const Request& request_;
    Message what_;
    double guess_s_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace flashlens
