// FlashAttention-2's forward pass taken further on the same instructions (mma.sync, ldmatrix, cp.async), where v2's idea
// stays: one query block per CTA, warps over query rows, acc_o, m and l in registers, key blocks from last to first.
//
//     S = Q K^T;  mask
//     only if some S > m + room:  m_new = max(m, rowmax S);  acc_o, l *= exp(m - m_new);  m = m_new
//     16 keys at a time:  P = exp(S - m);  acc_o += P V;  l += rowsum P
//     once, at the end:   O = acc_o / l;  lse = m + log l
//
// What it does differently from v2, and why it pays:
//   - the maximum is only raised when a weight exp(S - m) would pass 2^8 (in bf16: it is raised 2^8 ahead). Any m that is
//     not far too small gives the same O and lse: softmax does not depend on it. Nearly all key blocks then need no
//     shuffles and no rescaling of acc_o.
//   - exponentials and P V alternate, 16 keys at a time: the special function units work on the next keys while the tensor
//     cores work on these.
//   - K and V of the next block are on their way while this one is at work (two stages): one barrier a key block, not two.
//   - loads are sent for after Q K^T, when the registers of their addresses are not wanted back at once.
//   - head dims up to 64 keep Q's operands in registers, 256 those of 6 of the 16 steps of Q K^T.
//   - under a causal mask heavy query blocks start first, and grids too small for the card get smaller blocks (plan.h).
//
// grid    (query blocks x batch x heads): one axis; which block of which head a CTA takes is CtaOrder's (attention.h).
// warps   split the query rows, as in v2: warp w of W has rows 16w .. 16w+15 of every 16W.
// shared  (BlockM + 4 BlockN) D 2 bytes: Q, and two stages of a K and a V block.
//
// Not handled: as v2.
#pragma once

#include "kernels/primitives/clock.cuh"
#include "kernels/primitives/launcher.cuh"
#include "kernels/v2_tuned/steps.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2_tuned {

/// Which rows and keys a CTA works on.
template <class T, bool Causal>
struct QueryBlock {
    int batch, head, first_row;
    int key_blocks;       // that any of the rows sees
    int unmasked_blocks;  // so many, from the first on, all rows see whole

    FLASHLENS_INLINE QueryBlock(const AttentionParams& p, const CtaOrder& order) {
        const int blocks = (p.seqlen_q + T::block_m - 1) / T::block_m;
        const int heads = p.batch * p.heads;
        const int x = static_cast<int>(blockIdx.x), last = static_cast<int>(gridDim.x) - 1;
        const int place = x < order.turn_at ? x : last - (x - order.turn_at);
        const int before = place / (blocks * order.heads_together) * order.heads_together;  // heads of earlier groups
        const int group = heads - before < order.heads_together ? heads - before : order.heads_together;
        const int in_group = place - before * blocks;
        batch = (before + in_group % group) / p.heads;
        head = (before + in_group % group) % p.heads;
        first_row = (blocks - 1 - in_group / group) * T::block_m;
        const int seen_by_last = visible_keys<Causal>(p, first_row + T::block_m - 1);
        const int seen_by_first = visible_keys<Causal>(p, first_row);
        key_blocks = (seen_by_last + T::block_n - 1) / T::block_n;
        unmasked_blocks = seen_by_first / T::block_n;
    }

    /// This CTA's head of a tensor of 16-bit elements.
    FLASHLENS_INLINE HeadRows rows_of_head(const AttentionParams& p, const void* tensor) const {
        return HeadRows(tensor, 2, batch, head, p.seqlen_q, p.heads, p.head_dim);
    }
    FLASHLENS_INLINE HeadRows rows_of_kv_head(const AttentionParams& p, const void* tensor) const {
        return HeadRows(tensor, 2, batch, kv_head_of(p, head), p.seqlen_k, p.kv_heads, p.head_dim);
    }
};

template <class Traits, bool Causal>
__global__ void __launch_bounds__(Traits::threads, Traits::min_ctas_per_sm)
    kernel(const AttentionParams p, const CtaOrder order) {
    using T = Traits;
    const CtaClock<T> clock(p);
    const QueryBlock<T, Causal> cta(p, order);
    const HeadRows q = cta.rows_of_head(p, p.q), k = cta.rows_of_kv_head(p, p.k), v = cta.rows_of_kv_head(p, p.v);
    const typename T::QTile smem_q{shared_memory()};
    const SharedAddress ring = smem_q.base + T::QTile::bytes;
    const f32 scale_log2 = p.scale * log2_e;

    typename T::AccO acc_o;
    typename T::FragQ frag_q;
    typename T::FragP frag_p;
    typename T::Rows m, l, offset = {};  // offset: m scale_log2, what exponents are taken from
    f32 room = headroom<T>(scale_log2);
    v2::clear<T>(acc_o, m, l);

    int n = cta.key_blocks - 1;
    v2::KvLoader<T> kv(k, v, n * T::block_n, p.head_dim);
    if (n >= 0) {
        const Stage<T> last(ring, n);
        v2::load_async<T>(smem_q, q, cta.first_row, p.seqlen_q, p.head_dim);
        kv.load_k(last.k, p.seqlen_k - n * T::block_n);
        kv.load_v(last.v, p.seqlen_k - n * T::block_n);
        cp_async_commit();
    }
    if (T::kept_q > 0 && n >= 0) {
        cp_async_wait<0>();  // my part of Q has arrived
        __syncthreads();     // everybody's has
#pragma unroll
        for (int c = 0; c < T::kept_q; ++c) {
            load_q<T>(frag_q, smem_q, c);
        }
    }

    for (; n >= 0; --n) {
        const Stage<T> stage(ring, n), next(ring, n + 1);
        typename T::AccS acc_s = {};
        cp_async_wait<0>();  // my part of K and V has arrived
        __syncthreads();     // everybody's has; and all have read the block before
        gemm_qk<T>(acc_s, frag_q, smem_q, stage.k);
        if (n > 0) {  // into the place of the block before
            kv.load_k(next.k);
            kv.load_v(next.v);
            cp_async_commit();
        }
        if (n >= cta.unmasked_blocks) {
            v2::apply_mask<T, Causal>(acc_s, p, cta.first_row, n * T::block_n);
        }
        if (warp_any(max_has_grown<T>(acc_s, m, room))) {
            room = raise_max<T>(acc_s, m, l, acc_o, offset, scale_log2, room);
        }
#pragma unroll
        for (int key = 0; key < T::block_n; key += 16) {
            exponentiate<T>(frag_p, l, acc_s, key, offset, scale_log2);
            gemm_pv<T>(acc_o, frag_p, stage.v, key);
        }
    }

    __syncthreads();  // Q, which wide heads read for the last key block too, makes room for O
    v2::normalize<T, Causal>(acc_o, m, l, p, cta.first_row, p.lse + lse_index(p, cta.batch, cta.head, 0), smem_q);
    __syncthreads();  // the tile is complete: a lane stores rows that other lanes made
    v2::store<T>(cta.rows_of_head(p, p.o), smem_q, cta.first_row, p.seqlen_q, p.head_dim);
}

/// One CTA for each query block, batch and head.
template <class Traits, bool Causal>
void launch(const AttentionParams& p, const CtaOrder& order, Launcher& launcher) {
    const std::int64_t blocks = (p.seqlen_q + Traits::block_m - 1) / Traits::block_m;
    const Grid grid{blocks * p.batch * p.heads, 1, 1};
    launcher("v2-tuned", kernel<Traits, Causal>, grid, Traits::threads, Traits::shared_bytes, p, order);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2_tuned
