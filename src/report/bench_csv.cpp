#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "report/bench_facts.h"
#include "report/bench_json.h"
#include "report/csv.h"
#include "report/facts.h"
#include "report/problem_columns.h"

namespace flashlens::report {
namespace {

/// Digits enough for any time that a card takes, few enough to read.
std::string number(const std::optional<double>& value) {
    return value ? fmt::format("{:.7g}", *value) : "";
}

std::vector<std::string> heading() {
    std::vector<std::string> names = problem_columns();
    for (const char* name :
         {"flops", "variant", "time_us", "time_min_us", "time_lower_quartile_us", "time_upper_quartile_us",
          "time_max_us", "samples", "tflops", "of_limit", "times_base", "base", "verdict", "limit_tflops",
          "limit_source", "card", "driver", "cuda_of_build", "date"}) {
        names.emplace_back(name);
    }
    return names;
}

std::vector<std::string> record(const Bench& bench, const BenchRow& row, const VariantFacts& variant) {
    const auto time = [&](double TimedFacts::*which) {
        return number(variant.timed ? std::optional((*variant.timed).*which) : std::nullopt);
    };
    const auto rate = [&] { return std::optional(tflops(row.problem, variant.timed->median_us)); };
    const MatmulLimit& limit = bench.limit;
    std::vector<std::string> fields = problem_fields(row.problem);
    fields.insert(
        fields.end(),
        {fmt::format("{}", flops(row.problem)), variant.name, time(&TimedFacts::median_us), time(&TimedFacts::min_us),
         time(&TimedFacts::lower_quartile_us), time(&TimedFacts::upper_quartile_us), time(&TimedFacts::max_us),
         variant.timed ? fmt::format("{}", variant.timed->runs) : "", number(variant.timed ? rate() : std::nullopt),
         number(of_limit(row, variant, limit)), number(times_base(row, variant, base_name(bench))), base_name(bench),
         !runs(variant)                            ? "can't run"
         : !variant.error                          ? "not run"
         : variant.error->verdict == Verdict::pass ? "pass"
                                                   : "fail",
         number(limit.tflops > 0.0 ? std::optional(limit.tflops) : std::nullopt),
         limit.source == MatmulLimit::Source::measured  ? "measured"
         : limit.source == MatmulLimit::Source::nominal ? "nominal"
                                                        : "",
         bench.card.name, bench.driver, bench.cuda_of_build, bench.date});
    return fields;
}

}  // namespace

std::string bench_to_csv(const Bench& bench) {
    std::string result = csv_line(heading());
    for (const BenchRow& row : bench.rows) {
        for (const VariantFacts& variant : row.variants) {
            result += csv_line(record(bench, row, variant));
        }
    }
    return result;
}

}  // namespace flashlens::report
