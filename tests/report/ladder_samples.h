// A ladder filled in by hand.
#pragma once

#include "explorer/comparison.h"

namespace flashlens::report::samples {

/// All rungs from v1 to v2 on an A100, counted.
Comparison ladder();
/// The same with times: each step faster than the one before but wide-warps, which is slower, late-norm, which is as fast
/// (1 % off), and masked-loop, which is slower although its figures get better.
Comparison timed_ladder();

}  // namespace flashlens::report::samples
