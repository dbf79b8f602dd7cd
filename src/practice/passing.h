// What an exercise's kernel must pass in the end: the error check that the program's own kernels pass.
#pragma once

#include <cstdint>
#include <vector>

#include "practice/attempt.h"

namespace flashlens::practice {

/// Shapes with tails, diagonals across tiles, rows that see nothing, several heads and batches, grouped heads.
struct Shapes {
    bool full = true;
    bool causal = true;
    bool grouped_heads = true;
    std::int64_t head_dim = 64;
};
std::vector<Problem> usual_problems(const Shapes& shapes = {});

/// Runs each problem on random inputs and holds O and lse against fp64 (explorer/verdict.h), every element written. On the
/// CPU machine also once with the lanes in another order: the bits must not change. Throws a Finding ("rows-not-written",
/// "error-too-large", "order-matters"), else says that it held.
void hold_error_check(Attempt& attempt, const std::vector<Problem>& problems);

}  // namespace flashlens::practice
