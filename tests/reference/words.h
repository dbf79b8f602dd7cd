// Numbers as 16-bit words and back, from the fields of IEEE 754: nothing of the code under test.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "reference/attention.h"

namespace flashlens::reference {

using Words = std::vector<std::uint16_t>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

inline double value_of(unsigned word, Type type) {
    const int fraction_bits = type == Type::fp16 ? 10 : 7;
    const int all_ones = (1 << (15 - fraction_bits)) - 1;
    const int exponent = static_cast<int>(word >> fraction_bits) & all_ones;
    const int fraction = static_cast<int>(word) & ((1 << fraction_bits) - 1);
    const double sign = (word & 0x8000U) != 0 ? -1.0 : 1.0;
    if (exponent == all_ones) {
        return fraction != 0 ? nan : sign * inf;
    }
    const int significand = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
    return sign * std::ldexp(significand, std::max(exponent, 1) - all_ones / 2 - fraction_bits);
}

/// The word of a number that the type holds exactly, cut off if it doesn't; NaN and infinities too.
inline std::uint16_t word_of(double value, Type type) {
    const int fraction_bits = type == Type::fp16 ? 10 : 7;
    const int all_ones = (1 << (15 - fraction_bits)) - 1;
    const unsigned sign = std::signbit(value) ? 0x8000U : 0U;
    if (!std::isfinite(value)) {
        return static_cast<std::uint16_t>(sign | static_cast<unsigned>(all_ones) << fraction_bits |
                                          (std::isnan(value) ? 1U : 0U));
    }
    if (value == 0.0) {
        return static_cast<std::uint16_t>(sign);
    }
    const int exponent = std::max(std::ilogb(value), 1 - all_ones / 2);
    const auto significand = static_cast<int>(std::ldexp(std::fabs(value), fraction_bits - exponent));
    const int hidden = 1 << fraction_bits;
    const int field = significand < hidden ? 0 : exponent + all_ones / 2;
    return static_cast<std::uint16_t>(sign | static_cast<unsigned>(field) << fraction_bits |
                                      static_cast<unsigned>(significand % hidden));
}

struct Problem {
    Sizes sizes;
    Words q, k, v;

    Tensors tensors() const { return {q, k, v}; }
    std::size_t q_index(std::int64_t batch, std::int64_t row, std::int64_t head, std::int64_t dim) const {
        return ((batch * sizes.seqlen_q + row) * sizes.heads + head) * sizes.head_dim + dim;
    }
    std::size_t k_index(std::int64_t batch, std::int64_t key, std::int64_t kv_head, std::int64_t dim) const {
        return ((batch * sizes.seqlen_k + key) * sizes.kv_heads + kv_head) * sizes.head_dim + dim;
    }
};

/// Q and K of about unit variance, V as well, on a grid of 1/32 that both types hold.
inline Problem random_problem(const Sizes& sizes, unsigned seed) {
    Problem problem{sizes, {}, {}, {}};
    problem.q.resize(sizes.batch * sizes.seqlen_q * sizes.heads * sizes.head_dim);
    problem.k.resize(sizes.batch * sizes.seqlen_k * sizes.kv_heads * sizes.head_dim);
    problem.v.resize(problem.k.size());
    std::mt19937 generator(seed);
    for (Words* tensor : {&problem.q, &problem.k, &problem.v}) {
        for (std::uint16_t& word : *tensor) {
            word = word_of((static_cast<double>(generator() % 128) - 63.5) / 32.0, sizes.type);
        }
    }
    return problem;
}

/// Every logit 0 and V[j] = j + 1 in every column.
inline Problem ramp(std::int64_t q, std::int64_t k, bool causal) {
    const Sizes sizes{1, 1, 1, q, k, 8, causal, k - q, 0.5, Type::fp16};
    Problem problem = random_problem(sizes, 1);
    std::fill(problem.q.begin(), problem.q.end(), std::uint16_t{0});
    for (std::size_t i = 0; i < problem.v.size(); ++i) {
        problem.v[i] = word_of(static_cast<double>(i / 8 + 1), Type::fp16);
    }
    return problem;
}

}  // namespace flashlens::reference
