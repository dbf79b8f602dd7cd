// Exercise 12: read too early. What is asked: flashlens practice 12 --task
//
// One solution.
#include "exercise.cuh"
#include "kernels/v2/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

using T = Traits<fp16, 64, 64, 64, 4>;  // head dim 64, query and key blocks of 64, 4 warps

/// The 128 threads start copying rows first_row .. of one head into a tile, each its chunks of 16 bytes; rows past `rows`
/// become 0. The copies belong to the group that the next cp_async_commit closes.
template <class Tile>
FLASHLENS_INLINE void load(const char* name, const Tile& tile, const HeadRows& from, int first_row, int rows) {
    const Step step(name);
    for (int i = static_cast<int>(threadIdx.x); i < 64 * 8; i += T::threads) {
        const int row = i / 8;
        const int chunk = i % 8;
        cp_async_16(tile.chunk(row, chunk), from.row(first_row + row) + chunk * 16, first_row + row < rows);
    }
}

/// v2 with two buffers for K: the next K block is on its way already while this one is still read. V has one.
template <bool Causal>
__global__ void __launch_bounds__(T::threads) my_kernel(const AttentionParams p) {
    const QueryBlock<T, Causal> cta(p);
    const T::QTile smem_q{shared_memory()};
    const SharedAddress smem_k = smem_q.base + T::QTile::bytes;  // block n is in buffer n % 2
    const T::KvTile smem_v{smem_k + 2 * T::KvTile::bytes};
    T::AccO acc_o;
    T::FragP frag_p;
    T::Rows m, l;
    clear<T>(acc_o, m, l);

    int n = cta.key_blocks - 1;
    if (n >= 0) {
        load("load Q", smem_q, cta.q, cta.first_row, p.seqlen_q);
        load("load K", T::KvTile{smem_k + n % 2 * T::KvTile::bytes}, cta.k, n * T::block_n, p.seqlen_k);
        cp_async_commit();
    }
    for (; n >= 0; --n) {
        T::AccS acc_s = {};
        const T::KvTile k{smem_k + n % 2 * T::KvTile::bytes};
        const T::KvTile next_k{smem_k + (n + 1) % 2 * T::KvTile::bytes};

        cp_async_wait<0>();
        __syncthreads();  // everybody's part of K is there; and all have read the V and the K before
        load("load V", smem_v, cta.v, n * T::block_n, p.seqlen_k);
        cp_async_commit();
        if (n > 0) {
            load("load K", next_k, cta.k, (n - 1) * T::block_n, p.seqlen_k);
        }
        cp_async_commit();  // where there is no next K, an empty group: V is always the newest group but one
        gemm_qk<T>(acc_s, smem_q, k);
        apply_mask<T, Causal>(acc_s, p, cta.first_row, n * T::block_n);

        cp_async_wait<1>();  // the next K may be on its way
        __syncthreads();     // everybody's part of V is there
        softmax_rescale_o<T>(acc_s, m, l, acc_o, p.scale * log2_e);
        convert<T>(frag_p, acc_s);
        gemm_pv<T>(acc_o, frag_p, smem_v);
    }
    normalize<T, Causal>(acc_o, m, l, p, cta.first_row, cta.lse, smem_q);
    __syncthreads();  // O, in Q's tile, is complete
    store<T>(cta.o, smem_q, cta.first_row, p.seqlen_q, p.head_dim);
}

inline void launch_exercise(const AttentionParams& p, bool causal, Launcher& launcher) {
    const Grid grid{(p.seqlen_q + T::block_m - 1) / T::block_m, p.batch, p.heads};
    constexpr int shared_bytes = T::QTile::bytes + 3 * T::KvTile::bytes;
    launcher("v2", causal ? my_kernel<true> : my_kernel<false>, grid, T::threads, shared_bytes, p);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2

FLASHLENS_EXERCISE_KERNEL(flashlens::FLASHLENS_MACHINE::v2::launch_exercise)
