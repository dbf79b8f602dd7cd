#include "report/bench_facts.h"

#include <algorithm>
#include <cmath>

#include "report/facts.h"

namespace flashlens::report {

double spread(const TimedFacts& timed) {
    return (timed.upper_quartile_us - timed.lower_quartile_us) / timed.median_us;
}

std::string base_name(const Bench& bench) {
    const std::vector<VariantFacts>& variants = bench.rows.front().variants;
    const bool has_v1 = std::any_of(variants.begin(), variants.end(), [](const auto& v) { return v.name == "v1"; });
    return has_v1 ? "v1" : variants.front().name;
}

std::optional<double> times_base(const BenchRow& row, const VariantFacts& variant, const std::string& base) {
    const auto found = std::find_if(row.variants.begin(), row.variants.end(),
                                    [&](const VariantFacts& other) { return other.name == base; });
    if (!variant.timed || found == row.variants.end() || !found->timed) {
        return std::nullopt;
    }
    return found->timed->median_us / variant.timed->median_us;
}

std::optional<double> of_limit(const BenchRow& row, const VariantFacts& variant, const MatmulLimit& limit) {
    if (!variant.timed || !(limit.tflops > 0.0)) {
        return std::nullopt;
    }
    return tflops(row.problem, variant.timed->median_us) / limit.tflops;
}

std::vector<RatioSummary> summaries(const Bench& bench) {
    const std::string base = base_name(bench);
    std::vector<RatioSummary> result;
    for (const bool causal : {false, true}) {
        for (std::size_t i = 0; i < bench.rows.front().variants.size(); ++i) {
            std::vector<double> ratios;
            for (const BenchRow& row : bench.rows) {
                const std::optional<double> ratio = times_base(row, row.variants[i], base);
                if (row.problem.causal == causal && ratio) {
                    ratios.push_back(*ratio);
                }
            }
            const std::string& name = bench.rows.front().variants[i].name;
            if (name == base || ratios.empty()) {
                continue;
            }
            double logarithms = 0.0;
            for (const double ratio : ratios) {
                logarithms += std::log(ratio);
            }
            const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
            result.push_back({name, causal, static_cast<int>(ratios.size()),
                              std::exp(logarithms / static_cast<double>(ratios.size())), *least, *most});
        }
    }
    return result;
}

bool any_wrong(const Bench& bench) {
    return std::any_of(bench.rows.begin(), bench.rows.end(), [](const BenchRow& row) {
        return std::any_of(row.variants.begin(), row.variants.end(), [](const VariantFacts& variant) {
            return variant.error && variant.error->verdict == Verdict::fail;
        });
    });
}

}  // namespace flashlens::report
