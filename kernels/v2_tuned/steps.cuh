// The steps of v2_tuned's main loop where they are not v2's, and the shapes of what a lane holds. No barrier, no wait and
// no bound of the main loop stands here.
#pragma once

#include <type_traits>

#include "kernels/v2/steps.cuh"
#include "kernels/v2_tuned/plan.h"

namespace flashlens::FLASHLENS_MACHINE::v2_tuned {

template <class Element_, int HeadDim, int BlockM, int BlockN, int Warps>
struct Traits : v2::Traits<Element_, HeadDim, BlockM, BlockN, Warps> {
    using Base = v2::Traits<Element_, HeadDim, BlockM, BlockN, Warps>;

    /// Head dim 32 needs so little that three CTAs share an SM, if the compiler is held to 168 registers. 0: no request.
    static constexpr int min_ctas_per_sm = HeadDim <= 32 && BlockM == 128 ? 3 : 0;

    using RowOffset = std::int64_t;  // heads share an axis of the grid with the query blocks: there may be any number

    static constexpr int stages = flashlens::v2_tuned::stages;
    static constexpr int stage_bytes = 2 * Base::KvTile::bytes;
    static constexpr int shared_bytes = Base::QTile::bytes + stages * stage_bytes;

    /// For how many steps of 16 columns a warp keeps Q's operands; the others are loaded anew for each key block. Narrow
    /// heads leave the registers to keep all. Head dim 256 keeps what it has room for: it is shared memory that limits it.
    static constexpr int kept_q = HeadDim <= 64 ? HeadDim / 16 : HeadDim > 128 ? 6 : 0;
    using FragQ = std::uint32_t[Base::mmas_m][HeadDim / 16][4];
    using FragP = std::uint32_t[Base::mmas_m][4];  // of 16 keys at a time

    /// A maximum that is raised goes 2^8 beyond the score that asked, so that P never passes 1: in bf16, where V may be so
    /// large that fp32 holds its sum but not 2^8 times it. fp16's P would lose digits, below 2^-14.
    static constexpr bool raises_ahead = std::is_same_v<Element_, bf16>;
};

/// K and V of one key block.
template <class T>
struct Stage {
    typename T::KvTile k, v;

    /// The stage of key block n, in the ring at `ring`.
    FLASHLENS_INLINE Stage(SharedAddress ring, int n)
        : k{ring + n % T::stages * T::stage_bytes}, v{k.base + T::KvTile::bytes} {}
};

/// Columns 16 c .. 16 c + 15 of the warp's rows of Q.
template <class T>
FLASHLENS_INLINE void load_q(typename T::FragQ& frag_q, const typename T::QTile& tile, int c) {
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
        tile.load_a(frag_q[i][c], (i * T::warps + warp_index()) * 16, c * 16);
    }
}

/// S += Q K^T over columns 16 c .. 16 c + 15, for two neighbouring n-tiles, whose operands b has.
template <class T>
FLASHLENS_INLINE void add_columns(typename T::AccS& acc_s, int n, const typename T::FragQ& q, int c,
                                  const std::uint32_t (&b)[4]) {
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
        mma<typename T::Element>(acc_s[i][n], q[i][c], &b[0]);
        mma<typename T::Element>(acc_s[i][n + 1], q[i][c], &b[2]);
    }
}

/// S = Q K^T for the warp's rows and all keys of the block.
template <class T>
FLASHLENS_INLINE void gemm_qk(typename T::AccS& acc_s, typename T::FragQ& frag_q, const typename T::QTile& q,
                              const typename T::KvTile& k) {
    const Step step("gemm_qk");
    constexpr int together = T::head_dim <= 64 ? 4 : T::mmas_n;  // n-tiles for which a loaded operand of Q serves
#pragma unroll
    for (int first = 0; first < T::mmas_n; first += together) {
#pragma unroll
        for (int c = 0; c < T::head_dim / 16; ++c) {
            if (c >= T::kept_q) {
                load_q<T>(frag_q, q, c);
            }
            std::uint32_t b[2][4];  // of these n-tiles, and of the next, which are on their way
#pragma unroll
            for (int n = first; n < first + together; n += 2) {
                if (n == first) {
                    k.load_b(b[0], n * 8, c * 16);
                }
                if (n + 2 < first + together) {
                    k.load_b(b[(n / 2 + 1) % 2], (n + 2) * 8, c * 16);
                }
                add_columns<T>(acc_s, n, frag_q, c, b[n / 2 % 2]);
            }
        }
    }
}

/// Eight powers of two, in units of S. (c may be so small that 1 / c is infinite; -inf plus that is NaN.)
FLASHLENS_INLINE f32 eight_powers(f32 c) { return 8.0F * reciprocal(max(c, 1e-30F)); }

/// How far, in units of S, a score may lie above its row's m before m has to follow: P is then at most 2^8, which fp16,
/// up to 2^16, and the fp32 sums hold as exactly as 1. None where m lies ahead.
template <class T>
FLASHLENS_INLINE f32 headroom(f32 c) {
    return T::raises_ahead ? f32(0.0F) : eight_powers(c);
}

/// Whether a score of this lane lies further than `room` above its row's m. Each lane of a quad asks for its own columns
/// only: no shuffle is needed to know, only to act.
template <class T>
FLASHLENS_INLINE bool max_has_grown(const typename T::AccS& acc_s, const typename T::Rows& m, f32 room) {
    const Step step("max_has_grown");
    bool grown = false;
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            f32 largest = max(acc_s[i][0][2 * half], acc_s[i][0][2 * half + 1]);
#pragma unroll
            for (int n = 1; n < T::mmas_n; ++n) {
                largest = max(largest, max(acc_s[i][n][2 * half], acc_s[i][n][2 * half + 1]));
            }
            grown |= largest > m[i][half] + room;
        }
    }
    return grown;
}

/// In rows where a lane asked for it m becomes the maximum so far, or lies ahead of it, and l and acc_o follow; the others
/// stay as they are, so that no row depends on its neighbours. What room the next key block has: none if a logit was huge,
/// whose exponents are taken from differences, here and block by block.
template <class T>
FLASHLENS_INLINE f32 raise_max(typename T::AccS& acc_s, typename T::Rows& m, typename T::Rows& l,
                               typename T::AccO& acc_o, typename T::Rows& offset, f32 c, f32 room) {
    const Step step("raise_max");
    typename T::Rows m_old, rescale;
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
        m_old[i][0] = m[i][0];
        m_old[i][1] = m[i][1];
    }
    v2::reduce_max<T>(acc_s, m);
    const f32 ahead = T::raises_ahead ? select(room == -infinity, 0.0F, eight_powers(c)) : f32(0.0F);
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
        m[i][0] = select(m[i][0] > m_old[i][0] + room, T::raises_ahead ? m[i][0] + ahead : m[i][0], m_old[i][0]);
        m[i][1] = select(m[i][1] > m_old[i][1] + room, T::raises_ahead ? m[i][1] + ahead : m[i][1], m_old[i][1]);
    }
    const bool huge = v2::choose_exponents<T>(acc_s, m_old, m, offset, rescale, c);
    v2::rescale_sums<T>(l, acc_o, rescale);
    return select(huge, -infinity, headroom<T>(c));
}

/// P = 2^(S c - offset) of 16 keys, in 16 bits; l adds up this lane's columns.
template <class T>
FLASHLENS_INLINE void exponentiate(typename T::FragP& frag_p, typename T::Rows& l, const typename T::AccS& acc_s,
                                   int key, const typename T::Rows& offset, f32 c) {
    const Step step("exponentiate");
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {  // the A operand's registers: rows g, g + 8, g, g + 8 of n-tiles 0, 0, 1, 1
            const int half = j % 2;
            const f32* s = &acc_s[i][key / 8 + j / 2][2 * half];
            const f32 p0 = exp2(fma(s[0], c, -offset[i][half]));
            const f32 p1 = exp2(fma(s[1], c, -offset[i][half]));
            l[i][half] += p0;
            l[i][half] += p1;
            frag_p[i][j] = T::Element::pack(p0, p1);
        }
    }
}

/// acc_o += P V, for 16 keys.
template <class T>
FLASHLENS_INLINE void gemm_pv(typename T::AccO& acc_o, const typename T::FragP& frag_p, const typename T::KvTile& v,
                              int key) {
    const Step step("gemm_pv");
#pragma unroll
    for (int d = 0; d < T::mmas_d; d += 2) {
        std::uint32_t b[4];
        v.load_b_trans(b, key, d * 8);
#pragma unroll
        for (int i = 0; i < T::mmas_m; ++i) {
            mma<typename T::Element>(acc_o[i][d], frag_p[i], &b[0]);
            mma<typename T::Element>(acc_o[i][d + 1], frag_p[i], &b[2]);
        }
    }
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2_tuned
