// The altered copies of the kernels that mutants.cmake lists.
#pragma once

#include <string>
#include <vector>

#include "kernels/attention.h"
#include "simt/launch.h"

namespace flashlens::kernel_tests {

/// An altered copy, fp16, head dims to 64 (tuned_wide: to 128), 128 keys a block (v2-tuned: 64). splits is v1's.
struct Mutant {
    std::string name;
    simt::LaunchReport (*launch)(const AttentionParams&, bool causal, int splits, const simt::LaunchOptions&);
};

/// All of them, in the order of mutants.cmake (a generated file holds the list).
const std::vector<Mutant>& mutants();

}  // namespace flashlens::kernel_tests
