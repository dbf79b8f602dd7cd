// Exercise 11: the missing barrier. What is asked: flashlens practice 11 --task
//
// One solution.
#include "exercise.cuh"
#include "kernels/v2/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

using T = Traits<fp16, 64, 64, 64, 4>;  // head dim 64, query and key blocks of 64, 4 warps

/// The 128 threads copy rows first_row .. of one head into a tile, each its chunks of 16 bytes; rows past `rows` become 0.
template <class Tile>
FLASHLENS_INLINE void load(const char* name, const Tile& tile, const HeadRows& from, int first_row, int rows) {
    const Step step(name);
    for (int i = static_cast<int>(threadIdx.x); i < 64 * 8; i += T::threads) {
        const int row = i / 8;
        const int chunk = i % 8;
        Chunk data = {};
        if (first_row + row < rows) {
            data = load_global<Chunk>(from.row(first_row + row) + chunk * 16);
        }
        store_shared(tile.chunk(row, chunk), data);
    }
}

/// v2 with one buffer for K and one for V, and copies that everybody waits for. In gemm_qk a warp reads its own 16 rows of
/// Q and all of K, in gemm_pv all of V.
template <bool Causal>
__global__ void __launch_bounds__(T::threads) my_kernel(const AttentionParams p) {
    const QueryBlock<T, Causal> cta(p);
    const T::QTile smem_q{shared_memory()};
    const T::KvTile smem_k{smem_q.base + T::QTile::bytes};
    const T::KvTile smem_v{smem_k.base + T::KvTile::bytes};
    T::AccO acc_o;
    T::FragP frag_p;
    T::Rows m, l;
    clear<T>(acc_o, m, l);

    int n = cta.key_blocks - 1;
    if (n >= 0) {
        load("load Q", smem_q, cta.q, cta.first_row, p.seqlen_q);
    }
    for (; n >= 0; --n) {
        T::AccS acc_s = {};
        load("load K", smem_k, cta.k, n * T::block_n, p.seqlen_k);
        __syncthreads();  // K (and, the first time, Q) is complete; and all have read the V before
        gemm_qk<T>(acc_s, smem_q, smem_k);
        apply_mask<T, Causal>(acc_s, p, cta.first_row, n * T::block_n);
        load("load V", smem_v, cta.v, n * T::block_n, p.seqlen_k);
        __syncthreads();  // V is complete; and all have read K
        softmax_rescale_o<T>(acc_s, m, l, acc_o, p.scale * log2_e);
        convert<T>(frag_p, acc_s);
        gemm_pv<T>(acc_o, frag_p, smem_v);
    }
    normalize<T, Causal>(acc_o, m, l, p, cta.first_row, cta.lse, smem_q);
    __syncthreads();  // O, in Q's tile, is complete: a lane stores rows that other lanes made
    store<T>(cta.o, smem_q, cta.first_row, p.seqlen_q, p.head_dim);
}

inline void launch_exercise(const AttentionParams& p, bool causal, Launcher& launcher) {
    const Grid grid{(p.seqlen_q + T::block_m - 1) / T::block_m, p.batch, p.heads};
    launcher("v2", causal ? my_kernel<true> : my_kernel<false>, grid, T::threads, T::shared_bytes, p);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2

FLASHLENS_EXERCISE_KERNEL(flashlens::FLASHLENS_MACHINE::v2::launch_exercise)
