// What exercise 3's experiment is tried on: v1 itself, and kernels of which it is known that their splits merge something.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "explorer/inputs.h"
#include "explorer/problem.h"
#include "lessons/exercises/entry.h"
#include "message.h"

namespace flashlens::practice {

using Outputs = exercise::Outputs;

/// A kernel on a problem, by its number of splits.
using Kernel = std::function<Outputs(int num_splits)>;

constexpr int most_splits = 30;
constexpr int most_runs = 40;

/// 2 heads of 90 queries and 300 keys, D 32: 6 query tiles of v1, and two of its key blocks.
Problem laboratory_problem();

/// The real v1, on the CPU machine.
Kernel v1_kernel(const Inputs& inputs);

/// A kernel whose splits are of the keys: each works its share off on its own, in fp32, and then they are merged. As a right
/// kernel of this kind does it, so that only last bits tell. What was run once is kept.
Kernel key_splitting_kernel();

/// What an experiment said of a kernel, and what it ran to know.
struct Said {
    bool same = false;
    std::vector<int> ran{};  ///< numbers of splits, in order
};

/// Lets the experiment look at the kernel. Throws the Findings "splits-out-of-range" and "too-many-runs".
Said ask(exercise::SplitsMergeNothing* experiment, const Kernel& kernel);

/// "ran it with num_splits 1, 2, 4"
Message ran_text(const std::vector<int>& ran);

}  // namespace flashlens::practice
