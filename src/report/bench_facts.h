// Figures that follow from a bench's times; the table, the JSON and the CSV all read them here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explorer/bench.h"

namespace flashlens::report {

/// The middle half of the samples, as a share of the median.
double spread(const TimedFacts& timed);
/// From here on the spread is marked.
inline constexpr double large_spread = 0.05;

/// The variant that the others are compared with: v1, or the first where v1 isn't asked for.
std::string base_name(const Bench& bench);
/// How many times as fast as the base on the same row; empty unless both have a time.
std::optional<double> times_base(const BenchRow& row, const VariantFacts& variant, const std::string& base);
/// TFLOP/s as a share of the card's matmul limit; empty without a time or a limit.
std::optional<double> of_limit(const BenchRow& row, const VariantFacts& variant, const MatmulLimit& limit);

/// A variant beside the base, over all rows of one mask on which both have a time.
struct RatioSummary {
    std::string variant;
    bool causal = false;
    int rows = 0;
    double mean = 0.0;  ///< geometric
    double least = 0.0;
    double most = 0.0;
};
/// For each variant but the base, no mask first; none for what has no rows.
std::vector<RatioSummary> summaries(const Bench& bench);

/// Is any output wrong?
bool any_wrong(const Bench& bench);

}  // namespace flashlens::report
