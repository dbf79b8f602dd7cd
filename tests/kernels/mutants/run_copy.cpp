#include "mutants/run_copy.h"

#include <algorithm>
#include <stdexcept>

#include "mutants/watch.h"

namespace flashlens::kernel_tests {

const Mutant& find_copy(const std::vector<Mutant>& copies, const std::string& name) {
    const auto found =
        std::find_if(copies.begin(), copies.end(), [&](const Mutant& copy) { return copy.name == name; });
    if (found == copies.end()) {
        throw std::logic_error("mutants.cmake has no such copy: " + name);
    }
    return *found;
}

Output run_copy(const Mutant& copy, const Problem& problem, const Inputs& inputs, int splits, unsigned os_threads) {
    simt::LaunchOptions options;
    options.os_threads = os_threads;
    return run_with(problem, inputs, options, [&](const AttentionParams& params, const simt::LaunchOptions& all) {
        return copy.launch(params, problem.causal, splits, all);
    });
}

Output run_watched(const std::string& name, const Problem& problem, const Inputs& inputs, int splits) {
    loads.clear();
    return run_copy(find_copy(watched(), name + "_watched"), problem, inputs, splits, 1);
}

}  // namespace flashlens::kernel_tests
