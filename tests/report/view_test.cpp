#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "report/comparison_view.h"
#include "report/devices_view.h"
#include "report/table.h"
#include "report/width.h"
#include "samples.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::report;
using namespace flashlens::tests;

namespace {

bool is_table_line(const std::string& line) {
    for (const char* start : {"│", "├", "┌", "└", "|", "+"}) {
        if (line.rfind(start, 0) == 0) {
            return true;
        }
    }
    return false;
}

/// Every line within the terminal; every line of one table as wide as the others. Returns the number of table lines.
int check_shape(const std::string& text, const Terminal& terminal) {
    int table_width = 0;
    int table_lines = 0;
    for (const std::string& line : lines(text)) {
        INFO(line);
        CHECK(display_width(line) <= terminal.columns);
        CHECK((line.empty() || line.back() != ' '));
        if (!is_table_line(line)) {
            table_width = 0;
            continue;
        }
        ++table_lines;
        const bool starts = line.rfind("┌", 0) == 0;
        if (starts || table_width == 0) {
            table_width = display_width(line);
        }
        if (terminal.utf8) {
            CHECK(display_width(line) == table_width);
        }
    }
    return table_lines;
}

/// Without the line breaks, borders and indents that wrapping brings.
std::string flat(const std::string& text) {
    std::string result;
    for (const std::string& line : lines(text)) {
        result += line + ' ';
    }
    return result;
}

constexpr Terminal wide{120, true, false};

}  // namespace

TEST_CASE("every row of a table has one width, at any width, in both languages") {
    std::mt19937_64 generator(7);
    std::vector<Comparison> all{samples::simulated(), samples::timed(), samples::explained()};
    for (int i = 0; i < 20; ++i) {
        all.push_back(samples::random(generator));
    }
    for (const Comparison& comparison : all) {
        for (const Language language : {Language::en, Language::zh}) {
            for (const int columns : {20, 33, 40, 60, 79, 80, 100, 120, 160, 300}) {
                for (const bool utf8 : {true, false}) {
                    const Terminal terminal{columns, utf8, false};
                    CAPTURE(columns);
                    CHECK(check_shape(show(comparison, Detail::compared, language, terminal), terminal) > 20);
                    CHECK(check_shape(show(comparison, Detail::explained, language, terminal), terminal) > 10);
                }
            }
        }
    }
}

TEST_CASE("a table with wide and combining characters") {
    Table table({{"题"}, {"µs ×"}, {"e\u0301"}});
    table.group("一个很长的组标题，比表格还要宽得多得多得多得多");
    table.row("中文标签", {{"1"}, {"误差"}});
    table.span("跨列", {"一段横跨所有列的文字"});
    table.group("短");
    table.row("", {{""}, {""}});
    for (const int columns : {20, 40, 80}) {
        std::set<int> widths;
        for (const std::string& line : lines(table.render({columns, true, false}))) {
            widths.insert(display_width(line));
        }
        CHECK(widths.size() == 1);
        CHECK(*widths.begin() <= columns);
    }
}

TEST_CASE("a narrow terminal has one variant below the other") {
    const std::string narrow = show(samples::simulated(), Detail::compared, Language::en, {40, true, false});
    const auto tables = [](const std::string& text) {
        const auto all = lines(text);
        return std::count_if(all.begin(), all.end(), [](const std::string& line) { return line.rfind("┌", 0) == 0; });
    };
    CHECK(tables(narrow) == 3);  // v1, v2, and what they are compared with
    CHECK(tables(show(samples::simulated(), Detail::compared, Language::en, {80, true, false})) == 1);
}

TEST_CASE("box-drawing and colour only where they may be") {
    const Comparison comparison = samples::simulated();
    const std::string ascii = show(comparison, Detail::compared, Language::en, {80, false, false});
    CHECK(std::all_of(ascii.begin(), ascii.end(), [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7F); }));
    const std::string plain = show(comparison, Detail::compared, Language::zh, {80, true, false});
    CHECK(plain.find('\x1b') == std::string::npos);
    const std::string coloured = show(comparison, Detail::compared, Language::en, {80, true, true});
    CHECK(coloured.find("\x1b[") != std::string::npos);
    // Colours change nothing else.
    std::string stripped;
    for (std::size_t i = 0; i < coloured.size(); ++i) {
        if (coloured[i] == '\x1b') {
            i = coloured.find('m', i);
        } else {
            stripped += coloured[i];
        }
    }
    CHECK(stripped == show(comparison, Detail::compared, Language::en, {80, true, false}));
}

TEST_CASE("what the comparison says") {
    const std::string text = show(samples::simulated(), Detail::compared, Language::en, wide);
    for (const char* words : {"B 2  H 16  KV 16  Sq 512  Sk 512  D 64  fp16",
                              "no mask",
                              "A100 40GB",
                              "not in this machine",
                              "108 SMs",
                              "sm_80",
                              "NVIDIA A100 data sheet",
                              "(2, 16, 13) = 416 CTAs",
                              "batch, head, split",
                              "query block, batch, head",
                              "one 16-row query tile in 13",
                              "one 128-row query block",
                              "128 = 4 warps over keys",
                              "36.1 KiB",
                              "255",
                              "2 (limit: registers)",
                              "12.5 %",
                              "108 of 108 SMs (100 %)",
                              "counted by the CPU machine",
                              "would read 39.8 MB",
                              "300 MB",
                              "8,192",
                              "not a GPU's",
                              "612 ms",
                              "1.10e-04 (allowed 2.70e-04)",
                              "ok",
                              "all 16,384",
                              "150 ms",
                              "O, max error 1.30e-04"}) {
        CAPTURE(words);
        CHECK(has(text, words));
    }
    CHECK_FALSE(has(text, "TFLOP/s"));  // no speed without a card
    CHECK_FALSE(has(text, "FAIL"));
}

TEST_CASE("on a card: times, rates and the ratio") {
    const std::string text = show(samples::timed(), Detail::compared, Language::en, wide);
    // 2.147 GFLOP in 161.2 us and 115.4 us
    for (const char* words : {"in this machine", "measured on the card", "161 us (158 us to 171 us, 20 runs)", "13.3",
                              "18.6", "1.40x", "speed beside v1"}) {
        CAPTURE(words);
        CHECK(has(text, words));
    }
    CHECK_FALSE(has(text, "not a GPU's"));
    CHECK_FALSE(has(text, "launch overhead"));
    Comparison brief = samples::timed();
    brief.variants[1].timed->median_us = 12.0;
    CHECK(has(show(brief, Detail::compared, Language::en, wide), "launch overhead"));
}

TEST_CASE("explained: nothing that needs a run") {
    const std::string text = show(samples::explained(), Detail::explained, Language::en, wide);
    CHECK(has(text, "nothing is run"));
    CHECK(has(text, "would read 39.8 MB"));
    for (const char* words : {"verdict", "barriers per", "counted", "simulat", "TFLOP/s", "reference", "machine  "}) {
        CAPTURE(words);
        CHECK_FALSE(has(text, words));
    }
}

TEST_CASE("masks are named") {
    Comparison comparison = samples::simulated();
    comparison.problem.causal = true;
    comparison.problem.seqlen_k = 700;
    CHECK(has(flat(show(comparison, Detail::compared, Language::en, wide)),
              "bottom-right aligned (query i sees keys j <= i + 188)"));
    comparison.problem.align = Align::top_left;
    CHECK(has(flat(show(comparison, Detail::compared, Language::en, wide)),
              "top-left aligned (query i sees keys j <= i)"));
}

TEST_CASE("a variant that can't run says why and has no figures") {
    Comparison comparison = samples::timed();
    VariantFacts refused;
    refused.name = "v1";
    refused.refusal = {"head_dim 256 is over 128", "head_dim 256 is over 128"};
    comparison.variants[0] = refused;
    const std::string text = show(comparison, Detail::compared, Language::en, wide);
    CHECK(has(text, "no: head_dim 256 is over 128"));
    CHECK(has(text, "speed beside v2"));
    CHECK_FALSE(has(text, "does not fit"));
    comparison.variants[0].launch.occupancy.limiter = hardware::Limiter::does_not_fit;
    CHECK(has(show(comparison, Detail::compared, Language::en, wide), "does not fit"));
}

TEST_CASE("a failed verdict shows its reason, and no figure reads nan%") {
    Comparison comparison = samples::simulated();
    comparison.variants[1].error->verdict = Verdict::fail;
    comparison.variants[1].error->reason = {"O(0, 3, 1, 5) is NaN, expected 0.25",
                                            "O(0, 3, 1, 5) is NaN, expected 0.25"};
    comparison.variants[1].error->max_abs_error = std::nan("");
    comparison.variants[1].launch.occupancy.fraction = std::nan("");
    const std::string text = show(comparison, Detail::compared, Language::en, wide);
    CHECK(has(text, "FAIL"));
    CHECK(has(text, "v2 FAIL: O(0, 3, 1, 5) is NaN, expected 0.25"));
    CHECK(has(text, "NaN (allowed"));
    CHECK_FALSE(has(text, "NaN %"));
    CHECK_FALSE(has(text, "nan"));
}

TEST_CASE("sampling is told") {
    Comparison comparison = samples::simulated();
    comparison.variants[0].counted->sampled = true;
    comparison.reference->rows_checked = 1024;
    const std::string text = show(comparison, Detail::compared, Language::en, wide);
    CHECK(has(text, "counted by the CPU machine on sampled CTAs"));
    CHECK(has(text, "1,024 of 16,384 (sampled)"));
}

TEST_CASE("v2-tuned: its order is told, and what counting without values assumes") {
    Comparison comparison = samples::timed();
    VariantFacts& tuned = comparison.variants.emplace_back(comparison.variants[1]);
    tuned.name = "v2-tuned";
    const auto shown = [&] { return flat(show(comparison, Detail::compared, Language::en, Terminal{})); };
    CHECK_FALSE(has(shown(), "the heaviest first"));
    CHECK_FALSE(has(shown(), "as if maxima rose"));
    tuned.launch.heaviest_first = true;
    tuned.counted->raises_assumed = true;
    CHECK(has(shown(), "the heaviest first"));
    CHECK(has(shown(), "as if maxima rose"));
}

TEST_CASE("a path can't steer the terminal") {
    Comparison comparison = samples::simulated();
    comparison.input_folder = "/tmp/\x1b[31mred";
    CHECK(show(comparison, Detail::compared, Language::en, wide).find('\x1b') == std::string::npos);
}

TEST_CASE("Chinese output is Chinese") {
    const std::string text = show(samples::timed(), Detail::compared, Language::zh, wide);
    for (const char* words :
         {"前向", "就在本机", "为什么", "受限于寄存器", "通过", "16 行的 query tile，每 13 个取一个"}) {
        CAPTURE(words);
        CHECK(has(text, words));
    }
}

TEST_CASE("devices") {
    for (const int columns : {40, 80, 120}) {
        for (const Language language : {Language::en, Language::zh}) {
            const Terminal terminal{columns, true, false};
            const std::string text =
                show_devices(std::nullopt, {"this build has no CUDA", "编译时没有 CUDA"}, language, terminal);
            CHECK((check_shape(text, terminal) > 0) == (columns >= 80));
            CHECK(has(flat(text), language == Language::zh ? "编译时没有 CUDA" : "this build has no CUDA"));
        }
    }
    const std::string text = show_devices(samples::timed().card, {}, Language::en, wide);
    CHECK(has(text, "In this machine: A100 40GB, 108 SMs, sm_80"));
    for (const hardware::Card& card : hardware::cards()) {
        CHECK(has(text, card.name.c_str()));
    }
}
