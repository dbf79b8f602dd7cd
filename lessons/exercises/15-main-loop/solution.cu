// Exercise 15: v2's main loop. What is asked: flashlens practice 15 --task
//
// One solution.
#include "exercise.cuh"
#include "kernels/v2/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

/// v2's kernel: a CTA owns one query block and walks the cta.key_blocks key blocks it sees, from the last to block 0.
///
///     cp_async_commit()       what this thread has started to copy since the last commit becomes a group
///     cp_async_wait<0>()      this thread's groups have arrived: its own part of a tile, nobody else's
///     __syncthreads()         all threads of the CTA have come here
///
///     kv.load_v(smem_v, rows)  starts to copy V of a key block; at each call that of the block before, last to first.
///                              `rows` of its keys are there: all (leave it out), but the last block may end past Sk
///     kv.load_k(smem_k)        the same of K. Its last block, and Q, are on their way already
///
///     gemm_qk<T>(acc_s, smem_q, smem_k)                             acc_s += Q K^T
///     apply_mask<T, Causal>(acc_s, p, cta.first_row, first_key)     -infinity for keys that a row does not see
///     softmax_rescale_o<T>(acc_s, m, l, acc_o, p.scale * log2_e)    acc_s becomes P; m, l and acc_o follow
///     convert<T>(frag_p, acc_s)                                     P in 16 bits
///     gemm_pv<T>(acc_o, frag_p, smem_v)                             acc_o += P V
template <class T, bool Causal>
__global__ void __launch_bounds__(T::threads) my_kernel(const AttentionParams p) {
    const QueryBlock<T, Causal> cta(p);
    const typename T::QTile smem_q{shared_memory()};
    const typename T::KvTile smem_k{smem_q.base + T::QTile::bytes};
    const typename T::KvTile smem_v{smem_k.base + T::KvTile::bytes};

    typename T::AccO acc_o;
    typename T::FragP frag_p;
    typename T::Rows m, l;
    clear<T>(acc_o, m, l);

    int n = cta.key_blocks - 1;  // -1: no row of the query block sees a key
    KvLoader<T> kv(cta.k, cta.v, n * T::block_n, p.head_dim);
    if (n >= 0) {
        load_async<T>(smem_q, cta.q, cta.first_row, p.seqlen_q, p.head_dim);
        kv.load_k(smem_k, p.seqlen_k - n * T::block_n);
        cp_async_commit();
    }

    for (; n >= 0; --n) {
        typename T::AccS acc_s = {};
        cp_async_wait<0>();  // my part of K (and, the first time, of Q) has arrived
        __syncthreads();     // everybody's has; and all have read the V before
        kv.load_v(smem_v, p.seqlen_k - n * T::block_n);
        cp_async_commit();
        gemm_qk<T>(acc_s, smem_q, smem_k);
        if (n >= cta.key_blocks - cta.masked_blocks) {
            apply_mask<T, Causal>(acc_s, p, cta.first_row, n * T::block_n);
        }
        cp_async_wait<0>();  // my part of V has arrived
        __syncthreads();     // everybody's has; and all have read K
        if (n > 0) {
            kv.load_k(smem_k);
            cp_async_commit();
        }
        softmax_rescale_o<T>(acc_s, m, l, acc_o, p.scale * log2_e);
        convert<T>(frag_p, acc_s);
        gemm_pv<T>(acc_o, frag_p, smem_v);
    }

    normalize<T, Causal>(acc_o, m, l, p, cta.first_row, cta.lse, smem_q);  // O goes into Q's tile
    __syncthreads();                                                       // the tile is complete
    store<T>(cta.o, smem_q, cta.first_row, p.seqlen_q, p.head_dim);
}

inline void launch_exercise(const AttentionParams& p, bool causal, Launcher& launcher) {
    using T = Traits<fp16, 64, 64, 64, 4>;  // head dim 64, query and key blocks of 64, 4 warps
    const Grid grid{(p.seqlen_q + T::block_m - 1) / T::block_m, p.batch, p.heads};
    launcher("my_kernel", causal ? my_kernel<T, true> : my_kernel<T, false>, grid, T::threads, T::shared_bytes, p);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2

FLASHLENS_EXERCISE_KERNEL(flashlens::FLASHLENS_MACHINE::v2::launch_exercise)
