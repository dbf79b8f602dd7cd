// The question a user asks: one attention forward pass, its shape, mask, type and inputs.
#pragma once

#include <cstdint>
#include "kernels/attention.h"
#include "usage_error.h"

namespace flashlens {

/// Which corner of S the causal diagonal runs into when seqlen_q != seqlen_k.
enum class Align { bottom_right, top_left };

/// How random inputs are drawn (see inputs.h).
enum class Distribution { normal, uniform, sharp, ones };

struct Problem {
    std::int64_t batch = 1;
    std::int64_t heads = 8;
    std::int64_t kv_heads = 8;
    std::int64_t seqlen_q = 1024;
    std::int64_t seqlen_k = 1024;
    std::int64_t head_dim = 64;
    bool causal = false;
    Align align = Align::bottom_right;
    DType dtype = DType::fp16;
    double scale = 0.125;  ///< multiplies every logit; 1/sqrt(head_dim) unless the user says otherwise
    std::uint64_t seed = 0;
    Distribution dist = Distribution::normal;

    /// Causal: query i sees key j if and only if j <= i + diagonal().
    std::int64_t diagonal() const { return align == Align::bottom_right ? seqlen_k - seqlen_q : 0; }
};

/// Throws UsageError unless the problem can be asked at all: sizes (zero allowed for batch, heads and lengths), head
/// grouping, a positive finite scale, head_dim a multiple of 8 up to 256, and no product that overflows 63 bits.
void validate(const Problem& problem);

/// Visible (query, key) pairs of one head, exactly.
std::int64_t visible_pairs(const Problem& problem);

/// 4 * batch * heads * head_dim * visible pairs, exactly: two matrix products, a multiply and an add each.
std::int64_t flops(const Problem& problem);

}  // namespace flashlens
