// v1's output tile: 16 rows of O on their way from four warps' partial sums, and from the key blocks before, to memory.
//
// The lane that reads a row back from shared memory is not the one that held it in the softmax: it has 4 columns of one
// row a pass, and gets the row's statistics anew for this mapping.
#pragma once

#include "kernels/v1/steps.cuh"

namespace flashlens::FLASHLENS_MACHINE::v1 {

/// What one head's rows leave in device memory between key blocks: O so far (normalised, fp32) and its log-sum-exp,
/// which doubles as the maximum so far. fp32 cannot hold both m and log l of a row with huge logits, so for those m and l
/// themselves are handed on, too.
struct Carried {
    int batch, head;
    HeadRows o_tmp;
    float* lse;  // of the head's row 0

    FLASHLENS_INLINE Carried(const AttentionParams& p, int batch_index, int head_index)
        : batch(batch_index),
          head(head_index),
          o_tmp(p.o_tmp, 4, batch, head, p.seqlen_q, p.heads, p.head_dim),
          lse(p.lse + lse_index(p, batch, head, 0)) {}

    FLASHLENS_INLINE float* huge_m(const AttentionParams& p, int row) const {
        return p.huge_rows + lse_index(p, batch, head, row);
    }
    FLASHLENS_INLINE float* huge_l(const AttentionParams& p, int row) const {
        return huge_m(p, row) + static_cast<std::int64_t>(p.batch) * p.heads * p.seqlen_q;
    }

    /// Twice what makes a warp take differences: log l is at most 31, so such a row's tile has done that.
    static FLASHLENS_INLINE bool is_huge(f32 lse) { return lse != -infinity && abs(lse) >= 2 * huge_logit * ln_2; }
};

/// log l. Where a key block adds little to thousands before it, l is near 1, and lg2.approx's error there, up to 2^-22,
/// would add up: the series does not have it.
FLASHLENS_INLINE f32 log_sum(f32 l) {
    const f32 x = l - 1.0F;
    const f32 series = x * fma(x, fma(x, fma(x, -0.25F, 1.0F / 3.0F), -0.5F), 1.0F);
    return select(abs(x) < 0.03125F, series, log2(l) * ln_2);
}

template <class T, bool Causal>
struct OutputTile {
    const AttentionParams& p;
    const Carried carried;
    const f32 inverse_scale;
    const bool any_before;  // whether a key block before has left O and lse
    int first_row;
    typename T::Rows lse;        // of the softmax's rows, as the key blocks before left it; loaded one tile ahead
    typename T::Out out;         // 4 columns of one row a pass
    typename T::ORows m;         // the row's maximum, all keys so far
    typename T::ORows previous;  // the row's lse before, then exp(lse before - m): what the key blocks before weigh now
    typename T::ORows sum;

    /// Of tiles of this head.
    FLASHLENS_INLINE OutputTile(const AttentionParams& params, int batch, int head, bool any)
        : p(params), carried(p, batch, head), inverse_scale(1.0F / params.scale), any_before(any) {}

    static FLASHLENS_INLINE int row(int pass) {
        return static_cast<int>(threadIdx.x) / T::lanes_per_o_row + pass * T::o_rows_per_pass;
    }
    static FLASHLENS_INLINE int chunk() { return static_cast<int>(threadIdx.x) % T::lanes_per_o_row; }
    FLASHLENS_INLINE bool row_valid(int pass) const { return first_row + row(pass) < p.seqlen_q; }
    FLASHLENS_INLINE bool valid(int pass) const { return row_valid(pass) && chunk() * 4 < p.head_dim; }

    /// Row g (half 0) or g + 8 (half 1) of the softmax.
    static FLASHLENS_INLINE int softmax_row(int half) { return lane_index() / 4 + half * 8; }

    /// Turns to the tile at row `first`. Starts loading what key blocks before have left of its O.
    FLASHLENS_INLINE void load_previous(typename T::Rows& m_before, SharedAddress smem_lse, int first) {
        first_row = first;
        load_o_tmp();
        previous_max(m_before, smem_lse);
    }

    FLASHLENS_INLINE void load_o_tmp() {
        const Step step("load o_tmp");
#pragma unroll
        for (int i = 0; i < T::o_passes; ++i) {
            out[i] = {0.0F, 0.0F, 0.0F, 0.0F};
            if (any_before && valid(i)) {
                out[i] = load_global<f32x4>(carried.o_tmp.row(first_row + row(i)) + chunk() * 16);
            }
        }
    }

    /// The maxima that the softmax starts from: lse / scale, or what was handed on exactly; -inf if nothing was. The lse
    /// themselves go to shared memory, for whoever reads the row's O back.
    FLASHLENS_INLINE void previous_max(typename T::Rows& m_before, SharedAddress smem_lse) {
        const Step step("previous max");
        m_before[0] = lse[0] * inverse_scale;
        m_before[1] = lse[1] * inverse_scale;
        if (!any_before) {
            return;
        }
        if (warp_any(Carried::is_huge(lse[0]) || Carried::is_huge(lse[1]))) {
            for (int half = 0; half < 2; ++half) {
                if (Carried::is_huge(lse[half])) {
                    // max changes nothing, but waits for the load here: else every tile would, and with it for all others
                    m_before[half] = max(load_global<f32>(carried.huge_m(p, first_row + softmax_row(half))), -infinity);
                }
            }
        }
        if (warp_index() == 0 && lane_index() % 4 == 0) {
            store_shared(smem_lse + softmax_row(0) * 4, lse[0]);
            store_shared(smem_lse + softmax_row(1) * 4, lse[1]);
        }
    }

    /// Starts loading the lse that the key blocks before left for the softmax of the tile at row `first`. One tile ahead:
    /// previous_max wants it early in the tile.
    FLASHLENS_INLINE void load_lse(int first) {
        const Step step("load lse");
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int r = first + softmax_row(half);
            lse[half] = any_before ? 0.0F : -infinity;  // a row past the last: any number
            if (any_before && r < p.seqlen_q) {
                lse[half] = load_global<f32>(carried.lse + r);
            }
        }
    }

    /// The softmax's maxima and the lse before, for the rows of this mapping.
    FLASHLENS_INLINE void reduce_max_after_sync(const Statistics& smem_max, SharedAddress smem_lse) {
        const Step step("reduce_max_after_sync");
#pragma unroll
        for (int i = 0; i < T::o_passes; ++i) {
            m[i] = smem_max.max_of(row(i));
            previous[i] = any_before ? load_shared<f32>(smem_lse + row(i) * 4) : f32(-infinity);
        }
    }

    /// The row sums: the four warps' shares, and what the key blocks before weigh under the new maximum.
    FLASHLENS_INLINE void reduce_sum_after_sync(const Statistics& smem_sum, f32 c) {
        const Step step("reduce_sum_after_sync");
#pragma unroll
        for (int i = 0; i < T::o_passes; ++i) {
            sum[i] = smem_sum.sum_of(row(i));
        }
        weigh_previous(c);
#pragma unroll
        for (int i = 0; i < T::o_passes; ++i) {
            sum[i] += previous[i];
        }
    }

    /// What the key blocks before weigh under the new maximum, in place of their lse: exp(lse before - m), or l exp(m before
    /// - m) for a row whose m and l were handed on exactly.
    FLASHLENS_INLINE void weigh_previous(f32 c) {
#pragma unroll
        for (int i = 0; i < T::o_passes; ++i) {
            if (!any_before) {
                previous[i] = 0.0F;
            } else if (Carried::is_huge(previous[i])) {
                const f32 m_before = load_global<f32>(carried.huge_m(p, first_row + row(i)));
                const f32 l_before = load_global<f32>(carried.huge_l(p, first_row + row(i)));
                previous[i] = l_before * exp2((m_before - select(m[i] == -infinity, 0.0F, m[i])) * c);
            } else {
                // m scale is the same rounded product as in lse_now: over thousands of blocks lse must not drift
                const f32 m_scaled = select(m[i] == -infinity, 0.0F, m[i] * p.scale);
                previous[i] = exp2((previous[i] - m_scaled) * log2_e);
            }
        }
    }

    /// out = (out exp(lse_before - m) + the four partial outputs) / sum: normalised on every pass.
    FLASHLENS_INLINE void load_and_normalise(const SmemO<T>& smem_o, bool last_pass) {
#pragma unroll
        for (int i = 0; i < T::o_passes; ++i) {
            smem_o.load(out[i], previous[i], row(i), chunk());
            const Step step("normalise");
            // A sum of zero: no key so far, or all logits -inf. In the end that is 0 / 0.
            scale(out[i], select(sum[i] == 0.0F && !last_pass, 1.0F, reciprocal(sum[i])));
        }
    }

    /// O in 16 bits if this was the tile's last key block, else fp32 to o_tmp for the next.
    FLASHLENS_INLINE void store(bool last_pass) const {
        const Step step(last_pass ? "store O" : "store o_tmp");
        using Element = typename T::Element;
        const HeadRows o(p.o, 2, carried.batch, carried.head, p.seqlen_q, p.heads, p.head_dim);
#pragma unroll
        for (int i = 0; i < T::o_passes; ++i) {
            if (last_pass) {
                Pairs pairs{Element::pack(out[i].x, out[i].y), Element::pack(out[i].z, out[i].w)};
                if (visible_keys<Causal>(p, first_row + row(i)) <= 0) {
                    pairs = {};  // whatever the keys it does not see hold
                }
                store_global_if(valid(i), o.row(first_row + row(i)) + chunk() * 8, pairs);
            } else {
                store_global_if(valid(i), carried.o_tmp.row(first_row + row(i)) + chunk() * 16, out[i]);
            }
        }
    }

    /// lse = m + log l, on every pass; m and l themselves, too, where they are huge and another pass needs them.
    FLASHLENS_INLINE void store_lse(bool last_pass, bool huge_now) const {
        const Step step("store lse");
#pragma unroll
        for (int i = 0; i < T::o_passes; ++i) {
            if (row_valid(i) && chunk() == 0) {
                store_global(carried.lse + first_row + row(i), lse_now(i));
            }
        }
        if (!huge_now || last_pass) {
            return;
        }
        __syncwarp();  // weigh_previous has read what the key blocks before left
#pragma unroll
        for (int i = 0; i < T::o_passes; ++i) {
            if (row_valid(i) && chunk() == 0 && Carried::is_huge(lse_now(i))) {
                store_global(carried.huge_m(p, first_row + row(i)), m[i]);
                store_global(carried.huge_l(p, first_row + row(i)), sum[i]);
            }
        }
    }

private:
    FLASHLENS_INLINE f32 lse_now(int pass) const {
        return select(sum[pass] == 0.0F, -infinity, m[pass] * p.scale + log_sum(sum[pass]));
    }

    static FLASHLENS_INLINE void scale(f32x4& v, f32 factor) {
        v.x *= factor;
        v.y *= factor;
        v.z *= factor;
        v.w *= factor;
    }
};

}  // namespace flashlens::FLASHLENS_MACHINE::v1
