// What a query tile's rows leave in device memory between key blocks, when each warp has rows of its own: v1's o_tmp and lse,
// but the lane that reads them is the one that holds the row in the products, so nothing goes through shared memory.
#pragma once

#include "kernels/between/load.cuh"
#include "kernels/v1/output.cuh"

namespace flashlens::FLASHLENS_MACHINE::row_warps {

using v1::Carried;
using namespace v2;  // its steps

/// P = exp(scale (S - m)), in place of S, and this lane's share of each row's sum. True where logits are so huge that S - m
/// came first, as in v1::scale_apply_exp.
template <class T>
FLASHLENS_INLINE bool scale_apply_exp(typename T::AccS& acc_s, const typename T::Rows& m, typename T::Rows& sum,
                                      f32 c) {
    const Step step("scale_apply_exp");
    typename T::Rows offset;
    bool huge = false;
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            offset[i][half] = v1::exponent_offset(m[i][half], c);
            sum[i][half] = 0.0F;
            huge = huge || abs(offset[i][half]) >= huge_logit;
        }
    }
    huge = warp_any(huge);
    if (huge) {
        typename T::Rows rescale;
        subtract_max<T>(acc_s, m, m, offset, rescale, c);
    }
    exponentiate<T>(acc_s, sum, offset, c);
    return huge;
}

/// The warp's rows of a query tile: acc_o, m and l as they come from memory and go back to it.
template <class T, bool Causal>
struct RowsInMemory {
    const AttentionParams& p;
    const Carried carried;
    const HeadRows o;
    const f32 inverse_scale;
    int first_row;         // of the tile
    bool any_before;       // whether a key block before has left something
    bool huge_before;      // whether in any of the warp's rows that was huge
    typename T::Rows lse;  // as the key blocks before left it

    /// Of tiles of this head.
    FLASHLENS_INLINE RowsInMemory(const AttentionParams& params, int batch, int head)
        : p(params),
          carried(p, batch, head),
          o(p.o, 2, batch, head, p.seqlen_q, p.heads, p.head_dim),
          inverse_scale(1.0F / params.scale) {}

    FLASHLENS_INLINE int row(int i, int half) const { return first_row + row_in_block<T>(i, half); }

    /// Turns to the tile at row `first`; `any`: whether key blocks before have left something. acc_o is the O that they
    /// left, m the maximum that the softmax starts from: lse / scale, or what was handed on exactly.
    FLASHLENS_INLINE void load(typename T::AccO& acc_o, typename T::Rows& m, int first, bool any) {
        const Step step("load o_tmp");
        first_row =
            anew(first);  // with one tile all addresses are the same for every key block: hundreds of bytes of them
        any_before = any;
#pragma unroll
        for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int r = row(i, half);
                const bool valid = any && r < p.seqlen_q;
                lse[i][half] = valid ? load_global<f32>(carried.lse + r) : f32(-infinity);
                const unsigned char* from = carried.o_tmp.row(r) + lane_index() % 4 * 8;
#pragma unroll
                for (int d = 0; d < T::mmas_d; ++d) {
                    f32x2 pair = {0.0F, 0.0F};
                    if (valid && d * 8 < p.head_dim) {
                        pair = load_global<f32x2>(from + d * 32);
                    }
                    acc_o[i][d][2 * half] = pair.x;
                    acc_o[i][d][2 * half + 1] = pair.y;
                }
            }
        }
        previous_max(m);
    }

    /// What the key blocks before left weighs exp(lse_before - m) now: O is multiplied by it, each row's sum begins with it.
    /// In: the lanes' shares of the sum over this key block. Out: the whole sum.
    FLASHLENS_INLINE void reduce_sum(typename T::AccO& acc_o, const typename T::Rows& m, typename T::Rows& sum,
                                     f32 c) const {
        const Step step("reduce_sum");
#pragma unroll
        for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const f32 before = any_before ? weight_before(i, half, m[i][half], c) : f32(0.0F);
                sum[i][half] = quad_sum(sum[i][half]) + before;
#pragma unroll
                for (int d = 0; d < T::mmas_d; ++d) {
                    acc_o[i][d][2 * half] *= before;
                    acc_o[i][d][2 * half + 1] *= before;
                }
            }
        }
    }

    /// acc_o = acc_o / sum: normalised on every pass. A sum of zero: no key so far, or all logits -inf. In the end that is
    /// 0 / 0.
    FLASHLENS_INLINE void normalise(typename T::AccO& acc_o, const typename T::Rows& sum, bool last_pass) const {
        const Step step("normalise");
#pragma unroll
        for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const f32 inverse = select(sum[i][half] == 0.0F && !last_pass, 1.0F, reciprocal(sum[i][half]));
#pragma unroll
                for (int d = 0; d < T::mmas_d; ++d) {
                    acc_o[i][d][2 * half] *= inverse;
                    acc_o[i][d][2 * half + 1] *= inverse;
                }
            }
        }
    }

    /// O in 16 bits if this was the tile's last key block, else fp32 to o_tmp for the next.
    FLASHLENS_INLINE void store(const typename T::AccO& acc_o, bool last_pass) const {
        const Step step(last_pass ? "store O" : "store o_tmp");
#pragma unroll
        for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int r = row(i, half);
                const bool sees_a_key = visible_keys<Causal>(p, r) > 0;
#pragma unroll
                for (int d = 0; d < T::mmas_d; ++d) {
                    const f32* pair = &acc_o[i][d][2 * half];
                    if (r >= p.seqlen_q || d * 8 >= p.head_dim) {
                        continue;
                    }
                    if (last_pass) {
                        const std::uint32_t packed = T::Element::pack(pair[0], pair[1]);
                        store_global(o.row(r) + d * 16 + lane_index() % 4 * 4, sees_a_key ? packed : 0U);
                    } else {
                        store_global(carried.o_tmp.row(r) + d * 32 + lane_index() % 4 * 8, f32x2{pair[0], pair[1]});
                    }
                }
            }
        }
    }

    /// lse = m + log l, on every pass; m and l themselves, too, where they are huge and another pass needs them.
    FLASHLENS_INLINE void store_lse(const typename T::Rows& m, const typename T::Rows& sum, bool last_pass,
                                    bool huge_now) const {
        const Step step("store lse");
#pragma unroll
        for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int r = row(i, half);
                const f32 l = sum[i][half];
                const f32 lse_now = select(l == 0.0F, -infinity, m[i][half] * p.scale + v1::log_sum(l));
                if (lane_index() % 4 != 0 || r >= p.seqlen_q) {
                    continue;
                }
                store_global(carried.lse + r, lse_now);
                if (huge_now && !last_pass && Carried::is_huge(lse_now)) {
                    store_global(carried.huge_m(p, r), m[i][half]);
                    store_global(carried.huge_l(p, r), l);
                }
            }
        }
    }

private:
    FLASHLENS_INLINE void previous_max(typename T::Rows& m) {
        huge_before = false;
#pragma unroll
        for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                m[i][half] = lse[i][half] * inverse_scale;
                huge_before = huge_before || (any_before && Carried::is_huge(lse[i][half]));
            }
        }
        huge_before = warp_any(huge_before);
        if (huge_before) {
#pragma unroll
            for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    if (Carried::is_huge(lse[i][half])) {
                        m[i][half] = load_global<f32>(carried.huge_m(p, row(i, half)));
                    }
                }
            }
        }
    }

    /// exp(lse_before - m); of a row that was handed on exactly, l exp(m_before - m).
    FLASHLENS_INLINE f32 weight_before(int i, int half, f32 m, f32 c) const {
        const f32 before = lse[i][half];
        if (huge_before && Carried::is_huge(before)) {
            const f32 m_before = load_global<f32>(carried.huge_m(p, row(i, half)));
            const f32 l_before = load_global<f32>(carried.huge_l(p, row(i, half)));
            return l_before * exp2((m_before - select(m == -infinity, 0.0F, m)) * c);
        }
        // m scale is the same rounded product as in store_lse: over thousands of blocks lse must not drift
        return exp2((before - select(m == -infinity, 0.0F, m * p.scale)) * log2_e);
    }
};

}  // namespace flashlens::FLASHLENS_MACHINE::row_warps
