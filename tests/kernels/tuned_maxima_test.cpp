// v2-tuned's maxima are raised late: only when a score lies 2^8 above its row's. Whatever the logits do from key block to
// key block, O and lse are right.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "harness.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Keys that share a level: one key block of a small tile up to head dim 64, two of a large one.
constexpr std::int64_t group = 128;

/// A few queries see 600 keys: four groups and a tail. Logits are in powers of 2.
Problem leveled_shape(std::int64_t seqlen_q, std::int64_t head_dim, DType dtype, bool causal = false) {
    Problem p = shape(1, 1, 1, seqlen_q, 600, head_dim, causal, dtype);
    p.scale = std::log(2.0);
    return p;
}

/// Logits are level(key's group) x weight(row), and a little noise.
template <class Level, class Weight>
Inputs leveled_inputs(const Problem& p, const Level& level, const Weight& weight, double noise = 0.25) {
    double largest = 1.0;
    for (std::int64_t n = 0; n * group < p.seqlen_k; ++n) {
        largest = std::max(largest, std::abs(level(n)));
    }
    // Levels may be far beyond what an element of fp16 holds: Q takes a power of 2 of them, K the rest.
    const double of_q = std::exp2(std::ceil(std::log2(largest) / 2.0));
    Inputs inputs = random_inputs(p);
    for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
        for (std::int64_t d = 0; d < p.head_dim; ++d) {
            std::uint16_t& word = inputs.q[at_q(p, 0, i, 0, d)];
            word = round_to(d == 0 ? of_q * weight(i) : noise * widen(word, p.dtype), p.dtype);
        }
    }
    for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
        inputs.k[at_k(p, 0, j, 0, 0)] = round_to(level(j / group) / of_q, p.dtype);
    }
    return inputs;
}

/// With large and with small query blocks.
void expect_tuned_right(const Problem& p, const Inputs& inputs) {
    const ReferenceRun reference = run_reference(p, inputs, reference::all_rows(reference_sizes(p)));
    for (const int sm_count : {0, 1000}) {
        const How how{.variant = Variant::v2_tuned, .sm_count = sm_count};
        INFO(text_of(p), ", ", tile_of(p, how).block_m, " rows a block");
        const Output output = run(p, inputs, how);
        CHECK(output.unwritten == 0);
        const ErrorReport error = check(p, inputs, output.o, output.lse, reference);
        CHECK_MESSAGE(error.verdict == Verdict::pass, error.reason.en);
    }
}

const auto every_row = [](std::int64_t) { return 1.0; };

}  // namespace

TEST_CASE("logits that rise, fall, alternate or jump from key block to key block, by a little and by far") {
    std::vector<double> steps = {0.5, 7.0, 7.5, 8.0, 8.5, 9.0, 10.0, 12.0, 15.0, 16.0, 17.0, 20.0, 64.0};
    for (int power = 7; power <= 20; ++power) {
        steps.push_back(std::exp2(power));
    }
    bool bf16 = false;
    for (const double step : steps) {
        INFO("step ", step);
        const std::vector<std::vector<double>> orders = {
            {4, 3, 2, 1, 0},      // rising: key blocks are taken from last to first
            {0, 1, 2, 3, 4},      // falling
            {1, 0, 1, 0, 1},      // alternating
            {0, 0, 1, 0, 0},      // one jump
            {0, -1, -2, -1, -2},  // below zero
        };
        for (const std::vector<double>& order : orders) {
            const Problem p = leveled_shape(40, 16, bf16 ? DType::bf16 : DType::fp16);
            bf16 = !bf16;
            expect_tuned_right(
                p, leveled_inputs(
                       p, [&](std::int64_t n) { return step * order[static_cast<std::size_t>(n)]; }, every_row));
        }
    }
}

TEST_CASE("logits that rise in one row of a warp, or in one of eight") {
    for (const double step : {7.9, 8.1, 12.0, 30.0, 600.0, 100000.0}) {
        for (const DType dtype : {DType::fp16, DType::bf16}) {
            const Problem p = leveled_shape(80, 40, dtype, true);
            const auto rising = [&](std::int64_t n) { return step * static_cast<double>(4 - n); };
            INFO("step ", step);
            expect_tuned_right(p, leveled_inputs(p, rising, [](std::int64_t i) { return i == 37 ? 1.0 : 0.0; }));
            expect_tuned_right(p, leveled_inputs(p, rising, [](std::int64_t i) {
                                   return i % 8 == 3 ? 1.0 : i % 8 == 5 ? -1.0 : 0.0;
                               }));
        }
    }
}

TEST_CASE("scales from the smallest that fp32 holds whole to 1e30, with logits of every size") {
    struct Scaled {
        double scale, q, k;  // what normally distributed elements are multiplied by
    };
    const std::vector<Scaled> all = {
        {1e-38, 1, 1},       {1e-38, 1e19, 1e18}, {1e-38, 1e10, 1e10},  {1e-30, 1, 1},        {1e-30, 1e15, 1e15},
        {1e-30, 1e16, 1e15}, {1e-30, 1e17, 1e15}, {1e-30, 1e18, 1e17},  {1e-3, 1, 1},         {10, 1, 1},
        {1e4, 1, 1},         {1e4, 1e-2, 1e-2},   {1e30, 1e-15, 1e-15}, {1e30, 1e-14, 1e-15}, {1e30, 1, 1},
        {3e37, 1, 1},        {3e37, 1e-18, 1e-19}};
    for (const Scaled& scaled : all) {
        Problem p = shape(1, 1, 1, 40, 500, 16, true, DType::bf16);
        p.scale = scaled.scale;
        Inputs inputs = random_inputs(p);
        for (std::uint16_t& word : inputs.q) {
            word = round_to(scaled.q * widen(word, p.dtype), p.dtype);
        }
        for (std::uint16_t& word : inputs.k) {
            word = round_to(scaled.k * widen(word, p.dtype), p.dtype);
        }
        INFO("q ", scaled.q, ", k ", scaled.k);
        expect_tuned_right(p, inputs);
    }
}

TEST_CASE("key blocks whose logits are all -inf: before, between and after others, huge ones too") {
    const std::vector<std::vector<double>> orders = {{1, 2, 3, 4, -infinity},
                                                     {5, -infinity, 20, -infinity, -infinity},
                                                     {-infinity, 1, -infinity, 2, 3},
                                                     {0, 2000, -infinity, 2000, 0},
                                                     {2000, -infinity, 0, -infinity, -2000},
                                                     {-infinity, 9, -infinity, 9, 9},
                                                     {0, -infinity, -infinity, 2000, -infinity}};
    for (const std::vector<double>& order : orders) {
        for (const DType dtype : {DType::fp16, DType::bf16}) {
            for (const bool causal : {false, true}) {
                // the largest finite level decides what Q takes; -inf times it stays what it is
                const Problem p = leveled_shape(70, 24, dtype, causal);
                Inputs inputs = leveled_inputs(
                    p,
                    [&](std::int64_t n) {
                        const double level = order[static_cast<std::size_t>(n)];
                        return std::isfinite(level) ? level : 0.0;
                    },
                    [](std::int64_t i) { return i % 3 == 0 ? 1.0 : 0.5; });
                for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
                    if (!std::isfinite(order[static_cast<std::size_t>(j / group)])) {
                        inputs.k[at_k(p, 0, j, 0, 0)] = round_to(-infinity, dtype);
                    }
                }
                expect_tuned_right(p, inputs);
                // and rows of the same warps for which they are +inf, or NaN
                for (std::int64_t i = 0; i < p.seqlen_q; i += 5) {
                    inputs.q[at_q(p, 0, i, 0, 0)] = round_to(i % 2 == 0 ? -1.0 : 0.0, dtype);
                }
                expect_tuned_right(p, inputs);
            }
        }
    }
}

TEST_CASE("V may be as large as fp32 sums of it allow, under whatever maximum P is taken") {
    // The last key block has logits 0, the first one up to 2^8 as much weight. One key there has a V of 1e37: with P above
    // 30 it would not fit fp32.
    for (const double level : {1.0, 4.0, 5.0, 7.0, 7.9, 9.0, 20.0}) {
        const Problem p = leveled_shape(20, 16, DType::bf16);
        Inputs inputs = leveled_inputs(
            p, [&](std::int64_t n) { return n == 0 ? level : 0.0; }, every_row, 0.0);
        for (std::int64_t d = 0; d < p.head_dim; ++d) {
            inputs.v[at_k(p, 0, 17, 0, d)] = round_to(1e37, p.dtype);
        }
        INFO("level ", level);
        expect_tuned_right(p, inputs);
    }
    // and with many keys, whose V add up to half of what fp32 holds, for every kernel
    for (const bool causal : {false, true}) {
        Problem p = shape(1, 2, 1, 70, 600, 40, causal, DType::bf16);
        p.dist = Distribution::sharp;
        Inputs inputs = random_inputs(p);
        for (std::uint16_t& word : inputs.v) {
            word = round_to(3e35 * widen(word, p.dtype), p.dtype);
        }
        expect_right(p, inputs);
        expect_tuned_right(p, inputs);
    }
}
