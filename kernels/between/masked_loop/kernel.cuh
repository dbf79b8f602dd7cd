// Between v1 and v2, rung 7: key blocks are masked only where they need it.
//
// One CTA owns one query block of BlockM rows and walks the key blocks it sees, last to first: those that end past seqlen_k
// or that the diagonal crosses come first and have a loop of their own; all others are neither masked nor copied with an
// eye on where K and V end.
//
//     S = Q K^T;  mask;  m_new = max(m, rowmax S);  P = exp(S - m_new)
//     acc_o = acc_o exp(m - m_new) + P V;  l = l exp(m - m_new) + rowsum P;  m = m_new
//     once, at the end:  O = acc_o / l;  lse = m + log l
//
// Still as in v1: all wait while K and V are copied. What v2 has beside this are copies that go on by themselves.
//
// grid    (query blocks, batch, heads)
// warps   split the query rows: warp w of W has rows 16w .. 16w+15 of every 16W.
// shared  (BlockM + 2 BlockN) D 2 bytes: Q, one K block, one V block.
#pragma once

#include "kernels/between/load.cuh"
#include "kernels/primitives/launcher.cuh"

namespace flashlens::FLASHLENS_MACHINE::masked_loop {

using namespace v2;  // its steps
using between::load;
using between::Traits;

/// Which rows and keys a CTA works on, and where they are.
template <class T, bool Causal>
struct QueryBlock {
    int first_row, key_blocks, masked_blocks;
    HeadRows q, k, v, o;
    float* lse;  // of the head's row 0

    FLASHLENS_INLINE explicit QueryBlock(const AttentionParams& p)
        : first_row(static_cast<int>(blockIdx.x) * T::block_m),
          key_blocks((visible_keys<Causal>(p, first_row + T::block_m - 1) + T::block_n - 1) / T::block_n),
          q(p.q, 2, blockIdx.y, blockIdx.z, p.seqlen_q, p.heads, p.head_dim),
          k(p.k, 2, blockIdx.y, kv_head_of(p, blockIdx.z), p.seqlen_k, p.kv_heads, p.head_dim),
          v(p.v, 2, blockIdx.y, kv_head_of(p, blockIdx.z), p.seqlen_k, p.kv_heads, p.head_dim),
          o(p.o, 2, blockIdx.y, blockIdx.z, p.seqlen_q, p.heads, p.head_dim),
          lse(p.lse + lse_index(p, blockIdx.y, blockIdx.z, 0)) {
        // Not causal: the last key block may end past seqlen_k. Causal: those that the diagonal crosses, one more unless
        // it runs through the corners of the tiles.
        const bool even = p.seqlen_q % T::block_m == 0 && p.seqlen_k % T::block_n == 0;
        masked_blocks = Causal ? (T::block_m + T::block_n - 1) / T::block_n + (even ? 0 : 1) : 1;
    }
};

template <class Traits, bool Causal>
__global__ void __launch_bounds__(Traits::threads) kernel(const AttentionParams p) {
    using T = Traits;
    const QueryBlock<T, Causal> cta(p);
    const typename T::QTile smem_q{shared_memory()};
    const typename T::KvTile smem_k{smem_q.base + T::QTile::bytes};
    const typename T::KvTile smem_v{smem_k.base + T::KvTile::bytes};
    const f32 scale_log2 = p.scale * log2_e;

    typename T::AccO acc_o;
    typename T::FragP frag_p;
    typename T::Rows m, l;
    clear<T>(acc_o, m, l);

    int n = cta.key_blocks - 1;
    KvLoader<T> kv(cta.k, cta.v, n * T::block_n, p.head_dim);
    load<T>(smem_q, cta.q, cta.first_row, p.seqlen_q, p.head_dim);

    // the key blocks that need masking ...
    for (int step = 0; step < cta.masked_blocks && n >= 0; ++step, --n) {
        typename T::AccS acc_s = {};
        if (step > 0) __syncthreads();  // all have read the K and V before
        kv.load_k(smem_k, p.seqlen_k - n * T::block_n);
        kv.load_v(smem_v, p.seqlen_k - n * T::block_n);
        __syncthreads();  // K, V and (the first time) Q are in shared memory
        gemm_qk<T>(acc_s, smem_q, smem_k);
        apply_mask<T, Causal>(acc_s, p, cta.first_row, n * T::block_n);
        softmax_rescale_o<T>(acc_s, m, l, acc_o, scale_log2);
        convert<T>(frag_p, acc_s);
        gemm_pv<T>(acc_o, frag_p, smem_v);
    }
    // ... and those that do not
    for (; n >= 0; --n) {
        typename T::AccS acc_s = {};
        __syncthreads();  // all have read the K and V before
        kv.load_k(smem_k);
        kv.load_v(smem_v);
        __syncthreads();  // K and V are in shared memory
        gemm_qk<T>(acc_s, smem_q, smem_k);
        softmax_rescale_o<T>(acc_s, m, l, acc_o, scale_log2);
        convert<T>(frag_p, acc_s);
        gemm_pv<T>(acc_o, frag_p, smem_v);
    }

    __syncthreads();  // all have read Q: its tile takes O
    normalize<T, Causal>(acc_o, m, l, p, cta.first_row, cta.lse, smem_q);
    __syncthreads();  // the tile is complete: a lane stores rows that other lanes made
    store<T>(cta.o, smem_q, cta.first_row, p.seqlen_q, p.head_dim);
}

/// One CTA for each query block, batch and head.
template <class Traits, bool Causal>
void launch(const AttentionParams& p, Launcher& launcher) {
    const Grid grid{(p.seqlen_q + Traits::block_m - 1) / Traits::block_m, p.batch, p.heads};
    launcher("masked-loop", kernel<Traits, Causal>, grid, Traits::threads, Traits::shared_bytes, p);
}

}  // namespace flashlens::FLASHLENS_MACHINE::masked_loop
