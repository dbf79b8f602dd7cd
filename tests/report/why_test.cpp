#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>

#include "report/why.h"
#include "samples.h"

using namespace flashlens;
using namespace flashlens::report;

namespace {

double ceil_div(double a, double b) {
    return std::ceil(a / b);
}

/// Every figure that a sentence may name, worked out here from the comparison, apart from the code under test.
std::map<std::string, double> figures(const Comparison& c) {
    std::map<std::string, double> all;
    const Problem& p = c.problem;
    double visible = static_cast<double>(p.seqlen_k);
    if (p.causal) {
        const std::int64_t last = p.align == Align::top_left ? p.seqlen_q : p.seqlen_k;
        visible = static_cast<double>(std::max<std::int64_t>(0, std::min(last, p.seqlen_k)));
    }
    double pairs = 0;
    for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
        const std::int64_t last = p.align == Align::top_left ? i : i + p.seqlen_k - p.seqlen_q;
        pairs += static_cast<double>(p.causal ? std::clamp<std::int64_t>(last + 1, 0, p.seqlen_k) : p.seqlen_k);
    }
    const double work = 4.0 * static_cast<double>(p.batch * p.heads * p.head_dim) * pairs;
    all["card.sm_count"] = c.card.sm_count;
    all["card.matmul_tflops/card.fp32_tflops"] = c.card.matmul_tflops / c.card.fp32_tflops;
    all["problem.batch_heads"] = static_cast<double>(p.batch * p.heads);
    all["problem.seqlen_q"] = static_cast<double>(p.seqlen_q);
    all["problem.visible_keys"] = visible;
    all["plain.global_bytes"] = static_cast<double>(c.plain_read_bytes + c.plain_write_bytes);
    for (const VariantFacts& v : c.variants) {
        const auto set = [&](const char* name, double value) { all[v.name + "." + name] = value; };
        set("ctas_with_work", static_cast<double>(v.launch.ctas_with_work));
        set("sms_with_work", v.launch.waves.sms_with_work);
        set("splits", v.launch.splits.value_or(0));
        set("waves", v.launch.waves.waves);
        set("last_wave", 1.0 - (std::ceil(v.launch.waves.waves) - v.launch.waves.waves));
        set("occupancy", v.launch.occupancy.fraction);
        set("ctas_per_sm", v.launch.occupancy.ctas_per_sm);
        set("block_m", v.launch.tile.block_m);
        set("block_n", v.launch.tile.block_n);
        set("key_blocks", ceil_div(visible, v.launch.tile.block_n));
        set("resident_threads/card.max_threads_per_sm",
            static_cast<double>(v.launch.occupancy.ctas_per_sm * v.launch.threads) / c.card.max_threads_per_sm);
        if (v.timed) {
            set("time_us", v.timed->median_us);
        }
        if (v.counted) {
            const simt::Counters& n = v.counted->report.total;
            const double mma = 2.0 * 16 * 8 * 16 * static_cast<double>(n.mma);
            const double fp32 = static_cast<double>(n.fp32_add + n.fp32_mul + n.fp32_fma + n.fp32_max + n.fp32_compare +
                                                    n.fp32_select + n.fp32_div + n.converts);
            set("global_read_bytes", static_cast<double>(n.global_read_bytes));
            set("global_write_bytes", static_cast<double>(n.global_write_bytes));
            set("global_bytes", static_cast<double>(n.global_read_bytes + n.global_write_bytes));
            set("barriers", static_cast<double>(n.barriers));
            set("shared_bytes", static_cast<double>(n.shared_read_bytes + n.shared_write_bytes));
            set("fp32_per_kiloflop", fp32 / mma * 1000);
            set("mma_flops_per_flop", mma / work);
        }
    }
    if (c.variants.size() == 2 && c.variants[0].timed && c.variants[1].timed) {
        const double t1 = c.variants[0].timed->median_us;
        const double t2 = c.variants[1].timed->median_us;
        all["v1.time_us/v2.time_us"] = t1 / t2;
        all["v2.time_us/v1.time_us"] = t2 / t1;
    }
    return all;
}

bool is_true(double left, Relation relation, double right) {
    switch (relation) {
        case Relation::greater:
            return left > right;
        case Relation::less:
            return left < right;
        case Relation::equal:
            return left == right;
        case Relation::about:
            return std::abs(left - right) <= 0.03 * std::max(left, right);
    }
    return false;
}

void check_sentence(const Sentence& sentence, const std::map<std::string, double>& known) {
    INFO(sentence.text);
    CHECK_FALSE(sentence.claims.empty());
    CHECK(sentence.text.find('{') == std::string::npos);
    CHECK(sentence.text.find("nan") == std::string::npos);
    CHECK(sentence.text.find("inf") == std::string::npos);
    for (const Claim& claim : sentence.claims) {
        for (const Figure& figure : {claim.left, claim.right}) {
            INFO(figure.name);
            if (figure.name == "constant") {
                continue;
            }
            REQUIRE(known.count(figure.name) == 1);
            CHECK(figure.value == doctest::Approx(known.at(figure.name)).epsilon(1e-9));
            CHECK(sentence.text.find(print(figure)) != std::string::npos);
        }
        CHECK(is_true(claim.left.value, claim.relation, claim.right.value));
        if (claim.relation == Relation::greater || claim.relation == Relation::less) {
            CHECK(print(claim.left) != print(claim.right));
        }
    }
}

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
        comparison.variants[0].refusal = "no";
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
