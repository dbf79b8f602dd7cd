// FlashAttention-2, forward, as shipped (v2.8.3, flash_fwd_kernel.h: compute_attn_1rowblock).
//
// One CTA owns one query block of BlockM rows and walks the key blocks it sees, last to first:
//
//     S = Q K^T;  mask;  m_new = max(m, rowmax S);  P = exp(S - m_new)
//     acc_o = acc_o exp(m - m_new) + P V;  l = l exp(m - m_new) + rowsum P;  m = m_new
//     once, at the end:  O = acc_o / l;  lse = m + log l
//
// acc_o, m and l stay in registers; O and lse are written once, and nothing else is.
//
// grid    (query blocks, batch, heads). x runs fastest: CTAs of one head run side by side and find its K and V in L2.
// warps   split the query rows: warp w of W has rows 16w .. 16w+15 of every 16W. No warp tells another of its rows.
// shared  (BlockM + 2 BlockN) D 2 bytes: Q, one K block, one V block.
//
// sm_75   (Turing; not among v2.8.3's chips) is the same algorithm in that chip's instructions: two mma.m16n8k8 for an
//         m16n8k16, copies through registers, so that commits and waits are nothing, fp16 alone; plan.h has its tiles.
//
// Not handled: head_dim above 256 or no multiple of 8; scale <= 0 (the maximum is that of unscaled scores).
//
// Where it differs from v2.8.3:
//   - a row that sees no key has lse = -inf (v2.8.3: +inf); one whose visible logits are all -inf gives NaN, as the
//     mathematics has it.
//   - a warp that meets a huge logit takes exponents from differences of scores: one vote a key block. Cost, H200, fp16,
//     S 4096: 2 to 4 % of the time at head dim 64, 0 to 4 % at 128.
//   - K rows past seqlen_k are zero-filled, as V's are.
//   - one instance for all lengths and head dims: copies are predicated where v2.8.3 has even-shape instances.
//   - the first key block rescales acc_o = 0 like any other; v2.8.3 has a case of its own for it.
//   - the operands that Q K^T begins with are read before V's copies are sent for, not after: in the queue to shared memory
//     they would stand behind the copies of all four warps. Gain, H200, fp16: 1 to 3 % at head dim 128, 1 to 2 % at 64.
#pragma once

#include "kernels/primitives/clock.cuh"
#include "kernels/primitives/launcher.cuh"
#include "kernels/v2/steps.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

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
    const CtaClock<T> clock(p);
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

/// One CTA for each query block, batch and head: no CTA shares an output row with another.
template <class Traits, bool Causal>
void launch(const AttentionParams& p, Launcher& launcher) {
    const Grid grid{(p.seqlen_q + Traits::block_m - 1) / Traits::block_m, p.batch, p.heads};
    launcher("v2", kernel<Traits, Causal>, grid, Traits::threads, Traits::shared_bytes, p);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2
