// What the kernels promise, on the card: worked examples and means whose values are computed here, and inputs that aren't
// ordinary numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "on_card.h"

using namespace flashlens;
using namespace flashlens::gpu_tests;
using kernel_tests::make_inputs;
using kernel_tests::name_of;
using kernel_tests::shape;
using kernel_tests::text_of;

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double a_nan = std::numeric_limits<double>::quiet_NaN();

kernel_tests::Element constant(double value) {
    return [value](auto...) { return value; };
}
double ramp(std::int64_t, std::int64_t row, std::int64_t, std::int64_t) {
    return static_cast<double>(row + 1);
}
double half_ulp(DType dtype) {
    return dtype == DType::fp16 ? std::ldexp(1.0, -11) : std::ldexp(1.0, -8);
}

/// q = 0, V[j] = j + 1: O[i] is the mean of the visible rows of V, lse the logarithm of their number.
void expect_means(const Problem& p, int splits) {
    const Inputs inputs = make_inputs(p, constant(0.0), constant(1.0), ramp);
    std::vector<double> sum = {0.0};  // of the first rows of V, as rounded to the type
    for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
        sum.push_back(sum.back() + widen(inputs.v[at_k(p, 0, j, 0, 0)], p.dtype));
    }
    for (const Variant variant : variants_for(p)) {
        const Output output = run_on_card(p, inputs, variant, splits);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
            const std::int64_t last = p.align == Align::bottom_right ? i + p.seqlen_k - p.seqlen_q : i;
            const std::int64_t seen = p.causal ? std::clamp<std::int64_t>(last + 1, 0, p.seqlen_k) : p.seqlen_k;
            const double mean = seen == 0 ? 0.0 : sum[static_cast<std::size_t>(seen)] / static_cast<double>(seen);
            const double lse = std::log(static_cast<double>(seen));
            const double got_lse = output.lse[at_lse(p, 0, 0, i)];
            bool right = seen == 0 ? got_lse == minus_infinity : std::abs(got_lse - lse) <= 1e-5 * (1.0 + lse);
            for (std::int64_t d = 0; d < p.head_dim; ++d) {
                const double got = widen(output.o[at_q(p, 0, i, 0, d)], p.dtype);
                right = right && std::abs(got - mean) <= (half_ulp(p.dtype) + 1e-5) * mean;
            }
            wrong += right ? 0 : 1;
        }
        CHECK_MESSAGE(wrong == 0, wrong << " rows of " << name_of(variant) << "  " << text_of(p));
    }
}

/// O's first column, row after row.
std::vector<double> first_column(const Problem& p, const Inputs& inputs, Variant variant) {
    const Output output = run_on_card(p, inputs, variant);
    std::vector<double> column;
    for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
        column.push_back(widen(output.o[at_q(p, 0, i, 0, 0)], p.dtype));
    }
    return column;
}

}  // namespace

TEST_CASE("any length: O is the mean of the visible rows of V") {
    const std::vector<std::pair<std::int64_t, std::int64_t>> lengths = {
        {1, 1},    {7, 7},       {31, 31},   {63, 63},  {65, 65},  {127, 127}, {129, 129},   {192, 192},
        {2, 5},    {5, 2},       {113, 203}, {1, 147},  {64, 65},  {100, 163}, {1000, 1000}, {1023, 1024},
        {300, 17}, {1024, 1023}, {257, 129}, {1, 4096}, {4096, 1}, {17, 513}};
    for (const DType dtype : every_type()) {
        for (const std::int64_t head_dim : {32, 64, 128, 256}) {
            for (const auto& [seqlen_q, seqlen_k] : lengths) {
                Problem p = shape(1, 1, 1, seqlen_q, seqlen_k, head_dim, false, dtype);
                expect_means(p, 1 + static_cast<int>(seqlen_q % 4));
                p.causal = true;
                expect_means(p, 1 + static_cast<int>(seqlen_q % 4));
                p.align = Align::top_left;
                expect_means(p, 1 + static_cast<int>(seqlen_q % 4));
            }
        }
    }
}

TEST_CASE("rows that see nothing, and no key at all: O 0 and lse -inf") {
    for (const Variant variant : every_variant()) {
        const Problem p = shape(1, 1, 1, 5, 2, 64, true);
        const Inputs inputs = make_inputs(p, constant(0.0), constant(1.0), ramp);
        CHECK(first_column(p, inputs, variant) == std::vector<double>{0.0, 0.0, 0.0, 1.0, 1.5});
        const Output output = run_on_card(p, inputs, variant);
        CHECK(std::all_of(output.lse.begin(), output.lse.begin() + 3, [](float x) { return x == minus_infinity; }));
        CHECK(output.lse[4] == doctest::Approx(0.693147));
        for (const bool causal : {false, true}) {
            for (const DType dtype : every_type()) {
                const Problem none = shape(2, 2, 1, 77, 0, 64, causal, dtype);
                const Output empty = run_on_card(none, random_inputs(none), variant, 3);
                CHECK(std::all_of(empty.o.begin(), empty.o.end(), [](std::uint16_t word) { return word == 0; }));
                CHECK(std::all_of(empty.lse.begin(), empty.lse.end(), [](float x) { return x == minus_infinity; }));
            }
        }
    }
    const Problem hundreds = shape(2, 2, 1, 333, 40, 64, true);
    expect_right_on_card(hundreds, random_inputs(hundreds), 5);
}

TEST_CASE("the worked examples of the two alignments") {
    for (const Variant variant : every_variant()) {
        Problem p = shape(1, 1, 1, 2, 5, 64, true);
        const Inputs inputs = make_inputs(p, constant(0.0), constant(1.0), ramp);
        CHECK(first_column(p, inputs, variant) == std::vector<double>{2.5, 3.0});
        p.align = Align::top_left;
        CHECK(first_column(p, inputs, variant) == std::vector<double>{1.0, 1.5});
    }
}

TEST_CASE("the scale multiplies the logits, and the rescale goes the right way") {
    // Logits 0 for the first half of the keys, 5 for the second; V 1 and 0: O = 1 / (1 + e^5), lse = log(128 + 128 e^5).
    for (const double scale : {0.125, 0.5, 1.0}) {
        Problem p = shape(1, 1, 1, 1, 256, 64);
        p.scale = scale;
        const Inputs inputs = make_inputs(
            p, [](auto, auto, auto, auto d) { return d == 0 ? 1.0 : 0.0; },
            [scale](auto, auto j, auto, auto) { return j < 128 ? 0.0 : 5.0 / scale; },
            [](auto, auto j, auto, auto) { return j < 128 ? 1.0 : 0.0; });
        for (const Variant variant : every_variant()) {
            const Output output = run_on_card(p, inputs, variant);
            CHECK(widen(output.o[0], p.dtype) == doctest::Approx(0.0066929).epsilon(0.001));
            CHECK(output.lse[0] == doctest::Approx(9.858745).epsilon(1e-5));
        }
    }
    for (const double scale : {0.5, 0.03125, 2.0}) {
        for (const DType dtype : every_type()) {
            Problem p = shape(1, 2, 2, 130, 270, 72, true, dtype);
            p.scale = scale;
            expect_right_on_card(p, random_inputs(p));
        }
    }
}

TEST_CASE("sums in fp32") {
    const Problem few = shape(1, 1, 1, 4, 4, 128);
    const Problem many = shape(1, 1, 1, 4, 4096, 128);
    for (const Variant variant : every_variant()) {
        CHECK(first_column(few, make_inputs(few, constant(60.0), constant(60.0), ramp), variant) ==
              std::vector<double>(4, 2.5));
        CHECK(first_column(many, make_inputs(many, constant(60.0), constant(60.0), constant(100.0)), variant) ==
              std::vector<double>(4, 100.0));
    }
}

TEST_CASE("query head h reads KV head h / (H / KV)") {
    for (const auto& [heads, kv_heads] : {std::pair{6, 3}, {4, 1}, {5, 5}, {8, 2}}) {
        for (const bool causal : {false, true}) {
            const Problem p = shape(2, heads, kv_heads, 33, 150, 64, causal);
            // V of a KV head of a batch is one number, so O is it.
            const Inputs inputs = make_inputs(p, constant(1.0), constant(1.0), [](auto batch, auto, auto head, auto) {
                return 1.0 + 16.0 * batch + head;
            });
            for (const Variant variant : every_variant()) {
                const Output output = run_on_card(p, inputs, variant);
                std::int64_t wrong = 0;
                for (std::size_t i = 0; i < output.o.size(); ++i) {
                    const auto head = static_cast<std::int64_t>(i / 64) % heads;
                    const auto batch = static_cast<std::int64_t>(i / 64) / heads / 33;
                    const double expected =
                        1.0 + 16.0 * static_cast<double>(batch) + static_cast<double>(head * kv_heads / heads);
                    wrong += widen(output.o[i], p.dtype) == expected ? 0 : 1;
                }
                CHECK_MESSAGE(wrong == 0, name_of(variant) << "  " << text_of(p));
            }
            expect_right_on_card(p, random_inputs(p));
        }
    }
}

TEST_CASE("huge logits, all equal, of either sign, and in some rows only") {
    for (const std::int64_t keys : {4, 300, 600}) {
        for (const bool causal : {false, true}) {
            for (const std::int64_t head_dim : {40, 64, 128}) {
                for (const auto& [dtype, q, k] : {std::tuple{DType::fp16, 60.0, 60.0},
                                                  {DType::fp16, 6e4, 6e4},
                                                  {DType::fp16, 6e4, -6e4},
                                                  {DType::bf16, 3e17, 3e17},
                                                  {DType::bf16, 3e17, -3e17}}) {
                    const Problem p = shape(1, 1, 1, 18, keys, head_dim, causal, dtype);
                    const Inputs with_ramp = make_inputs(p, constant(q), constant(k), ramp);
                    expect_right_on_card(p, with_ramp, 3);
                    Inputs inputs = random_inputs(p);
                    inputs.q = with_ramp.q;
                    inputs.k = with_ramp.k;
                    expect_right_on_card(p, inputs, 1);
                }
                const Problem p = shape(1, 2, 1, 70, keys, head_dim, causal);
                for (const double size : {30.0, 1000.0, 8000.0}) {
                    Inputs inputs = random_inputs(p);
                    for (std::size_t i = 0; i < inputs.q.size(); ++i) {
                        const std::size_t row = i / static_cast<std::size_t>(head_dim);
                        if (row % 5 == 0 || row % 7 == 3) {
                            inputs.q[i] = round_to(widen(inputs.q[i], p.dtype) * size, p.dtype);
                        }
                    }
                    expect_right_on_card(p, inputs, 2);
                }
            }
        }
    }
}

TEST_CASE("blocks of keys of very different size, in every order") {
    // What each 128 keys' elements are: with q = 1 logits of 8 times this.
    const std::vector<std::vector<double>> orders = {
        {0.1, 0.1, 500.0, 0.1},       {500.0, 0.1, 0.1, 0.1},   {0.1, -500.0, 0.1, -500.0},
        {70.0, 60.0, 70.0, 60.0},     {63.0, 64.0, 65.0, 66.0}, {-500.0, -500.0, -500.0, 0.1},
        {60000.0, 0.0, 1.0, 60000.0}, {66.0, 65.0, 64.0, 63.0}, {0.0, -60000.0, 60000.0, 0.0}};
    for (const std::int64_t head_dim : {64, 128}) {
        for (const auto& order : orders) {
            for (const bool causal : {false, true}) {
                const Problem p = shape(1, 1, 1, 33, 512, head_dim, causal);
                Inputs inputs = random_inputs(p);
                const Inputs noise = inputs;
                inputs.q = make_inputs(p, constant(1.0), constant(0.0), constant(0.0)).q;
                for (std::size_t i = 0; i < inputs.k.size(); ++i) {
                    const double size = order[i / static_cast<std::size_t>(128 * head_dim)];
                    inputs.k[i] = round_to(size + 0.3 * widen(noise.k[i], p.dtype), p.dtype);
                }
                expect_right_on_card(p, inputs, 3);
            }
        }
    }
}

TEST_CASE("a NaN or infinity shows where the reference has it") {
    for (const DType dtype : every_type()) {
        for (const bool causal : {false, true}) {
            for (const std::int64_t head_dim : {40, 96}) {
                const Problem p = shape(2, 2, 2, 24, head_dim == 40 ? 300 : 170, head_dim, causal, dtype);
                for (const double value : {a_nan, infinity, -infinity}) {
                    const std::uint16_t word = round_to(value, dtype);
                    Inputs inputs = random_inputs(p);
                    inputs.q[at_q(p, 1, 17, 1, 5)] = word;
                    expect_right_on_card(p, inputs);
                    for (const std::int64_t row : {std::int64_t{3}, p.seqlen_k - 9}) {
                        inputs = random_inputs(p);
                        inputs.k[at_k(p, 0, row, 1, 7)] = word;
                        expect_right_on_card(p, inputs);
                        inputs = random_inputs(p);
                        inputs.v[at_k(p, 1, row, 0, 39)] = word;
                        expect_right_on_card(p, inputs);
                    }
                }
            }
        }
    }
}

TEST_CASE("a NaN of Q touches its own row and no other, a NaN of V its own column") {
    const Problem p = shape(1, 2, 2, 70, 300, 64);
    const Inputs clean = random_inputs(p);
    Inputs in_q = clean;
    in_q.q[at_q(p, 0, 17, 1, 5)] = round_to(a_nan, p.dtype);
    Inputs in_v = clean;
    in_v.v[at_k(p, 0, 290, 1, 9)] = round_to(a_nan, p.dtype);
    for (const Variant variant : every_variant()) {
        const Output before = run_on_card(p, clean, variant);
        const Output after_q = run_on_card(p, in_q, variant);
        const Output after_v = run_on_card(p, in_v, variant);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
            for (std::int64_t head = 0; head < 2; ++head) {
                for (std::int64_t d = 0; d < p.head_dim; ++d) {
                    const std::size_t at = at_q(p, 0, i, head, d);
                    const auto as_it_should = [&](const Output& after, bool is_nan) {
                        return is_nan ? std::isnan(widen(after.o[at], p.dtype)) : after.o[at] == before.o[at];
                    };
                    wrong += as_it_should(after_q, i == 17 && head == 1) ? 0 : 1;
                    wrong += as_it_should(after_v, d == 9 && head == 1) ? 0 : 1;
                }
            }
        }
        CHECK_MESSAGE(wrong == 0, name_of(variant));
    }
}

TEST_CASE("logits that are all -inf give NaN and lse -inf") {
    for (const std::int64_t head_dim : {64, 128}) {
        const Problem p = shape(1, 1, 1, 20, 600, head_dim);
        const auto first = [](double value) {
            return [value](auto, auto, auto, auto d) { return d == 0 ? value : 0.25; };
        };
        const Inputs inputs = make_inputs(p, first(1.0), first(-infinity), constant(1.0));
        for (const Variant variant : every_variant()) {
            const Output output = run_on_card(p, inputs, variant);
            const auto is_nan = [&](std::uint16_t word) { return std::isnan(widen(word, p.dtype)); };
            CHECK(std::all_of(output.o.begin(), output.o.end(), is_nan));
            CHECK(std::all_of(output.lse.begin(), output.lse.end(), [](float x) { return x == minus_infinity; }));
            CHECK(output.unwritten == 0);
        }
    }
}
