// What both kernels promise about finite inputs of ordinary size: masks, lengths, heads, head dims, scale, precision.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "harness.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

double zero(std::int64_t, std::int64_t, std::int64_t, std::int64_t) {
    return 0.0;
}
double one(std::int64_t, std::int64_t, std::int64_t, std::int64_t) {
    return 1.0;
}
double ramp(std::int64_t, std::int64_t row, std::int64_t, std::int64_t) {
    return static_cast<double>(row + 1);
}

double unit_roundoff(DType dtype) {
    return dtype == DType::fp16 ? std::ldexp(1.0, -11) : std::ldexp(1.0, -8);
}

/// q = 0 and V[j] = j + 1: O[i] is the mean of the visible rows of V, lse the logarithm of their number.
void expect_means(const Problem& p, int splits = 2, Chip chip = 80) {
    const Inputs inputs = make_inputs(p, zero, one, ramp);
    std::vector<double> sum = {0.0};  // of the first rows of V as rounded
    for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
        sum.push_back(sum.back() + widen(inputs.v[at_k(p, 0, j, 0, 0)], p.dtype));
    }
    for (const Variant variant : variants_for(p, chip)) {
        INFO(name_of(variant), " sm_", chip, "  ", text_of(p));
        const Output output = run(p, inputs, {.variant = variant, .splits = splits, .chip = chip});
        CHECK(output.unwritten == 0);
        std::int64_t wrong = 0;
        std::string first_wrong;
        for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
            const std::int64_t last = p.align == Align::bottom_right ? i + p.seqlen_k - p.seqlen_q : i;
            const std::int64_t visible = p.causal ? std::clamp<std::int64_t>(last + 1, 0, p.seqlen_k) : p.seqlen_k;
            const double mean =
                visible == 0 ? 0.0 : sum[static_cast<std::size_t>(visible)] / static_cast<double>(visible);
            const double lse = std::log(static_cast<double>(visible));
            const double got_lse = output.lse[at_lse(p, 0, 0, i)];
            bool right = visible == 0 ? got_lse == minus_infinity : std::abs(got_lse - lse) <= 1e-5 * (1.0 + lse);
            for (std::int64_t d = 0; d < p.head_dim; ++d) {
                const double got = widen(output.o[at_q(p, 0, i, 0, d)], p.dtype);
                right = right && std::abs(got - mean) <= (unit_roundoff(p.dtype) + 1e-5) * mean;
            }
            if (!right && wrong++ == 0) {
                first_wrong = "row " + std::to_string(i) + ": O " +
                              std::to_string(widen(output.o[at_q(p, 0, i, 0, 0)], p.dtype)) + ", mean of the visible " +
                              std::to_string(mean) + ", lse " + std::to_string(got_lse);
            }
        }
        CHECK_MESSAGE(wrong == 0, first_wrong);
    }
}

void expect_means_in_all_masks(std::int64_t seqlen_q, std::int64_t seqlen_k, std::int64_t head_dim, DType dtype,
                               Chip chip = 80) {
    Problem p = shape(1, 1, 1, seqlen_q, seqlen_k, head_dim, false, dtype);
    expect_means(p, 2, chip);
    p.causal = true;
    expect_means(p, 2, chip);
    if (seqlen_q != seqlen_k) {
        p.align = Align::top_left;
        expect_means(p, 2, chip);
    }
}

const std::vector<std::pair<std::int64_t, std::int64_t>> lengths = {
    {1, 1},     {7, 7},     {9, 9},       {31, 31},  {33, 33},  {63, 63},   {65, 65},   {127, 127},
    {129, 129}, {192, 192}, {113, 203},   {1, 147},  {1, 4096}, {257, 129}, {100, 163}, {64, 65},
    {2, 5},     {1, 5},     {5, 2},       {300, 17}, {16, 256}, {17, 257},  {15, 255},  {128, 128},
    {129, 128}, {4096, 1},  {1000, 1000}, {17, 513}, {260, 5}};

}  // namespace

TEST_CASE("any length: O is the mean of the visible rows of V") {
    for (const auto& [seqlen_q, seqlen_k] : lengths) {
        expect_means_in_all_masks(seqlen_q, seqlen_k, 32, DType::fp16);
    }
}

TEST_CASE("any length, on sm_75") {
    for (std::size_t i = 0; i < lengths.size(); ++i) {  // head dims in turns; all of them with all lengths: below
        const std::int64_t head_dim = i % 3 == 0 ? 32 : i % 3 == 1 ? 64 : 128;
        expect_means_in_all_masks(lengths[i].first, lengths[i].second, head_dim, DType::fp16, 75);
    }
}

TEST_SUITE("full") {
    TEST_CASE("any length, on sm_75, all head dims") {
        for (const std::int64_t head_dim : {32, 64, 128, 256}) {
            for (const auto& [seqlen_q, seqlen_k] : lengths) {
                expect_means_in_all_masks(seqlen_q, seqlen_k, head_dim, DType::fp16, 75);
            }
        }
    }

    TEST_CASE("any length: O is the mean of the visible rows of V, all head dims and both types") {
        auto all = lengths;
        all.insert(all.end(), {{1023, 1024}, {1024, 1023}});
        for (const DType dtype : {DType::fp16, DType::bf16}) {
            for (const std::int64_t head_dim : {64, 128, 256}) {
                for (const auto& [seqlen_q, seqlen_k] : all) {
                    expect_means_in_all_masks(seqlen_q, seqlen_k, head_dim, dtype);
                }
            }
        }
    }

    TEST_CASE("head dims to 256 with long tails, both types and masks") {
        for (std::int64_t head_dim = 8; head_dim <= 256; head_dim += 8) {
            for (const DType dtype : {DType::fp16, DType::bf16}) {
                for (const bool causal : {false, true}) {
                    const Problem p = shape(1, 2, 1, 145, 301, head_dim, causal, dtype);
                    expect_right(p, random_inputs(p), 3);
                }
            }
        }
    }
}

TEST_CASE("one causal alignment: the worked examples") {
    const auto first_column = [](const Problem& p, Variant variant) {
        const Output output = run(p, make_inputs(p, zero, one, ramp), {.variant = variant});
        std::vector<double> column;
        for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
            column.push_back(widen(output.o[at_q(p, 0, i, 0, 0)], p.dtype));
        }
        return column;
    };
    for (const Variant variant : every_variant()) {
        CHECK(first_column(shape(1, 1, 1, 2, 5, 64, true), variant) == std::vector<double>{2.5, 3.0});
        CHECK(first_column(shape(1, 1, 1, 1, 5, 64, true), variant) == std::vector<double>{3.0});
        Problem top_left = shape(1, 1, 1, 2, 5, 64, true);
        top_left.align = Align::top_left;
        CHECK(first_column(top_left, variant) == std::vector<double>{1.0, 1.5});
    }
}

TEST_CASE("rows that see nothing: O 0 and lse -inf") {
    const Problem p = shape(1, 1, 1, 5, 2, 64, true);
    const Inputs inputs = make_inputs(p, zero, one, ramp);
    for (const Variant variant : every_variant()) {
        const Output output = run(p, inputs, {.variant = variant});
        const double expected[] = {0.0, 0.0, 0.0, 1.0, 1.5};
        for (std::int64_t i = 0; i < 5; ++i) {
            for (std::int64_t d = 0; d < 64; ++d) {
                CHECK(widen(output.o[at_q(p, 0, i, 0, d)], p.dtype) == expected[i]);
            }
            CHECK((i >= 3 || output.lse[static_cast<std::size_t>(i)] == minus_infinity));
        }
        CHECK(output.lse[3] == doctest::Approx(0.0));
        CHECK(output.lse[4] == doctest::Approx(0.693147));
    }
}

TEST_CASE("rows that see nothing, hundreds of them, and no key at all") {
    Problem p = shape(2, 2, 1, 333, 40, 64, true);
    expect_right(p, random_inputs(p), 5);
    for (const bool causal : {false, true}) {
        for (const DType dtype : {DType::fp16, DType::bf16}) {
            Problem none = shape(2, 2, 1, 33, 0, 64, causal, dtype);
            const Inputs inputs = random_inputs(none);
            for (const Variant variant : every_variant()) {
                const Output output = run(none, inputs, {.variant = variant});
                const auto is_zero = [](std::uint16_t word) { return word == 0; };
                CHECK(std::all_of(output.o.begin(), output.o.end(), is_zero));
                CHECK(std::all_of(output.lse.begin(), output.lse.end(), [](float x) { return x == minus_infinity; }));
            }
        }
    }
}

TEST_CASE("query head h reads KV head h / (H / KV)") {
    for (const auto& [heads, kv_heads] : {std::pair{6, 3}, {4, 1}, {5, 5}, {8, 2}}) {
        const Problem p = shape(2, heads, kv_heads, 33, 150, 64, true);
        const Inputs inputs = random_inputs(p);
        expect_right(p, inputs);
        for (const Variant variant : every_variant()) {
            const Output together = run(p, inputs, {.variant = variant});
            for (std::int64_t head = 0; head < heads; ++head) {
                const std::int64_t kv_head = head * kv_heads / heads;
                const Problem alone = shape(1, 1, 1, 33, 150, 64, true);
                const std::int64_t batch = head % 2;
                const Inputs own = make_inputs(
                    alone,
                    [&](auto, auto i, auto, auto d) { return widen(inputs.q[at_q(p, batch, i, head, d)], p.dtype); },
                    [&](auto, auto j, auto, auto d) { return widen(inputs.k[at_k(p, batch, j, kv_head, d)], p.dtype); },
                    [&](auto, auto j, auto, auto d) {
                        return widen(inputs.v[at_k(p, batch, j, kv_head, d)], p.dtype);
                    });
                const Output one_head = run(alone, own, {.variant = variant, .sm_count = 0});
                std::int64_t differ = 0;
                for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
                    for (std::int64_t d = 0; d < p.head_dim; ++d) {
                        differ += together.o[at_q(p, batch, i, head, d)] != one_head.o[at_q(alone, 0, i, 0, d)] ? 1 : 0;
                    }
                    differ += together.lse[at_lse(p, batch, head, i)] != one_head.lse[at_lse(alone, 0, 0, i)] ? 1 : 0;
                }
                CHECK_MESSAGE(differ == 0, name_of(variant) << " head " << head << " of " << heads << "/" << kv_heads);
            }
        }
    }
}

TEST_CASE("head dims: every multiple of 8, padded") {
    for (std::int64_t head_dim = 8; head_dim <= 256; head_dim += 8) {
        Problem p = shape(1, 2, 1, 20, 70, head_dim, head_dim % 16 == 0, head_dim % 3 == 0 ? DType::bf16 : DType::fp16);
        expect_right(p, random_inputs(p));
    }
}

TEST_CASE("the tiles of every chip") {
    for (const Chip chip : {75, 80, 86, 89, 90, 100, 120}) {
        for (const std::int64_t head_dim : {32, 64, 96, 128, 200, 256}) {
            for (const bool causal : {false, true}) {
                const Problem p = shape(1, 1, 1, 70, 139, head_dim, causal);
                const Inputs inputs = random_inputs(p);
                expect_right(p, inputs, run(p, inputs, {.variant = Variant::v2, .chip = chip}), "v2");
                if (chip < 80) {
                    continue;  // no v2-tuned
                }
                for (const int sm_count : {0, 4}) {
                    const How how{.variant = Variant::v2_tuned, .chip = chip, .sm_count = sm_count};
                    expect_right(p, inputs, run(p, inputs, how), "v2-tuned");
                }
            }
        }
    }
}

TEST_CASE("scale: the problem's own, whatever the head dim is padded to") {
    for (const double scale : {1.0 / std::sqrt(72.0), 0.5, 1e-3, 3.0, 1e-30}) {
        Problem p = shape(1, 2, 2, 40, 300, 72);
        p.scale = scale;
        expect_right(p, random_inputs(p));
    }
    // and the logits are those of scale, to fp32: one key, so lse = scale * q.k
    Problem p = shape(1, 1, 1, 1, 1, 72);
    for (const double scale : {1.0 / std::sqrt(72.0), 0.5, 0.1}) {
        p.scale = scale;
        for (const Variant variant : every_variant()) {
            const Output output = run(p, make_inputs(p, one, one, one), {.variant = variant});
            CHECK(output.lse[0] == doctest::Approx(72.0 * scale).epsilon(1e-6));
        }
    }
}

TEST_CASE("direction of the rescale: logits 0, then 5, with V 1, then 0") {
    for (const std::int64_t head_dim : {64, 128}) {
        for (const std::int64_t keys : {256, 1024}) {
            for (const bool large_first : {false, true}) {
                Problem p = shape(1, 1, 1, 1, keys, head_dim);
                p.scale = 1.0;
                const auto large = [&](std::int64_t j) { return (j < keys / 2) == large_first; };
                const Inputs inputs = make_inputs(
                    p, [](auto, auto, auto, auto d) { return d == 0 ? 1.0 : 0.0; },
                    [&](auto, auto j, auto, auto d) { return d == 0 && large(j) ? 5.0 : 0.0; },
                    [&](auto, auto j, auto, auto) { return large(j) ? 0.0 : 1.0; });
                for (const Variant variant : every_variant()) {
                    const Output output = run(p, inputs, {.variant = variant});
                    const double expected = 1.0 / (1.0 + std::exp(5.0));
                    CHECK(expected == doctest::Approx(0.0066929).epsilon(1e-5));
                    // P of 2^-7.2 is rounded to fp16, too
                    CHECK(widen(output.o[0], p.dtype) == doctest::Approx(expected).epsilon(2 * unit_roundoff(p.dtype)));
                    CHECK(output.lse[0] == doctest::Approx(std::log(keys / 2 * (1.0 + std::exp(5.0)))).epsilon(1e-5));
                }
            }
        }
    }
}

TEST_CASE("sums are fp32") {
    const auto sixty = [](auto...) { return 60.0; };
    for (const DType dtype : {DType::fp16, DType::bf16}) {
        const Problem four = shape(1, 1, 1, 1, 4, 128, false, dtype);
        const Problem many = shape(1, 1, 1, 1, 4096, 128, false, dtype);
        for (const Variant variant : every_variant()) {
            const Output mean = run(four, make_inputs(four, sixty, sixty, ramp), {.variant = variant});
            const Output hundred =
                run(many, make_inputs(many, sixty, sixty, [](auto...) { return 100.0; }), {.variant = variant});
            for (std::size_t d = 0; d < 128; ++d) {
                CHECK(widen(mean.o[d], dtype) == 2.5);
                CHECK(widen(hundred.o[d], dtype) == 100.0);
            }
        }
    }
}

TEST_CASE("fifty runs, bit-identical") {
    const Problem p = shape(1, 2, 1, 65, 300, 64, true);
    const Inputs inputs = random_inputs(p);
    for (const Variant variant : every_variant()) {
        const Output first = run(p, inputs, {.variant = variant, .splits = 3});
        for (int i = 1; i < 50; ++i) {
            const Output again = run(p, inputs, {.variant = variant, .splits = 3});
            REQUIRE(same_bits(first, again));
            REQUIRE(first.report.total == again.report.total);
        }
    }
}
