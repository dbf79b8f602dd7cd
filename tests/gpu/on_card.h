// Running the kernels on the card of this machine, in the words of the tests of the CPU machine (kernels/harness.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../kernels/harness.h"
#include "gpu/gpu.h"
#include "hardware/card.h"

namespace flashlens::gpu_tests {

using kernel_tests::How;
using kernel_tests::Output;
using kernel_tests::Variant;

/// The card here. Throws std::runtime_error without one, which skip.cpp keeps from happening.
const hardware::Card& card();

/// Whose kernels run here, and where their tiles stand in v2's plan: the card's, or sm_75's in a program built for no other.
Chip chip();
/// What those kernels take and what there is of them; variants_for as kernel_tests has it, for them.
std::vector<DType> every_type();
std::vector<Variant> every_variant();
std::vector<Variant> variants_for(const Problem& problem);

/// The launch that run() makes: how.chip's tiles; how.options isn't read.
gpu::Call call_of(const Problem& problem, const How& how);
/// The same with a tile of one's own.
gpu::Call call_of(const Problem& problem, Variant variant, const Tile& tile, int splits);

/// Each call once, on the same inputs, outputs poisoned first; `unwritten` counts the words that still hold the poison.
std::vector<Output> run_all(const std::vector<gpu::Call>& calls, const Inputs& inputs);
/// One call, with this card's tiles.
Output run_on_card(const Problem& problem, const Inputs& inputs, Variant variant, int splits = 2);

/// CHECKs that this output is complete and right at the rows of the reference.
void expect_right_at(const Problem& problem, const Inputs& inputs, const Output& output, const ReferenceRun& reference,
                     const std::string& what);
/// Runs both variants (v1 up to head dim 128) and CHECKs both, all rows.
void expect_right_on_card(const Problem& problem, const Inputs& inputs, int splits = 2);

/// One batch of a problem, as a problem of its own, and its slices of inputs and outputs.
Problem alone(const Problem& problem);
Inputs slice(const Problem& problem, const Inputs& inputs, std::int64_t batch);
Output slice(const Problem& problem, const Output& output, std::int64_t batch);

}  // namespace flashlens::gpu_tests
