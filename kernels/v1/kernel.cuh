// FlashAttention-1, forward, as shipped (v1.0.9, fmha_fprop_kernel_1xN.h: device_1xN_loop and device_1xN_).
//
// One CTA owns every num_splits-th 16-row query tile of one head. Key blocks are outside, query tiles inside: K and V of
// one block of BlockN keys wait in registers while all the CTA's query tiles stream past, then comes the next block.
//
//     S = Q K^T;  mask;  m = max(lse_before, rowmax S) over four warps;  P = exp(S - m)
//     O = (O_before exp(lse_before - m) + P V, summed over four warps) / l;  lse = m + log l
//
// So O is normalised on every pass, and between key blocks O and lse go through device memory: fp32 o_tmp is written on
// every pass but a row's last and read on every pass but its first.
//
// grid    (batch, heads, num_splits); x runs fastest. Splits share no output row: nothing is merged between them, but
//         each reads all of K and V again.
// warps   split the keys: warp w of 4 has keys 16w .. 16w+15 of every 64. A row's maximum, its sum and its O need all
//         four: they meet in shared memory, twice a tile.
// shared  2 * 16 D 2 (Q, double buffered) + max(BlockN D 2 (V, then K), 16 D 16 (partial O) + 512 (statistics))
//         + 128 (lse) if there is more than one key block.
//
// sm_75   (Turing), as in v1.0.9: the same tiles, two mma.m16n8k8 for an m16n8k16, fp16 alone.
//
// Not handled: head_dim above 128 or no multiple of 8; scale <= 0 (lse_before / scale serves as the maximum).
//
// Where it differs from v1.0.9:
//   - bottom-right causal alignment beside v1.0.9's top-left; the tiles to skip and the test for the last pass follow.
//   - GQA; 64-bit offsets; any lengths, where v1.0.9 rounds its scratch up.
//   - rows that see no key give O = 0, lse = -inf, also where seqlen_k is 0; a row whose visible logits are all -inf
//     gives NaN, as the mathematics has it. Both would be NaN or unwritten in v1.0.9.
//   - a warp that meets a huge logit takes exponents from differences of scores (one vote a tile), and such a row's m
//     and l are handed on beside its lse (another vote, whether any were). Cost, H200, fp16: 4 to 28 % of the time at head
//     dim 64, 3 to 7 % at 128 (NOTES.md).
//   - log l comes from a series where l is near 1, and weighs the blocks before by lse - m scale: lse passes through memory
//     once a key block, and after thousands of them the errors of lg2.approx and of 1 / scale would show. Cost: up to 7 %.
//   - two things stand a few lines from where v1.0.9 has them: the wait for a row's lse before the next Q sets out, not
//     behind the mask; lse is stored after O is normalised.
//   - head dim 32, no mask, is held to the 168 registers of v1.0.9's instance, which let three CTAs share an SM; from sm_90
//     on ptxas takes no more by itself.
#pragma once

#include "kernels/primitives/clock.cuh"
#include "kernels/primitives/launcher.cuh"
#include "kernels/v1/output.cuh"

namespace flashlens::FLASHLENS_MACHINE::v1 {

/// Which tiles a CTA works on, and where they are.
template <class T, bool Causal>
struct Share {
    const AttentionParams& p;
    int tiles, key_blocks;
    HeadRows q, k, v;

    FLASHLENS_INLINE explicit Share(const AttentionParams& params)
        : p(params),
          tiles((p.seqlen_q + 15) / 16),
          key_blocks(p.seqlen_k > T::block_n ? (p.seqlen_k + T::block_n - 1) / T::block_n : 1),
          q(p.q, 2, blockIdx.x, blockIdx.y, p.seqlen_q, p.heads, p.head_dim),
          k(p.k, 2, blockIdx.x, kv_head_of(p, blockIdx.y), p.seqlen_k, p.kv_heads, p.head_dim),
          v(p.v, 2, blockIdx.x, kv_head_of(p, blockIdx.y), p.seqlen_k, p.kv_heads, p.head_dim) {}

    /// The first of this CTA's query tiles (blockIdx.z of every gridDim.z) that key block n concerns. The first block
    /// visits all, so that rows which see nothing are written too.
    FLASHLENS_INLINE int first_tile(int n) const {
        const int above = n * T::block_n - p.diagonal;  // the first row that sees the block's first key
        const int first = Causal && n > 0 && above > 0 ? above / 16 : 0;
        const int z = static_cast<int>(blockIdx.z), splits = static_cast<int>(gridDim.z);
        return first <= z ? z : z + (first - z + splits - 1) / splits * splits;
    }

    /// Whether key block n is the last that concerns tile l.
    FLASHLENS_INLINE bool is_last_pass(int n, int l) const {
        return n + 1 == key_blocks || visible_keys<Causal>(p, l * 16 + 15) <= (n + 1) * T::block_n;
    }
};

/// Key block n against all of the CTA's query tiles that it concerns: v1.0.9's device_1xN_. Compiled for the first key
/// block, which finds no O and lse from before, for those between and for the last, which hands none on; and for one that
/// is both.
template <class T, bool Causal, bool First, bool Last>
FLASHLENS_INLINE void key_block(const AttentionParams& p, const Share<T, Causal>& cta, int n) {
    const SmemQ<T> smem_q{shared_memory()};
    const typename T::KvTile smem_kv{smem_q.base + 2 * T::QTile::bytes};
    const SmemO<T> smem_o{smem_kv.base};
    const Statistics smem_max{smem_o.base + T::partial_o_bytes};
    const Statistics smem_sum{smem_max.base + T::statistics_bytes / 2};
    const SharedAddress smem_lse = smem_kv.base + T::kv_bytes;
    const f32 scale_log2 = p.scale * log2_e;
    const int splits = static_cast<int>(gridDim.z);

    GmemKv<T> gmem_k, gmem_v;
    GmemQ<T> gmem_q;
    typename T::FragQ frag_q;
    typename T::FragK frag_k;
    typename T::FragV frag_v;
    typename T::FragP frag_p;
    typename T::Rows m;
    OutputTile<T, Causal> out(p, blockIdx.x, blockIdx.y, !First);

    // One key block. First: none before it has left O and lse; Last: none comes after.
    int l = cta.first_tile(n);
    if (l >= cta.tiles) return;
    gmem_k.load(cta.k, n * T::block_n, p.seqlen_k, p.head_dim);
    gmem_q.load(cta.q, l * 16, p.seqlen_q, p.head_dim);
    gmem_v.load(cta.v, n * T::block_n, p.seqlen_k, p.head_dim);
    if (!First) __syncthreads();  // the last partial O has been read: V may come
    out.load_lse(l * 16);
    gmem_q.commit(smem_q[0]);
    gmem_v.commit(smem_kv);
    __syncthreads();  // Q and V are in shared memory
    load_q<T>(frag_q, smem_q[0]);
    load_v<T>(frag_v, smem_kv);
    __syncthreads();  // all have their V: K takes its place
    gmem_k.commit(smem_kv);
    __syncthreads();  // K is in shared memory
    load_k<T>(frag_k, smem_kv);

    for (int tile = 0; l < cta.tiles; l += splits, ++tile) {
        const bool more = l + splits < cta.tiles;  // another tile follows
        typename T::AccP acc_p = {};
        gemm_q_k<T>(acc_p, frag_q, frag_k, smem_q[tile]);
        out.load_previous(m, smem_lse + tile % 2 * 64, l * 16);
        if (more) gmem_q.load(cta.q, (l + splits) * 16, p.seqlen_q, p.head_dim);
        apply_mask<T, Causal>(acc_p, p, l * 16, n * T::block_n);
        if (more) out.load_lse((l + splits) * 16);
        if (tile == 0) __syncthreads();  // all have K: statistics may come
        reduce_max_before_sync<T>(m, acc_p, smem_max);
        __syncthreads();  // the four warps' maxima are in shared memory
        reduce_max_after_sync<T>(m, smem_max);
        const bool huge = scale_apply_exp<T>(acc_p, m, scale_log2);
        reduce_sum_before_sync<T>(acc_p, smem_sum);
        pack<T>(frag_p, acc_p);
        if (more) gmem_q.commit(smem_q[tile + 1]);
        typename T::AccO acc_o = {};
        gemm_o<T>(acc_o, frag_p, frag_v);
        out.reduce_max_after_sync(smem_max, smem_lse + tile % 2 * 64);
        smem_o.store(acc_o);
        __syncthreads();  // sums, partial O and the next Q are there
        const bool last_pass = Last || cta.is_last_pass(n, l);
        out.reduce_sum_after_sync(smem_sum, scale_log2);
        out.load_and_normalise(smem_o, last_pass);
        out.store_lse(last_pass, huge);
        out.store(last_pass);
        if (more) load_q<T>(frag_q, smem_q[tile + 1]);
    }
}

template <class Traits, bool Causal>
__global__ void __launch_bounds__(Traits::threads, Traits::min_ctas_per_sm(Causal)) kernel(const AttentionParams p) {
    using T = Traits;
    const CtaClock<T> clock(p);
    const Share<T, Causal> cta(p);
    const int last = cta.key_blocks - 1;
    if (last == 0) {
        key_block<T, Causal, true, true>(p, cta, 0);
    } else {
        key_block<T, Causal, true, false>(p, cta, 0);
        for (int n = 1; n < last; ++n) {
            key_block<T, Causal, false, false>(p, cta, n);
        }
        key_block<T, Causal, false, true>(p, cta, last);
    }
}

/// num_splits CTAs for each batch and head; each takes every num_splits-th query tile.
template <class Traits, bool Causal>
void launch(const AttentionParams& p, int num_splits, Launcher& launcher) {
    const Grid grid{p.batch, p.heads, num_splits};
    const int shared_bytes = Traits::shared_bytes(p.seqlen_k <= Traits::block_n);
    launcher("v1", kernel<Traits, Causal>, grid, Traits::threads, shared_bytes, p);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v1
