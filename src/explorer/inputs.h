// Q, K and V of a problem as 16-bit words: random ones, the same on every machine, and the rounding of numbers to the
// type.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "explorer/problem.h"

namespace flashlens {

/// q is (batch, seqlen_q, heads, head_dim); k and v are (batch, seqlen_k, kv_heads, head_dim): dense, row-major, words of
/// the problem's dtype, as kernels/attention.h wants them.
struct Inputs {
    std::vector<std::uint16_t> q;
    std::vector<std::uint16_t> k;
    std::vector<std::uint16_t> v;
    /// Finite numbers of the files read that the dtype can't hold and that became infinities. 0 for random inputs.
    std::int64_t overflowed = 0;
};

enum class Tensor { q, k, v };

/// Random inputs from problem.seed and problem.dist, bit-identical everywhere: integers from a counter-based generator,
/// and a transform to real numbers that is exact in double.
/// - normal: the sum of twelve 16-bit uniforms, centred and divided by 2^16 (mean 0, variance 1, within +-6);
/// - uniform: multiples of 2^-23 in [-1, 1);
/// - sharp: normal, with q six times as large: logits of standard deviation 6 at the default scale, so that a few keys
///   hold most of each row's weight, as in trained models;
/// - ones: every element is 1.
Inputs random_inputs(const Problem& problem);

/// Elements first, first + 1, ... of one tensor of random_inputs(problem): the same numbers without the rest, so a batch
/// of a large problem can be made alone.
void random_elements(const Problem& problem, Tensor tensor, std::int64_t first, std::span<std::uint16_t> to);

/// As good for timing, and quick to make at any size: the first million words or so of each tensor of
/// random_inputs(problem), over and over. The period is prime and longer than any row, so that rows differ.
Inputs repeated_inputs(const Problem& problem);

/// The nearest word of the type, ties to even, in a single rounding: overflow gives an infinity, a NaN stays one.
std::uint16_t round_to(double value, DType dtype);
/// The word's value, exactly.
double widen(std::uint16_t word, DType dtype);

}  // namespace flashlens
