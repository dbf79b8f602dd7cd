// What every attention kernel here is asked to do, as plain data that both compilers and both machines read.
#pragma once

#include <cstdint>
#include <limits>

namespace flashlens {

enum class DType { fp16, bf16 };

/// One launch of an attention forward kernel: O = softmax(scale * Q K^T + mask) V, for every batch and head.
///
/// Q, O are (batch, seqlen_q, heads, head_dim); K, V are (batch, seqlen_k, kv_heads, head_dim); all are dense, row-major,
/// 16-byte aligned, of the launch's DType. lse is (batch, heads, seqlen_q), fp32: log(sum(exp(scale * q.k))), natural log.
/// Query head h reads key/value head h / (heads / kv_heads). No pointer may alias another.
struct AttentionParams {
    const void* q = nullptr;
    const void* k = nullptr;
    const void* v = nullptr;
    void* o = nullptr;
    float* lse = nullptr;

    /// v1's scratch in device memory (null for the others): its running output, fp32, as O is laid out but (batch,
    /// seqlen_q, heads, head_dim) of floats ...
    float* o_tmp = nullptr;
    /// ... and the exact maximum and sum of rows with huge logits, (2, batch, heads, seqlen_q); see kernels/v1.
    float* huge_rows = nullptr;

    int batch = 0;
    int heads = 0;
    int kv_heads = 0;
    int seqlen_q = 0;
    int seqlen_k = 0;
    int head_dim = 0;

    /// Under a causal mask query i sees key j if and only if j <= i + diagonal:
    /// seqlen_k - seqlen_q for bottom-right alignment, 0 for top-left. Not read when the mask is full.
    int diagonal = 0;
    /// Multiplies every logit; positive.
    float scale = 0.0F;
};

/// What a CTA of a timed instance (kernels/primitives/clock.cuh) notes. Its records, one for each CTA in launch order, lie
/// behind lse: so the ordinary instances know nothing of them, not even a parameter.
struct CtaTime {
    struct Reading {
        std::uint64_t cycles;       ///< of the SM's own counter
        std::uint64_t nanoseconds;  ///< of the card's timer
    };
    Reading start;
    Reading end;
    std::uint32_t sm;
};

/// How a kernel cuts the problem: one CTA holds block_m query rows against block_n keys at a time.
/// head_dim is the padded one (32, 64, 128 or 256). Each is a template instance of its kernel.
struct Tile {
    int head_dim = 0;
    int block_m = 0;
    int block_n = 0;
    int warps = 0;

    friend constexpr bool operator==(const Tile& a, const Tile& b) {
        return a.head_dim == b.head_dim && a.block_m == b.block_m && a.block_n == b.block_n && a.warps == b.warps;
    }
};

/// Which piece of work CTA x of a one-dimensional grid takes (v2_tuned). Heads are taken in groups of heads_together (the
/// last group may be smaller); within a group the last query blocks of all its heads come first, since under a causal mask
/// they have most to do. From CTA turn_at on, the order is reversed.
struct CtaOrder {
    int heads_together = 1;
    std::int32_t turn_at = std::numeric_limits<std::int32_t>::max();
};

/// A launch grid, in CTAs; x runs fastest.
struct Grid {
    std::int64_t x = 1;
    std::int64_t y = 1;
    std::int64_t z = 1;
};

/// A compute capability as 10 * major + minor: 75, 80, 86, 89, 90, 100, 120.
using Chip = int;

}  // namespace flashlens
