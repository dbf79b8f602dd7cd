// Exercise 14: warps over query rows. What is asked: flashlens practice 14 --task
//
// One solution.
#include "14-warps-over-rows/steps.cuh"  // every step that is called below
#include "exercise.cuh"

namespace flashlens::FLASHLENS_MACHINE::warps_over_rows {

/// What a warp has of S, block_m rows x block_n keys: v2's split, a quarter of the rows and all keys.
struct Piece {
    static constexpr int rows = block_m / warps;
    static constexpr int keys = block_n;
    static FLASHLENS_INLINE int first_row() { return warp_index() * rows; }
    static FLASHLENS_INLINE int first_key() { return 0; }
};

/// Whose O a warp keeps, under either split: 16 rows.
FLASHLENS_INLINE int first_row_of_o() {
    return warp_index() * 16;
}

template <bool Causal>
__global__ void __launch_bounds__(threads) attention_kernel(const AttentionParams p) {
    const int first_row = static_cast<int>(blockIdx.x) * block_m, batch = blockIdx.y, head = blockIdx.z;
    const HeadRows q(p.q, 2, batch, head, p.seqlen_q, p.heads, p.head_dim);
    const HeadRows k(p.k, 2, batch, kv_head_of(p, head), p.seqlen_k, p.kv_heads, p.head_dim);
    const HeadRows v(p.v, 2, batch, kv_head_of(p, head), p.seqlen_k, p.kv_heads, p.head_dim);
    const HeadRows o(p.o, 2, batch, head, p.seqlen_q, p.heads, p.head_dim);
    const Tile smem_q{shared_memory()}, smem_k{smem_q.base + Tile::bytes}, smem_v{smem_k.base + Tile::bytes};
    const f32 c = p.scale * log2_e;

    Rows<1> m = {{-infinity, -infinity}}, l = {};  // of its 16 rows: the maximum of all key blocks so far, and the sum
    AccO<1> acc_o = {};

    load_async(smem_q, q, first_row, p.seqlen_q, p.head_dim);
    for (int n = (p.seqlen_k - 1) / block_n; n >= 0; --n) {
        __syncthreads();  // all have read the key block before
        load_async(smem_k, k, n * block_n, p.seqlen_k, p.head_dim);
        load_async(smem_v, v, n * block_n, p.seqlen_k, p.head_dim);
        cp_async_commit();
        cp_async_wait<0>();
        __syncthreads();  // this one (and, the first time, Q) is there

        f32 acc_s[Piece::rows / 16][Piece::keys / 8][4] = {};
        gemm_qk(acc_s, smem_q, smem_k, Piece::first_row(), Piece::first_key());
        apply_mask<Causal>(acc_s, p, first_row + Piece::first_row(), n * block_n + Piece::first_key());

        const Rows<1> m_old = {{m[0][0], m[0][1]}};
        reduce_max(m, acc_s);
        scale_apply_exp(acc_s, m, c);
        rescale(l, acc_o, m_old, m, c);
        reduce_sum(l, acc_s);
        gemm_pv(acc_o, acc_s, smem_v, Piece::first_key());
    }
    store(p, o, p.lse + lse_index(p, batch, head, 0), acc_o, m, l, first_row + first_row_of_o());
}

inline void launch(const AttentionParams& p, bool causal, Launcher& launcher) {
    const Grid grid{(p.seqlen_q + block_m - 1) / block_m, p.batch, p.heads};
    const int shared_bytes = 3 * Tile::bytes;
    launcher("warps", causal ? attention_kernel<true> : attention_kernel<false>, grid, threads, shared_bytes, p);
}

}  // namespace flashlens::FLASHLENS_MACHINE::warps_over_rows

FLASHLENS_EXERCISE_KERNEL(flashlens::FLASHLENS_MACHINE::warps_over_rows::launch)
