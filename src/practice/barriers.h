// The barriers of a learner's kernel, found by leaving them out one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "practice/attempt.h"

namespace flashlens::practice {

struct BarrierLine {
    unsigned line = 0;         ///< of the learner's file
    std::uint64_t passed = 0;  ///< how often a run passes it
};

/// Where barriers stand that a run of this problem passes, by line. On the CPU machine only.
std::vector<BarrierLine> barrier_lines(Attempt& attempt, const Problem& problem);

/// A run in which those of these lines are left out.
Output run_without_barriers(Attempt& attempt, const Problem& problem, const std::vector<unsigned>& lines);

}  // namespace flashlens::practice
