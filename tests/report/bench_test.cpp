#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/bench_facts.h"
#include "report/bench_json.h"
#include "report/bench_view.h"
#include "report/csv.h"
#include "report/markdown.h"
#include "report/width.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::report;
using namespace flashlens::tests;
using nlohmann::json;

namespace {

constexpr Terminal in_a_file{80, true, false};

TimedFacts times(double median, double lower, double upper) {
    return {median, lower - 1.0, upper + 1.0, 21, lower, upper};
}

VariantFacts variant(const std::string& name, const std::optional<TimedFacts>& timed) {
    VariantFacts facts;
    facts.name = name;
    facts.timed = timed;
    facts.error = ErrorReport{};
    facts.error->verdict = Verdict::pass;
    return facts;
}

Problem shape(std::int64_t batch, std::int64_t heads, std::int64_t seqlen, std::int64_t head_dim, bool causal) {
    Problem p;
    p.batch = batch;
    p.heads = p.kv_heads = heads;
    p.seqlen_q = p.seqlen_k = seqlen;
    p.head_dim = head_dim;
    p.causal = causal;
    return p;
}

/// Three variants. Full: 4 32 4096 64 takes 4000, 2000 and 1000 us; 4 8 4096 256, which v1 refuses, 1000 and 800.
/// Causal: 4 32 4096 64 takes 2000, 500 and 400.
Bench sample() {
    Bench bench;
    bench.card = hardware::find_card("H200");
    bench.driver = "580.159.04";
    bench.cuda_of_driver = "13.0";
    bench.cuda_of_build = "12.8";
    bench.date = "2026-11-29 20:15 UTC";
    bench.samples = 21;
    bench.warm_up_us = 10e3;
    bench.sample_us = 1e3;
    bench.limit = {MatmulLimit::Source::measured, 687.0, "cuBLAS 13.1.0", 8192, 680.0, 687.0, {}};
    const auto quiet = [](double us) { return times(us, us * 0.999, us * 1.001); };
    bench.rows.push_back({shape(4, 32, 4096, 64, false),
                          {variant("v1", quiet(4000)), variant("v2", quiet(2000)), variant("v3", quiet(1000))},
                          100});
    bench.rows.push_back({shape(4, 8, 4096, 256, false),
                          {variant("v1", std::nullopt), variant("v2", quiet(1000)), variant("v3", quiet(800))},
                          100});
    bench.rows[1].variants[0].error.reset();
    bench.rows[1].variants[0].refusal = {"--head-dim 256: takes multiples of 8 up to 128",
                                         "--head-dim 256: takes multiples of 8 up to 128"};
    bench.rows.push_back({shape(4, 32, 4096, 64, true),
                          {variant("v1", quiet(2000)), variant("v2", quiet(500)), variant("v3", quiet(400))},
                          100});
    return bench;
}

/// Wrapped text on one line.
std::string flat(const std::string& text) {
    std::string result;
    for (const std::string& line : lines(text)) {
        const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
        result += (result.empty() || start == 0 ? "" : " ") + line.substr(start);
    }
    return result;
}

}  // namespace

TEST_CASE("a Markdown table lines up, whatever the width of its characters") {
    MarkdownTable table({{"形状"}, {"TFLOP/s", true}, {"x", true}});
    table.row({"1 2 3", "4", ""});
    table.row({"é", "12,345,678", "a|b"});
    CHECK(table.render() ==
          "| 形状  |    TFLOP/s |    x |\n"
          "| ----- | ---------: | ---: |\n"
          "| 1 2 3 |          4 |      |\n"
          "| é     | 12,345,678 | a\\|b |\n");
    CHECK(table.width() == 29);
}

TEST_CASE("bench's figures by hand") {
    const Bench bench = sample();
    const BenchRow& row = bench.rows[0];
    // 4 x 4 x 32 x 64 x 4096 x 4096 FLOPs
    const double flop = 549'755'813'888.0;
    CHECK(of_limit(row, row.variants[0], bench.limit) == doctest::Approx(flop / 4000e-6 / 1e12 / 687.0));
    CHECK(times_base(row, row.variants[2], "v1") == doctest::Approx(4.0));
    CHECK(times_base(row, row.variants[0], "v1") == doctest::Approx(1.0));
    CHECK_FALSE(times_base(bench.rows[1], bench.rows[1].variants[2], "v1").has_value());
    CHECK_FALSE(times_base(bench.rows[1], bench.rows[1].variants[0], "v1").has_value());
    CHECK(spread(times(100.0, 97.0, 104.0)) == doctest::Approx(0.07));
    CHECK(base_name(bench) == "v1");
    Bench without = bench;
    for (BenchRow& r : without.rows) {
        r.variants.erase(r.variants.begin());
    }
    CHECK(base_name(without) == "v2");

    const std::vector<RatioSummary> all = summaries(without);
    REQUIRE(all.size() == 2);  // v3 under each mask
    CHECK(all[0].variant == "v3");
    CHECK_FALSE(all[0].causal);
    CHECK(all[0].rows == 2);
    CHECK(all[0].mean == doctest::Approx(std::sqrt(2.0 * 1.25)));
    CHECK(all[0].least == doctest::Approx(1.25));
    CHECK(all[0].most == doctest::Approx(2.0));
    CHECK(all[1].causal);
    CHECK(all[1].rows == 1);
}

TEST_CASE("bench's tables, one a mask") {
    const std::string text = show_bench(sample(), Language::en, in_a_file);
    CAPTURE(text);
    // 549.8 GFLOP: 137, 275 and 550 TFLOP/s are 20, 40 and 80 % of 687. Causal: 274.9 GFLOP.
    CHECK(has(text,
              "\nno mask\n\n"
              "| B H S D      | variant | TFLOP/s | of limit |   time | spread | vs v1 |\n"
              "| ------------ | ------- | ------: | -------: | -----: | -----: | ----: |\n"
              "| 4 32 4096 64 | v1      |     137 |     20 % |   4 ms |  0.2 % |  1.00 |\n"
              "|              | v2      |     275 |     40 % |   2 ms |  0.2 % |  2.00 |\n"
              "|              | v3      |     550 |     80 % |   1 ms |  0.2 % |  4.00 |\n"
              "| 4 8 4096 256 | v1      |       - |        - |      - |      - |     - |\n"
              "|              | v2      |     550 |     80 % |   1 ms |  0.2 % |     - |\n"
              "|              | v3      |     687 |    100 % | 800 us |  0.2 % |     - |\n"
              "\ncausal, bottom-right aligned\n\n"));
    CHECK(has(text, "| 4 32 4096 64 | v1      |     137 |     20 % |   2 ms |"));
}

TEST_CASE("bench says how it was measured, and on what") {
    const std::string text = flat(show_bench(sample(), Language::en, in_a_file));
    CAPTURE(text);
    for (const char* words :
         {"- card: H200, 132 SMs, sm_90; driver 580.159.04 (up to CUDA 13.0), built with CUDA 12.8; 2026-11-29 "
          "20:15 UTC",
          "fp16, random (normal), seed 0", "median of 21 samples after 10 ms of warm-up", "launches that take 1 ms",
          "limit: 687 TFLOP/s, measured in this run through cuBLAS 13.1.0: 8192 x 8192 x 8192, fp16", "680 before",
          "687 after", "checked: O and log-sum-exp against fp64",
          "- v1: --head-dim 256: takes multiples of 8 up to 128"}) {
        CAPTURE(words);
        CHECK(has(text, words));
    }
    for (const char* words : {"L: below", "S: the spread", "FAIL", "nominal", "geometric mean"}) {
        CAPTURE(words);
        CHECK_FALSE(has(text, words));
    }

    Bench bench = sample();
    bench.verify = Verify::off;
    bench.limit = {MatmulLimit::Source::nominal,
                   989.0,
                   "",
                   0,
                   0.0,
                   0.0,
                   {"libcublas.so.13 is not on this machine", "本机没有 libcublas.so.13"}};
    const std::string nominal = flat(show_bench(bench, Language::en, in_a_file));
    CHECK(has(nominal, "limit: 989 TFLOP/s, nominal"));
    CHECK(has(nominal, "(libcublas.so.13 is not on this machine)"));
    CHECK(has(nominal, "13.9 %"));  // 137.4 of 989
    CHECK(has(nominal, "not checked whether the outputs are right"));
    CHECK_FALSE(has(nominal, "measured in this run"));
    bench.limit = {};
    const std::string unknown = flat(show_bench(bench, Language::en, in_a_file));
    CHECK(has(unknown, "limit: not known for this card"));
    CHECK(has(unknown, "|     137 |        - |"));
}

TEST_CASE("bench marks what launch overhead and other work spoil") {
    Bench bench = sample();
    bench.rows[0].variants[2].timed = times(19.99, 19.9, 20.1);
    bench.rows[2].variants[1].timed = times(500.0, 480.0, 505.0);  // exactly 5 %
    const std::string text = show_bench(bench, Language::en, in_a_file);
    CHECK(has(text, " 20 us L |"));
    CHECK(has(text, " 5 % S |"));
    CHECK(has(text, "L: below 20 us, mostly launch overhead"));
    CHECK(has(text, "S: the spread is 5 % of the median or more"));
    bench.rows[0].variants[2].timed = times(20.0, 20.0, 20.0);
    bench.rows[2].variants[1].timed = times(500.0, 480.0, 504.0);
    const std::string unmarked = show_bench(bench, Language::en, in_a_file);
    for (const char* mark : {" L |", " S |", "L: ", "S: "}) {
        CHECK_FALSE(has(unmarked, mark));
    }
}

TEST_CASE("a wrong result has no time, no rate and no ratio, and its reason is told") {
    Bench bench = sample();
    bench.rows[0].variants[1].timed.reset();
    bench.rows[0].variants[1].error->verdict = Verdict::fail;
    bench.rows[0].variants[1].error->reason = {"O(0, 3, 1, 5) is NaN, expected 0.25",
                                               "O(0, 3, 1, 5) is NaN, expected 0.25"};
    CHECK(any_wrong(bench));
    CHECK_FALSE(any_wrong(sample()));
    const std::string text = show_bench(bench, Language::en, in_a_file);
    CHECK(has(text, "|              | v2      |    FAIL |        - |      - |      - |     - |\n"));
    CHECK(has(flat(text), "v2 FAIL at 4 32 4096 64, no mask: O(0, 3, 1, 5) is NaN, expected 0.25"));
    const json parsed = json::parse(bench_to_json(bench));
    const json& wrong = parsed["rows"][0]["variants"][1];
    CHECK(wrong["verdict"] == "fail");
    CHECK(wrong["reason"] == "O(0, 3, 1, 5) is NaN, expected 0.25");
    for (const char* key : {"time_us", "time_min_us", "tflops", "of_limit", "times_base", "spread"}) {
        CHECK(wrong[key].is_null());
    }
    CHECK(has(bench_to_csv(bench), ",v2,,,,,,,,,,v1,fail,"));
}

TEST_CASE("means are geometric, of two shapes or more") {
    Bench bench = sample();
    bench.rows[2].problem.causal = false;  // v2 is 2 and 4 times as fast as v1, v3 4 and 5 times
    const std::string text = flat(show_bench(bench, Language::en, in_a_file));
    CHECK(has(text, "v2 is 2.83 times as fast as v1 (geometric mean of 2 shapes; 2.00 to 4.00), no mask"));
    CHECK(has(text, "v3 is 4.47 times as fast as v1 (geometric mean of 2 shapes; 4.00 to 5.00), no mask"));
}

TEST_CASE("shapes with KV heads or two lengths show all six sizes") {
    Bench bench = sample();
    bench.rows[0].problem.kv_heads = 8;
    const std::string text = show_bench(bench, Language::en, in_a_file);
    CHECK(has(text, "| B H KV Sq Sk D      |"));
    CHECK(has(text, "| 4 32 8 4096 4096 64 |"));
    CHECK(has(text, "| 4 8 8 4096 4096 256 |"));
}

TEST_CASE("bench fits screens of any width, and is tables wherever it is no screen") {
    for (const Language language : {Language::en, Language::zh}) {
        for (const bool all_sizes : {false, true}) {
            Bench bench = sample();
            bench.rows[0].problem.kv_heads = all_sizes ? 8 : 32;
            // Each line of a table in a file needs that many columns, whatever COLUMNS says.
            const auto table_widths = [&](const Terminal& terminal) {
                std::vector<int> widths;
                for (const std::string& line : lines(show_bench(bench, language, terminal))) {
                    if (line.rfind("| ", 0) == 0) {
                        widths.push_back(display_width(line));
                    } else {
                        CHECK(display_width(line) <= terminal.columns);
                    }
                }
                return widths;
            };
            const std::vector<int> needed = table_widths({80, true, false, false});
            REQUIRE(needed.size() == 8 + 5);
            CHECK(std::count(needed.begin(), needed.begin() + 8, needed.front()) == 8);
            CHECK(std::count(needed.begin() + 8, needed.end(), needed.back()) == 5);
            CHECK(table_widths({20, true, false, false}) == needed);
            for (const int columns : {20, 40, 60, needed.front() - 1, needed.front(), 100, 200}) {
                std::vector<int> fitting;
                std::copy_if(needed.begin(), needed.end(), std::back_inserter(fitting),
                             [&](int width) { return width <= columns; });
                CAPTURE(columns);
                CHECK(table_widths({columns, true, false, true}) == fitting);
            }
        }
    }
    const std::string narrow = show_bench(sample(), Language::en, {60, true, false, true});
    CHECK(has(narrow, "\nB H S D = 4 32 4096 64\n"));
    CHECK(has(narrow, "\n  v2  275 TFLOP/s, 40 % of the limit, 2 ms, spread 0.2 %,\n      2.00 vs v1\n"));
    CHECK(has(narrow, "\n  v1  -\n"));
}

TEST_CASE("bench in Chinese") {
    const std::string text = show_bench(sample(), Language::zh, in_a_file);
    for (const char* words : {"计时", "占上限", "波动", "对 v1", "实测", "无 mask", "右下对齐"}) {
        CAPTURE(words);
        CHECK(has(text, words));
    }
}

TEST_CASE("bench as JSON") {
    const json parsed = json::parse(bench_to_json(sample()));
    CHECK(parsed["card"]["sm"] == 90);
    CHECK(parsed["driver"] == "580.159.04");
    CHECK(parsed["cuda_of_driver"] == "13.0");
    CHECK(parsed["cuda_of_build"] == "12.8");
    CHECK(parsed["date"] == "2026-11-29 20:15 UTC");
    CHECK(parsed["samples"] == 21);
    CHECK(parsed["warm_up_us"] == 10000.0);
    CHECK(parsed["verify"] == "sample");
    CHECK(parsed["limit"]["source"] == "measured");
    CHECK(parsed["limit"]["tflops"] == 687.0);
    CHECK(parsed["limit"]["before_tflops"] == 680.0);
    CHECK(parsed["base"] == "v1");
    REQUIRE(parsed["rows"].size() == 3);
    const json& row = parsed["rows"][0];
    CHECK(row["problem"]["heads"] == 32);
    CHECK(row["problem"]["causal"] == false);
    CHECK(row["problem"]["flops"] == 549'755'813'888);
    CHECK(row["rows_checked"] == 100);
    const json& v2 = row["variants"][1];
    CHECK(v2["name"] == "v2");
    CHECK(v2["runs"] == true);
    CHECK(v2["time_us"] == 2000.0);
    CHECK(v2["time_lower_quartile_us"] == 1998.0);
    CHECK(v2["time_max_us"].get<double>() == doctest::Approx(2003.0));
    CHECK(v2["tflops"].get<double>() == doctest::Approx(274.877906944));
    CHECK(v2["times_base"] == 2.0);
    CHECK(v2["launch_overhead"] == false);
    CHECK(v2["wide_spread"] == false);
    CHECK(v2["verdict"] == "pass");
    const json& refused = parsed["rows"][1]["variants"][0];
    CHECK(refused["runs"] == false);
    CHECK(refused["time_us"].is_null());
    CHECK(refused["reason"] == "--head-dim 256: takes multiples of 8 up to 128");
    CHECK(parsed["summaries"].size() == 4);
    Bench bench = sample();
    bench.limit = {};
    bench.driver = "bad \xff byte";
    const json without = json::parse(bench_to_json(bench));
    CHECK(without["limit"]["tflops"].is_null());
    CHECK(without["rows"][0]["variants"][0]["of_limit"].is_null());
}

TEST_CASE("bench as CSV: a line of names, and one of as many fields for each variant of each row") {
    Bench bench = sample();
    bench.card.name = "Card, \"Ti\"";
    std::vector<std::string> all = lines(bench_to_csv(bench));
    REQUIRE(all.size() == 1 + 9);
    CHECK(all[0].rfind("batch,heads,kv_heads,seqlen_q,seqlen_k,head_dim,mask,", 0) == 0);
    CHECK(all[1].rfind("4,32,32,4096,4096,64,full,bottom-right,fp16,0.125,0,normal,549755813888,v1,4000,", 0) == 0);
    CHECK(has(all[4], ",v1,,,,,,,,,,v1,can't run,"));
    CHECK(has(all[9], ",causal,"));
    const std::string name = "\"Card, \"\"Ti\"\"\"";
    for (std::size_t i = 1; i < all.size(); ++i) {
        CHECK(has(all[i], name));
        all[i].erase(all[i].find(name), name.size());  // the only quoted field
        CHECK(std::count(all[i].begin(), all[i].end(), ',') == std::count(all[0].begin(), all[0].end(), ','));
    }
}
