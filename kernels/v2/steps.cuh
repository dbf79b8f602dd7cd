// The steps of v2's main loop, one function each, and the shapes of what a lane holds. No barrier, no wait and no bound
// of the main loop stands here.
#pragma once

#include <type_traits>

#include "kernels/attention.h"
#include "kernels/primitives/mma.cuh"
#include "kernels/primitives/rows.cuh"
#include "kernels/primitives/tile.cuh"
#include "kernels/primitives/warp.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

template <class Element_, int HeadDim, int BlockM, int BlockN, int Warps>
struct Traits {
    using Element = Element_;
    static constexpr bool async_copies = Element::chip >= 80;
    static constexpr int head_dim = HeadDim;  // padded
    static constexpr int block_m = BlockM;
    static constexpr int block_n = BlockN;
    static constexpr int warps = Warps;
    static constexpr int threads = Warps * 32;
    static constexpr int mmas_m = BlockM / (16 * Warps);  // 16-row MMA tiles of a warp: one B fragment serves them all
    static constexpr int mmas_n = BlockN / 8;             // 8-key tiles of S
    static constexpr int mmas_d = HeadDim / 8;            // 8-column tiles of O

    using QTile = SharedTile<BlockM, HeadDim>;
    using KvTile = SharedTile<BlockN, HeadDim>;
    static constexpr int shared_bytes = QTile::bytes + 2 * KvTile::bytes;

    // Bytes from a key block's first row to another. At head dim 256, 32 bits hold 64 rows of the 65,535 heads that a grid
    // can have, and sums from uniform registers are faster (by 2 %, H200); up to 128 a 64-bit multiply-add each is.
    using RowOffset = std::conditional_t<(HeadDim > 128), int, std::int64_t>;
    static_assert(sizeof(RowOffset) == 8 || std::int64_t{BlockN} * 65535 * HeadDim * 2 < std::int64_t{1} << 31);

    // What a lane holds: accumulators and operands in mma.cuh's layout. Its rows are g and g + 8 of each MMA tile.
    using AccS = f32[mmas_m][mmas_n][4];
    using AccO = f32[mmas_m][mmas_d][4];
    using FragP = std::uint32_t[mmas_m][BlockN / 16][4];
    using Rows = f32[mmas_m][2];
};

/// Row within the query block of the lane's row `half` (0: g, 1: g + 8) of MMA tile `i`.
template <class T>
FLASHLENS_INLINE int row_in_block(int i, int half) {
    return (i * T::warps + warp_index()) * 16 + half * 8 + lane_index() / 4;
}

/// No key seen yet: m = -inf, l = 0, acc_o = 0.
template <class T>
FLASHLENS_INLINE void clear(typename T::AccO& acc_o, typename T::Rows& m, typename T::Rows& l) {
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            m[i][half] = -infinity;
            l[i][half] = 0.0F;
#pragma unroll
            for (int d = 0; d < T::mmas_d; ++d) {
                acc_o[i][d][2 * half] = 0.0F;
                acc_o[i][d][2 * half + 1] = 0.0F;
            }
        }
    }
}

/// Where the chunk of row `row` + `pass` rows_per_pass belongs. The swizzle repeats every 8 rows: but for its first passes
/// a lane's address is one of these and a constant.
template <int rows_per_pass, class Tile>
FLASHLENS_INLINE SharedAddress chunk_of_pass(const Tile& tile, int row, int chunk, int pass) {
    constexpr int passes_per_swizzle = rows_per_pass < 8 ? 8 / rows_per_pass : 1;
    const int repeated = pass / passes_per_swizzle * passes_per_swizzle * rows_per_pass;
    return tile.chunk(row + pass * rows_per_pass - repeated, chunk) + repeated * Tile::row_bytes;
}

/// Starts copying rows first_row .. of one head into a tile; what lies past `rows` or past head_dim becomes zero.
template <class T, int Rows, int Columns>
FLASHLENS_INLINE void load_async(const SharedTile<Rows, Columns>& tile, const HeadRows& from, int first_row, int rows,
                                 int head_dim) {
    using Tile = SharedTile<Rows, Columns>;
    constexpr int rows_per_pass = T::threads / Tile::chunks_per_row;
    const int chunk = static_cast<int>(threadIdx.x) % Tile::chunks_per_row;
    const int row = static_cast<int>(threadIdx.x) / Tile::chunks_per_row;
    const int rows_left = chunk * 8 < head_dim ? rows - first_row - row : 0;
    const unsigned char* source = from.row(first_row + row) + chunk * 16;
    Copies<T::async_copies, Rows / rows_per_pass> copies;
#pragma unroll
    for (int pass = 0; pass < Rows / rows_per_pass; ++pass) {
        const int r = pass * rows_per_pass;
        copies.start(pass, chunk_of_pass<rows_per_pass>(tile, row, chunk, pass),
                     source + static_cast<std::int64_t>(r) * from.stride, r < rows_left);
    }
    copies.finish();
}

/// A lane's share of loading K and V, key block by key block, last to first. All that is left of the address arithmetic
/// is a pointer that moves. Only the last block may end past seqlen_k: the others are loaded without looking at rows.
template <class T>
struct KvLoader {
    using Tile = typename T::KvTile;
    static constexpr int rows_per_pass = T::threads / Tile::chunks_per_row;
    const unsigned char *k, *v;  // the lane's first chunk of the next block
    int stride;                  // bytes from row to row
    bool valid;                  // the chunk is within head_dim

    /// The first block it loads, of K and of V, starts at row first_row.
    FLASHLENS_INLINE KvLoader(const HeadRows& k_rows, const HeadRows& v_rows, int first_row, int head_dim)
        : k(k_rows.row(first_row + row()) + chunk() * 16),
          v(v_rows.row(first_row + row()) + chunk() * 16),
          stride(static_cast<int>(k_rows.stride)),
          valid(chunk() * 8 < head_dim) {}

    /// Start copying a block, and turn to the one before it. What lies past `rows` or past head_dim becomes zero.
    FLASHLENS_INLINE void load_k(const Tile& tile, int rows = T::block_n) { k = load(tile, k, rows); }
    FLASHLENS_INLINE void load_v(const Tile& tile, int rows = T::block_n) { v = load(tile, v, rows); }

private:
    static FLASHLENS_INLINE int row() { return static_cast<int>(threadIdx.x) / Tile::chunks_per_row; }
    static FLASHLENS_INLINE int chunk() { return static_cast<int>(threadIdx.x) % Tile::chunks_per_row; }

    FLASHLENS_INLINE const unsigned char* load(const Tile& tile, const unsigned char* from, int rows) const {
        const auto stride_of_pass = static_cast<typename T::RowOffset>(stride) * rows_per_pass;
        Copies<T::async_copies, T::block_n / rows_per_pass> copies;
#pragma unroll
        for (int pass = 0; pass < T::block_n / rows_per_pass; ++pass) {
            const int r = pass * rows_per_pass;
            const SharedAddress to = chunk_of_pass<rows_per_pass>(tile, row(), chunk(), pass);
            const bool whole = rows >= T::block_n;  // known to the compiler where it is so always
            copies.start(pass, to, from + pass * stride_of_pass, valid && (whole || r + row() < rows));
        }
        copies.finish();
        return from - static_cast<std::int64_t>(T::block_n) * stride;
    }
};

/// Operands of Q K^T: 16 columns of the warp's rows of Q, and of 32 keys. At first the columns 0 .. 15, and the keys 0 .. 31.
template <class T>
struct QkOperands {
    std::uint32_t q[T::mmas_m][4];
    std::uint32_t k[2][4];

    FLASHLENS_INLINE QkOperands(const typename T::QTile& q_tile, const typename T::KvTile& k_tile) {
        const Step step("gemm_qk");
        load_q(q_tile, 0);
        k_tile.load_b(k[0], 0, 0);
        k_tile.load_b(k[1], 16, 0);
    }

    FLASHLENS_INLINE void load_q(const typename T::QTile& tile, int column) {
#pragma unroll
        for (int i = 0; i < T::mmas_m; ++i) {
            tile.load_a(q[i], (i * T::warps + warp_index()) * 16, column);
        }
    }
};

/// S = Q K^T for the warp's rows and all keys of the block. `operands` are those that it begins with.
template <class T>
FLASHLENS_INLINE void gemm_qk(typename T::AccS& acc_s, QkOperands<T> operands, const typename T::QTile& q,
                              const typename T::KvTile& k) {
    const Step step("gemm_qk");
#pragma unroll
    for (int column = 0; column < T::head_dim; column += 16) {
        if (column > 0) {
            operands.load_q(q, column);
        }
#pragma unroll
        for (int n = 0; n < T::mmas_n; n += 2) {
            std::uint32_t(&b)[4] = operands.k[n / 2 % 2];
            if (column > 0 || n >= 4) {
                k.load_b(b, n * 8, column);
            }
#pragma unroll
            for (int i = 0; i < T::mmas_m; ++i) {
                mma<typename T::Element>(acc_s[i][n], operands.q[i], &b[0]);
                mma<typename T::Element>(acc_s[i][n + 1], operands.q[i], &b[2]);
            }
        }
    }
}

/// The same, from its beginning.
template <class T>
FLASHLENS_INLINE void gemm_qk(typename T::AccS& acc_s, const typename T::QTile& q, const typename T::KvTile& k) {
    gemm_qk<T>(acc_s, QkOperands<T>(q, k), q, k);
}

/// Keys that a row does not see, because of the mask or because they lie past seqlen_k, get -inf.
template <class T, bool Causal>
FLASHLENS_INLINE void apply_mask(typename T::AccS& acc_s, const AttentionParams& p, int first_row, int first_key) {
    const Step step("apply_mask");
    const int lane_key = first_key + lane_index() % 4 * 2;
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int seen = visible_keys<Causal>(p, first_row + row_in_block<T>(i, half)) - lane_key;
#pragma unroll
            for (int n = 0; n < T::mmas_n; ++n) {
                f32* s = &acc_s[i][n][2 * half];
                s[0] = select(n * 8 < seen, s[0], -infinity);
                s[1] = select(n * 8 + 1 < seen, s[1], -infinity);
            }
        }
    }
}

/// m = max(m, rowmax S), over the four lanes that share a row.
template <class T>
FLASHLENS_INLINE void reduce_max(const typename T::AccS& acc_s, typename T::Rows& m) {
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
#pragma unroll
            for (int n = 0; n < T::mmas_n; ++n) {
                m[i][half] = max(m[i][half], max(acc_s[i][n][2 * half], acc_s[i][n][2 * half + 1]));
            }
            m[i][half] = quad_max(m[i][half]);
        }
    }
}

/// For a warp with a huge logit: S becomes S - m, exact for the keys that count, so that nothing is left to subtract.
template <class T>
FLASHLENS_INLINE void subtract_max(typename T::AccS& acc_s, const typename T::Rows& m_old, const typename T::Rows& m,
                                   typename T::Rows& offset, typename T::Rows& rescale, f32 c) {
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const f32 m_safe = select(m[i][half] == -infinity, 0.0F, m[i][half]);
            rescale[i][half] = exp2((m_old[i][half] - m_safe) * c);
            offset[i][half] = 0.0F;
#pragma unroll
            for (int n = 0; n < T::mmas_n; ++n) {
                acc_s[i][n][2 * half] = acc_s[i][n][2 * half] - m_safe;
                acc_s[i][n][2 * half + 1] = acc_s[i][n][2 * half + 1] - m_safe;
            }
        }
    }
}

/// What exponents are taken from: offset = m c, with c = scale log2 e (0 for a row that has seen nothing), and what all
/// that was summed under m_old is multiplied by: rescale = 2^(m_old c - m c).
///
/// The product m c is rounded, but the same number serves P, rescale and all later blocks, so that its rounding cancels
/// in acc_o / l, unless it is so huge that 2^rounding overflows: then S becomes S - m, and the result is true.
template <class T>
FLASHLENS_INLINE bool choose_exponents(typename T::AccS& acc_s, const typename T::Rows& m_old,
                                       const typename T::Rows& m, typename T::Rows& offset, typename T::Rows& rescale,
                                       f32 c) {
    bool huge = false;
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            offset[i][half] = select(m[i][half] == -infinity, 0.0F, m[i][half] * c);
            rescale[i][half] = exp2(m_old[i][half] * c - offset[i][half]);
            huge = huge || abs(offset[i][half]) >= huge_logit;
        }
    }
    huge = warp_any(huge);
    if (huge) {
        subtract_max<T>(acc_s, m_old, m, offset, rescale, c);
    }
    return huge;
}

/// What was summed under the old maximum follows the new one.
template <class T>
FLASHLENS_INLINE void rescale_sums(typename T::Rows& l, typename T::AccO& acc_o, const typename T::Rows& rescale) {
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
        l[i][0] *= rescale[i][0];
        l[i][1] *= rescale[i][1];
#pragma unroll
        for (int d = 0; d < T::mmas_d; ++d) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                acc_o[i][d][e] *= rescale[i][e / 2];
            }
        }
    }
}

/// P = 2^(S c - offset), in place of S; l adds up this lane's columns only (the quad's four lanes are added up once, in
/// the epilogue). Key by key, in the order in which gemm_pv wants P.
template <class T>
FLASHLENS_INLINE void exponentiate(typename T::AccS& acc_s, typename T::Rows& l, const typename T::Rows& offset,
                                   f32 c) {
#pragma unroll
    for (int n = 0; n < T::mmas_n; ++n) {
#pragma unroll
        for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                acc_s[i][n][e] = exp2(fma(acc_s[i][n][e], c, -offset[i][e / 2]));
                l[i][e / 2] += acc_s[i][n][e];
            }
        }
    }
}

/// The online softmax: S becomes P = exp(scale (S - m_new)); l and acc_o are carried over from m to m_new.
template <class T>
FLASHLENS_INLINE void softmax_rescale_o(typename T::AccS& acc_s, typename T::Rows& m, typename T::Rows& l,
                                        typename T::AccO& acc_o, f32 c) {
    const Step step("softmax_rescale_o");
    typename T::Rows m_old, offset, rescale;
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
        m_old[i][0] = m[i][0];
        m_old[i][1] = m[i][1];
    }
    reduce_max<T>(acc_s, m);
    choose_exponents<T>(acc_s, m_old, m, offset, rescale, c);
    rescale_sums<T>(l, acc_o, rescale);
    exponentiate<T>(acc_s, l, offset, c);
}

/// P in 16 bits. An accumulator's lanes already hold what the A operand of the next product wants: nothing moves.
template <class T>
FLASHLENS_INLINE void convert(typename T::FragP& p, const typename T::AccS& acc_s) {
    const Step step("convert");
    using Element = typename T::Element;
#pragma unroll
    for (int n = 0; n < T::mmas_n; n += 2) {
#pragma unroll
        for (int i = 0; i < T::mmas_m; ++i) {
            p[i][n / 2][0] = Element::pack(acc_s[i][n][0], acc_s[i][n][1]);
            p[i][n / 2][1] = Element::pack(acc_s[i][n][2], acc_s[i][n][3]);
            p[i][n / 2][2] = Element::pack(acc_s[i][n + 1][0], acc_s[i][n + 1][1]);
            p[i][n / 2][3] = Element::pack(acc_s[i][n + 1][2], acc_s[i][n + 1][3]);
        }
    }
}

/// acc_o += P V
template <class T>
FLASHLENS_INLINE void gemm_pv(typename T::AccO& acc_o, const typename T::FragP& p, const typename T::KvTile& v) {
    const Step step("gemm_pv");
#pragma unroll
    for (int key = 0; key < T::block_n; key += 16) {
#pragma unroll
        for (int d = 0; d < T::mmas_d; d += 2) {
            std::uint32_t b[4];
            v.load_b_trans(b, key, d * 8);
#pragma unroll
            for (int i = 0; i < T::mmas_m; ++i) {
                mma<typename T::Element>(acc_o[i][d], p[i][key / 16], &b[0]);
                mma<typename T::Element>(acc_o[i][d + 1], p[i][key / 16], &b[2]);
            }
        }
    }
}

/// The one normalisation: O = acc_o / l, in 16 bits, into the tile that held Q (each warp its own rows); lse to memory.
template <class T, bool Causal>
FLASHLENS_INLINE void normalize(const typename T::AccO& acc_o, const typename T::Rows& m, const typename T::Rows& l,
                                const AttentionParams& p, int first_row, float* lse, const typename T::QTile& tile) {
    const Step step("epilogue");
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = row_in_block<T>(i, half);
            const f32 sum = quad_sum(l[i][half]);
            const bool sees_a_key = visible_keys<Causal>(p, first_row + row) > 0;
            const f32 inverse = reciprocal(sum);
            if (lane_index() % 4 == 0 && first_row + row < p.seqlen_q) {
                const f32 log_sum = fma(m[i][half], p.scale, log2(sum) * ln_2);
                store_global(lse + first_row + row, select(sum == 0.0F, -infinity, log_sum));
            }
#pragma unroll
            for (int d = 0; d < T::mmas_d; ++d) {
                const f32* o = &acc_o[i][d][2 * half];
                const std::uint32_t pair = T::Element::pack(o[0] * inverse, o[1] * inverse);
                store_shared(tile.chunk(row, d) + lane_index() % 4 * 4, sees_a_key ? pair : 0);
            }
        }
    }
}

/// Writes a tile's valid rows and columns to global memory, 16 bytes a lane.
template <class T>
FLASHLENS_INLINE void store(const HeadRows& to, const typename T::QTile& tile, int first_row, int rows, int head_dim) {
    const Step step("epilogue");
    constexpr int rows_per_pass = T::threads / T::QTile::chunks_per_row;
    const int chunk = static_cast<int>(threadIdx.x) % T::QTile::chunks_per_row;
    const int row = static_cast<int>(threadIdx.x) / T::QTile::chunks_per_row;
#pragma unroll
    for (int r = row; r < T::block_m; r += rows_per_pass) {
        if (first_row + r < rows && chunk * 8 < head_dim) {
            store_global(to.row(first_row + r) + chunk * 16, load_shared<Chunk>(tile.chunk(r, chunk)));
        }
    }
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2
