// Between v1 and v2, rung 2: a CTA for each query block. All else is v1 (kernels/v1/kernel.cuh), step for step.
//
// One CTA owns 128 consecutive query rows of one head, eight query tiles, where v1's owns every num_splits-th tile. How many
// CTAs there are no longer asks for a heuristic and its cap of 30 splits: it grows with the sequence.
//
// grid    (query blocks, batch, heads); x runs fastest: CTAs of one head run side by side and find its K and V in L2.
//
// Loops, warps, shared memory and the trips of O and lse through device memory: v1's.
#pragma once

#include "kernels/between/plan.h"
#include "kernels/primitives/launcher.cuh"
#include "kernels/v1/output.cuh"

namespace flashlens::FLASHLENS_MACHINE::query_blocks {

using namespace v1;  // its steps

constexpr int query_block_rows = flashlens::between::query_block_rows;

/// Which query tiles and key blocks a CTA works on, and where they are.
template <class T, bool Causal>
struct QueryBlock {
    const AttentionParams& p;
    int first, end;  // tiles
    int key_blocks;
    HeadRows q, k, v;

    FLASHLENS_INLINE explicit QueryBlock(const AttentionParams& params)
        : p(params),
          first(static_cast<int>(blockIdx.x) * (query_block_rows / 16)),
          end(first + query_block_rows / 16),
          q(p.q, 2, blockIdx.y, blockIdx.z, p.seqlen_q, p.heads, p.head_dim),
          k(p.k, 2, blockIdx.y, kv_head_of(p, blockIdx.z), p.seqlen_k, p.kv_heads, p.head_dim),
          v(p.v, 2, blockIdx.y, kv_head_of(p, blockIdx.z), p.seqlen_k, p.kv_heads, p.head_dim) {
        end = end < (p.seqlen_q + 15) / 16 ? end : (p.seqlen_q + 15) / 16;
        const int keys = visible_keys<Causal>(p, end * 16 - 1);
        key_blocks = keys > T::block_n ? (keys + T::block_n - 1) / T::block_n : 1;
    }

    /// The first of this CTA's query tiles that key block n concerns. The first block visits all, so that rows which see
    /// nothing are written too.
    FLASHLENS_INLINE int first_tile(int n) const {
        const int above = n * T::block_n - p.diagonal;  // the first row that sees the block's first key
        return Causal && n > 0 && above > first * 16 ? above / 16 : first;
    }

    /// Whether key block n is the last that concerns tile l.
    FLASHLENS_INLINE bool is_last_pass(int n, int l) const {
        return n + 1 == key_blocks || visible_keys<Causal>(p, l * 16 + 15) <= (n + 1) * T::block_n;
    }
};

/// Key block n against the CTA's query tiles, as in v1.
template <class T, bool Causal, bool First, bool Last>
FLASHLENS_INLINE void key_block(const AttentionParams& p, const QueryBlock<T, Causal>& cta, int n) {
    const SmemQ<T> smem_q{shared_memory()};
    const typename T::KvTile smem_kv{smem_q.base + 2 * T::QTile::bytes};
    const SmemO<T> smem_o{smem_kv.base};
    const Statistics smem_max{smem_o.base + T::partial_o_bytes};
    const Statistics smem_sum{smem_max.base + T::statistics_bytes / 2};
    const SharedAddress smem_lse = smem_kv.base + T::kv_bytes;
    const f32 scale_log2 = p.scale * log2_e;

    GmemKv<T> gmem_k, gmem_v;
    GmemQ<T> gmem_q;
    typename T::FragQ frag_q;
    typename T::FragK frag_k;
    typename T::FragV frag_v;
    typename T::FragP frag_p;
    typename T::Rows m;
    OutputTile<T, Causal> out(p, blockIdx.y, blockIdx.z, !First);

    // One key block. First: none before it has left O and lse; Last: none comes after.
    int l = cta.first_tile(n);
    if (l >= cta.end) return;  // never so; but v1's line (NOTES.md)
    gmem_k.load(cta.k, n * T::block_n, p.seqlen_k, p.head_dim);
    gmem_q.load(cta.q, l * 16, p.seqlen_q, p.head_dim);
    gmem_v.load(cta.v, n * T::block_n, p.seqlen_k, p.head_dim);
    if (!First) __syncthreads();  // the last partial O has been read: V may come
    out.load_lse(l * 16);
    gmem_q.commit(smem_q[0]);
    gmem_v.commit(smem_kv);
    __syncthreads();  // Q and V are in shared memory
    load_q<T>(frag_q, smem_q[0]);
    load_v<T>(frag_v, smem_kv);
    __syncthreads();  // all have their V: K takes its place
    gmem_k.commit(smem_kv);
    __syncthreads();  // K is in shared memory
    load_k<T>(frag_k, smem_kv);

    for (int tile = 0; l < cta.end; ++l, ++tile) {
        const bool more = l + 1 < cta.end;  // another tile follows
        typename T::AccP acc_p = {};
        gemm_q_k<T>(acc_p, frag_q, frag_k, smem_q[tile]);
        out.load_previous(m, smem_lse + tile % 2 * 64, l * 16);
        if (more) gmem_q.load(cta.q, (l + 1) * 16, p.seqlen_q, p.head_dim);
        apply_mask<T, Causal>(acc_p, p, l * 16, n * T::block_n);
        if (more) out.load_lse((l + 1) * 16);
        if (tile == 0) __syncthreads();  // all have K: statistics may come
        reduce_max_before_sync<T>(m, acc_p, smem_max);
        __syncthreads();  // the four warps' maxima are in shared memory
        reduce_max_after_sync<T>(m, smem_max);
        const bool huge = scale_apply_exp<T>(acc_p, m, scale_log2);
        reduce_sum_before_sync<T>(acc_p, smem_sum);
        pack<T>(frag_p, acc_p);
        if (more) gmem_q.commit(smem_q[tile + 1]);
        typename T::AccO acc_o = {};
        gemm_o<T>(acc_o, frag_p, frag_v);
        out.reduce_max_after_sync(smem_max, smem_lse + tile % 2 * 64);
        smem_o.store(acc_o);
        __syncthreads();  // sums, partial O and the next Q are there
        const bool last_pass = Last || cta.is_last_pass(n, l);
        out.reduce_sum_after_sync(smem_sum, scale_log2);
        out.load_and_normalise(smem_o, last_pass);
        out.store_lse(last_pass, huge);
        out.store(last_pass);
        if (more) load_q<T>(frag_q, smem_q[tile + 1]);
    }
}

/// At head dim 32 an SM must have registers for three CTAs, as it has for v1's instance without a mask; ptxas would take
/// more.
template <class Traits, bool Causal>
__global__ void __launch_bounds__(Traits::threads, Traits::head_dim == 32 ? 3 : 0) kernel(const AttentionParams p) {
    using T = Traits;
    const QueryBlock<T, Causal> cta(p);
    const int last = cta.key_blocks - 1;
    if (last == 0) {
        key_block<T, Causal, true, true>(p, cta, 0);
    } else {
        key_block<T, Causal, true, false>(p, cta, 0);
        for (int n = 1; n < last; ++n) {
            key_block<T, Causal, false, false>(p, cta, n);
        }
        key_block<T, Causal, false, true>(p, cta, last);
    }
}

/// One CTA for each query block, batch and head.
template <class Traits, bool Causal>
void launch(const AttentionParams& p, Launcher& launcher) {
    const Grid grid{(p.seqlen_q + query_block_rows - 1) / query_block_rows, p.batch, p.heads};
    const int shared_bytes = Traits::shared_bytes(p.seqlen_k <= Traits::block_n);
    launcher("query-blocks", kernel<Traits, Causal>, grid, Traits::threads, shared_bytes, p);
}

}  // namespace flashlens::FLASHLENS_MACHINE::query_blocks
