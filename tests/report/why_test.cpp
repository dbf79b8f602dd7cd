#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "claims_check.h"
#include "report/why.h"
#include "samples.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::report;
using flashlens::tests::has;

namespace {

std::string joined(const std::vector<Sentence>& sentences) {
    std::string result;
    for (const Sentence& sentence : sentences) {
        result += sentence.text + "\n";
    }
    return result;
}

bool says(const std::vector<Sentence>& sentences, const char* words) {
    return joined(sentences).find(words) != std::string::npos;
}

/// A card and a launch as in a case that users hit.
void set_launch(VariantFacts& variant, const hardware::Card& card, std::int64_t ctas, int per_sm) {
    variant.launch.ctas = ctas;
    variant.launch.ctas_with_work = ctas;
    variant.launch.waves.sms_with_work = static_cast<int>(std::min<std::int64_t>(ctas, card.sm_count));
    variant.launch.waves.sm_fill = static_cast<double>(variant.launch.waves.sms_with_work) / card.sm_count;
    variant.launch.waves.waves = static_cast<double>(ctas) / (card.sm_count * per_sm);
}

/// A line of a CSV file, by its heading.
struct Row {
    std::map<std::string, std::string> fields;
    double number(const char* name) const { return std::stod(fields.at(name)); }
};

/// The rungs of each shape, by name.
std::map<std::string, std::map<std::string, Row>> measured_ladders(const char* file) {
    const auto cut = [](const std::string& line) {
        std::vector<std::string> fields;
        std::istringstream rest(line);
        for (std::string field; std::getline(rest, field, ',');) {
            fields.push_back(field);
        }
        return fields;
    };
    std::ifstream lines(file);
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> names = cut(line);
    std::map<std::string, std::map<std::string, Row>> ladders;
    while (std::getline(lines, line)) {
        const std::vector<std::string> fields = cut(line);
        Row row;
        std::string shape;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            row.fields[names[i]] = fields[i];
            shape += i < 7 ? fields[i] + " " : "";  // batch, heads, kv_heads, seqlen_q, seqlen_k, head_dim, mask
        }
        ladders[shape][row.fields.at("variant")] = row;
    }
    return ladders;
}

/// What the sentence on changes may name first: by how many times less v2 needs of what each change saves, worked out here
/// from the figures alone. "" where none stands out.
std::string weightiest(const Comparison& comparison, bool only_for_v2) {
    const auto known = figures(comparison);
    const auto of = [&](const char* variant, const char* name) { return known.at(std::string(variant) + "." + name); };
    const auto ratio = [&](const char* part, const char* whole, double beside = 0.0) {
        const double saved = of("v1", part) - of("v2", part);
        const double least = std::max(of("v1", whole) - saved, of("v2", whole)) + beside;
        return least > 0 ? std::max(1.0, (of("v1", whole) + beside) / least) : 1.0;
    };
    // fp32 work is done beside matmul work: that is worth so many fused multiply-adds, two FLOPs each
    const hardware::Card& card = comparison.card;
    const double matmul =
        card.matmul_tflops > 0 ? of("v1", "mma_flops") * (card.fp32_tflops / 2) / card.matmul_tflops : 0.0;
    const double sms = of("v1", "sms_with_work") > 0 ? of("v2", "sms_with_work") / of("v1", "sms_with_work") : 1.0;
    std::string name;
    double most = 1.15;
    const auto weigh = [&](const char* idea, double times) {
        if (times > most) {
            most = times;
            name = idea;
        }
    };
    weigh("the grid", sms > 0 ? std::max(sms, only_for_v2 ? 0.0 : 1 / sms) : 1.0);
    weigh("warps or loops",
          std::max(ratio("shared_exchange_bytes", "shared_bytes"), ratio("o_tmp_bytes", "global_bytes")));
    weigh("normalising", ratio("fp32_div", "fp32_ops", matmul));
    weigh("masking", ratio("mask_ops", "fp32_ops", matmul));
    return name;
}

/// What it does name.
std::string named_first(const std::vector<Sentence>& sentences) {
    const std::string words = joined(sentences);
    const auto any = [&](std::initializer_list<const char*> texts) {
        return std::any_of(texts.begin(), texts.end(),
                           [&](const char* t) { return words.find(t) != std::string::npos; });
    };
    return any({"the grid matters most"})                                                ? "the grid"
           : any({"warps over query rows matter most", "key blocks inside matter most"}) ? "warps or loops"
           : any({"normalising once matters most"})                                      ? "normalising"
           : any({"masking only where it is needed matters most"})                       ? "masking"
                                                                                         : "";
}

}  // namespace

TEST_CASE("of the changes from v1 to v2 the one is named whose figure moves most") {
    std::mt19937_64 generator(11);
    std::map<std::string, int> named;
    for (int run = 0; run < 3000; ++run) {
        const Comparison comparison = samples::random(generator);
        const auto sentences = why(comparison, Language::en, "flashlens ladder -s 7");
        const std::string first = named_first(sentences);
        ++named[first];
        if (first.empty()) {
            continue;
        }
        const bool timed = comparison.variants[0].timed.has_value();
        INFO(joined(sentences));
        CHECK(first == weightiest(comparison, timed));
        CHECK(says(sentences, "flashlens ladder -s 7 shows each change."));
        // Nothing speaks for v2 where it doesn't win.
        CHECK((!timed || comparison.variants[1].timed->median_us < comparison.variants[0].timed->median_us));
    }
    for (const char* idea : {"the grid", "warps or loops", "normalising", "masking", ""}) {
        INFO(idea);
        CHECK(named[idea] >= 10);
    }
}

/// v1 or v2 with the counters that a row of the lessons' data has of a rung.
void set_counters(VariantFacts& variant, const Row& row, const hardware::Card& card) {
    const auto whole = [&](const char* name) { return static_cast<std::uint64_t>(row.number(name)); };
    set_launch(variant, card, static_cast<std::int64_t>(whole("ctas_with_work")), 2);
    simt::Counters& total = variant.counted->report.total;
    total.global_read_bytes = whole("global_read_bytes");
    total.global_write_bytes = whole("global_write_bytes");
    total.shared_read_bytes = whole("shared_bytes");
    total.shared_write_bytes = 0;
    total.barriers = whole("barriers");
    total.mma = whole("mma_flops") / 4096;
    total.fp32_div = whole("fp32_div");
    total.fp32_compare = whole("mask_ops");
    total.fp32_fma = whole("fp32_ops") - total.fp32_div - total.fp32_compare;
    simt::Counters exchange;
    exchange.shared_read_bytes = whole("shared_exchange_bytes");
    simt::Counters passed;
    passed.global_write_bytes = whole("o_tmp_bytes");
    variant.counted->report.steps = {{"reduce_max", exchange}, {"store o_tmp", passed}};
}

TEST_CASE("by the counters that change is named which gained most time on an H200") {
    int regimes = 0;
    int named_regimes = 0;
    for (const auto& measured : measured_ladders(FLASHLENS_SOURCE_DIR "/lessons/data/h200/ladder.csv")) {
        INFO(measured.first);
        const std::map<std::string, Row>& rungs = measured.second;
        ++regimes;
        const Row& v1 = rungs.at("v1");
        Comparison comparison = samples::simulated();
        comparison.card.sm_count = 132;
        comparison.problem.seqlen_q = comparison.problem.seqlen_k = static_cast<std::int64_t>(v1.number("seqlen_k"));
        comparison.problem.head_dim = static_cast<std::int64_t>(v1.number("head_dim"));
        set_counters(comparison.variants[0], v1, comparison.card);
        set_counters(comparison.variants[1], rungs.at("v2"), comparison.card);
        const auto gain = [&](const char* from, const char* to) {
            return rungs.at(from).number("time_us") / rungs.at(to).number("time_us");
        };
        const std::map<double, std::string> gains{{gain("v1", "query-blocks"), "the grid"},
                                                  {gain("query-blocks", "swapped-loops"), "warps or loops"},
                                                  {gain("swapped-loops", "late-norm"), "normalising"},
                                                  {gain("late-norm", "masked-loop"), "masking"}};
        const std::string named = named_first(why(comparison, Language::en));
        // With one or two key blocks none stands out: what warps no longer exchange they spend on reading K and V.
        const bool may_name_none = v1.number("seqlen_k") <= 512;
        CHECK((named == gains.rbegin()->second || (may_name_none && named.empty())));
        named_regimes += named.empty() ? 0 : 1;
    }
    CHECK(regimes >= 8);
    CHECK(named_regimes >= regimes - 2);
}

TEST_CASE("which change matters, case by case") {
    Comparison comparison = samples::simulated();
    VariantFacts& v1 = comparison.variants[0];
    VariantFacts& v2 = comparison.variants[1];
    simt::Counters exchange;
    exchange.shared_read_bytes = 150'000'000;
    simt::Counters passed;
    passed.global_write_bytes = 3'520'000;
    v1.counted->report.steps = {{"reduce_max", exchange}, {"store o_tmp", passed}};
    const std::string command = "flashlens ladder -b 2 -H 16";
    const auto said = [&] { return joined(why(comparison, Language::en, command)); };
    SUBCASE("a full card: warps and loops, and the sentence on o_tmp gives way") {
        CHECK(has(said(),
                  "warps over query rows with key blocks inside matter most by these figures: 50 % of v1's shared"));
        CHECK(has(said(), "and 5 % of its global memory traffic its running output, on the way between 2 key blocks"));
        CHECK_FALSE(has(said(), "one after the other"));
        CHECK(has(joined(why(comparison, Language::zh, command)), "flashlens ladder -b 2 -H 16 展示每一项。"));
    }
    SUBCASE("few SMs under v1: the grid, once") {
        set_launch(v1, comparison.card, 30, 2);
        CHECK(has(said(),
                  "the grid matters most by these figures: of the 108 SMs, v2 gives work to 108 (128 CTAs with "
                  "work), v1 to 30 (30 CTAs)."));
        CHECK_FALSE(has(said(), "fill"));
    }
    SUBCASE("few SMs under v2: the grid, against it; not where it is faster all the same") {
        set_launch(v2, comparison.card, 30, 2);
        CHECK(has(said(),
                  "and speaks against v2: of the 108 SMs, v1 gives work to 108 (416 CTAs with work), v2 to 30 (30 "
                  "CTAs)."));
        v1.timed = TimedFacts{161.2, 158.0, 170.9, 20};
        v2.timed = TimedFacts{115.4, 113.1, 118.8, 20};
        CHECK(has(said(), "key blocks inside matter most"));
        CHECK_FALSE(has(said(), "against v2"));
    }
    SUBCASE("one key block: the loops save nothing") {
        comparison.problem.seqlen_k = 200;
        v1.counted->report.steps = {{"reduce_max", exchange}};
        CHECK(has(said(), "warps over query rows matter most by these figures: 50 %"));
        CHECK(has(said(), "v1 has 1 key block, so nothing goes through device memory between key blocks"));
    }
    SUBCASE("more shared memory traffic under v2: none stands out") {
        v1.counted->report.total.shared_read_bytes = 10'000'000;
        v1.counted->report.total.shared_write_bytes = 20'000'000;
        CHECK(has(said(), "None of the changes from v1 to v2 stands out here: both give 108 of the 108 SMs work"));
    }
    SUBCASE("v2 is not faster: each change is to be timed, and none matters most") {
        for (const double time : {161.2, 250.0}) {
            v1.timed = TimedFacts{161.2, 158.0, 170.9, 20};
            v2.timed = TimedFacts{time, 158.0, 250.9, 20};
            CHECK(has(said(), "cost time here, flashlens ladder -b 2 -H 16 measures."));
            CHECK_FALSE(has(said(), "matter"));
        }
    }
    SUBCASE("silent: a launch's overhead, a wrong result, one variant, nothing counted") {
        const auto silent = [&] {
            return !has(said(), "matter") && !has(said(), command) && !has(said(), "stands out");
        };
        SUBCASE("overhead") {
            v1.timed = TimedFacts{9, 8, 10, 20};
            v2.timed = TimedFacts{7, 6, 8, 20};
            CHECK(silent());
        }
        SUBCASE("wrong") {
            v2.error->verdict = Verdict::fail;
            CHECK(silent());
        }
        SUBCASE("one alone") {
            v1.refusal = {"no", "no"};
            CHECK(silent());
        }
        SUBCASE("not counted") {
            v1.counted.reset();
            CHECK(silent());
        }
    }
}

TEST_CASE("every sentence of a thousand random comparisons is true and shows its figures") {
    std::mt19937_64 generator(20240607);
    int with_sentences = 0;
    for (int run = 0; run < 1000; ++run) {
        const Comparison comparison = samples::random(generator);
        const auto known = figures(comparison);
        const auto english = why(comparison, Language::en, "flashlens ladder");
        const auto chinese = why(comparison, Language::zh, "flashlens ladder");
        CHECK(english.size() == chinese.size());
        CHECK(english.size() <= 4);
        for (const auto& sentences : {english, chinese}) {
            for (const Sentence& sentence : sentences) {
                check_sentence(sentence, known);
            }
        }
        with_sentences += english.size() >= 2 ? 1 : 0;
    }
    CHECK(with_sentences > 600);
}

TEST_CASE("the sentences follow the figures") {
    SUBCASE("v2 faster") {
        const auto sentences = why(samples::timed(), Language::en);
        CHECK(says(sentences, "v2 takes 115 us and v1 takes 161 us: v2 is 1.4 times as fast"));
        CHECK(says(sentences, "barriers"));
        CHECK(sentences.size() == 4);
    }
    SUBCASE("v1 faster: the text says so, and what speaks against v2") {
        Comparison comparison = samples::timed();
        std::swap(comparison.variants[0].timed, comparison.variants[1].timed);
        comparison.variants[1].counted->report.total.mma *= 8;
        const auto sentences = why(comparison, Language::en);
        CHECK(says(sentences, "v1 is 1.4 times as fast"));
        CHECK(says(sentences, "v2 executes"));
        CHECK_FALSE(says(sentences, "v2 is 1"));
    }
    SUBCASE("v1 faster for no counted reason: the text says that too") {
        Comparison comparison = samples::timed();
        std::swap(comparison.variants[0].timed, comparison.variants[1].timed);
        CHECK(says(why(comparison, Language::en), "not among the counted figures"));
    }
    SUBCASE("v2-tuned beside both: v1 and v2 are compared, and its time with v2's") {
        Comparison comparison = samples::timed();
        comparison.variants.push_back(comparison.variants[1]);
        comparison.variants.back().name = "v2-tuned";
        comparison.variants.back().timed->median_us = 57.5;
        const auto sentences = why(comparison, Language::en);
        CHECK(says(sentences, "v2 takes 115 us and v1 takes 161 us: v2 is 1.4 times as fast"));
        CHECK(says(sentences, "v2-tuned takes 57.5 us and v2 takes 115 us: v2-tuned is 2.01 times as fast"));
        CHECK(says(sentences, "barriers"));
    }
    SUBCASE("short runs") {
        Comparison comparison = samples::timed();
        comparison.variants[0].timed->median_us = 9.0;
        comparison.variants[1].timed->median_us = 7.0;
        CHECK(says(why(comparison, Language::en), "launch overhead"));
    }
    SUBCASE("no sentence on speed without a card") {
        const std::string text = joined(why(samples::simulated(), Language::en));
        CHECK(text.find("fast") == std::string::npos);
        CHECK(text.find("takes 6") == std::string::npos);
    }
    SUBCASE("A100, B1 H12 S4096: both fill the card") {
        Comparison comparison = samples::explained();
        comparison.problem.batch = 1;
        comparison.problem.heads = comparison.problem.kv_heads = 12;
        comparison.problem.seqlen_q = comparison.problem.seqlen_k = 4096;
        comparison.variants[0].launch.splits = 18;
        set_launch(comparison.variants[0], comparison.card, 12 * 18, 2);
        set_launch(comparison.variants[1], comparison.card, 32 * 12, 2);
        const auto sentences = why(comparison, Language::en);
        CHECK(says(sentences, "both give every one of the 108 SMs work"));
        CHECK_FALSE(says(sentences, "idle"));
        CHECK(says(sentences, "v1 takes 16 key blocks"));
    }
    SUBCASE("RTX 3090, B1 H32 Sq1: v2 has no more parallelism, and the text says why") {
        Comparison comparison = samples::explained();
        comparison.card.sm_count = 82;
        comparison.problem.batch = 1;
        comparison.problem.heads = comparison.problem.kv_heads = 32;
        comparison.problem.seqlen_q = 1;
        set_launch(comparison.variants[0], comparison.card, 32, 2);
        set_launch(comparison.variants[1], comparison.card, 32, 2);
        const auto sentences = why(comparison, Language::en);
        CHECK(says(sentences, "fill the same 32 of 82 SMs"));
        CHECK(says(sentences, "One 128-row query block of v2 holds the whole query length of 1"));
    }
    SUBCASE("one variant alone") {
        Comparison comparison = samples::simulated();
        comparison.variants[0].refusal = {"no", "no"};
        const auto sentences = why(comparison, Language::en);
        CHECK(sentences.size() >= 2);
        CHECK_FALSE(says(sentences, "v1"));
    }
    SUBCASE("nothing to do") {
        Comparison comparison = samples::explained();
        comparison.problem.batch = 0;
        CHECK(why(comparison, Language::en).empty());
    }
}

TEST_CASE("a difference that rounding hides is not claimed") {
    const Figure a{"a", 1000.1, Unit::number};
    const Figure b{"b", 1000.2, Unit::number};
    CHECK_FALSE(holds({b, Relation::greater, a}));
    CHECK(holds({{"c", 1020.0, Unit::number}, Relation::greater, a}));
    CHECK_FALSE(holds({{"d", std::nan(""), Unit::number}, Relation::greater, a}));
    CHECK_FALSE(holds({{"d", INFINITY, Unit::number}, Relation::greater, a}));
}
