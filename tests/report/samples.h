// Comparisons filled in by hand or at random, for tests of how they are shown.
#pragma once

#include <cstdint>
#include <random>

#include "explorer/comparison.h"

namespace flashlens::report::samples {

/// v1 and v2 on an A100, run on the CPU machine: every group of the table has figures.
Comparison simulated();
/// The same, timed on a card that is in the machine.
Comparison timed();
/// Without anything that needs a run.
Comparison explained();
/// Any shape and card; runs on the CPU machine, on a GPU or not at all; figures of any size, now and then equal ones,
/// zeros, and variants that can't run.
Comparison random(std::mt19937_64& generator);

}  // namespace flashlens::report::samples
