// Exercise 14's steps: what one warp does with its piece of S, whatever piece that is, and how v1's warps exchange.
//
// A warp's piece of S has MmasM * 16 query rows and MmasN * 8 keys, in accumulators as mma.cuh lays them out: of MMA tile
// i a lane has rows g and g + 8 (g = lane / 4), `half` 0 and 1.
#pragma once

#include "kernels/attention.h"
#include "kernels/primitives/mma.cuh"
#include "kernels/primitives/rows.cuh"
#include "kernels/primitives/tile.cuh"
#include "kernels/primitives/warp.cuh"

namespace flashlens::FLASHLENS_MACHINE::warps_over_rows {

constexpr int block_m = 64;   // query rows of a CTA
constexpr int block_n = 64;   // keys of a key block
constexpr int head_dim = 64;  // padded: what lies past the real one is zero
constexpr int warps = 4;
constexpr int threads = warps * 32;

using Tile = SharedTile<64, head_dim>;

/// Per lane, for MmasM tiles of 16 rows: of each row a number, and of its 64 columns of O its share.
template <int MmasM>
using Rows = f32[MmasM][2];
template <int MmasM>
using AccO = f32[MmasM][head_dim / 8][4];

/// Starts copying rows first .. first + 63 of one head into a tile; what lies past `rows` or head_dim becomes zero.
FLASHLENS_INLINE void load_async(const Tile& tile, const HeadRows& from, int first, int rows, int real_head_dim) {
    const int chunk = static_cast<int>(threadIdx.x) % Tile::chunks_per_row;
#pragma unroll
    for (int row = static_cast<int>(threadIdx.x) / Tile::chunks_per_row; row < 64;
         row += threads / Tile::chunks_per_row) {
        const bool valid = first + row < rows && chunk * 8 < real_head_dim;
        cp_async_16(tile.chunk(row, chunk), from.row(valid ? first + row : 0) + (valid ? chunk * 16 : 0), valid);
    }
}

/// S = Q K^T, of the rows from `row` and the keys from `key` of the tiles.
template <int MmasM, int MmasN>
FLASHLENS_INLINE void gemm_qk(f32 (&acc_s)[MmasM][MmasN][4], const Tile& q, const Tile& k, int row, int key) {
    const Step step("gemm_qk");
#pragma unroll
    for (int column = 0; column < head_dim; column += 16) {
#pragma unroll
        for (int n = 0; n < MmasN; n += 2) {
            std::uint32_t b[4];
            k.load_b(b, key + n * 8, column);
#pragma unroll
            for (int i = 0; i < MmasM; ++i) {
                std::uint32_t a[4];
                q.load_a(a, row + i * 16, column);
                mma<fp16>(acc_s[i][n], a, &b[0]);
                mma<fp16>(acc_s[i][n + 1], a, &b[2]);
            }
        }
    }
}

/// Keys that a row does not see get -inf. row and key are those of the sequence.
template <bool Causal, int MmasM, int MmasN>
FLASHLENS_INLINE void apply_mask(f32 (&acc_s)[MmasM][MmasN][4], const AttentionParams& p, int row, int key) {
    const Step step("apply_mask");
    row += lane_index() / 4;
    key += lane_index() % 4 * 2;
#pragma unroll
    for (int i = 0; i < MmasM; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int seen = visible_keys<Causal>(p, row + i * 16 + half * 8) - key;
#pragma unroll
            for (int n = 0; n < MmasN; ++n) {
                f32* s = &acc_s[i][n][2 * half];
                s[0] = select(n * 8 < seen, s[0], -infinity);
                s[1] = select(n * 8 + 1 < seen, s[1], -infinity);
            }
        }
    }
}

/// m = max(m, maximum over the keys of this piece)
template <int MmasM, int MmasN>
FLASHLENS_INLINE void reduce_max(Rows<MmasM>& m, const f32 (&acc_s)[MmasM][MmasN][4]) {
    const Step step("reduce_max");
#pragma unroll
    for (int i = 0; i < MmasM; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
#pragma unroll
            for (int n = 0; n < MmasN; ++n) {
                m[i][half] = max(m[i][half], max(acc_s[i][n][2 * half], acc_s[i][n][2 * half + 1]));
            }
            m[i][half] = quad_max(m[i][half]);
        }
    }
}

/// P = exp(scale (S - m)), in place of S; c = scale log2 e. 0 for a row that has seen nothing yet.
template <int MmasM, int MmasN>
FLASHLENS_INLINE void scale_apply_exp(f32 (&acc_s)[MmasM][MmasN][4], const Rows<MmasM>& m, f32 c) {
    const Step step("scale_apply_exp");
#pragma unroll
    for (int i = 0; i < MmasM; ++i) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const f32 offset = select(m[i][e / 2] == -infinity, 0.0F, m[i][e / 2] * c);
#pragma unroll
            for (int n = 0; n < MmasN; ++n) {
                acc_s[i][n][e] = exp2(fma(acc_s[i][n][e], c, -offset));
            }
        }
    }
}

/// sum += sum of P over the keys of this piece
template <int MmasM, int MmasN>
FLASHLENS_INLINE void reduce_sum(Rows<MmasM>& sum, const f32 (&acc_p)[MmasM][MmasN][4]) {
    const Step step("reduce_sum");
#pragma unroll
    for (int i = 0; i < MmasM; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            f32 of_keys = 0.0F;
#pragma unroll
            for (int n = 0; n < MmasN; ++n) {
                of_keys += acc_p[i][n][2 * half] + acc_p[i][n][2 * half + 1];
            }
            sum[i][half] += quad_sum(of_keys);
        }
    }
}

/// acc_o += P V, with the rows of V from `key` of the tile.
template <int MmasM, int MmasN>
FLASHLENS_INLINE void gemm_pv(AccO<MmasM>& acc_o, const f32 (&acc_p)[MmasM][MmasN][4], const Tile& v, int key) {
    const Step step("gemm_pv");
#pragma unroll
    for (int n = 0; n < MmasN; n += 2) {
#pragma unroll
        for (int d = 0; d < head_dim / 8; d += 2) {
            std::uint32_t b[4];
            v.load_b_trans(b, key + n * 8, d * 8);
#pragma unroll
            for (int i = 0; i < MmasM; ++i) {
                const std::uint32_t a[4] = {fp16::pack(acc_p[i][n][0], acc_p[i][n][1]),
                                            fp16::pack(acc_p[i][n][2], acc_p[i][n][3]),
                                            fp16::pack(acc_p[i][n + 1][0], acc_p[i][n + 1][1]),
                                            fp16::pack(acc_p[i][n + 1][2], acc_p[i][n + 1][3])};
                mma<fp16>(acc_o[i][d], a, &b[0]);
                mma<fp16>(acc_o[i][d + 1], a, &b[2]);
            }
        }
    }
}

/// What was summed under m_old follows to m: l and acc_o times exp(scale (m_old - m)).
template <int MmasM>
FLASHLENS_INLINE void rescale(Rows<MmasM>& l, AccO<MmasM>& acc_o, const Rows<MmasM>& m_old, const Rows<MmasM>& m,
                              f32 c) {
    const Step step("rescale");
#pragma unroll
    for (int i = 0; i < MmasM; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const f32 factor = exp2((m_old[i][half] - select(m[i][half] == -infinity, 0.0F, m[i][half])) * c);
            l[i][half] *= factor;
#pragma unroll
            for (int d = 0; d < head_dim / 8; ++d) {
                acc_o[i][d][2 * half] *= factor;
                acc_o[i][d][2 * half + 1] *= factor;
            }
        }
    }
}

/// O = acc_o / l and lse, of the rows from `row` of the sequence: from registers to memory.
FLASHLENS_INLINE void store(const AttentionParams& p, const HeadRows& o, float* lse, const AccO<1>& acc_o,
                            const Rows<1>& m, const Rows<1>& l, int row) {
    const Step step("epilogue");
    row += lane_index() / 4;
#pragma unroll
    for (int half = 0; half < 2; ++half, row += 8) {
        const bool sees_a_key = l[0][half] > 0.0F;
        const f32 inverse = reciprocal(l[0][half]);
        if (row < p.seqlen_q) {
#pragma unroll
            for (int d = 0; d < head_dim / 8; ++d) {
                const std::uint32_t pair =
                    fp16::pack(acc_o[0][d][2 * half] * inverse, acc_o[0][d][2 * half + 1] * inverse);
                if (d * 8 < p.head_dim) {
                    store_global(o.row(row) + d * 16 + lane_index() % 4 * 4, sees_a_key ? pair : 0);
                }
            }
            if (lane_index() % 4 == 0) {
                const f32 log_sum = fma(m[0][half], p.scale, log2(l[0][half]) * ln_2);
                store_global(lse + row, select(sees_a_key, log_sum, -infinity));
            }
        }
    }
}

// --- the exchange between v1's warps, through shared memory ---------------------------------------------------------

/// A number of each of the CTA's rows from each of four warps: [row][warp].
struct SmemRows {
    static constexpr int bytes = block_m * warps * 4;
    SharedAddress base;

    /// This warp's numbers, of the rows from `row` of the query block.
    template <int MmasM>
    FLASHLENS_INLINE void store(const Rows<MmasM>& value, int row) const {
        const Step step("smem_rows.store");
        if (lane_index() % 4 == 0) {
#pragma unroll
            for (int i = 0; i < MmasM; ++i) {
                store_shared(at(row + i * 16 + lane_index() / 4) + warp_index() * 4, value[i][0]);
                store_shared(at(row + i * 16 + lane_index() / 4 + 8) + warp_index() * 4, value[i][1]);
            }
        }
    }

    /// The largest of the four warps' numbers, and their sum, added to what `sum` has.
    template <int MmasM>
    FLASHLENS_INLINE void load_max(Rows<MmasM>& m, int row) const {
        const Step step("smem_rows.load");
#pragma unroll
        for (int e = 0; e < 2 * MmasM; ++e) {
            const f32x4 of = load_shared<f32x4>(at(row + e / 2 * 16 + lane_index() / 4 + e % 2 * 8));
            m[e / 2][e % 2] = max(max(of.x, of.y), max(of.z, of.w));
        }
    }
    template <int MmasM>
    FLASHLENS_INLINE void add_sum(Rows<MmasM>& sum, int row) const {
        const Step step("smem_rows.load");
#pragma unroll
        for (int e = 0; e < 2 * MmasM; ++e) {
            const f32x4 of = load_shared<f32x4>(at(row + e / 2 * 16 + lane_index() / 4 + e % 2 * 8));
            sum[e / 2][e % 2] += (of.x + of.y) + (of.z + of.w);
        }
    }

private:
    FLASHLENS_INLINE SharedAddress at(int row) const {
        return base + row * warps * 4;
    }
};

/// A partial O, fp32, of the CTA's rows from each of four warps: [warp][row][column]; 16-byte chunks are swizzled.
struct SmemO {
    static constexpr int bytes = warps * block_m * head_dim * 4;
    SharedAddress base;

    /// This warp's partial O, of the rows from `row` of the query block.
    template <int MmasM>
    FLASHLENS_INLINE void store(const AccO<MmasM>& part, int row) const {
        const Step step("smem_o.store");
        row += lane_index() / 4;
#pragma unroll
        for (int i = 0; i < MmasM; ++i) {
#pragma unroll
            for (int d = 0; d < head_dim / 8; ++d) {
                store_shared(at(warp_index(), row + i * 16, d), f32x2{part[i][d][0], part[i][d][1]});
                store_shared(at(warp_index(), row + i * 16 + 8, d), f32x2{part[i][d][2], part[i][d][3]});
            }
        }
    }

    /// The sum of the four partial outputs, added to acc_o.
    FLASHLENS_INLINE void add_sum(AccO<1>& acc_o, int row) const {
        const Step step("smem_o.load");
        row += lane_index() / 4;
#pragma unroll
        for (int warp = 0; warp < warps; ++warp) {
#pragma unroll
            for (int d = 0; d < head_dim / 8; ++d) {
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const f32x2 part = load_shared<f32x2>(at(warp, row + half * 8, d));
                    acc_o[0][d][2 * half] += part.x;
                    acc_o[0][d][2 * half + 1] += part.y;
                }
            }
        }
    }

private:
    /// This lane's two columns of the 8-column tile d.
    FLASHLENS_INLINE SharedAddress at(int warp, int row, int d) const {
        const int t = lane_index() % 4;
        const int chunk = (d * 2 + t / 2) ^ (row % 4 * 2);
        return base + ((warp * block_m + row) * (head_dim / 4) + chunk) * 16 + t % 2 * 8;
    }
};

}  // namespace flashlens::FLASHLENS_MACHINE::warps_over_rows
