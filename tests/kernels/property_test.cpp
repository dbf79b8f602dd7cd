// What must not change a result, and by how little what may.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "harness.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

void expect_pass(const Problem& p, const Inputs& inputs, const Output& output, const std::string& what) {
    const ErrorReport error = judge(p, inputs, output);
    CHECK_MESSAGE(error.verdict == Verdict::pass, what << " " << text_of(p) << ": " << error.reason.en);
}

std::vector<Problem> a_few_shapes() {
    return {shape(1, 2, 1, 70, 300, 64), shape(2, 1, 1, 33, 520, 40, false, DType::bf16),
            shape(1, 2, 2, 130, 390, 128)};
}

}  // namespace

TEST_CASE("permuting keys and values together changes nothing but rounding") {
    Random random(5);
    for (const Problem& p : a_few_shapes()) {
        const Inputs inputs = random_inputs(p);
        std::vector<std::int64_t> order(static_cast<std::size_t>(p.seqlen_k));
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = order.size() - 1; i > 0; --i) {
            std::swap(order[i], order[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i)))]);
        }
        Inputs permuted = inputs;
        for (std::int64_t b = 0; b < p.batch; ++b) {
            for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
                for (std::int64_t i = 0; i < p.kv_heads * p.head_dim; ++i) {
                    const std::size_t from = at_k(p, b, order[static_cast<std::size_t>(j)], 0, i);
                    permuted.k[at_k(p, b, j, 0, i)] = inputs.k[from];
                    permuted.v[at_k(p, b, j, 0, i)] = inputs.v[from];
                }
            }
        }
        for (const Variant variant : every_variant()) {
            const Output output = run(p, permuted, {.variant = variant});
            CHECK_FALSE(same_bits(output, run(p, inputs, {.variant = variant})));  // the order did change
            expect_pass(p, inputs, output, name_of(variant));
        }
    }
}

TEST_CASE("adding a constant to every logit of a row adds it to lse and leaves O") {
    for (const double constant : {8.0, -30.0, 500.0}) {
        Problem p = shape(1, 1, 1, 50, 300, 64);
        p.scale = 0.125;
        Inputs inputs = random_inputs(p);
        for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
            inputs.q[at_q(p, 0, i, 0, 63)] = round_to(8.0, p.dtype);
        }
        const auto with = [&](double k) {
            Inputs changed = inputs;
            for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
                changed.k[at_k(p, 0, j, 0, 63)] = round_to(k, p.dtype);
            }
            return changed;
        };
        for (const Variant variant : every_variant()) {
            Output output = run(p, with(constant), {.variant = variant});
            for (float& lse : output.lse) {
                lse -= static_cast<float>(constant);
            }
            // Logits of the constant's size have its fp32 spacing, and so has the weight of each key.
            const double spacing = std::ldexp(std::abs(constant), -22);
            const Output plain = run(p, with(0.0), {.variant = variant});
            double largest = 0.0;
            double lse_difference = 0.0;
            for (std::size_t i = 0; i < output.o.size(); ++i) {
                largest = std::max(largest, std::abs(widen(output.o[i], p.dtype) - widen(plain.o[i], p.dtype)));
            }
            for (std::size_t i = 0; i < output.lse.size(); ++i) {
                lse_difference = std::max(lse_difference, std::abs(double{output.lse[i]} - plain.lse[i]));
            }
            CHECK_MESSAGE(largest <= 0x1p-10 + 4 * spacing, name_of(variant) << " " << constant);
            CHECK_MESSAGE(lse_difference <= 2e-5 + 4 * spacing, name_of(variant) << " " << constant);
            if (std::abs(constant) < 10.0) {
                expect_pass(p, with(0.0), output, name_of(variant));
            }
        }
    }
}

TEST_CASE("a batch of a large run equals the run of that batch alone, bit for bit") {
    for (const bool causal : {false, true}) {
        const Problem p = shape(3, 4, 2, 50, 300, 72, causal);
        const Inputs inputs = random_inputs(p);
        Problem alone = p;
        alone.batch = 1;
        for (const Variant variant : every_variant()) {
            const Output all = run(p, inputs, {.variant = variant});
            for (std::ptrdiff_t b = 0; b < p.batch; ++b) {
                const auto slice = [&](const auto& tensor) {
                    const auto size = static_cast<std::ptrdiff_t>(tensor.size()) / p.batch;
                    return std::decay_t<decltype(tensor)>(tensor.begin() + b * size, tensor.begin() + (b + 1) * size);
                };
                Inputs own;
                own.q = slice(inputs.q);
                own.k = slice(inputs.k);
                own.v = slice(inputs.v);
                Output expected;
                expected.o = slice(all.o);
                expected.lse = slice(all.lse);
                CHECK(same_bits(expected, run(alone, own, {.variant = variant, .sm_count = 0})));
            }
        }
    }
}

TEST_CASE("v1 and v2 agree") {
    for (Problem p : a_few_shapes()) {
        for (const bool causal : {false, true}) {
            p.causal = causal;
            const Inputs inputs = random_inputs(p);
            const Output one = run(p, inputs, {.variant = Variant::v1});
            const Output two = run(p, inputs, {.variant = Variant::v2});
            const double plain_error = judge(p, inputs, one).baseline_max_abs_error;
            double largest = 0.0;
            for (std::size_t i = 0; i < one.o.size(); ++i) {
                largest = std::max(largest, std::abs(widen(one.o[i], p.dtype) - widen(two.o[i], p.dtype)));
            }
            CHECK_MESSAGE(largest <= 3 * plain_error, text_of(p));
            for (std::size_t i = 0; i < one.lse.size(); ++i) {
                CHECK(std::abs(one.lse[i] - two.lse[i]) <= 1e-5 * (1.0 + std::abs(one.lse[i])));
            }
        }
    }
}

TEST_CASE("v1: the output is bit-identical for every num_splits; no split writes another's rows") {
    for (const bool causal : {false, true}) {
        const Problem p = shape(1, 2, 1, 150, 300, 64, causal);
        const Inputs inputs = random_inputs(p);
        const Output one = run(p, inputs, {.variant = Variant::v1, .splits = 1});
        for (int splits = 2; splits <= 30; ++splits) {
            // The machine reports two CTAs that touch one word if either writes it: that none does is checked here, too.
            const Output output = run(p, inputs, {.variant = Variant::v1, .splits = splits});
            REQUIRE(same_bits(one, output));
            CHECK(output.report.step("store O") == one.report.step("store O"));
            CHECK(output.report.unique_write_bytes == one.report.unique_write_bytes);
        }
        CHECK(one.report.step("store O").global_write_bytes == 2 * 150 * 64 * 2);
    }
}

TEST_CASE("the order of lanes and the number of OS threads change neither bits nor counters") {
    for (const bool causal : {false, true}) {
        const Problem p = shape(1, 3, 1, 140, 300, 64, causal);
        const Inputs inputs = random_inputs(p);
        for (const Variant variant : every_variant()) {
            const auto run_as = [&](unsigned os_threads, std::uint64_t lane_order_seed) {
                How how{.variant = variant};
                how.options.os_threads = os_threads;
                how.options.lane_order_seed = lane_order_seed;
                return run(p, inputs, how);
            };
            const Output first = run_as(1, 0);
            for (std::uint64_t seed = 0; seed < 6; ++seed) {
                const unsigned os_threads = seed % 3 == 0 ? 1 : static_cast<unsigned>(seed) + 1;
                const Output output = run_as(os_threads, seed);
                CHECK(same_bits(first, output));
                CHECK(first.report.total == output.report.total);
                CHECK(first.report.unique_read_bytes == output.report.unique_read_bytes);
            }
        }
    }
}
