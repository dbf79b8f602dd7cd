#include "report/bench_json.h"

#include <optional>

#include "report/bench_facts.h"
#include "report/facts.h"
#include "report/json_parts.h"

namespace flashlens::report {
namespace {

Json number_or_null(const std::optional<double>& value) {
    return value ? number(*value) : Json();
}

Json limit_json(const MatmulLimit& limit) {
    Json json;
    const bool measured = limit.source == MatmulLimit::Source::measured;
    json["tflops"] = limit.source == MatmulLimit::Source::unknown ? Json() : number(limit.tflops);
    json["source"] = measured                                       ? Json("measured")
                     : limit.source == MatmulLimit::Source::nominal ? Json("nominal")
                                                                    : Json();
    json["library"] = measured ? Json(limit.library) : Json();
    json["size"] = measured ? Json(limit.size) : Json();
    json["before_tflops"] = measured ? number(limit.before_tflops) : Json();
    json["after_tflops"] = measured ? number(limit.after_tflops) : Json();
    json["why_not_measured"] = limit.why_not_measured.empty() ? Json() : Json(limit.why_not_measured.en);
    return json;
}

Json variant_json(const Bench& bench, const BenchRow& row, const VariantFacts& variant) {
    Json json;
    const std::optional<TimedFacts>& timed = variant.timed;
    const auto time = [&](double TimedFacts::*which) { return timed ? number((*timed).*which) : Json(); };
    json["name"] = variant.name;
    json["runs"] = runs(variant);
    json["time_us"] = time(&TimedFacts::median_us);
    json["time_min_us"] = time(&TimedFacts::min_us);
    json["time_lower_quartile_us"] = time(&TimedFacts::lower_quartile_us);
    json["time_upper_quartile_us"] = time(&TimedFacts::upper_quartile_us);
    json["time_max_us"] = time(&TimedFacts::max_us);
    json["spread"] = timed ? number(spread(*timed)) : Json();
    json["wide_spread"] = timed ? Json(spread(*timed) >= large_spread) : Json();
    json["launch_overhead"] = timed ? Json(timed->median_us < launch_overhead_us) : Json();
    json["tflops"] = timed ? number(tflops(row.problem, timed->median_us)) : Json();
    json["of_limit"] = number_or_null(of_limit(row, variant, bench.limit));
    json["times_base"] = number_or_null(times_base(row, variant, base_name(bench)));
    json["verdict"] = !variant.error ? "not run" : variant.error->verdict == Verdict::pass ? "pass" : "fail";
    json["reason"] = !runs(variant) ? variant.refusal.en : variant.error ? variant.error->reason.en : "";
    return json;
}

}  // namespace

std::string bench_to_json(const Bench& bench) {
    Json json;
    json["card"] = json_of(bench.card);
    json["driver"] = bench.driver;
    json["cuda_of_driver"] = bench.cuda_of_driver;
    json["cuda_of_build"] = bench.cuda_of_build;
    json["date"] = bench.date;
    json["samples"] = bench.samples;
    json["warm_up_us"] = number(bench.warm_up_us);
    json["sample_us"] = number(bench.sample_us);
    json["verify"] = bench.verify == Verify::off ? "off" : bench.verify == Verify::full ? "full" : "sample";
    json["limit"] = limit_json(bench.limit);
    json["base"] = base_name(bench);
    json["rows"] = Json::array();
    for (const BenchRow& row : bench.rows) {
        Json one;
        one["problem"] = json_of(row.problem);
        one["rows_checked"] = row.rows_checked;
        one["variants"] = Json::array();
        for (const VariantFacts& variant : row.variants) {
            one["variants"].push_back(variant_json(bench, row, variant));
        }
        json["rows"].push_back(std::move(one));
    }
    json["summaries"] = Json::array();
    for (const RatioSummary& summary : summaries(bench)) {
        json["summaries"].push_back({{"variant", summary.variant},
                                     {"causal", summary.causal},
                                     {"rows", summary.rows},
                                     {"times_base_mean", number(summary.mean)},
                                     {"times_base_least", number(summary.least)},
                                     {"times_base_most", number(summary.most)}});
    }
    return json_text(json);
}

}  // namespace flashlens::report
