// SMs over time: pictures that fit, sentences that say what the numbers say, documents that parse.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "explorer/timeline.h"
#include "report/timeline_json.h"
#include "report/timeline_svg.h"
#include "report/timeline_view.h"
#include "report/timeline_words.h"
#include "report/width.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::report;
using flashlens::tests::has;
using flashlens::tests::lines;

namespace {

Timelines simulated(std::int64_t heads, std::int64_t seqlen, bool causal, const std::string& card = "A100",
                    std::int64_t head_dim = 64) {
    Request request;
    request.card = card;
    request.machine = MachineChoice::cpu;
    request.problem.heads = request.problem.kv_heads = heads;
    request.problem.seqlen_q = request.problem.seqlen_k = seqlen;
    request.problem.head_dim = head_dim;
    request.problem.causal = causal;
    return timeline(request);
}

/// Two SMs of four have CTAs, two places each, over 10 us; v2 is twice as fast.
Timelines by_hand(bool recorded) {
    Timelines all = simulated(1, 256, false);
    for (auto& one : all.of_variants) {
        one->sm_count = 4;
        one->slots = 2;
        one->spans = {{0, 0, 0, 10}, {1, 0, 0, 4}, {0, 1, 2, 8}, {1, 0, 6, 8}};
    }
    for (CtaSpan& span : all.of_variants[1]->spans) {
        span.start_us /= 2;
        span.end_us /= 2;
    }
    if (recorded) {
        all.comparison.machine = Machine::gpu;
        for (auto& one : all.of_variants) {
            one->recorded = RecordingFacts{11.5, {10.5, 10, 11, 5, 10, 11}, 248, 0.032, 0.05, 1.9};
        }
        all.comparison.variants[0].launch.occupancy.ctas_per_sm = 3;
        all.comparison.variants[1].launch.occupancy.ctas_per_sm = 2;
    }
    return all;
}

std::vector<std::string> rows_of(const std::string& view) {
    std::vector<std::string> rows;
    for (const std::string& line : lines(view)) {
        if (line.rfind("SM ", 0) == 0 && has(line, "|")) {
            rows.push_back(line);
        }
    }
    return rows;
}

const Terminal ascii{.columns = 31};

}  // namespace

TEST_CASE("timeline: a row for each SM, time to the right, by hand") {
    // 31 columns: a label of "SM 3-4 " and the frame leave 23; 10 us are 23 columns, 5 us half of them.
    const std::vector<std::string> rows = rows_of(show_timelines(by_hand(false), Language::en, ascii));
    REQUIRE(rows.size() == 8);
    const std::string bar = rows[0].substr(rows[0].find('|') + 1);
    REQUIRE(bar.size() == 23);
    CHECK(bar.substr(0, 4) == "++++");            // one place of two
    CHECK(bar.substr(5, 13) == "#############");  // both, from 2 to 8 us
    CHECK(bar.substr(19) == "++++");
    const std::string second = rows[1].substr(rows[1].find('|') + 1);
    CHECK(second.substr(0, 9) == "+++++++++");
    CHECK(second.substr(10, 3) == "...");  // idle from 4 to 6 us
    CHECK(second.substr(14, 4) == "++++");
    CHECK(second.substr(19) == "....");
    CHECK(rows[2].substr(rows[2].find('|') + 1) == std::string(23, '.'));
    CHECK(rows[3].substr(rows[3].find('|') + 1) == std::string(23, '.'));
    // v2 on the same scale: half as wide.
    CHECK(rows[4].substr(rows[4].find('|') + 1).size() == 12);
}

TEST_CASE("timeline: sentences say what the numbers say") {
    const std::vector<ShownTimeline> all = shown(by_hand(false));
    const Timelines timelines = by_hand(true);
    const std::string words = use_words(shown(timelines)[0], Language::en);
    CHECK(has(words, "2 of 4 SMs get no CTA."));
    CHECK(has(words, "The first SM runs dry after 8 us, the last CTA ends after 10 us: a tail of 20 % of the time."));
    CHECK(has(words, "A CTA takes 2 us to 10 us."));
    CHECK(has(words, "On average 40 % of the SMs are at work, and 27.5 % of their places for CTAs are taken."));
    CHECK(has(words, "By events around it this launch took 11.5 us; without clocks the kernel takes 10.5 us."));
    CHECK(has(words, "With its clock the kernel takes 248 registers, so that an SM takes 2 of its CTAs, not 3"));
    CHECK_FALSE(has(use_words(shown(timelines)[1], Language::en), "248 registers"));
    CHECK(
        has(heading_words(shown(timelines)[0], Language::en), "v1: 4 CTAs on 4 SMs, each takes 2 at once: 0.5 waves"));

    Timelines alike = by_hand(false);
    alike.of_variants[0]->spans = {{0, 0, 0, 3}, {1, 0, 0, 3}, {2, 0, 0, 3}, {3, 0, 0, 3}};
    const std::string same = use_words(shown(alike)[0], Language::en);
    CHECK(has(same, "All 4 SMs get CTAs."));
    CHECK(has(same, "ends after 3 us: no tail."));
    CHECK(has(same, "Each CTA takes 3 us."));
    CHECK_FALSE(has(same, "By events"));
}

TEST_CASE("timeline: it says whether times are measured, and what a simulation rests on") {
    const std::string model = show_timelines(by_hand(false), Language::en, {.columns = 1000});
    CHECK(has(model, "simulated, not measured"));
    CHECK(
        has(model, "2,048 matmul FLOPs, 64 fp32 operations, 16 exponentials, 1 wavefront of shared memory; 1.41 GHz"));
    CHECK(has(model, "takes 65 % of the time that"));
    CHECK(has(model, "700 cycles for each barrier; each other CTA on its SM adds 50 %"));
    const std::string card = show_timelines(by_hand(true), Language::en, {.columns = 1000});
    CHECK(has(card, "recorded on the card"));
    CHECK(has(card, "ticks every 32 ns, times of two SMs may be off by 50 ns"));
    CHECK_FALSE(has(card, "simulated"));
    CHECK_FALSE(has(card, "Model:"));
    Timelines forced = by_hand(false);
    forced.why_simulated = {"because of a card", "因为显卡"};
    CHECK(has(show_timelines(forced, Language::en, {.columns = 1000}), "not measured (because of a card)"));
    CHECK(has(show_timelines(forced, Language::zh, {.columns = 1000}), "并非实测（因为显卡）"));
    forced.rates_of = "another card";
    forced.of_variants[1]->interpolated = true;
    const std::string borrowed = model_words(forced, Language::en);
    CHECK(has(borrowed, "those of an SM of another card stand in"));
    CHECK(has(borrowed, "Of v2 not every kind of CTA was counted"));
}

TEST_CASE("timeline: no line is wider than the terminal, in either language, with boxes or without") {
    for (const bool causal : {false, true}) {
        for (const std::string card : {"A100", "T4", "H200", "RTX 3090"}) {
            const Timelines all = simulated(3, 300, causal, card);
            for (const Language language : {Language::en, Language::zh}) {
                for (const int columns : {20, 40, 60, 80, 120, 200}) {
                    for (const bool utf8 : {false, true}) {
                        const std::string view =
                            show_timelines(all, language, {.columns = columns, .utf8 = utf8, .is_screen = true});
                        for (const std::string& line : lines(view)) {
                            CHECK_MESSAGE(display_width(line) <= columns, columns << ": " << line);
                        }
                        CHECK(has(view, "\u2588") == utf8);
                        CHECK_FALSE(has(view, "\x1b"));
                        CHECK_FALSE(has(view, "{"));
                    }
                }
            }
        }
    }
}

TEST_CASE("timeline: two variants, their sentences and the model stand on a screen of 120 x 34") {
    for (const Language language : {Language::en, Language::zh}) {
        const std::string view = show_timelines(simulated(8, 1024, true, "H200"), language,
                                                {.columns = 120, .utf8 = true, .is_screen = true});
        CHECK(lines(view).size() <= 34);
    }
}

TEST_CASE("timeline: shares of places, cell by cell, add up to the CTAs' times") {
    const Timelines all = simulated(5, 700, true);
    for (const ShownTimeline& one : shown(all)) {
        double in_ctas = 0.0;
        for (const CtaSpan& span : one.timeline->spans) {
            in_ctas += span.end_us - span.start_us;
        }
        for (const int per_row : {1, 18, 25}) {
            const UseGrid grid = use_grid(*one.timeline, per_row, 37, one.facts.end_us);
            double in_cells = 0.0;
            for (int row = 0; row < grid.rows; ++row) {
                const int sms = std::min(per_row, one.timeline->sm_count - row * per_row);
                for (int column = 0; column < grid.columns; ++column) {
                    CHECK(grid.at(row, column) <= 1.0 + 1e-9);
                    in_cells += grid.at(row, column) * sms * one.timeline->slots * one.facts.end_us / 37;
                }
            }
            CHECK(in_cells == doctest::Approx(in_ctas));
        }
    }
}

TEST_CASE("timeline: a variant that can't run says why, the others are drawn") {
    const Timelines all = simulated(2, 256, false, "A100", 256);
    const std::string view = show_timelines(all, Language::en, {.columns = 100});
    CHECK(has(view, "v1     no: --head-dim 256"));
    CHECK_FALSE(has(view, "v1: "));
    CHECK(has(view, "v2: "));
    CHECK(has(timelines_to_svg(all, Language::en), "v2: "));
    const auto json = nlohmann::json::parse(timelines_to_json(all));
    CHECK_FALSE(json["variants"][0].contains("timeline"));
    CHECK(json["variants"][1].contains("timeline"));
}

TEST_CASE("timeline: JSON has every CTA, and what follows") {
    const auto json = nlohmann::json::parse(timelines_to_json(by_hand(false)));
    const auto& one = json["variants"][0]["timeline"];
    CHECK(one["simulated"] == true);
    CHECK(one["sms"] == 4);
    CHECK(one["idle_sms"] == 2);
    CHECK(one["tail_us"] == 2.0);
    CHECK(one["busy_of_sm"] == std::vector<double>{1.0, 0.6, 0.0, 0.0});
    REQUIRE(one["ctas"].size() == 4);
    CHECK(one["ctas"][2] == nlohmann::json::array({0, 1, 2.0, 8.0}));
    CHECK(json["model"]["cycles_per_barrier"] == 700);
    CHECK_FALSE(one.contains("kernel_us"));
    const auto card = nlohmann::json::parse(timelines_to_json(by_hand(true)));
    CHECK(card["variants"][0]["timeline"]["simulated"] == false);
    CHECK(card["variants"][0]["timeline"]["kernel_us"] == 11.5);
    CHECK_FALSE(card.contains("model"));
}

TEST_CASE("timeline: the slide has a bar for each CTA, or shades where there are too many; its file stays small") {
    const auto count = [](const std::string& text, const std::string& what) {
        std::size_t found = 0;
        for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
            ++found;
        }
        return found;
    };
    const std::string few = timelines_to_svg(by_hand(false), Language::en);
    CHECK(count(few, "M") - count(few, "SM ") - count(few, "SMs") - count(few, "SM.") - count(few, "Medium") > 0);
    CHECK(has(few, "A bar is a CTA"));
    CHECK(has(few, "not measured"));
    CHECK(count(few, "z\"/>") == 2);  // a path for each variant
    CHECK(count(few, "v") >= 8);
    for (const std::int64_t heads : {1, 4096}) {
        const Timelines many = simulated(heads, 1024, true, "H200");
        const std::string slide = timelines_to_svg(many, Language::zh);
        CHECK(slide.size() < 900'000);
        CHECK(has(slide, heads == 1 ? "一条是一个 CTA" : "颜色越深"));
        CHECK_FALSE(has(slide, "nan"));
        CHECK_FALSE(has(slide, "inf"));
        CHECK(has(slide, "</svg>"));
    }
    CHECK(has(timelines_to_svg(by_hand(true), Language::en), "Recorded on A100"));
}
