// Exercise 9: what a learner's epilogue made of the main loop's m, l and acc_o.
#pragma once

#include <cstdint>
#include <vector>

#include "practice/weights.h"

namespace flashlens::practice::epilogue {

/// Logits that tell rows apart, and the lanes of a quad: their parts of l are about as 1 to 2 to 3 to 4.
Inputs telling_inputs(const Problem& problem);

/// Holds O, as the weights that it shows, and lse against fp64. Each throws the Finding of what was written instead, or,
/// where that has no name, which rows are wrong and by how much.
void hold_o(const Weights& seen, const Problem& problem, const Inputs& inputs);
void hold_lse(const Weights& seen, const Problem& problem, const Inputs& inputs);

/// Elements of lse that nobody wrote, by their index.
std::vector<std::int64_t> rows_without_lse(const Output& output);
/// Throws the Finding "lse-not-written", "lse-by-lane-0" or "rows-not-written" unless every row has its lse.
void hold_lse_written(const Problem& problem, const Output& output);

}  // namespace flashlens::practice::epilogue
