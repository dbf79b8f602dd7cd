// Finite inputs of any size give the right, finite output: logits far beyond where fp32 still has digits after the point.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "harness.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

/// q = k = size everywhere: all logits are equal, so O is the mean of the visible rows of V.
void expect_equal_logits_right(const Problem& p, double size) {
    const auto constant = [size](auto...) { return size; };
    const Inputs with_ramp = make_inputs(p, constant, constant, [](auto, auto j, auto, auto) { return j + 1.0; });
    expect_right(p, with_ramp, 3);
    Inputs with_random = random_inputs(p);
    with_random.q = with_ramp.q;
    with_random.k = with_ramp.k;
    expect_right(p, with_random, 1);
    // and against a mean computed here, in case reference and kernels share a mistake
    for (const Variant variant : every_variant()) {
        const Output output = run(p, with_ramp, {.variant = variant});
        double sum = 0.0;
        for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
            sum += widen(with_ramp.v[at_k(p, 0, j, 0, 0)], p.dtype);
        }
        // The last row sees all keys under either mask. Half a unit in the last place, and fp32 sums.
        const double half_ulp = p.dtype == DType::fp16 ? std::ldexp(1.0, -11) : std::ldexp(1.0, -8);
        const double got = widen(output.o[at_q(p, 0, p.seqlen_q - 1, 0, 0)], p.dtype);
        const double mean = sum / static_cast<double>(p.seqlen_k);
        CHECK_MESSAGE(std::abs(got - mean) <= (half_ulp + 1e-5) * mean,
                      name_of(variant) << " " << text_of(p) << ": " << got << ", mean " << mean);
    }
}

}  // namespace

TEST_CASE("huge logits, all equal") {
    for (const std::int64_t keys : {4, 300, 600}) {
        for (const bool causal : {false, true}) {
            expect_equal_logits_right(shape(1, 1, 1, 18, keys, 128, causal), 60.0);
            expect_equal_logits_right(shape(1, 1, 1, 18, keys, 64, causal), 60000.0);
            expect_equal_logits_right(shape(1, 1, 1, 18, keys, 128, causal), 60000.0);
            expect_equal_logits_right(shape(1, 1, 1, 18, keys, 64, causal, DType::bf16), 1e18);
            expect_equal_logits_right(shape(1, 1, 1, 18, keys, 40, causal, DType::bf16), 3e17);
        }
    }
}

TEST_CASE("huge logits, random: one key takes all, or a few share") {
    for (const DType dtype : {DType::fp16, DType::bf16}) {
        for (const double size : {30.0, 1000.0, 8000.0}) {
            for (const bool causal : {false, true}) {
                const Problem p = shape(1, 2, 1, 50, 400, 64, causal, dtype);
                Inputs inputs = random_inputs(p);
                for (std::uint16_t& word : inputs.q) {
                    word = round_to(widen(word, dtype) * size, dtype);
                }
                for (std::size_t i = 0; i < inputs.k.size(); ++i) {  // rows come in pairs of equal keys
                    const std::size_t row = i / 64;
                    inputs.k[i] = inputs.k[(row - row % 2) * 64 + i % 64];
                }
                expect_right(p, inputs, 2);
            }
        }
    }
}

TEST_CASE("huge logits in some rows only") {
    for (const bool causal : {false, true}) {
        const Problem p = shape(1, 1, 1, 70, 600, 64, causal);
        Inputs inputs = random_inputs(p);
        for (std::size_t i = 0; i < inputs.q.size(); ++i) {
            if (i / 64 % 5 == 0 || i / 64 % 7 == 3) {
                inputs.q[i] = round_to(widen(inputs.q[i], p.dtype) * 5000.0, p.dtype);
            }
        }
        expect_right(p, inputs, 2);
    }
}

TEST_CASE("huge negative logits: nothing underflows to an empty row") {
    const auto size = [](double s) { return [s](auto...) { return s; }; };
    for (const std::int64_t keys : {5, 300, 700}) {
        for (const bool causal : {false, true}) {
            for (const double key : {-60.0, -60000.0}) {
                const Problem p = shape(1, 1, 1, 20, keys, 64, causal);
                Inputs inputs = random_inputs(p);
                const Inputs constant = make_inputs(p, size(60000.0), size(key), size(1.0));
                inputs.q = constant.q;
                inputs.k = constant.k;
                expect_right(p, inputs, 2);
            }
            const Problem p = shape(1, 1, 1, 20, keys, 64, causal, DType::bf16);
            Inputs inputs = random_inputs(p);
            const Inputs constant = make_inputs(p, size(1e18), size(-1e18), size(1.0));
            inputs.q = constant.q;
            inputs.k = constant.k;
            expect_right(p, inputs, 2);
        }
    }
}

TEST_CASE("blocks of keys of very different size, in every order") {
    // What each 128 keys' elements are: with q = 1 logits of 8 times this.
    const std::vector<std::vector<double>> orders = {
        {0.1, 0.1, 500.0, 0.1},        {500.0, 0.1, 0.1, 0.1},        {0.1, 0.1, 0.1, 500.0},
        {500.0, 0.1, 500.0, 500.0},    {-500.0, 0.1, 0.2, 0.1},       {0.1, -500.0, 0.1, -500.0},
        {-500.0, -500.0, -500.0, 0.1}, {0.1, -500.0, -500.0, -500.0}, {70.0, 60.0, 70.0, 60.0},
        {60.0, 70.0, 60.0, 70.0},      {63.0, 64.0, 65.0, 66.0},      {66.0, 65.0, 64.0, 63.0},
        {60000.0, 0.0, 1.0, 60000.0},  {0.0, -60000.0, 60000.0, 0.0}, {-60000.0, -60000.0, -60000.0, -60000.0}};
    for (const std::int64_t head_dim : {64, 128}) {
        for (const auto& order : orders) {
            for (const bool causal : {false, true}) {
                const Problem p = shape(1, 1, 1, 33, 512, head_dim, causal);
                Inputs inputs = random_inputs(p);
                const Inputs sized = make_inputs(
                    p, [](auto...) { return 1.0; },
                    [&](auto, auto j, auto, auto) { return order[static_cast<std::size_t>(j / 128)]; },
                    [](auto...) { return 0.0; });
                inputs.q = sized.q;
                inputs.k = sized.k;
                expect_right(p, inputs, 2);
                // the same with noise that only the small blocks notice
                const Inputs noise = random_inputs(p);
                for (std::size_t i = 0; i < inputs.k.size(); ++i) {
                    inputs.k[i] = round_to(widen(inputs.k[i], p.dtype) + 0.3 * widen(noise.k[i], p.dtype), p.dtype);
                }
                expect_right(p, inputs, 3);
            }
        }
    }
}
