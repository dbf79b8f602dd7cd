// Between v1 and v2, leaving one out: v2 on v1's grid.
//
// All of v2 but its grid: num_splits CTAs for each batch and head, by v1's heuristic, each with every num_splits-th query
// block. What v2 gains by a CTA for each query block shows in what this loses: a heuristic that stops at 30 splits, and an
// order of CTAs in which those that share K and V do not run side by side.
//
// grid    (batch, heads, num_splits)
// warps, shared: v2's.
#pragma once

#include "kernels/primitives/launcher.cuh"
#include "kernels/v2/steps.cuh"

namespace flashlens::FLASHLENS_MACHINE::v1_grid {

using namespace v2;  // its steps

/// Which rows and keys a CTA works on, and where they are.
template <class T, bool Causal>
struct QueryBlock {
    int first_row, key_blocks, masked_blocks;
    HeadRows q, k, v, o;
    float* lse;  // of the head's row 0

    FLASHLENS_INLINE QueryBlock(const AttentionParams& p, int block)
        : first_row(block * T::block_m),
          key_blocks((visible_keys<Causal>(p, first_row + T::block_m - 1) + T::block_n - 1) / T::block_n),
          q(p.q, 2, blockIdx.x, blockIdx.y, p.seqlen_q, p.heads, p.head_dim),
          k(p.k, 2, blockIdx.x, kv_head_of(p, blockIdx.y), p.seqlen_k, p.kv_heads, p.head_dim),
          v(p.v, 2, blockIdx.x, kv_head_of(p, blockIdx.y), p.seqlen_k, p.kv_heads, p.head_dim),
          o(p.o, 2, blockIdx.x, blockIdx.y, p.seqlen_q, p.heads, p.head_dim),
          lse(p.lse + lse_index(p, blockIdx.x, blockIdx.y, 0)) {
        // Not causal: the last key block may end past seqlen_k. Causal: those that the diagonal crosses, one more unless
        // it runs through the corners of the tiles.
        const bool even = p.seqlen_q % T::block_m == 0 && p.seqlen_k % T::block_n == 0;
        masked_blocks = Causal ? (T::block_m + T::block_n - 1) / T::block_n + (even ? 0 : 1) : 1;
    }
};

template <class Traits, bool Causal>
__global__ void __launch_bounds__(Traits::threads) kernel(const AttentionParams p) {
    using T = Traits;
    const typename T::QTile smem_q{shared_memory()};
    const typename T::KvTile smem_k{smem_q.base + T::QTile::bytes};
    const typename T::KvTile smem_v{smem_k.base + T::KvTile::bytes};
    const f32 scale_log2 = p.scale * log2_e;

    const int blocks = (p.seqlen_q + T::block_m - 1) / T::block_m;
    for (int block = blockIdx.z; block < blocks; block += static_cast<int>(gridDim.z)) {
        const QueryBlock<T, Causal> cta(p, block);
        __syncthreads();  // all have stored the query block before: its tile is free
        typename T::AccO acc_o;
        typename T::FragP frag_p;
        typename T::Rows m, l;
        clear<T>(acc_o, m, l);

        int n = cta.key_blocks - 1;
        KvLoader<T> kv(cta.k, cta.v, n * T::block_n, p.head_dim);
        if (n >= 0) {
            load_async<T>(smem_q, cta.q, cta.first_row, p.seqlen_q, p.head_dim);
            kv.load_k(smem_k, p.seqlen_k - n * T::block_n);
            cp_async_commit<T>();
        }

        // the key blocks that need masking ...
        for (int step = 0; step < cta.masked_blocks && n >= 0; ++step, --n) {
            typename T::AccS acc_s = {};
            cp_async_wait<T, 0>();  // my part of K (and, the first time, of Q) has arrived
            __syncthreads();        // everybody's has; and all have read the V before
            const QkOperands<T> first(smem_q, smem_k);
            kv.load_v(smem_v, p.seqlen_k - n * T::block_n);  // behind them in the queue
            cp_async_commit<T>();
            gemm_qk<T>(acc_s, first, smem_q, smem_k);
            apply_mask<T, Causal>(acc_s, p, cta.first_row, n * T::block_n);
            cp_async_wait<T, 0>();  // my part of V has arrived
            __syncthreads();        // everybody's has; and all have read K
            if (n > 0) {
                kv.load_k(smem_k);
                cp_async_commit<T>();
            }
            softmax_rescale_o<T>(acc_s, m, l, acc_o, scale_log2);
            convert<T>(frag_p, acc_s);
            gemm_pv<T>(acc_o, frag_p, smem_v);
        }
        // ... and those that do not
        for (; n >= 0; --n) {
            typename T::AccS acc_s = {};
            cp_async_wait<T, 0>();  // my part of K has arrived
            __syncthreads();        // everybody's has; and all have read the V before
            const QkOperands<T> first(smem_q, smem_k);
            kv.load_v(smem_v);  // behind them in the queue
            cp_async_commit<T>();
            gemm_qk<T>(acc_s, first, smem_q, smem_k);
            cp_async_wait<T, 0>();  // my part of V has arrived
            __syncthreads();        // everybody's has; and all have read K
            if (n > 0) {
                kv.load_k(smem_k);
                cp_async_commit<T>();
            }
            softmax_rescale_o<T>(acc_s, m, l, acc_o, scale_log2);
            convert<T>(frag_p, acc_s);
            gemm_pv<T>(acc_o, frag_p, smem_v);
        }

        // Q's tile takes O: its rows were last read, by their own warp only, before the last barrier
        normalize<T, Causal>(acc_o, m, l, p, cta.first_row, cta.lse, smem_q);
        __syncthreads();  // the tile is complete: a lane stores rows that other lanes made
        store<T>(cta.o, smem_q, cta.first_row, p.seqlen_q, p.head_dim);
    }
}

/// num_splits CTAs for each batch and head; each takes every num_splits-th query block.
template <class Traits, bool Causal>
void launch(const AttentionParams& p, int num_splits, Launcher& launcher) {
    launcher("v1-grid", kernel<Traits, Causal>, Grid{p.batch, p.heads, num_splits}, Traits::threads,
             Traits::shared_bytes, p);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v1_grid
