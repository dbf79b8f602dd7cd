// Timing the kernels on the card of this machine, over a table of shapes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explorer/comparison.h"
#include "explorer/explorer.h"

namespace flashlens {

struct BenchRequest {
    /// In the order of the rows. Neighbours that differ in their mask alone are timed on the same inputs.
    std::vector<Problem> problems;
    std::vector<std::string> variants;  ///< empty: all
    std::optional<int> splits;          ///< v1's num_splits; unset: its heuristic
    int samples = timing_samples;       ///< of each variant on each problem
    Verify verify = Verify::sample;
    bool measure_limit = true;  ///< through cuBLAS; else, and where that isn't, the data sheet's
    /// As Request::progress.
    std::function<void(const Message&, double, double)> progress;
};

struct BenchRow {
    Problem problem;
    /// Each has a refusal; or a time, and an error unless Verify::off; or, when its outputs are wrong, an error alone.
    std::vector<VariantFacts> variants;
    std::int64_t rows_checked = 0;
};

/// The rate of matmul that percentages are of.
struct MatmulLimit {
    enum class Source { measured, nominal, unknown };
    Source source = Source::unknown;
    double tflops = 0.0;  ///< the better of both measurements; 0 when nobody knows
    // measured:
    std::string library;  ///< "cuBLAS 13.1.0"
    int size = 0;         ///< of the square matrices
    double before_tflops = 0.0;
    double after_tflops = 0.0;  ///< before the first row and after the last
    Message why_not_measured;
};

struct Bench {
    hardware::Card card;
    std::string driver;          ///< "580.159.04", or "unknown"
    std::string cuda_of_driver;  ///< "13.0"
    std::string cuda_of_build;
    std::string date;  ///< of the start: "2026-11-29 20:15 UTC"
    int samples = 0;
    double warm_up_us = 0.0;  ///< of each variant, before its first sample
    double sample_us = 0.0;   ///< a sample is a mean over as many launches as take about this long
    Verify verify = Verify::sample;
    MatmulLimit limit;
    std::vector<BenchRow> rows;
};

/// Times every variant on every problem, all variants of a problem in turns, every other round in reverse order; holds each
/// output against fp64, and gives no time for one that is wrong. Throws UsageError without a card, for problems that can't
/// be asked, and when no variant can run any of them.
Bench bench(const BenchRequest& request);

}  // namespace flashlens
