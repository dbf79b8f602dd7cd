#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>

#include "claims_check.h"
#include "report/why.h"
#include "samples.h"

using namespace flashlens;
using namespace flashlens::report;

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

}  // namespace

TEST_CASE("every sentence of a thousand random comparisons is true and shows its figures") {
    std::mt19937_64 generator(20240607);
    int with_sentences = 0;
    for (int run = 0; run < 1000; ++run) {
        const Comparison comparison = samples::random(generator);
        const auto known = figures(comparison);
        const auto english = why(comparison, Language::en);
        const auto chinese = why(comparison, Language::zh);
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
