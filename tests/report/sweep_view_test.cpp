// A sweep as a table, a chart, CSV and JSON.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "explorer/sweep.h"
#include "report/sweep_chart.h"
#include "report/sweep_data.h"
#include "report/sweep_view.h"
#include "report/sweep_words.h"
#include "report/width.h"
#include "samples.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::report;
using namespace flashlens::tests;
using nlohmann::json;

namespace {

/// seqlen 256, 512, ... and heads 4, 16: from a comparison whose figures grow with the length.
Sweep sweep_of(const Comparison& comparison, std::size_t lengths = 4) {
    Sweep sweep;
    sweep.options = {{"seqlen", {}}, {"heads", {"4", "16"}}};
    for (std::size_t i = 0; i < lengths; ++i) {
        sweep.options[0].values.push_back(std::to_string(256 << i));
    }
    for (std::vector<std::size_t>& at : combinations(sweep.options)) {
        SweepPoint& point = sweep.points.emplace_back();
        point.comparison = comparison;
        Problem& problem = point.comparison.problem;
        problem.seqlen_q = problem.seqlen_k = 256LL << at[0];
        problem.heads = problem.kv_heads = at[1] == 0 ? 4 : 16;
        for (VariantFacts& variant : point.comparison.variants) {
            if (variant.timed) {
                variant.timed->median_us *= static_cast<double>(1LL << (2 * at[0]));
            }
            variant.launch.waves.sm_fill = 0.1 * static_cast<double>(1 + at[0] + at[1]);
        }
        point.at = std::move(at);
    }
    sweep.counted = comparison.variants[0].counted.has_value();
    return sweep;
}

const Quantity& quantity(std::string_view name) {
    const Quantity* found = find_quantity(name);
    REQUIRE(found != nullptr);
    return *found;
}

constexpr Terminal wide{200, true, false};

}  // namespace

TEST_CASE("every quantity has a name and a key of its own, and is said in both languages") {
    std::set<std::string_view> names;
    std::set<std::string_view> keys;
    for (const Quantity& q : quantities()) {
        CHECK(names.insert(q.name).second);
        CHECK(keys.insert(q.key).second);
        CHECK(find_quantity(q.name) == &q);
    }
    CHECK(find_quantity("speed") == nullptr);
}

TEST_CASE("quantities are the comparison's figures") {
    const Comparison timed = samples::timed();
    const VariantFacts& v1 = timed.variants[0];
    const VariantFacts& v2 = timed.variants[1];
    CHECK(quantity("time").of(v1, timed) == 161.2);
    CHECK(*quantity("speedup").of(v2, timed) == doctest::Approx(161.2 / 115.4));
    CHECK_FALSE(quantity("speedup").of(v1, timed));
    CHECK(*quantity("tflops").of(v1, timed) == doctest::Approx(2.147483648e9 / 161.2e-6 / 1e12));
    CHECK(quantity("barriers").of(v1, timed) == 8192.0);
    CHECK(quantity("shared-traffic").of(v1, timed) == 300e6);
    CHECK(quantity("splits").of(v1, timed) == 13.0);
    CHECK_FALSE(quantity("splits").of(v2, timed));
    Comparison refused = timed;
    refused.variants[0].refusal = {"no", "no"};
    for (const Quantity& q : quantities()) {
        CAPTURE(q.name);
        CHECK_FALSE(q.of(refused.variants[0], refused));
    }
    CHECK_FALSE(quantity("speedup").of(refused.variants[1], refused));  // over v1, or over nothing
    refused.variants[1].counted->report.total.mma = 0;
    CHECK_FALSE(quantity("fp32-per-kflop").of(refused.variants[1], refused));  // no NaN
}

TEST_CASE("every line within the terminal, every row of the table as wide as the others") {
    Sweep odd = sweep_of(samples::simulated());
    odd.points[1].refusal = {"这个形状不能运行，因为 head dim 太大", "这个形状不能运行，因为 head dim 太大"};
    odd.points[2].comparison.variants[0].refusal = {"head_dim 256 is over 128", "head_dim 256 is over 128"};
    odd.counting_left_out = true;
    odd.counting_seconds = 100.0;
    for (const Sweep& sweep : {sweep_of(samples::timed()), sweep_of(samples::explained()), odd}) {
        for (const Language language : {Language::en, Language::zh}) {
            for (const int columns : {20, 33, 40, 60, 80, 100, 160, 300}) {
                for (const bool utf8 : {true, false}) {
                    const Terminal terminal{columns, utf8, false};
                    std::set<int> widths;
                    for (const std::string& line :
                         lines(show_sweep(sweep, &usual_quantity(sweep), language, terminal))) {
                        CAPTURE(columns);
                        CAPTURE(line);
                        CHECK(display_width(line) <= columns);
                        for (const char* start : {"│ ", "├", "┌", "└─", "| "}) {
                            if (line.rfind(start, 0) == 0) {
                                widths.insert(display_width(line));
                            }
                        }
                    }
                    CHECK(widths.size() <= 1);  // a list where columns have no room
                    CHECK((widths.size() == 1 || columns < 60));
                }
            }
        }
    }
}

TEST_CASE("one row for each point, in order, its figures beside its settings") {
    const std::string text = show_sweep(sweep_of(samples::timed()), nullptr, Language::en, wide);
    std::vector<std::string> rows;
    for (const std::string& line : lines(text)) {
        if (line.rfind("│ ", 0) == 0 && has(line, " %")) {
            rows.push_back(line);
        }
    }
    REQUIRE(rows.size() == 8);
    CHECK(has(rows[0], "256 │     4 │"));
    CHECK(has(rows[1], "256 │    16 │"));
    CHECK(has(rows[7], "2048 │    16 │"));
    CHECK(has(rows[0], "161 us"));
    CHECK(has(text, "speed-up 1.40x (v2)"));  // alike everywhere: told once
    CHECK(has(rows[0], "10 %"));
    CHECK(has(rows[1], "20 %"));
    for (const char* words : {"8 points: seqlen (4 values) x heads (2 values) (the last one changes fastest)",
                              "B 2  KV = H  Sq = Sk  D 64  fp16  no mask", "in this machine",
                              "measured on the card, median of 20 samples", "counted by the CPU machine"}) {
        CAPTURE(words);
        CHECK(has(text, words));
    }
}

TEST_CASE("what can't run says why, in its row and below") {
    Sweep sweep = sweep_of(samples::simulated());
    sweep.points[1].refusal = {"--head-dim 46: no", "--head-dim 46: no"};
    sweep.points[2].comparison.variants[0].refusal = {"too large", "too large"};
    sweep.points[3].comparison.variants[0].refusal = {"too large", "too large"};
    const std::string text = show_sweep(sweep, nullptr, Language::en, wide);
    CHECK(has(text, "[1] --head-dim 46: no\n"));
    CHECK(has(text, "[2] v1: too large\n"));
    CHECK_FALSE(has(text, "[3]"));
    int marked = 0;
    for (const std::string& line : lines(text)) {
        marked += has(line, "[2] │") ? 1 : 0;
    }
    CHECK(marked == 2);
}

TEST_CASE("quantities without room are named, those that never change are told once") {
    const Sweep sweep = sweep_of(samples::simulated());
    const std::string narrow = show_sweep(sweep, nullptr, Language::en, {60, true, false});
    CHECK(has(narrow, "Alike at every point: "));
    CHECK(has(narrow, "occupancy 12.5 %"));
    Sweep changing = sweep;
    for (std::size_t i = 0; i < changing.points.size(); ++i) {
        for (VariantFacts& variant : changing.points[i].comparison.variants) {
            variant.launch.waves.waves = 1.0 + static_cast<double>(i);
            variant.launch.ctas_with_work = 100 + static_cast<std::int64_t>(i);
            variant.counted->report.total.barriers += i;
            variant.counted->report.total.global_read_bytes *= i + 1;
        }
    }
    CHECK(has(show_sweep(changing, nullptr, Language::en, {60, true, false}), "No room for "));
    const std::string with_barriers = show_sweep(changing, &quantity("barriers"), Language::en, {60, true, false});
    CHECK(has(with_barriers, "barriers │ barriers"));
}

TEST_CASE("without room for it, a chart's quantity still has its columns; left-out counting is told") {
    Sweep sweep = sweep_of(samples::explained());
    sweep.counting_left_out = true;
    sweep.counting_seconds = 90.0;
    CHECK(has(show_sweep(sweep, nullptr, Language::en, wide), "about 90 s"));
    CHECK(has(show_sweep(sweep, nullptr, Language::en, wide), "--count on"));
}

TEST_CASE("the usual chart: speed-up, rate of a single variant, SM fill without times") {
    CHECK(usual_quantity(sweep_of(samples::timed())).name == "speedup");
    CHECK(usual_quantity(sweep_of(samples::simulated())).name == "sm-fill");
    Comparison single = samples::timed();
    single.variants.erase(single.variants.begin());
    CHECK(usual_quantity(sweep_of(single)).name == "tflops");
}

TEST_CASE("the chart runs along the option with the most numbers, a line for each of the rest and each variant") {
    const Chart chart = sweep_chart(sweep_of(samples::simulated()), quantity("sm-fill"), Language::en);
    CHECK(chart.title == "SM fill over seqlen");
    CHECK(chart.along.title == "seqlen (log scale)");
    CHECK(chart.along.scale.is_logarithmic());
    REQUIRE(chart.series.size() == 4);
    CHECK(chart.series[0].name == "v1, heads 4");
    CHECK(chart.series[1].name == "v1, heads 16");
    CHECK(chart.series[3].name == "v2, heads 16");
    CHECK(chart.series[0].hue == chart.series[2].hue);    // heads by hue,
    CHECK(chart.series[0].form == chart.series[1].form);  // kernels by form
    CHECK(chart.series[0].form != chart.series[2].form);
    REQUIRE(chart.series[1].points.size() == 4);
    CHECK(chart.series[1].points[2].x == 1024.0);
    CHECK(*chart.series[1].points[2].value == doctest::Approx(0.4));
    CHECK_FALSE(chart.level);
    bool has_card = false;
    for (const std::string& line : chart.caption) {
        has_card = has_card || has(line, "A100");
    }
    CHECK(has_card);
}

TEST_CASE("speed-up: one line less than variants, over a level of 1") {
    const Chart chart = sweep_chart(sweep_of(samples::timed()), quantity("speedup"), Language::en);
    REQUIRE(chart.series.size() == 2);
    CHECK(chart.series[0].name == "v2, heads 4");
    CHECK(*chart.series[0].points[0].value == doctest::Approx(161.2 / 115.4));
    CHECK(chart.level == 1.0);
    CHECK(has(chart.value.title, "v1"));
    CHECK(chart.value.scale.low() == 0.0);
}

TEST_CASE("figures far apart stand on a scale of equal factors, shares never do") {
    const Sweep timed = sweep_of(samples::timed(), 5);
    CHECK(sweep_chart(timed, quantity("time"), Language::en).value.scale.is_logarithmic());
    Sweep shares = timed;
    shares.points[0].comparison.variants[0].launch.waves.sm_fill = 0.001;
    CHECK_FALSE(sweep_chart(shares, quantity("sm-fill"), Language::en).value.scale.is_logarithmic());
}

TEST_CASE("words instead of numbers become bars") {
    Sweep sweep = sweep_of(samples::simulated(), 3);
    sweep.options[0] = {"gpu", {"A100 40GB", "RTX 4090", "H100 SXM"}};
    const Chart chart = sweep_chart(sweep, quantity("sm-fill"), Language::en);
    CHECK(chart.title == "SM fill by gpu");
    CHECK(chart.categories == std::vector<std::string>{"A100 40GB", "RTX 4090", "H100 SXM"});
    REQUIRE(chart.series.size() == 4);
    CHECK(chart.series[0].points[1].x == 1.0);
    CHECK(chart.series[0].points[1].label == "20 %");
    sweep.points[0].refusal = {"no", "no"};
    const Chart gap = sweep_chart(sweep, quantity("sm-fill"), Language::en);
    CHECK_FALSE(gap.series[0].points[0].value);
    CHECK(gap.series[0].points[0].label == "-");
}

TEST_CASE("too many lines are cut to some, and the caption says so") {
    Sweep sweep = sweep_of(samples::simulated(), 12);
    sweep.options[1].values = {"4", "16"};
    std::swap(sweep.options[0], sweep.options[1]);
    for (SweepPoint& point : sweep.points) {
        std::swap(point.at[0], point.at[1]);
    }
    CHECK(sweep_chart(sweep, quantity("sm-fill"), Language::en).title == "SM fill over seqlen");
    sweep.options[0].values = {"a", "b"};
    Sweep many = sweep_of(samples::simulated(), 10);
    many.options[1] = {"seed", {}};
    many.points.clear();
    for (int i = 0; i < 20; ++i) {
        many.options[1].values.push_back(std::to_string(i));
    }
    for (std::vector<std::size_t>& at : combinations(many.options)) {
        many.points.push_back({std::move(at), {}, false, samples::simulated()});
    }
    const Chart chart = sweep_chart(many, quantity("sm-fill"), Language::en);
    CHECK(chart.series.size() == 12);
    CHECK(chart.caption.back() == "12 of 20 lines are drawn; the table has all.");
}

TEST_CASE("CSV: a line for each point and variant, in base units") {
    Sweep sweep = sweep_of(samples::timed());
    sweep.points[0].refusal = {"no, \"never\"", "no, \"never\""};
    sweep.points[2].comparison.variants[0].refusal = {"too large", "too large"};
    const std::vector<std::string> csv = lines(sweep_to_csv(sweep));
    REQUIRE(csv.size() == 1 + 1 + 7 * 2);
    CHECK(csv[0].rfind("seqlen,batch,heads,kv_heads,seqlen_q,seqlen_k,head_dim,mask,align,dtype,scale,seed,dist,gpu,"
                       "sm_count,variant,runs,reason,time_us,tflops,speedup,sm_fill,",
                       0) == 0);
    CHECK(csv[1].rfind("256,,4,,,,,,,,,,,,,,false,\"no, \"\"never\"\"\",,", 0) == 0);
    CHECK(csv[2].rfind("256,2,16,16,256,256,64,full,bottom-right,fp16,0.125,", 0) == 0);
    CHECK(has(csv[2], ",v1,true,,161.2,"));
    CHECK(has(csv[3], ",v2,true,,115.4,"));
    CHECK(has(csv[4], ",v1,false,too large,,,,"));
    const auto commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
    for (std::size_t i = 2; i < csv.size(); ++i) {
        CHECK(commas(csv[i]) == commas(csv[0]));
    }
    CHECK(commas(csv[1]) == commas(csv[0]) + 1);  // one inside quotes
}

TEST_CASE("JSON: strictly valid, null for what is not known") {
    Sweep sweep = sweep_of(samples::timed());
    sweep.points[0].refusal = {"no", "no"};
    sweep.points[2].comparison.variants[0].refusal = {"too large", "too large"};
    sweep.points[3].comparison.variants[0].timed->median_us = std::numeric_limits<double>::quiet_NaN();
    const json parsed = json::parse(sweep_to_json(sweep));
    CHECK(parsed["options"][0] == json({{"name", "seqlen"}, {"values", {"256", "512", "1024", "2048"}}}));
    REQUIRE(parsed["points"].size() == 8);
    CHECK(parsed["points"][0]["reason"] == "no");
    CHECK(parsed["points"][0]["problem"].is_null());
    CHECK(parsed["points"][0]["variants"].empty());
    CHECK(parsed["points"][0]["settings"] == json({{"seqlen", "256"}, {"heads", "4"}}));
    CHECK(parsed["points"][1]["problem"]["heads"] == 16);
    CHECK(parsed["points"][1]["machine"] == "gpu");
    CHECK(parsed["points"][1]["variants"][0]["time_us"] == 161.2);
    CHECK(parsed["points"][1]["variants"][0]["speedup"].is_null());
    CHECK(parsed["points"][1]["variants"][1]["speedup"].get<double>() == doctest::Approx(161.2 / 115.4));
    CHECK(parsed["points"][2]["variants"][0]["time_us"].is_null());
    CHECK(parsed["cards"].size() == 1);
    CHECK(parsed["cards"][0]["here"] == true);
}
