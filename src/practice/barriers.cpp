#include "practice/barriers.h"

namespace flashlens::practice {
namespace {

constexpr unsigned most_lines = 1000;  // barriers of headers are on no line of a .cu file, so all are tried

std::vector<simt::Omission> omissions_of(const std::vector<unsigned>& lines) {
    std::vector<simt::Omission> omissions;
    omissions.reserve(lines.size());
    for (const unsigned line : lines) {
        omissions.push_back({simt::Omission::What::barrier, line, ".cu"});
    }
    return omissions;
}

}  // namespace

std::vector<BarrierLine> barrier_lines(Attempt& attempt, const Problem& problem) {
    const Inputs inputs = random_inputs(problem);
    const auto barriers = [&](const std::vector<unsigned>& without) {
        simt::LaunchOptions counting;
        counting.values = false;
        counting.omissions = omissions_of(without);
        return attempt.run(problem, inputs, counting).report->total.barriers;
    };
    std::vector<BarrierLine> found;
    const std::uint64_t all = barriers({});
    std::uint64_t left = all;
    for (unsigned line = 1; left > 0 && line < most_lines; ++line) {
        if (const std::uint64_t passed = all - barriers({line}); passed > 0) {
            found.push_back({line, passed});
            left -= passed;
        }
    }
    return found;
}

Output run_without_barriers(Attempt& attempt, const Problem& problem, const std::vector<unsigned>& lines) {
    simt::LaunchOptions options;
    options.omissions = omissions_of(lines);
    return attempt.run(problem, random_inputs(problem), options);
}

}  // namespace flashlens::practice
