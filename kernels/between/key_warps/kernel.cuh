// Between v1 and v2, another way: the loops are swapped while the warps still split keys.
//
// One CTA owns one query block of BlockM rows and walks the key blocks it sees, first to last, as in swapped_loops. But warp
// w of 4 has keys 16w .. 16w+15 of every 64, and so needs all of the CTA's rows: of S, and of the running O. Registers for
// a whole block's O in every warp are why the block is small: 128 rows at head dim 32, 64 at 64, 32 at 128. K and V are
// then read from device memory for that much fewer rows, two to four times as often.
//
// Each warp keeps m, l and O of its own keys. They meet once, in the end, where v1's warps meet on every pass: that much
// comes with the order of the loops, not with the split of the rows.
//
// grid    (query blocks, batch, heads)
// shared  (BlockM + 2 BlockN) D 2 bytes: Q, one K block, one V block; in the end O in fp32 and the row statistics.
//
// Still as in v1: O is normalised after every key block; every key block is masked; all wait while K and V are copied.
#pragma once

#include "kernels/between/key_warps/steps.cuh"
#include "kernels/primitives/launcher.cuh"

namespace flashlens::FLASHLENS_MACHINE::key_warps {

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
    const Merge<T> merge(smem_q.base);
    const f32 scale_log2 = p.scale * log2_e;

    typename T::AccO acc_o;
    typename T::FragP frag_p;
    typename T::Rows m, l;
    v2::clear<T>(acc_o, m, l);

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
        v2::convert<T>(frag_p, acc_s);
        gemm_pv<T>(acc_o, frag_p, smem_v);
        normalise_o<T>(acc_o, l);
    }

    __syncthreads();  // all have read Q, K and V: O and the statistics take their place
    merge.store_statistics(m, l);
    for (int warp = 0; warp < T::warps; ++warp) {
        __syncthreads();  // the statistics, and O of the warps before
        if (warp_index() == warp) merge.add(acc_o, m, l, scale_log2);
    }
    __syncthreads();  // O of all warps
    merge.template store<Causal>(p, cta.o, cta.lse, cta.first_row, scale_log2);
}

/// One CTA for each query block, batch and head.
template <class Traits, bool Causal>
void launch(const AttentionParams& p, Launcher& launcher) {
    const Grid grid{(p.seqlen_q + Traits::block_m - 1) / Traits::block_m, p.batch, p.heads};
    launcher("key-warps", kernel<Traits, Causal>, grid, Traits::threads, Traits::shared_bytes, p);
}

}  // namespace flashlens::FLASHLENS_MACHINE::key_warps
