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

/// In the order of mutants.cmake (generated files hold the lists): the watched copies (watch.h), and all others.
const std::vector<Mutant>& watched();
const std::vector<Mutant>& mutants();

}  // namespace flashlens::kernel_tests
