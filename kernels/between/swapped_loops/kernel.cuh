// Between v1 and v2, rung 5: the loops are swapped, so that the running state stays in registers.
//
// One CTA owns one query block of BlockM rows and walks the key blocks it sees, first to last. Q is loaded once; acc_o, m and
// l stay where they are from key block to key block. O and lse are written once, and nothing else is.
//
//     S = Q K^T;  mask;  m_new = max(m, rowmax S);  P = exp(S - m_new);  l_new = l exp(m - m_new) + rowsum P
//     O = (O l exp(m - m_new) + P V) / l_new
//
// Still as in v1: O is normalised after every key block, so every key block needs the whole sum of each row; every key block
// is masked, whether it needs it or not; all wait while K and V are copied.
//
// grid    (query blocks, batch, heads)
// warps   split the query rows: warp w of W has rows 16w .. 16w+15 of every 16W.
// shared  (BlockM + 2 BlockN) D 2 bytes: Q, one K block, one V block.
//
// Normalising over and over costs digits, too: each time 1 / l is off by up to an ulp, and the errors of thousands of key
// blocks add up. v1 does not have this, as it hands on O with a weight of one.
#pragma once

#include "kernels/between/swapped_loops/steps.cuh"
#include "kernels/primitives/launcher.cuh"

namespace flashlens::FLASHLENS_MACHINE::swapped_loops {

using namespace v2;  // its steps

/// Which rows and keys a CTA works on, and where they are.
template <class T, bool Causal>
struct QueryBlock {
    int first_row, key_blocks;
    HeadRows q, k, v, o;
    float* lse;  // of the head's row 0

    FLASHLENS_INLINE explicit QueryBlock(const AttentionParams& p)
        : first_row(static_cast<int>(blockIdx.x) * T::block_m),
          key_blocks((visible_keys<Causal>(p, first_row + T::block_m - 1) + T::block_n - 1) / T::block_n),
          q(p.q, 2, blockIdx.y, blockIdx.z, p.seqlen_q, p.heads, p.head_dim),
          k(p.k, 2, blockIdx.y, kv_head_of(p, blockIdx.z), p.seqlen_k, p.kv_heads, p.head_dim),
          v(p.v, 2, blockIdx.y, kv_head_of(p, blockIdx.z), p.seqlen_k, p.kv_heads, p.head_dim),
          o(p.o, 2, blockIdx.y, blockIdx.z, p.seqlen_q, p.heads, p.head_dim),
          lse(p.lse + lse_index(p, blockIdx.y, blockIdx.z, 0)) {}
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

    load<T>(smem_q, cta.q, cta.first_row, p.seqlen_q, p.head_dim);
    for (int n = 0; n < cta.key_blocks; ++n) {
        typename T::AccS acc_s = {};
        if (n > 0) __syncthreads();  // all have read the K and V before
        load<T>(smem_k, cta.k, n * T::block_n, p.seqlen_k, p.head_dim);
        load<T>(smem_v, cta.v, n * T::block_n, p.seqlen_k, p.head_dim);
        __syncthreads();  // K, V and (the first time) Q are in shared memory
        gemm_qk<T>(acc_s, smem_q, smem_k);
        apply_mask<T, Causal>(acc_s, p, cta.first_row, n * T::block_n);
        softmax_weigh_o<T>(acc_s, m, l, acc_o, scale_log2);
        convert<T>(frag_p, acc_s);
        gemm_pv<T>(acc_o, frag_p, smem_v);
        normalise_o<T>(acc_o, l);
    }

    __syncthreads();  // all have read Q: its tile takes O
    store_lse_and_o<T, Causal>(acc_o, m, l, p, cta.first_row, cta.lse, smem_q);
    __syncthreads();  // the tile is complete: a lane stores rows that other lanes made
    store<T>(cta.o, smem_q, cta.first_row, p.seqlen_q, p.head_dim);
}

/// One CTA for each query block, batch and head.
template <class Traits, bool Causal>
void launch(const AttentionParams& p, Launcher& launcher) {
    const Grid grid{(p.seqlen_q + Traits::block_m - 1) / Traits::block_m, p.batch, p.heads};
    launcher("swapped-loops", kernel<Traits, Causal>, grid, Traits::threads, Traits::shared_bytes, p);
}

}  // namespace flashlens::FLASHLENS_MACHINE::swapped_loops
