// Runs an altered copy of a kernel by its name.
#pragma once

#include <string>

#include "harness.h"
#include "mutants/mutants.h"

namespace flashlens::kernel_tests {

/// The one of that name among them. Throws std::logic_error where there is none.
const Mutant& find_copy(const std::vector<Mutant>& copies, const std::string& name);

Output run_copy(const Mutant& copy, const Problem& problem, const Inputs& inputs, int splits, unsigned os_threads = 0);

/// "v1", "v2" or "tuned", watched from here on: on one OS thread, with no load noted yet.
Output run_watched(const std::string& name, const Problem& problem, const Inputs& inputs, int splits = 2);

}  // namespace flashlens::kernel_tests
