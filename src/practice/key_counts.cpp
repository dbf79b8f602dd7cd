#include "practice/key_counts.h"

#include <cmath>

namespace flashlens::practice {
namespace {

/// The whole number that a count is, but for the rounding of a weight to fp16 and of lse to fp32.
std::optional<std::int64_t> whole(double value) {
    const double nearest = std::round(value);
    if (!(std::fabs(value - nearest) < 0.05 && nearest >= 0.0)) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(nearest);
}

}  // namespace

std::optional<KeyCounts> count_keys(const Weights& seen) {
    KeyCounts counts{seen.queries, seen.keys, {}, {}};
    for (std::int64_t i = 0; i < seen.queries; ++i) {
        const double l = std::exp(seen.lse[static_cast<std::size_t>(i)]);
        std::int64_t sum = 0;
        for (std::int64_t j = 0; j < seen.keys; ++j) {
            const std::optional<std::int64_t> times = whole(seen.at(i, j) * l);
            if (!times) {
                return std::nullopt;
            }
            counts.times.push_back(*times);
            sum += *times;
        }
        const std::optional<std::int64_t> all = whole(l);
        if (!all || *all < sum) {
            return std::nullopt;
        }
        counts.past_end.push_back(*all - sum);
    }
    return counts;
}

Inputs blank_inputs(const Problem& problem) {
    const auto zero = [](std::int64_t) { return 0.0; };
    return inputs_of(problem, zero, zero);
}

}  // namespace flashlens::practice
