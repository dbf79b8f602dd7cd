// Walking the rows of Q, K, V and O in global memory.
#pragma once

#include "kernels/attention.h"
#include "kernels/primitives/machine.cuh"

namespace flashlens::FLASHLENS_MACHINE {

/// One head of one batch of a (batch, seqlen, heads, head_dim) tensor: rows one after the other, `stride` bytes apart.
/// A stride fits 32 bits (65535 heads of 256 floats are 64 MiB), so that an offset is one 32 x 32 -> 64-bit multiply.
struct HeadRows {
    unsigned char* first;
    std::int64_t stride;

    FLASHLENS_INLINE HeadRows(const void* tensor, int element_bytes, int batch, int head, int seqlen, int heads,
                              int head_dim)
        : first(static_cast<unsigned char*>(const_cast<void*>(tensor)) +
                ((static_cast<std::int64_t>(batch) * seqlen * heads) + head) * head_dim * element_bytes),
          stride(heads * head_dim * element_bytes) {}

    FLASHLENS_INLINE unsigned char* row(int index) const { return first + static_cast<std::int64_t>(index) * stride; }
};

/// The key/value head that query head `head` reads: heads / kv_heads query heads share each.
FLASHLENS_INLINE int kv_head_of(const AttentionParams& p, int head) { return head / (p.heads / p.kv_heads); }

/// Where row `row` of (batch, head) stands in lse, (batch, heads, seqlen_q).
FLASHLENS_INLINE std::int64_t lse_index(const AttentionParams& p, int batch, int head, int row) {
    return (static_cast<std::int64_t>(batch) * p.heads + head) * p.seqlen_q + row;
}

/// How many keys query `row` sees: keys 0 .. visible_keys - 1; zero or less when it sees none.
template <bool Causal>
FLASHLENS_INLINE int visible_keys(const AttentionParams& p, int row) {
    return Causal && row + p.diagonal + 1 < p.seqlen_k ? row + p.diagonal + 1 : p.seqlen_k;
}

/// A row whose largest logit is at least this (in units of log2) has its exponents taken from score differences, and is
/// handed on exactly between v1's passes: fp32 has 24 bits, and near 2^9 those after the point no longer carry log(l).
constexpr float huge_logit = 512.0F;

}  // namespace flashlens::FLASHLENS_MACHINE
