// Between v1 and v2, another order: cp.async comes before late normalisation and before masking only where needed, not after.
//
// This is v2's kernel with two switches: whether O is normalised once, in the end, or after every key block, and whether
// key blocks are masked where they need it or always. With both of v2's answers it would be v2; the other three are
// kernels of their own, for what each change is worth when the others are there already, or not yet.
//
// grid, warps, shared: v2's.
#pragma once

#include <string_view>

#include "kernels/between/swapped_loops/steps.cuh"
#include "kernels/primitives/launcher.cuh"

namespace flashlens::FLASHLENS_MACHINE {

/// Swapped_loops, and copies with cp.async.
namespace async_swapped {
template <class Element, int HeadDim, int BlockM, int BlockN, int Warps>
struct Traits : v2::Traits<Element, HeadDim, BlockM, BlockN, Warps> {
    static constexpr std::string_view name = "async-swapped";
    static constexpr bool masks_all = true;
    static constexpr bool normalises_always = true;
};
}  // namespace async_swapped

/// Late_norm, and copies with cp.async: v2 that masks every key block.
namespace async_late_norm {
template <class Element, int HeadDim, int BlockM, int BlockN, int Warps>
struct Traits : v2::Traits<Element, HeadDim, BlockM, BlockN, Warps> {
    static constexpr std::string_view name = "async-late-norm";
    static constexpr bool masks_all = true;
    static constexpr bool normalises_always = false;
};
}  // namespace async_late_norm

/// v2 that normalises after every key block.
namespace async_masked_loop {
template <class Element, int HeadDim, int BlockM, int BlockN, int Warps>
struct Traits : v2::Traits<Element, HeadDim, BlockM, BlockN, Warps> {
    static constexpr std::string_view name = "async-masked-loop";
    static constexpr bool masks_all = false;
    static constexpr bool normalises_always = true;
};
}  // namespace async_masked_loop

namespace async_first {

using namespace v2;  // its steps

/// Either the softmax of v2 or that of swapped_loops, and what belongs to it.
template <class T>
FLASHLENS_INLINE void softmax(typename T::AccS& acc_s, typename T::Rows& m, typename T::Rows& l,
                              typename T::AccO& acc_o, f32 c) {
    if constexpr (T::normalises_always) {
        swapped_loops::softmax_weigh_o<T>(acc_s, m, l, acc_o, c);
    } else {
        softmax_rescale_o<T>(acc_s, m, l, acc_o, c);
    }
}

template <class T>
FLASHLENS_INLINE void normalise(typename T::AccO& acc_o, const typename T::Rows& l) {
    if constexpr (T::normalises_always) {
        swapped_loops::normalise_o<T>(acc_o, l);
    }
}

template <class T, bool Causal>
FLASHLENS_INLINE void epilogue(const typename T::AccO& acc_o, const typename T::Rows& m, const typename T::Rows& l,
                               const AttentionParams& p, int first_row, float* lse, const typename T::QTile& tile) {
    if constexpr (T::normalises_always) {
        swapped_loops::store_lse_and_o<T, Causal>(acc_o, m, l, p, first_row, lse, tile);
    } else {
        normalize<T, Causal>(acc_o, m, l, p, first_row, lse, tile);
    }
}

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
        // it runs through the corners of the tiles. Or all.
        const bool even = p.seqlen_q % T::block_m == 0 && p.seqlen_k % T::block_n == 0;
        masked_blocks = Causal ? (T::block_m + T::block_n - 1) / T::block_n + (even ? 0 : 1) : 1;
        masked_blocks = T::masks_all ? key_blocks : masked_blocks;
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
        softmax<T>(acc_s, m, l, acc_o, scale_log2);
        convert<T>(frag_p, acc_s);
        gemm_pv<T>(acc_o, frag_p, smem_v);
        normalise<T>(acc_o, l);
    }
    // ... and those that do not
    for (; !T::masks_all && n >= 0; --n) {
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
        softmax<T>(acc_s, m, l, acc_o, scale_log2);
        convert<T>(frag_p, acc_s);
        gemm_pv<T>(acc_o, frag_p, smem_v);
        normalise<T>(acc_o, l);
    }

    // Q's tile takes O: its rows were last read, by their own warp only, before the last barrier
    epilogue<T, Causal>(acc_o, m, l, p, cta.first_row, cta.lse, smem_q);
    __syncthreads();  // the tile is complete: a lane stores rows that other lanes made
    store<T>(cta.o, smem_q, cta.first_row, p.seqlen_q, p.head_dim);
}

/// One CTA for each query block, batch and head.
template <class Traits, bool Causal>
void launch(const AttentionParams& p, Launcher& launcher) {
    const Grid grid{(p.seqlen_q + Traits::block_m - 1) / Traits::block_m, p.batch, p.heads};
    launcher(Traits::name.data(), kernel<Traits, Causal>, grid, Traits::threads, Traits::shared_bytes, p);
}

}  // namespace async_first
}  // namespace flashlens::FLASHLENS_MACHINE
