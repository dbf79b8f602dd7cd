// The answers to drawn questions, computed here once more from what is drawn, by formulas of the sources and by counting.
#include "teaching/quiz_numbers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "teaching/quiz_answer.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::teaching;
using tests::has;

namespace {

/// What was drawn, by name.
class Drawn {
public:
    explicit Drawn(const QuizQuestion& question) : values_(question.drawn.begin(), question.drawn.end()) {}

    double real(const std::string& name) const { return values_.at(name); }
    std::int64_t operator[](const std::string& name) const { return static_cast<std::int64_t>(values_.at(name)); }

private:
    std::map<std::string, double> values_;
};

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

struct Block {
    std::int64_t m;
    std::int64_t n;
};

/// v2.8.3, run_mha_fwd_hdim*: without dropout.
Block v2_block(const Drawn& d) {
    const std::int64_t chip = d["chip"];
    const bool small = chip == 86 || chip == 89;
    switch (d["D"]) {
        case 32:
        case 64:
            return {128, 128};
        case 128:
            return !small ? Block{128, 64} : d["causal"] == 1 ? Block{64, 64} : Block{128, 32};
        default:
            return chip == 80 ? Block{128, 64} : Block{64, 64};
    }
}

std::int64_t v1_block_n(const Drawn& d) {
    return d["D"] == 128 || d["Sk"] <= 128 ? 128 : 256;
}

double num_splits(const Drawn& d) {
    const std::int64_t heads = d["B"] * d["H"];
    const std::int64_t places = d["SMs"] * d["ctas_per_sm"];
    const auto efficiency = [&](std::int64_t s) {
        return static_cast<double>(heads * s) / static_cast<double>(ceil_div(heads * s, places) * places);
    };
    double best = 0.0;
    for (std::int64_t s = 1; s <= 30; ++s) {
        best = std::max(best, efficiency(s));
    }
    std::int64_t s = 1;
    while (efficiency(s) <= 0.95 * best) {
        ++s;
    }
    return static_cast<double>(s);
}

/// CTAs per SM by registers, shared memory, threads.
std::vector<std::int64_t> limits(const Drawn& d) {
    const std::int64_t warps = d["threads"] / 32;
    const std::int64_t of_a_warp = ceil_div(d["registers"] * 32, 256) * 256;
    const std::int64_t warps_by_registers = d["registers_per_sm"] / 4 / of_a_warp * 4;
    return {warps_by_registers / warps, d["smem_per_sm"] / (ceil_div(d["smem"] + d["reserved"], 128) * 128),
            d["threads_per_sm"] / d["threads"]};
}

bool visible(const Drawn& d, std::int64_t i, std::int64_t j) {
    return j <= i + d["Sk"] - d["Sq"];
}

std::int64_t count_pairs(const Drawn& d) {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < d["Sq"]; ++i) {
        for (std::int64_t j = 0; j < d["Sk"]; ++j) {
            count += visible(d, i, j) ? 1 : 0;
        }
    }
    return count;
}

/// Key blocks in which a row of the query block sees a key.
std::int64_t blocks_with_keys(const Drawn& d) {
    const Block tile = v2_block(d);
    const std::int64_t last_row = std::min((d["block"] + 1) * tile.m, d["Sq"]) - 1;
    std::set<std::int64_t> blocks;
    for (std::int64_t j = 0; j < d["Sk"]; ++j) {
        if (visible(d, last_row, j)) {
            blocks.insert(j / tile.n);
        }
    }
    return static_cast<std::int64_t>(blocks.size());
}

/// v2.8.3's n_masking_steps.
double masking_steps(const Drawn& d) {
    const Block tile = v2_block(d);
    const bool even = d["Sq"] % tile.m == 0 && d["Sk"] % tile.n == 0;
    return static_cast<double>(std::min(ceil_div(tile.m, tile.n) + (even ? 0 : 1), blocks_with_keys(d)));
}

double row_sum(const Drawn& d, double m) {
    double sum = 0.0;
    for (const char* name : {"s0", "s1", "s2", "s3"}) {
        sum += std::exp(d.real(name) - m);
    }
    return sum;
}

double row_maximum(const Drawn& d) {
    return std::max({d.real("s0"), d.real("s1"), d.real("s2"), d.real("s3")});
}

double product(const Drawn& d, std::initializer_list<const char*> names) {
    double result = 1.0;
    for (const char* name : names) {
        result *= d.real(name);
    }
    return result;
}

const std::map<std::string, std::function<double(const Drawn&)>> expected = {
    {"grid-n1",
     [](const Drawn& d) {
         return ceil_div(d["Sq"], v2_block(d).m) * product(d, {"B", "H"});
     }},
    {"grid-n2", [](const Drawn& d) { return v2_block(d).m; }},
    {"splits-n1", num_splits},
    {"splits-n2",
     [](const Drawn& d) {
         int count = 0;
         for (std::int64_t tile = d["z"]; tile * 16 < d["Sq"]; tile += d["splits"]) {
             ++count;
         }
         return count;
     }},
    {"splits-n3",
     [](const Drawn& d) {
         return 4 * product(d, {"Sk", "D"});
     }},
    {"main-loop-n1", [](const Drawn& d) { return ceil_div(d["Sk"], v1_block_n(d)); }},
    {"main-loop-n2",
     [](const Drawn& d) {
         return (ceil_div(d["Sk"], v1_block_n(d)) - 1) * 4 * product(d, {"B", "H", "Sq", "D"});
     }},
    {"online-softmax-n1", [](const Drawn& d) { return row_sum(d, row_maximum(d)); }},
    {"online-softmax-n2",
     [](const Drawn& d) { return std::exp(std::max(d.real("s2"), d.real("s3")) - row_maximum(d)); }},
    {"warps-n1", [](const Drawn& d) { return d["key"] / 16 % 4; }},
    {"warps-n2", [](const Drawn& d) { return v1_block_n(d) / 4; }},
    {"warps-n3", [](const Drawn& d) { return 2 * ceil_div(d["Sk"], 128) + 1; }},
    {"shared-memory-n1", [](const Drawn& d) { return (v2_block(d).m + 2 * v2_block(d).n) * d["D"] * 2; }},
    {"shared-memory-n2",
     [](const Drawn& d) {
         const std::int64_t n = v1_block_n(d);
         return 64 * d["D"] + std::max(2 * n * d["D"], 256 * d["D"] + 512) + (d["Sk"] > n ? 128 : 0);
     }},
    {"occupancy-n1",
     [](const Drawn& d) {
         const auto all = limits(d);
         return *std::min_element(all.begin(), all.end());
     }},
    {"occupancy-n3",
     [](const Drawn& d) {
         return ceil_div(d["Sq"], 128) * product(d, {"B", "H"}) / product(d, {"SMs", "ctas_per_sm"});
     }},
    {"occupancy-n4",
     [](const Drawn& d) {
         return 100.0 * std::min(ceil_div(d["Sq"], 128) * d["B"] * d["H"], d["SMs"]) / static_cast<double>(d["SMs"]);
     }},
    {"numerics-n1", [](const Drawn& d) { return std::log(row_sum(d, 0.0)); }},
    {"masking-n1", [](const Drawn& d) { return count_pairs(d); }},
    {"masking-n2", [](const Drawn& d) { return blocks_with_keys(d); }},
    {"masking-n3", masking_steps},
    {"gqa-n1", [](const Drawn& d) { return d["head"] * d["KV"] / d["H"]; }},
    {"gqa-n2",
     [](const Drawn& d) {
         return 4 * product(d, {"B", "KV", "Sk", "D"});
     }},
    {"ladder-n1",
     [](const Drawn& d) {
         return ceil_div(d["Sq"], 128) * product(d, {"B", "H"});
     }},
    {"ladder-n2", [](const Drawn& d) { return 2 * ceil_div(d["Sk"], v1_block_n(d)) - 1; }},
    {"ladder-n3",
     [](const Drawn& d) {
         return (ceil_div(d["Sk"], d["wide"] == 1 ? v2_block(d).n : v1_block_n(d)) - 1) * 4 * product(d, {"Sq", "D"});
     }},
    {"ladder-n4", [](const Drawn& d) { return 4 * d["Sq"] * (d["late"] == 1 ? 1 : ceil_div(d["Sk"], v2_block(d).n)); }},
    {"reading-n1",
     [](const Drawn& d) {
         return 4 * product(d, {"B", "H", "D", "Sq", "Sk"});
     }},
    {"reading-n2",
     [](const Drawn& d) {
         const double pairs = d["causal"] == 1 ? d.real("Sq") * (d.real("Sq") + 1) / 2 : product(d, {"Sq", "Sk"});
         return 4 * product(d, {"B", "H", "D"}) * pairs / d.real("us") / 1e6;
     }},
};

}  // namespace

TEST_CASE("quiz: drawn numbers are what formulas and counting give") {
    CHECK(quiz_generators().size() >= 14);
    std::set<std::string> topics;
    for (const QuizGenerator& generator : quiz_generators()) {
        CAPTURE(generator.id);
        topics.emplace(generator.topic);
        std::set<std::string> texts;
        for (std::uint64_t seed = 0; seed < 25; ++seed) {
            CAPTURE(seed);
            const QuizQuestion q = drawn_question(generator, seed, Language::en);
            const Drawn drawn(q);
            texts.insert(q.text);
            if (q.kind == QuizKind::choice) {
                const auto all = limits(drawn);  // registers, shared memory, threads: the order of the options
                REQUIRE(q.options.size() == 4);
                const auto least = std::min_element(all.begin(), all.end()) - all.begin();
                for (std::size_t i = 0; i < 4; ++i) {
                    CHECK(q.options[i].right == (static_cast<std::ptrdiff_t>(i) == least));
                }
                continue;
            }
            REQUIRE(expected.contains(q.id));
            CHECK(q.value == doctest::Approx(expected.at(q.id)(drawn)).epsilon(1e-12));
            CHECK(judge(q, right_answer(q)) == true);
            CHECK(judge(q, std::to_string(static_cast<std::int64_t>(1.5 * q.value + 1.0))) == false);
        }
        CHECK(texts.size() >= 5);  // they are drawn
    }
    CHECK(topics.size() == quiz_topics().size());
}

TEST_CASE("quiz: a drawn question is the same in both languages, and for the same seed") {
    for (const QuizGenerator& generator : quiz_generators()) {
        for (std::uint64_t seed = 100; seed < 105; ++seed) {
            const QuizQuestion en = drawn_question(generator, seed, Language::en);
            const QuizQuestion zh = drawn_question(generator, seed, Language::zh);
            CAPTURE(en.id);
            CHECK(en.drawn == zh.drawn);
            CHECK(en.value == zh.value);
            CHECK(en.show == zh.show);
            CHECK(en.options.size() == zh.options.size());
            CHECK(en.text != zh.text);
            CHECK(en.why != zh.why);
            CHECK(drawn_question(generator, seed, Language::en).text == en.text);
            // no place was left unfilled
            for (const std::string& text : {en.text, en.why, zh.text, zh.why}) {
                CHECK_FALSE(has(text, "{"));
            }
            CHECK(en.show.starts_with("flashlens "));
            CHECK(en.read.size() == 1);
        }
    }
}
