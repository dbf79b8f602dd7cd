// Between v1 and v2, rungs 3 and 4: warps split the query rows, as in v2; the loops are still v1's.
//
// One CTA owns 128 consecutive query rows of one head. Key blocks are outside, query tiles inside. Each warp has rows of its
// own in every query tile, and all keys of the block: no warp tells another of its rows, and between two key blocks there
// is no barrier. O and lse still go through device memory from key block to key block, normalised every time.
//
// grid    (query blocks, batch, heads)
// warps   split the query rows: warp w of 4 has rows 16w .. 16w+15 of every 64. Each needs all keys, so K and V have left
//         the registers: they are in shared memory, and every warp reads all of both.
// shared  (128 + 2 BlockN) D 2 bytes: Q, one K block, one V block.
//
// Rung 3 (row-warps) has query tiles of 64 rows and v1's key blocks. Rung 4 (wide-warps) has v2's tile, 128 rows:
// what a warp has read of K or V serves two mma, those of its first 16 rows and of its second. Scores of 32 rows take twice
// the registers, which up to head dim 64 makes key blocks half as long: O goes through memory twice as often.
//
// Not handled, and where it differs from what was published: as in v1, but for the order of sums.
#pragma once

#include "kernels/between/plan.h"
#include "kernels/between/row_warps/state.cuh"
#include "kernels/primitives/launcher.cuh"

namespace flashlens::FLASHLENS_MACHINE::row_warps {

constexpr int query_block_rows = flashlens::between::query_block_rows;

template <class Element_, int HeadDim, int BlockM, int BlockN, int Warps>
struct Traits : between::Traits<Element_, HeadDim, BlockM, BlockN, Warps> {
    using QueryRows = SharedTile<query_block_rows, HeadDim>;  // of all the CTA's query tiles
    static constexpr int tiles = query_block_rows / BlockM;
    static constexpr int shared_bytes = QueryRows::bytes + 2 * SharedTile<BlockN, HeadDim>::bytes;
};

/// Which query tiles and key blocks a CTA works on, and where they are.
template <class T, bool Causal>
struct QueryBlock {
    const AttentionParams& p;
    int first_row, tiles, key_blocks;
    HeadRows q, k, v;

    FLASHLENS_INLINE explicit QueryBlock(const AttentionParams& params)
        : p(params),
          first_row(static_cast<int>(blockIdx.x) * query_block_rows),
          q(p.q, 2, blockIdx.y, blockIdx.z, p.seqlen_q, p.heads, p.head_dim),
          k(p.k, 2, blockIdx.y, kv_head_of(p, blockIdx.z), p.seqlen_k, p.kv_heads, p.head_dim),
          v(p.v, 2, blockIdx.y, kv_head_of(p, blockIdx.z), p.seqlen_k, p.kv_heads, p.head_dim) {
        const int tiles_left = (p.seqlen_q - first_row + T::block_m - 1) / T::block_m;
        tiles = tiles_left < T::tiles ? tiles_left : T::tiles;
        const int keys = visible_keys<Causal>(p, row(tiles) - 1);
        key_blocks = keys > T::block_n ? (keys + T::block_n - 1) / T::block_n : 1;
    }

    FLASHLENS_INLINE int row(int tile) const { return first_row + tile * T::block_m; }

    /// The first query tile that key block n concerns. The first block visits all, so that rows which see nothing are
    /// written too.
    FLASHLENS_INLINE int first_tile(int n) const {
        const int above = n * T::block_n - p.diagonal;  // the first row that sees the block's first key
        return Causal && n > 0 && above > first_row ? (above - first_row) / T::block_m : 0;
    }

    /// Whether key block n is the last that concerns the tile.
    FLASHLENS_INLINE bool is_last_pass(int n, int tile) const {
        return n + 1 == key_blocks || visible_keys<Causal>(p, row(tile + 1) - 1) <= (n + 1) * T::block_n;
    }
};

template <class Traits, bool Causal>
__global__ void __launch_bounds__(Traits::threads) kernel(const AttentionParams p) {
    using T = Traits;
    const QueryBlock<T, Causal> cta(p);
    const typename T::QueryRows smem_q{shared_memory()};
    const typename T::KvTile smem_k{smem_q.base + T::QueryRows::bytes};
    const typename T::KvTile smem_v{smem_k.base + T::KvTile::bytes};
    const f32 scale_log2 = p.scale * log2_e;

    typename T::AccO acc_o;
    typename T::FragP frag_p;
    typename T::Rows m, sum;
    RowsInMemory<T, Causal> rows(p, blockIdx.y, blockIdx.z);

    between::load<T>(smem_q, cta.q, cta.first_row, p.seqlen_q, p.head_dim);
    for (int n = 0; n < cta.key_blocks; ++n) {
        if (n > 0) __syncthreads();  // all have read the K and V before
        between::load<T>(smem_k, cta.k, n * T::block_n, p.seqlen_k, p.head_dim);
        between::load<T>(smem_v, cta.v, n * T::block_n, p.seqlen_k, p.head_dim);
        __syncthreads();  // K, V and (the first time) Q are in shared memory

        for (int tile = cta.first_tile(n); tile < cta.tiles; ++tile) {
            typename T::AccS acc_s = {};
            const typename T::QTile q{smem_q.base + tile * T::QTile::bytes};
            rows.load(acc_o, m, cta.row(tile), n > 0);
            gemm_qk<T>(acc_s, q, smem_k);
            apply_mask<T, Causal>(acc_s, p, cta.row(tile), n * T::block_n);
            reduce_max<T>(acc_s, m);
            const bool huge = scale_apply_exp<T>(acc_s, m, sum, scale_log2);
            rows.reduce_sum(acc_o, m, sum, scale_log2);
            convert<T>(frag_p, acc_s);
            gemm_pv<T>(acc_o, frag_p, smem_v);
            rows.normalise(acc_o, sum, cta.is_last_pass(n, tile));
            __syncwarp();  // the four lanes of a row have read its lse
            rows.store_lse(m, sum, cta.is_last_pass(n, tile), huge);
            rows.store(acc_o, cta.is_last_pass(n, tile));
        }
    }
}

/// One CTA for each query block, batch and head.
template <class Traits, bool Causal>
void launch(const AttentionParams& p, Launcher& launcher) {
    const Grid grid{(p.seqlen_q + query_block_rows - 1) / query_block_rows, p.batch, p.heads};
    launcher("row-warps", kernel<Traits, Causal>, grid, Traits::threads, Traits::shared_bytes, p);
}

}  // namespace flashlens::FLASHLENS_MACHINE::row_warps
