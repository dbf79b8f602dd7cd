// A NaN or an infinity in one element of Q, K or V: where it has to show, where it may, and where it must not.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "harness.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

constexpr double a_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Where the element is: batch, row, head of its own tensor, column.
struct Place {
    Tensor tensor;
    std::int64_t batch, row, head, column;
};

std::int64_t visible(const Problem& p, std::int64_t i) {
    return p.causal ? std::max<std::int64_t>(0, std::min(p.seqlen_k, i + p.diagonal() + 1)) : p.seqlen_k;
}

/// Whether the element has to show in O at (batch, row, head, column): the query sees it, and the column depends on it.
bool must_show(const Problem& p, const Place& at, std::int64_t b, std::int64_t i, std::int64_t h, std::int64_t d) {
    const std::int64_t kv_head = h * p.kv_heads / p.heads;
    if (b != at.batch || visible(p, i) == 0) {
        return false;
    }
    switch (at.tensor) {
        case Tensor::q:
            return h == at.head && i == at.row;
        case Tensor::k:
            return kv_head == at.head && at.row < visible(p, i);
        case Tensor::v:
            return kv_head == at.head && at.row < visible(p, i) && d == at.column;
    }
    return false;
}

/// Under a causal mask it may also reach queries that mask its key.
bool may_show(const Problem& p, const Place& at, std::int64_t b, std::int64_t i, std::int64_t h, std::int64_t d) {
    return must_show(p, at, b, i, h, d) ||
           (p.causal && at.tensor != Tensor::q && b == at.batch && h * p.kv_heads / p.heads == at.head &&
            visible(p, i) > 0 && (at.tensor == Tensor::k || d == at.column));
}

/// Whether b is a as a kernel may round it on another way: an infinite logit sends its whole warp the way of huge ones.
/// v2-tuned raises maxima block by block there, and rounds P under other ones: V, below 6, weighs at most its own rounding.
bool same_but_for_rounding(Variant variant, double a, double b, DType dtype) {
    const double ulp = dtype == DType::fp16 ? 0x1p-10 : 0x1p-7;
    return std::abs(a - b) <= 2 * ulp * std::abs(a) + (variant == Variant::v2_tuned ? ulp : 1e-6);
}

/// Random inputs, and what the variants make of them.
struct Clean {
    explicit Clean(const Problem& problem) : p(problem), inputs(random_inputs(problem)) {
        for (const Variant variant : every_variant()) {
            outputs.push_back(run(p, inputs, {.variant = variant}));
        }
    }

    Problem p;
    Inputs inputs;
    std::vector<Output> outputs;
};

void expect_only_there(const Clean& clean, const Place& at, double value) {
    const Problem& p = clean.p;
    Inputs inputs = clean.inputs;
    const std::uint16_t word = round_to(value, p.dtype);
    switch (at.tensor) {
        case Tensor::q:
            inputs.q[at_q(p, at.batch, at.row, at.head, at.column)] = word;
            break;
        case Tensor::k:
            inputs.k[at_k(p, at.batch, at.row, at.head, at.column)] = word;
            break;
        case Tensor::v:
            inputs.v[at_k(p, at.batch, at.row, at.head, at.column)] = word;
            break;
    }
    auto before_of_variant = clean.outputs.begin();
    for (const Variant variant : every_variant()) {
        const Output& before = *before_of_variant++;
        const Output after = run(p, inputs, {.variant = variant});
        expect_right(p, inputs, after, name_of(variant));
        const bool other_way = at.tensor == Tensor::q && std::isinf(value);
        std::int64_t hidden = 0;
        std::int64_t stray = 0;
        for (std::int64_t b = 0; b < p.batch; ++b) {
            for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
                for (std::int64_t h = 0; h < p.heads; ++h) {
                    for (std::int64_t d = 0; d < p.head_dim; ++d) {
                        const std::size_t element = at_q(p, b, i, h, d);
                        const bool same =
                            after.o[element] == before.o[element] ||
                            (other_way && same_but_for_rounding(variant, widen(before.o[element], p.dtype),
                                                                widen(after.o[element], p.dtype), p.dtype));
                        stray += !may_show(p, at, b, i, h, d) && !same ? 1 : 0;
                        // an infinite logit may be -inf, and then it shows as a weight of 0: the verdict holds that
                        hidden += std::isnan(value) && must_show(p, at, b, i, h, d) &&
                                          !std::isnan(widen(after.o[element], p.dtype))
                                      ? 1
                                      : 0;
                    }
                    const std::size_t row = at_lse(p, b, h, i);
                    const bool same =
                        std::bit_cast<std::uint32_t>(after.lse[row]) == std::bit_cast<std::uint32_t>(before.lse[row]) ||
                        (other_way && std::abs(after.lse[row] - before.lse[row]) <= 1e-5);
                    const bool lse_may = at.tensor != Tensor::v && may_show(p, at, b, i, h, 0);
                    stray += !lse_may && !same ? 1 : 0;
                }
            }
        }
        const std::string where = name_of(variant) + " " + text_of(p) + " tensor " +
                                  std::to_string(static_cast<int>(at.tensor)) + " row " + std::to_string(at.row) +
                                  " value " + std::to_string(value);
        CHECK_MESSAGE(stray == 0, "elsewhere: " << where);
        CHECK_MESSAGE(hidden == 0, "not shown: " << where);
    }
}

}  // namespace

TEST_CASE("a NaN or infinity in Q, K or V touches what it must, and nothing that it must not") {
    for (const bool causal : {false, true}) {
        for (const std::int64_t head_dim : {40, 96}) {
            const Problem p = shape(2, 2, 2, 24, head_dim == 40 ? 300 : 170, head_dim, causal);
            const Clean clean(p);
            for (const double value : {a_nan, infinity, -infinity}) {
                expect_only_there(clean, {Tensor::q, 1, 17, 1, 5}, value);
                for (const Tensor tensor : {Tensor::k, Tensor::v}) {
                    expect_only_there(clean, {tensor, 0, 3, 1, 7}, value);
                    expect_only_there(clean, {tensor, 1, p.seqlen_k - 9, 0, 39}, value);
                }
            }
        }
    }
}

TEST_CASE("the same in bf16, and where rows see nothing") {
    const Clean clean(shape(1, 2, 1, 60, 40, 64, true, DType::bf16));
    for (const double value : {a_nan, infinity, -infinity}) {
        for (const Tensor tensor : {Tensor::q, Tensor::k, Tensor::v}) {
            expect_only_there(clean, {tensor, 0, 0, 0, 0}, value);
            expect_only_there(clean, {tensor, 0, 39, 0, 63}, value);
        }
    }
}

TEST_CASE("all of V infinite, all of K or Q NaN") {
    for (const bool causal : {false, true}) {
        const Problem p = shape(1, 2, 2, 33, 280, 64, causal);
        for (const double value : {a_nan, infinity, -infinity}) {
            for (const Tensor tensor : {Tensor::q, Tensor::k, Tensor::v}) {
                Inputs inputs = random_inputs(p);
                auto& words = tensor == Tensor::q ? inputs.q : tensor == Tensor::k ? inputs.k : inputs.v;
                words.assign(words.size(), round_to(value, p.dtype));
                expect_right(p, inputs, 2);
            }
        }
    }
}

TEST_CASE("visible logits that are all -inf give NaN, and lse -inf; some of them don't matter") {
    const auto first_column = [](double value) {
        return [value](auto, auto, auto, auto d) { return d == 0 ? value : 0.25; };
    };
    for (const std::int64_t head_dim : {64, 128}) {
        for (const bool causal : {false, true}) {
            const Problem p = shape(1, 1, 1, 20, 600, head_dim, causal);
            const Inputs all = make_inputs(p, first_column(1.0), first_column(-infinity), [](auto...) { return 1.0; });
            expect_right(p, all, 2);
            for (const Variant variant : every_variant()) {
                const Output output = run(p, all, {.variant = variant});
                for (std::size_t i = 0; i < output.o.size(); ++i) {
                    REQUIRE(std::isnan(widen(output.o[i], p.dtype)));
                }
                for (const float lse : output.lse) {
                    REQUIRE(lse == -std::numeric_limits<float>::infinity());
                }
            }
            // -inf in the first, a middle or the last keys only
            for (const auto& [first, last] : {std::pair{0, 256}, {0, 599}, {200, 300}, {256, 600}, {1, 600}}) {
                const Inputs some = make_inputs(
                    p, first_column(1.0),
                    [&](auto, auto j, auto, auto d) { return d == 0 && j >= first && j < last ? -infinity : 0.1; },
                    [](auto, auto j, auto, auto d) { return (j % 7 + d % 5) * 0.25; });
                expect_right(p, some, 2);
            }
        }
    }
    // rows that see nothing stay 0 beside rows whose logits are all -inf
    const Problem p = shape(1, 1, 1, 50, 20, 64, true);
    expect_right(p, make_inputs(p, first_column(1.0), first_column(-infinity), [](auto...) { return 1.0; }), 2);
}
