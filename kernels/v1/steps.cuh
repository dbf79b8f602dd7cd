// The steps of v1's main loop, one function each, and the shapes of what a lane holds. No barrier and no bound of the
// main loop stands here. Names are those of v1.0.9.
#pragma once

#include "kernels/attention.h"
#include "kernels/primitives/mma.cuh"
#include "kernels/primitives/rows.cuh"
#include "kernels/primitives/tile.cuh"
#include "kernels/primitives/warp.cuh"

namespace flashlens::FLASHLENS_MACHINE::v1 {

template <class Element_, int HeadDim, int BlockN>
struct Traits {
    using Element = Element_;
    static constexpr int head_dim = HeadDim;  // padded
    static constexpr int block_m = 16;
    static constexpr int block_n = BlockN;
    static constexpr int warps = 4;
    static constexpr int threads = 128;
    // CTAs that an SM must have registers for; 0: no demand. v1.0.9's instances for head dim 32 take 168 registers (sm_90),
    // so that three fit, and 188, so that two do. From sm_90 on ptxas comes near by itself, on sm_90 faster than if asked.
    static FLASHLENS_HOST_DEVICE constexpr int min_ctas_per_sm(bool causal) {
        return HeadDim != 32 || ptxas_chip >= 90 ? 0 : causal ? 2 : 3;
    }
    static constexpr int groups = BlockN / 64;           // of every 64 keys a warp owns 16
    static constexpr int columns = HeadDim / 16;         // 16-column pieces of a row
    static constexpr int lanes_per_o_row = HeadDim / 4;  // when O is read back, a lane has 4 columns ...
    static constexpr int o_rows_per_pass = threads / lanes_per_o_row;
    static constexpr int o_passes = block_m / o_rows_per_pass;  // ... of this many rows

    using QTile = SharedTile<block_m, HeadDim>;
    using KvTile = SharedTile<BlockN, HeadDim>;

    // Shared memory: two Q tiles; one buffer that takes V, then K, then (they are in registers by now) the four warps'
    // partial O and the row statistics; the log-sum-exps of two query tiles, if there is more than one key block.
    static constexpr int partial_o_bytes = warps * block_m * HeadDim * 4;
    static constexpr int statistics_bytes = 2 * block_m * warps * 4;
    static constexpr int kv_bytes =
        KvTile::bytes > partial_o_bytes + statistics_bytes ? KvTile::bytes : partial_o_bytes + statistics_bytes;
    static constexpr int lse_bytes = 2 * block_m * 4;
    static FLASHLENS_HOST_DEVICE constexpr int shared_bytes(bool one_key_block) {
        return 2 * QTile::bytes + kv_bytes + (one_key_block ? 0 : lse_bytes);
    }

    // What a lane holds: accumulators and operands in mma.cuh's layout.
    using FragQ = std::uint32_t[2][4];  // 16 columns, and the next 16
    using FragK = std::uint32_t[groups][columns][4];
    using FragV = std::uint32_t[groups][columns][4];
    using FragP = std::uint32_t[groups][4];
    using AccP = f32[2 * groups][4];
    using AccO = f32[2 * columns][4];
    using Rows = f32[2];          // of the softmax: rows g and g + 8
    using ORows = f32[o_passes];  // of the output: one row a pass
    using Out = f32x4[o_passes];
};

/// Rows of one head on their way from global to shared memory through this lane's registers: load, then commit.
template <class T, class TileType, int TileRows>
struct GmemTile {
    static constexpr int rows_per_pass = T::threads / TileType::chunks_per_row;
    static constexpr int passes = TileRows > rows_per_pass ? TileRows / rows_per_pass : 1;
    Chunk chunk[passes];

    /// Rows first_row .. of `from`; what lies past `rows` or past head_dim becomes zero.
    FLASHLENS_INLINE void load(const HeadRows& from, int first_row, int rows, int head_dim) {
        const int row = first_row + lane_row();
        const int rows_left = lane_chunk() * 8 < head_dim && lane_row() < TileRows ? rows - row : 0;
        const unsigned char* source = from.row(row) + lane_chunk() * 16;
#pragma unroll
        for (int i = 0; i < passes; ++i) {
            chunk[i] = {};
            if (i * rows_per_pass < rows_left) {
                chunk[i] = load_global<Chunk>(source);
            }
            source += rows_per_pass * from.stride;  // an addition; a multiplication a pass delayed every key block
        }
    }

    FLASHLENS_INLINE void commit(const TileType& tile) const {
        if (lane_row() < TileRows) {
#pragma unroll
            for (int i = 0; i < passes; ++i) {
                store_shared(tile.chunk(lane_row() + i * rows_per_pass, lane_chunk()), chunk[i]);
            }
        }
    }

private:
    static FLASHLENS_INLINE int lane_row() { return static_cast<int>(threadIdx.x) / TileType::chunks_per_row; }
    static FLASHLENS_INLINE int lane_chunk() { return static_cast<int>(threadIdx.x) % TileType::chunks_per_row; }
};

/// Two Q tiles in shared memory: while one is read, the next is filled.
template <class T>
struct SmemQ {
    SharedAddress base;

    FLASHLENS_INLINE typename T::QTile operator[](int tile) const { return {base + tile % 2 * T::QTile::bytes}; }
};

template <class T>
using GmemQ = GmemTile<T, typename T::QTile, T::block_m>;
template <class T>
using GmemKv = GmemTile<T, typename T::KvTile, T::block_n>;

/// The first 16 columns of the 16 query rows, which all four warps need whole.
template <class T>
FLASHLENS_INLINE void load_q(typename T::FragQ& frag_q, const typename T::QTile& tile) {
    tile.load_a(frag_q[0], 0, 0);
}

/// This warp's keys, 16 of every 64, as the B operand of Q K^T; they stay in registers for all query tiles.
template <class T>
FLASHLENS_INLINE void load_k(typename T::FragK& frag_k, const typename T::KvTile& tile) {
#pragma unroll
    for (int g = 0; g < T::groups; ++g) {
#pragma unroll
        for (int c = 0; c < T::columns; ++c) {
            tile.load_b(frag_k[g][c], g * 64 + warp_index() * 16, c * 16);
        }
    }
}

/// This warp's rows of V, those of its keys, as the B operand of P V.
template <class T>
FLASHLENS_INLINE void load_v(typename T::FragV& frag_v, const typename T::KvTile& tile) {
#pragma unroll
    for (int g = 0; g < T::groups; ++g) {
#pragma unroll
        for (int c = 0; c < T::columns; ++c) {
            tile.load_b_trans(frag_v[g][c], g * 64 + warp_index() * 16, c * 16);
        }
    }
}

/// S = Q K^T: 16 query rows, this warp's keys. load_q has read the first 16 columns of Q; the next are read while these are
/// multiplied.
template <class T>
FLASHLENS_INLINE void gemm_q_k(typename T::AccP& acc_p, typename T::FragQ& frag_q, const typename T::FragK& frag_k,
                               const typename T::QTile& tile) {
    const Step step("gemm_q_k");
#pragma unroll
    for (int c = 0; c < T::columns; ++c) {
        if (c + 1 < T::columns) {
            tile.load_a(frag_q[(c + 1) % 2], 0, (c + 1) * 16);
        }
#pragma unroll
        for (int g = 0; g < T::groups; ++g) {
            mma<typename T::Element>(acc_p[2 * g], frag_q[c % 2], &frag_k[g][c][0]);
            mma<typename T::Element>(acc_p[2 * g + 1], frag_q[c % 2], &frag_k[g][c][2]);
        }
    }
}

/// Keys that a row does not see, because they lie past seqlen_k or because of the mask, get -inf. Every tile pays this.
template <class T, bool Causal>
FLASHLENS_INLINE void apply_mask(typename T::AccP& acc_p, const AttentionParams& p, int first_row, int first_key) {
    const Step step("apply_mask");
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int last_key = first_row + half * 8 + lane_index() / 4 + p.diagonal;
#pragma unroll
        for (int n = 0; n < 2 * T::groups; ++n) {
            const int key = first_key + warp_index() * 16 + lane_index() % 4 * 2 + n / 2 * 64 + n % 2 * 8;
            f32* s = &acc_p[n][2 * half];
            s[0] = select(key < p.seqlen_k && (!Causal || key <= last_key), s[0], -infinity);
            s[1] = select(key + 1 < p.seqlen_k && (!Causal || key + 1 <= last_key), s[1], -infinity);
        }
    }
}

/// The row statistics in shared memory: one float for each row and warp. A row's four are 16 bytes; as in v1.0.9 the lanes
/// of a quad, which ask for the same row, read one each and reduce them by shuffles.
struct Statistics {
    SharedAddress base;

    /// A quad's first lane leaves what its warp knows of rows g and g + 8.
    FLASHLENS_INLINE void store(const f32 (&value)[2]) const {
        if (lane_index() % 4 == 0) {
            store_shared(base + (lane_index() / 4) * 16 + warp_index() * 4, value[0]);
            store_shared(base + (lane_index() / 4 + 8) * 16 + warp_index() * 4, value[1]);
        }
    }

    FLASHLENS_INLINE f32 max_of(int row) const { return quad_max(of_one_warp(row)); }
    FLASHLENS_INLINE f32 sum_of(int row) const { return quad_sum(of_one_warp(row)); }

private:
    FLASHLENS_INLINE f32 of_one_warp(int row) const { return load_shared<f32>(base + row * 16 + lane_index() % 4 * 4); }
};

/// The maximum of each row over this warp's keys and all key blocks before, left where the other warps find it.
template <class T>
FLASHLENS_INLINE void reduce_max_before_sync(typename T::Rows& m, const typename T::AccP& acc_p,
                                             const Statistics& smem_max) {
    const Step step("reduce_max");
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int n = 0; n < 2 * T::groups; ++n) {
            m[half] = max(m[half], max(acc_p[n][2 * half], acc_p[n][2 * half + 1]));
        }
        m[half] = quad_max(m[half]);
    }
    smem_max.store(m);
}

/// ... and over all keys.
template <class T>
FLASHLENS_INLINE void reduce_max_after_sync(typename T::Rows& m, const Statistics& smem_max) {
    const Step step("reduce_max");
    m[0] = smem_max.max_of(lane_index() / 4);
    m[1] = smem_max.max_of(lane_index() / 4 + 8);
}

/// What exponents are taken from: m c, with c = scale log2 e; 0 for a row that has seen nothing.
FLASHLENS_INLINE f32 exponent_offset(f32 m, f32 c) { return select(m == -infinity, 0.0F, m * c); }

/// P = exp(scale (S - m)), in place of S. Scale and maximum are one fma before the exp2; its rounding of m c cancels,
/// unless it is so huge that 2^rounding overflows: then the warp takes s - m, exact for the keys that count, first.
/// True if it did; all warps, which have the same rows and maxima, do it together.
template <class T>
FLASHLENS_INLINE bool scale_apply_exp(typename T::AccP& acc_p, const typename T::Rows& m, f32 c) {
    const Step step("scale_apply_exp");
    f32 offset[2] = {exponent_offset(m[0], c), exponent_offset(m[1], c)};
    const bool huge = warp_any(abs(offset[0]) >= huge_logit || abs(offset[1]) >= huge_logit);
    if (huge) {
#pragma unroll
        for (int n = 0; n < 2 * T::groups; ++n) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                acc_p[n][e] = acc_p[n][e] - select(m[e / 2] == -infinity, 0.0F, m[e / 2]);
            }
        }
        offset[0] = offset[1] = 0.0F;
    }
#pragma unroll
    for (int n = 0; n < 2 * T::groups; ++n) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            acc_p[n][e] = exp2(fma(acc_p[n][e], c, -offset[e / 2]));
        }
    }
    return huge;
}

/// This warp's share of each row's sum, left where whoever reads O back finds it.
template <class T>
FLASHLENS_INLINE void reduce_sum_before_sync(const typename T::AccP& acc_p, const Statistics& smem_sum) {
    const Step step("reduce_sum_before_sync");
    typename T::Rows sum = {0.0F, 0.0F};
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int n = 0; n < 2 * T::groups; ++n) {
            sum[half] += acc_p[n][2 * half];
            sum[half] += acc_p[n][2 * half + 1];
        }
        sum[half] = quad_sum(sum[half]);
    }
    smem_sum.store(sum);
}

/// P in 16 bits. An accumulator's lanes already hold what the A operand of the next product wants: nothing moves.
template <class T>
FLASHLENS_INLINE void pack(typename T::FragP& frag_p, const typename T::AccP& acc_p) {
    const Step step("pack");
    using Element = typename T::Element;
#pragma unroll
    for (int g = 0; g < T::groups; ++g) {
        frag_p[g][0] = Element::pack(acc_p[2 * g][0], acc_p[2 * g][1]);
        frag_p[g][1] = Element::pack(acc_p[2 * g][2], acc_p[2 * g][3]);
        frag_p[g][2] = Element::pack(acc_p[2 * g + 1][0], acc_p[2 * g + 1][1]);
        frag_p[g][3] = Element::pack(acc_p[2 * g + 1][2], acc_p[2 * g + 1][3]);
    }
}

/// This warp's partial O: its columns of P times its rows of V.
template <class T>
FLASHLENS_INLINE void gemm_o(typename T::AccO& acc_o, const typename T::FragP& frag_p,
                             const typename T::FragV& frag_v) {
    const Step step("gemm_o");
#pragma unroll
    for (int g = 0; g < T::groups; ++g) {
#pragma unroll
        for (int c = 0; c < T::columns; ++c) {
            mma<typename T::Element>(acc_o[2 * c], frag_p[g], &frag_v[g][c][0]);
            mma<typename T::Element>(acc_o[2 * c + 1], frag_p[g], &frag_v[g][c][2]);
        }
    }
}

/// The four warps' partial outputs in shared memory, fp32, [warp][row][head_dim]. A row is 128 bytes or more, so 16-byte
/// chunks are swizzled: without it the rows of a warp's store would fall on the same banks.
template <class T>
struct SmemO {
    SharedAddress base;

    FLASHLENS_INLINE SharedAddress chunk(int warp, int row, int chunk) const {
        return base + ((warp * T::block_m + row) * T::lanes_per_o_row + (chunk ^ (row % 4 * 2))) * 16;
    }

    FLASHLENS_INLINE void store(const typename T::AccO& acc_o) const {
        const Step step("smem_o.store");
        const int row = lane_index() / 4;
        const int t = lane_index() % 4;
#pragma unroll
        for (int n = 0; n < 2 * T::columns; ++n) {
            const SharedAddress to = chunk(warp_index(), row, n * 2 + t / 2) + t % 2 * 8;
            store_shared(to, f32x2{acc_o[n][0], acc_o[n][1]});
            store_shared(to + 8 * T::lanes_per_o_row * 16, f32x2{acc_o[n][2], acc_o[n][3]});
        }
    }

    /// One row's 4 columns: out = out weight + the four partial outputs.
    FLASHLENS_INLINE void load(f32x4& out, f32 weight, int row, int chunk_index) const {
        const Step step("smem_o.load");
        const f32x4 first = load_shared<f32x4>(chunk(0, row, chunk_index));
        out.x = fma(out.x, weight, first.x);
        out.y = fma(out.y, weight, first.y);
        out.z = fma(out.z, weight, first.z);
        out.w = fma(out.w, weight, first.w);
#pragma unroll
        for (int warp = 1; warp < T::warps; ++warp) {
            const f32x4 part = load_shared<f32x4>(chunk(warp, row, chunk_index));
            out.x += part.x;
            out.y += part.y;
            out.z += part.z;
            out.w += part.w;
        }
    }
};

}  // namespace flashlens::FLASHLENS_MACHINE::v1
