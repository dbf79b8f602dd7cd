// Exercise 10: two loops. What is asked: flashlens practice 10 --task
//
// Complete what is marked TODO, save, and run: flashlens practice 10
#include "exercise.cuh"
#include "kernels/primitives/launcher.cuh"
#include "kernels/v2/steps.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

/// How many key blocks of a query block need masking, counted from the last one, which the loop takes first. It may say
/// more than there are. A query block has T::block_m rows, a key block T::block_n keys.
template <class T, bool Causal>
FLASHLENS_INLINE int masked_blocks(const AttentionParams& p) {
    return 0;  // TODO 1: only key blocks that may hold a key which a row does not see
}

/// v2 in the article's short form: a key block is copied, and waited for, when its turn has come.
template <class T, bool Causal>
__global__ void __launch_bounds__(T::threads) two_loops_kernel(const AttentionParams p) {
    const int first_row = static_cast<int>(blockIdx.x) * T::block_m, batch = blockIdx.y, head = blockIdx.z;
    const HeadRows q(p.q, 2, batch, head, p.seqlen_q, p.heads, p.head_dim);
    const HeadRows k(p.k, 2, batch, kv_head_of(p, head), p.seqlen_k, p.kv_heads, p.head_dim);
    const HeadRows v(p.v, 2, batch, kv_head_of(p, head), p.seqlen_k, p.kv_heads, p.head_dim);
    const HeadRows o(p.o, 2, batch, head, p.seqlen_q, p.heads, p.head_dim);
    const typename T::QTile smem_q{shared_memory()};
    const typename T::KvTile smem_k{smem_q.base + T::QTile::bytes}, smem_v{smem_k.base + T::KvTile::bytes};
    const f32 scale_log2 = p.scale * log2_e;
    const auto load_kv = [&](int n) {
        __syncthreads();  // all have read the key block before
        load_async<T>(smem_k, k, n * T::block_n, p.seqlen_k, p.head_dim);
        load_async<T>(smem_v, v, n * T::block_n, p.seqlen_k, p.head_dim);
        cp_async_commit();
        cp_async_wait<0>();
        __syncthreads();  // key block n (and, the first time, Q) is there
    };
    typename T::AccO acc_o;
    typename T::FragP frag_p;
    typename T::Rows m, l;
    clear<T>(acc_o, m, l);

    // The key blocks that any row of this query block sees: zero or less where none sees a key.
    const int key_blocks = (visible_keys<Causal>(p, first_row + T::block_m - 1) + T::block_n - 1) / T::block_n;
    if (key_blocks > 0) {
        load_async<T>(smem_q, q, first_row, p.seqlen_q, p.head_dim);
    }

    // TODO 2: two loops: one like this over masked_blocks<T, Causal>(p) key blocks, one without the mask over the others.
    for (int n = key_blocks - 1; n >= 0; --n) {
        load_kv(n);
        typename T::AccS acc_s = {};
        gemm_qk<T>(acc_s, smem_q, smem_k);
        apply_mask<T, Causal>(acc_s, p, first_row, n * T::block_n);
        softmax_rescale_o<T>(acc_s, m, l, acc_o, scale_log2);
        convert<T>(frag_p, acc_s);
        gemm_pv<T>(acc_o, frag_p, smem_v);
    }

    __syncthreads();  // Q has been read for the last time: O may take its place
    normalize<T, Causal>(acc_o, m, l, p, first_row, p.lse + lse_index(p, batch, head, 0), smem_q);
    __syncthreads();  // it has
    store<T>(o, smem_q, first_row, p.seqlen_q, p.head_dim);
}

template <bool Causal>
void launch_with(const AttentionParams& p, Launcher& launcher) {
    // 128 x 32 is v2's tile at head dim 128, full mask, on an RTX 3090; here with head dim 64, to be quick.
    using T = Traits<fp16, 64, 128, 32, 4>;
    const Grid grid{(p.seqlen_q + T::block_m - 1) / T::block_m, p.batch, p.heads};
    launcher("two_loops", two_loops_kernel<T, Causal>, grid, T::threads, T::shared_bytes, p);
}

inline void launch_exercise(const AttentionParams& p, bool causal, Launcher& launcher) {
    causal ? launch_with<true>(p, launcher) : launch_with<false>(p, launcher);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2

FLASHLENS_EXERCISE_KERNEL(flashlens::FLASHLENS_MACHINE::v2::launch_exercise)
