#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "explorer/explorer.h"
#include "explorer/variant.h"
#include "ladder_samples.h"
#include "report/code_difference.h"
#include "report/ladder_data.h"
#include "report/ladder_diff.h"
#include "report/ladder_facts.h"
#include "report/ladder_orders.h"
#include "report/ladder_view.h"
#include "report/ladder_waterfall.h"
#include "report/width.h"
#include "samples.h"
#include "teaching/ladder_ideas.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::report;
using namespace flashlens::tests;

namespace {

const LadderQuantity& figure(std::string_view name) {
    const LadderQuantity* const found = find_ladder_quantity(name);
    REQUIRE(found != nullptr);
    return *found;
}

Change change(std::string_view name, double before, double after) {
    return {&figure(name), before, after};
}

std::vector<StepFacts> steps_of(const Comparison& comparison) {
    return step_facts(comparison, ladder_steps(comparison));
}

const Terminal plain{80, true, false, false};

/// A step whose one figure, barriers, went so, with a time that went so.
std::string said(double before, double after, std::optional<double> gain, Language language = Language::en) {
    Comparison comparison = samples::timed_ladder();
    comparison.variants.resize(2);
    comparison.variants[0].name = "query-blocks";
    comparison.variants[1] = comparison.variants[0];
    comparison.variants[1].name = "row-warps";
    comparison.variants[0].counted->report.total.barriers = static_cast<std::uint64_t>(before);
    comparison.variants[1].counted->report.total.barriers = static_cast<std::uint64_t>(after);
    for (VariantFacts& variant : comparison.variants) {
        variant.timed->median_us = 100.0;
        if (!gain) {
            variant.timed.reset();
        }
    }
    if (gain) {
        comparison.variants[1].timed->median_us = 100.0 / *gain;
    }
    const std::vector<StepFacts> steps = steps_of(comparison);
    REQUIRE(steps.size() == 1);
    return verdict_on(steps[0], plain, language);
}

}  // namespace

TEST_CASE("ladder: every figure that an idea is about is one that there is") {
    for (const Idea idea : all_ideas()) {
        for (const std::string_view name : teaching::words_of(idea).about) {
            CAPTURE(name);
            CHECK(find_ladder_quantity(name) != nullptr);
        }
    }
    std::set<std::string_view> names, keys;
    for (const LadderQuantity& one : ladder_quantities()) {
        CHECK(names.insert(one.quantity.name).second);
        CHECK(keys.insert(one.quantity.key).second);
        CHECK(find_ladder_quantity(one.quantity.name) == &one);
    }
    CHECK(find_ladder_quantity("speed") == nullptr);
    const std::vector<std::string_view> shown = waterfall_names();
    CHECK(shown.front() == "time");
    CHECK(std::count(shown.begin(), shown.end(), "waves") == 0);
    CHECK(std::count(shown.begin(), shown.end(), "barriers") == 1);
}

TEST_CASE("ladder: figures of a run") {
    const Comparison comparison = samples::ladder();
    const auto value = [&](std::string_view name, std::size_t rung) {
        return figure(name).quantity.of(comparison.variants[rung], comparison);
    };
    CHECK(value("o-tmp", 0) == 8'400'000.0);
    CHECK(value("o-tmp", 7) == 0.0);
    CHECK(value("shared-exchange", 0) == 90'000'000.0);
    CHECK(value("shared-exchange", 2) == 0.0);
    CHECK(value("global-traffic", 0) == 70'400'000.0);
    CHECK(value("shared-per-pair", 0) == doctest::Approx(233'000'000.0 / (512.0 * 512 * 2 * 16)));
    CHECK(value("mask-ops", 0) == 12'000'000.0);
    CHECK(value("mma-beside-copies", 7) == 0.875);
    CHECK(value("divisions", 3) == 1'048'576.0);
    Comparison uncounted = comparison;
    uncounted.variants[0].counted.reset();
    uncounted.variants[1].refusal = {"no", "不"};
    for (const LadderQuantity& one : ladder_quantities()) {
        CAPTURE(one.quantity.name);
        CHECK((one.quantity.origin != Origin::counted || !one.quantity.of(uncounted.variants[0], uncounted)));
        CHECK_FALSE(one.quantity.of(uncounted.variants[1], uncounted));
    }
}

TEST_CASE("ladder: when a figure moved, and which way") {
    CHECK_FALSE(change("barriers", 1000, 1000).moved());
    CHECK_FALSE(change("barriers", 1000, 1009).moved());
    CHECK(change("barriers", 1000, 1020).moved());
    CHECK(change("barriers", 1000, 1020).worse());
    CHECK(change("barriers", 1000, 980).better());
    CHECK(change("sm-fill", 0.5, 0.6).better());
    CHECK(change("sm-fill", 0.6, 0.5).worse());
    CHECK_FALSE(change("waves", 1, 2).better());
    CHECK_FALSE(change("waves", 1, 2).worse());
    CHECK(change("waves", 1, 2).moved());
    CHECK_FALSE(change("barriers", 1000, 1240).moved_much());
    CHECK(change("barriers", 1000, 1260).moved_much());
    CHECK(change("barriers", 1000, 790).moved_much());
    CHECK(change("o-tmp", 0, 8).moved_much());
    CHECK(change("o-tmp", 8, 0).better());
    CHECK(change("o-tmp", 0, 0).distance() == 0.0);
    CHECK(factor(change("barriers", 1000, 100), true) == "÷10.0");
    CHECK(factor(change("barriers", 100, 1000), false) == "x10.0");
    CHECK(factor(change("barriers", 1000, 500), false) == "/2.00");
    CHECK(factor(change("o-tmp", 0, 8), true).empty());
    CHECK(factor(change("barriers", 10, 10), true).empty());
}

TEST_CASE("ladder: what each step of the sample says") {
    const std::vector<StepFacts> steps = steps_of(samples::timed_ladder());
    REQUIRE(steps.size() == 7);
    // row-warps: fewer barriers, faster
    CHECK(steps[1].moved == Moved::better);
    CHECK(steps[1].pace == Pace::faster);
    CHECK(steps[1].agrees());
    CHECK(steps[1].explains()->of == &figure("shared-exchange"));  // from something to nothing
    CHECK(*steps[1].gain == doctest::Approx(1.25));
    CHECK(*steps[1].so_far == doctest::Approx(161.0 / 120.0));
    // wide-warps: less shared memory traffic, but o_tmp and divisions
    CHECK(steps[2].moved == Moved::better);
    CHECK(steps[2].pace == Pace::slower);
    CHECK_FALSE(steps[2].agrees());
    std::set<std::string_view> worse;
    for (const Change& other : steps[2].others) {
        CHECK(other.moved_much());
        if (other.worse()) {
            worse.insert(other.of->quantity.name);
        }
    }
    CHECK(worse == std::set<std::string_view>{"global-read", "global-write", "o-tmp", "divisions"});
    CHECK(worse.count(steps[2].goes_along()->of->quantity.name) == 1);
    CHECK(has(verdict_on(steps[2], Terminal{}, Language::en),
              "against its figures: they get better, and it is slower. Of the others most for the worse: "));
    CHECK(steps[3].explains()->of == &figure("o-tmp"));
    CHECK(steps[4].pace == Pace::same);
    CHECK(steps[5].pace == Pace::slower);
    CHECK(steps[6].explains()->of == &figure("mma-beside-copies"));
    CHECK(*steps[6].so_far == doctest::Approx(161.0 / 80.0));
}

TEST_CASE("ladder: a sentence for each way that figures and time can go") {
    CHECK(said(7000, 1000, 1.3) == "explained by barriers, 7,000 → 1,000");
    CHECK(said(1000, 7000, 0.7) == "explained by barriers, 1,000 → 7,000");
    CHECK(has(said(7000, 1000, 0.7), "against its figures: they get better, and it is slower"));
    CHECK(has(said(1000, 7000, 1.3), "against its figures: they get worse, and it is faster"));
    CHECK(has(said(7000, 1000, 1.01), "get better, and the time stays within 3 %"));
    CHECK(has(said(1000, 7000, 0.99), "get worse, and the time stays within 3 %"));
    CHECK(has(said(1000, 1000, 1.0), "nothing to gain here"));
    CHECK(has(said(1000, 1000, 1.0), "barriers, exchange, shuffles"));
    CHECK(has(said(1000, 1000, 1.3), "not explained by its figures: it is faster"));
    CHECK(has(said(1000, 1000, 0.7), "not explained by its figures: it is slower"));
    CHECK(said(7000, 1000, {}).empty());
    CHECK(has(said(1000, 7000, {}), "for the worse"));
    CHECK(has(said(1000, 1000, {}), "nothing to gain here"));
    CHECK_FALSE(has(said(1000, 1000, {}), "time"));
    CHECK(has(said(1000, 1000, {}, Language::zh), "这里没有收益"));
}

TEST_CASE("ladder: the page fits its terminal, in both languages, with and without a card") {
    for (const bool timed : {false, true}) {
        Comparison comparison = timed ? samples::timed_ladder() : samples::ladder();
        comparison.variants[3].refusal = {"takes multiples of 8 up to 64", "只接受 8 的倍数，至多 64"};
        for (const Language language : {Language::en, Language::zh}) {
            for (const int columns : {20, 40, 80, 120, 160}) {
                for (const bool utf8 : {false, true}) {
                    const Terminal terminal{columns, utf8, false, true};
                    const std::string page = show_ladder(comparison, usual_waterfall(comparison), language, terminal);
                    int table = 0;
                    for (const std::string& line : lines(page)) {
                        CAPTURE(line);
                        CHECK(display_width(line) <= columns);
                        const bool in_table = utf8 && (line.starts_with("│") || line.starts_with("├"));
                        table = line.starts_with("┌") ? display_width(line) : table;
                        CHECK((!in_table || display_width(line) == table));
                    }
                    CHECK(page.find('\x1b') == std::string::npos);
                }
            }
            const std::string page =
                show_ladder(comparison, usual_waterfall(comparison), language, {120, true, false, false});
            CHECK(has(page, comparison.variants[3].refusal.in(language)));
            CHECK(has(page, language == Language::en ? "so far" : "累计") == timed);
            CHECK_FALSE(has(page, "simulat"));
            CHECK(has(page, "3 row-warps → 5 swapped-loops"));
        }
    }
}

TEST_CASE("ladder: with colour the page says the same") {
    const Comparison comparison = samples::timed_ladder();
    const auto page = [&](bool colour) {
        return show_ladder(comparison, ladder_time(), Language::en, {100, true, colour, true});
    };
    std::string stripped;
    const std::string coloured = page(true);
    for (std::size_t i = 0; i < coloured.size(); ++i) {
        if (coloured[i] == '\x1b') {
            i = coloured.find('m', i);
        } else {
            stripped += coloured[i];
        }
    }
    CHECK(stripped == page(false));
    CHECK(coloured != stripped);
}

TEST_CASE("ladder: a waterfall ends where its last rung is") {
    const Comparison comparison = samples::timed_ladder();
    const std::vector<StepFacts> steps = steps_of(comparison);
    for (const char* const name : {"time", "shared-traffic", "fp32-ops", "mma-beside-copies", "o-tmp"}) {
        CAPTURE(name);
        const Waterfall fall = waterfall(comparison, steps, figure(name), Language::en);
        REQUIRE(fall.bars.size() == 9);
        CHECK(fall.bars.front().kind == WaterfallBar::Kind::total);
        CHECK(fall.bars.back().kind == WaterfallBar::Kind::total);
        double level = fall.bars.front().to;
        for (std::size_t i = 1; i + 1 < fall.bars.size(); ++i) {
            CHECK(fall.bars[i].from == level);
            level = fall.bars[i].to;
            CHECK(level <= fall.highest);
        }
        CHECK(fall.bars.back().to == level);
    }
    const Waterfall time = waterfall(comparison, steps, ladder_time(), Language::en);
    using Kind = WaterfallBar::Kind;
    const Kind kinds[] = {Kind::total, Kind::better, Kind::better, Kind::worse, Kind::better,
                          Kind::same,  Kind::worse,  Kind::better, Kind::total};
    for (std::size_t i = 0; i < time.bars.size(); ++i) {
        CHECK(time.bars[i].kind == kinds[i]);
    }
    CHECK(time.bars[1].label == "-11 us  1.07x");
    CHECK(time.bars[3].label == "+10 us  0.92x");
    CHECK(waterfall(samples::ladder(), steps_of(samples::ladder()), ladder_time(), Language::en).bars.empty());
    CHECK(waterfall(comparison, {}, ladder_time(), Language::en).bars.empty());
    CHECK(draw({}, Language::en, plain).empty());
    CHECK(usual_waterfall(comparison).quantity.name == "time");
    CHECK(usual_waterfall(samples::ladder()).quantity.name == "shared-traffic");
}

TEST_CASE("ladder: better and worse differ in the waterfall without colour, and in the picture") {
    const Comparison comparison = samples::timed_ladder();
    const Waterfall fall = waterfall(comparison, steps_of(comparison), ladder_time(), Language::en);
    const std::string ascii = draw(fall, Language::en, {80, false, false, false});
    CHECK(has(ascii, "3 row-warps  "));
    for (const std::string& line : lines(ascii)) {
        CHECK(has(line, "---") == (has(line, "-30 us") || has(line, "-11 us") || has(line, "-25 us")));
    }
    for (const Language language : {Language::en, Language::zh}) {
        const std::string svg =
            waterfall_to_svg(waterfall(comparison, steps_of(comparison), ladder_time(), language), language);
        CHECK(svg.rfind("<svg ", 0) == 0);
        CHECK(has(svg, "@media (prefers-color-scheme:dark)"));
        CHECK(has(svg, "class=\"full0 line0\" fill-opacity"));
        CHECK(has(svg, "class=\"full1 line1\""));
        CHECK_FALSE(has(svg, "nan"));
        CHECK(has(svg, "161 us"));
        for (const char* const name : {"x=\"", "y=\""}) {
            for (std::size_t at = svg.find(name); at != std::string::npos; at = svg.find(name, at + 1)) {
                const double place = std::stod(svg.substr(at + 3));
                CHECK(place >= 0.0);
                CHECK(place <= (name[0] == 'x' ? 1280.0 : 720.0));
            }
        }
    }
}

TEST_CASE("ladder: JSON and CSV have every rung and every step") {
    Comparison comparison = samples::timed_ladder();
    comparison.variants[6].refusal = {"no", "不"};
    const auto json = nlohmann::json::parse(ladder_to_json(comparison));
    CHECK(json["machine"] == "gpu");
    REQUIRE(json["rungs"].size() == 8);
    CHECK(json["rungs"][3]["o_tmp_bytes"] == 25'200'000.0);
    CHECK(json["rungs"][6]["o_tmp_bytes"].is_null());
    CHECK(json["rungs"][6]["reason"] == "no");
    REQUIRE(json["steps"].size() == 6);
    CHECK(json["steps"][1]["ideas"][0]["idea"] == "row-warps");
    CHECK(json["steps"][1]["explained_by"] == "shared_exchange_bytes");
    CHECK(json["steps"][1]["figures_explain_the_time"] == true);
    CHECK(json["steps"][2]["figures_explain_the_time"] == false);
    CHECK(json["steps"][2]["explained_by"].is_null());
    CHECK(json["steps"][5]["from"] == "late-norm");
    CHECK(json["steps"][5]["to"] == "v2");
    CHECK(json["steps"][5]["ideas"].size() == 2);
    CHECK(json["steps"][2]["gain"].get<double>() == doctest::Approx(120.0 / 130.0));
    const auto counted = nlohmann::json::parse(ladder_to_json(samples::ladder()));
    CHECK(counted["steps"][0]["gain"].is_null());
    CHECK(counted["steps"][0]["explained_by"].is_null());

    const std::vector<std::string> rows = lines(ladder_to_csv(comparison));
    REQUIRE(rows.size() == 9);
    const auto commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
    for (const std::string& row : rows) {
        CHECK(commas(row) == commas(rows.front()));
    }
    CHECK(has(rows.front(), ",rung,variant,runs,reason,verdict,time_us,"));
    CHECK(has(rows[4], ",4,wide-warps,true,,pass,130,"));
    CHECK(has(rows[7], ",7,masked-loop,false,no,"));
}

TEST_CASE("ladder: an idea's gains in more than one order") {
    const Comparison comparison = samples::timed_ladder();
    const std::vector<IdeaGains> gains = idea_gains(comparison, ladder_time());
    const auto of = [&](Idea idea) {
        return std::find_if(gains.begin(), gains.end(), [&](const IdeaGains& g) { return g.idea == idea; });
    };
    REQUIRE(of(Idea::warps) != gains.end());
    CHECK(of(Idea::warps)->gains.front() == doctest::Approx(150.0 / 130.0));
    CHECK(of(Idea::row_warps)->gains == std::vector{150.0 / 120.0});
    CHECK(of(Idea::beyond) == gains.end());
    for (const IdeaGains& one : gains) {
        double product = 1.0;
        for (const double gain : one.gains) {
            CHECK(gain >= one.least);
            CHECK(gain <= one.most);
            product *= gain;
        }
        CHECK(std::pow(one.mean, static_cast<double>(one.gains.size())) == doctest::Approx(product));
    }
    // of what is better high, more is a gain; of nothing nothing can be said
    for (const IdeaGains& one : idea_gains(comparison, figure("mma-beside-copies"))) {
        CHECK(one.idea != Idea::async_copies);
    }
    for (const Language language : {Language::en, Language::zh}) {
        for (const int columns : {40, 80, 120}) {
            const std::string page = show_orders(comparison, ladder_time(), language, {columns, true, false, true});
            for (const std::string& line : lines(page)) {
                CHECK(display_width(line) <= columns);
            }
        }
    }
    CHECK(has(show_orders(comparison, ladder_time(), Language::en, plain), "query-blocks → wide-warps"));
    CHECK(has(show_orders(samples::simulated(), ladder_time(), Language::en, plain), "No two kernels here"));
}

TEST_CASE("ladder: two rungs' code, what changes and all of it") {
    Comparison planned = samples::explained();
    for (const Language language : {Language::en, Language::zh}) {
        for (const int columns : {40, 80, 160}) {
            const std::string page = show_ladder_diff(planned, Extent::changes, language, {columns, true, false, true});
            for (const std::string& line : lines(page)) {
                CAPTURE(line);
                CHECK(display_width(line) <= columns);
            }
            CHECK(has(page, columns < 150 ? "- " : " │ "));
        }
    }
    const std::string page = show_ladder_diff(planned, Extent::changes, Language::en, {100, false, false, false});
    CHECK(has(page, "kernels/v1/kernel.cuh -> kernels/v2/kernel.cuh"));
    CHECK(has(page, "which the plan chooses: 16 x 256 -> 128 x 128"));
    planned.variants[1].name = "v1";  // the same kernel with another tile
    const std::string same = show_ladder_diff(planned, Extent::changes, Language::en, {100, false, false, false});
    CHECK(has(same, "Both are one kernel: its code is the same, what changes is the tile."));
    CHECK(has(same, "in both, unchanged: kernels/v1/kernel.cuh, "));
    planned.variants[1].launch.tile = planned.variants[0].launch.tile;
    CHECK(has(show_ladder_diff(planned, Extent::changes, Language::en, plain), "what changes is a switch"));
    planned.variants[0].launch.tile = {};
    CHECK(has(show_ladder_diff(planned, Extent::changes, Language::en, plain), "its code is the same.\n"));
}

TEST_CASE("all lines of two files, where they are asked for") {
    CHECK(differences("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\ne\nx\n", plain).size() == 5 + 0);
    CHECK(differences("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\ne\nx\n", plain, Extent::all).size() == 7);
    CHECK(differences("a\n", "a\n", plain, Extent::all).size() == 1);
    CHECK(differences("// a\n", "// b\n", plain, Extent::all).size() == 2);
    CHECK(differences("", "a\nb\n", plain) == std::vector<std::string>{"   1 + a", "   2 + b"});
}

TEST_CASE("ladder: real rungs, on a shape with several key blocks, rows and keys that no tile divides") {
    Request request;
    request.machine = MachineChoice::cpu;
    request.card = "A100";
    request.variants = ladder_variants();
    request.problem.batch = 1;
    request.problem.heads = request.problem.kv_heads = 2;
    request.problem.seqlen_q = 200;
    request.problem.seqlen_k = 600;
    const Comparison comparison = compare(request);
    const std::vector<StepFacts> steps = steps_of(comparison);
    REQUIRE(steps.size() == 7);
    const auto value = [&](std::string_view name, std::size_t rung) {
        return *figure(name).quantity.of(comparison.variants[rung], comparison);
    };
    // fp32, written on every pass but the last and read on every pass but the first; 256 or 128 keys a pass
    const double o_tmp = 200.0 * 2 * 64 * 4;
    CHECK(value("o-tmp", 0) == 2 * 2 * o_tmp);
    CHECK(value("o-tmp", 1) == 2 * 2 * o_tmp);
    CHECK(value("o-tmp", 2) >= 2 * 2 * o_tmp);  // and the lse beside it
    CHECK(value("o-tmp", 2) < 2.1 * 2 * o_tmp);
    CHECK(value("o-tmp", 3) >= 4 * 2 * o_tmp);
    CHECK(value("o-tmp", 3) < 4.2 * 2 * o_tmp);
    // a row's partial O of four warps: written once and read once, and more for the statistics
    for (const std::size_t rung : {0, 1}) {
        CHECK(value("shared-exchange", rung) > 3 * 2 * 4 * o_tmp);
    }
    for (std::size_t rung = 2; rung < 8; ++rung) {
        CHECK(value("shared-exchange", rung) == 0.0);
        CHECK((value("o-tmp", rung) == 0.0) == (rung > 3));
        CHECK((value("mma-beside-copies", rung) > 0.0) == (rung == 7));
    }
    CHECK(steps[1].moved == Moved::better);
    CHECK(steps[2].moved == Moved::better);
    CHECK(steps[3].moved == Moved::better);
    CHECK(steps[4].moved == Moved::better);
    CHECK(steps[5].moved == Moved::better);
    CHECK(steps[6].moved == Moved::better);
    for (const VariantFacts& variant : comparison.variants) {
        CAPTURE(variant.name);
        CHECK(variant.error->verdict == Verdict::pass);
    }
    // with one key block nothing goes through memory, and swapping the loops gains nothing
    request.problem.seqlen_k = 100;
    request.verify = Verify::off;
    const Comparison one = compare(request);
    CHECK(has(verdict_on(steps_of(one)[3], plain, Language::en), "nothing to gain here"));
}
