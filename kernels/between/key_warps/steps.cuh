// The steps of a kernel whose warps split keys while the running state stays in registers. The others are those of
// swapped_loops and v2, on shapes of its own.
#pragma once

#include "kernels/between/swapped_loops/steps.cuh"

namespace flashlens::FLASHLENS_MACHINE::key_warps {

using between::load;
using swapped_loops::normalise_o;
using swapped_loops::softmax_weigh_o;

/// A warp holds all of the CTA's rows and a quarter of the keys: as v2's shapes are for one warp with a quarter of the block.
template <class Element_, int HeadDim, int BlockM, int BlockN, int Warps>
struct Traits : between::Traits<Element_, HeadDim, BlockM, BlockN / Warps, 1> {
    static constexpr int block_n = BlockN;
    static constexpr int warps = Warps;
    static constexpr int threads = Warps * 32;
    static constexpr int groups = BlockN / 64;  // of every 64 keys a warp owns 16
    using KvTile = SharedTile<BlockN, HeadDim>;
    using QTile = SharedTile<BlockM, HeadDim>;

    // Q, K and V; in the end the sum of the warps' O, fp32, and their maxima and sums take their place.
    static constexpr int o_bytes = BlockM * HeadDim * 4;
    static constexpr int statistics_bytes = BlockM * Warps * 4;
    static constexpr int tile_bytes = QTile::bytes + 2 * KvTile::bytes;
    static constexpr int shared_bytes =
        tile_bytes > o_bytes + 2 * statistics_bytes ? tile_bytes : o_bytes + 2 * statistics_bytes;
};

/// S = Q K^T: all of the CTA's rows, this warp's keys, 16 of every 64.
template <class T>
FLASHLENS_INLINE void gemm_qk(typename T::AccS& acc_s, const typename T::QTile& q, const typename T::KvTile& k) {
    const Step step("gemm_qk");
#pragma unroll
    for (int column = 0; column < T::head_dim; column += 16) {
        std::uint32_t b[T::groups][4];
#pragma unroll
        for (int g = 0; g < T::groups; ++g) {
            k.load_b(b[g], g * 64 + warp_index() * 16, column);
        }
#pragma unroll
        for (int i = 0; i < T::mmas_m; ++i) {
            std::uint32_t a[4];
            q.load_a(a, i * 16, column);
#pragma unroll
            for (int g = 0; g < T::groups; ++g) {
                mma<typename T::Element>(acc_s[i][2 * g], a, &b[g][0]);
                mma<typename T::Element>(acc_s[i][2 * g + 1], a, &b[g][2]);
            }
        }
    }
}

/// Keys that a row does not see, because of the mask or because they lie past seqlen_k, get -inf.
template <class T, bool Causal>
FLASHLENS_INLINE void apply_mask(typename T::AccS& acc_s, const AttentionParams& p, int first_row, int first_key) {
    const Step step("apply_mask");
    const int lane_key = first_key + warp_index() * 16 + lane_index() % 4 * 2;
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = first_row + i * 16 + half * 8 + lane_index() / 4;
            const int seen = visible_keys<Causal>(p, row) - lane_key;
#pragma unroll
            for (int n = 0; n < T::mmas_n; ++n) {
                f32* s = &acc_s[i][n][2 * half];
                s[0] = select(n / 2 * 64 + n % 2 * 8 < seen, s[0], -infinity);
                s[1] = select(n / 2 * 64 + n % 2 * 8 + 1 < seen, s[1], -infinity);
            }
        }
    }
}

/// acc_o += P V: this warp's columns of P, its rows of V.
template <class T>
FLASHLENS_INLINE void gemm_pv(typename T::AccO& acc_o, const typename T::FragP& p, const typename T::KvTile& v) {
    const Step step("gemm_pv");
#pragma unroll
    for (int g = 0; g < T::groups; ++g) {
#pragma unroll
        for (int d = 0; d < T::mmas_d; d += 2) {
            std::uint32_t b[4];
            v.load_b_trans(b, g * 64 + warp_index() * 16, d * 8);
#pragma unroll
            for (int i = 0; i < T::mmas_m; ++i) {
                mma<typename T::Element>(acc_o[i][d], p[i][g], &b[0]);
                mma<typename T::Element>(acc_o[i][d + 1], p[i][g], &b[2]);
            }
        }
    }
}

/// What the four warps know of each row, and their outputs, which they add up one after the other.
template <class T>
struct Merge {
    SharedAddress o, smem_max, smem_sum;

    FLASHLENS_INLINE explicit Merge(SharedAddress base)
        : o(base), smem_max(base + T::o_bytes), smem_sum(smem_max + T::statistics_bytes) {}

    static FLASHLENS_INLINE int row(int i, int half) { return i * 16 + half * 8 + lane_index() / 4; }

    /// 16-byte chunk of a row of O; swizzled as v1's partial O is.
    FLASHLENS_INLINE SharedAddress chunk(int row, int chunk) const {
        return o + (row * (T::head_dim / 4) + (chunk ^ (row % 4 * 2))) * 16;
    }

    /// A quad's first lane leaves what its warp knows of its rows.
    FLASHLENS_INLINE void store_statistics(const typename T::Rows& m, const typename T::Rows& l) const {
        const Step step("merge");
#pragma unroll
        for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                if (lane_index() % 4 == 0) {
                    store_shared(smem_max + row(i, half) * 16 + warp_index() * 4, m[i][half]);
                    store_shared(smem_sum + row(i, half) * 16 + warp_index() * 4, l[i][half]);
                }
            }
        }
    }

    /// The four warps' maxima of a row.
    FLASHLENS_INLINE f32x4 maxima(int row) const { return load_shared<f32x4>(smem_max + row * 16); }

    /// What a warp's keys weigh under the maximum of all: exp(m_warp - m), 0 for one that saw none.
    static FLASHLENS_INLINE f32 weight(f32 of_warp, f32 m, f32 c) {
        return exp2((of_warp - select(m == -infinity, 0.0F, m)) * c);
    }

    /// A row's maximum over all keys.
    static FLASHLENS_INLINE f32 max_of(const f32x4& of_warp) {
        return max(max(of_warp.x, of_warp.y), max(of_warp.z, of_warp.w));
    }

    /// A row's sum over all keys, under their maximum m.
    FLASHLENS_INLINE f32 sum_of(int row, const f32x4& of_max, f32 m, f32 c) const {
        const f32x4 of_sum = load_shared<f32x4>(smem_sum + row * 16);
        return (of_sum.x * weight(of_max.x, m, c) + of_sum.y * weight(of_max.y, m, c)) +
               (of_sum.z * weight(of_max.z, m, c) + of_sum.w * weight(of_max.w, m, c));
    }

    /// Adds this warp's O, which is normalised, with the weight that its keys have; the first warp begins.
    FLASHLENS_INLINE void add(const typename T::AccO& acc_o, const typename T::Rows& m, const typename T::Rows& l,
                              f32 c) const {
        const Step step("merge");
#pragma unroll
        for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const f32 w = l[i][half] * weight(m[i][half], max_of(maxima(row(i, half))), c);
#pragma unroll
                for (int d = 0; d < T::mmas_d; ++d) {
                    const SharedAddress to = chunk(row(i, half), d * 2 + lane_index() % 4 / 2) + lane_index() % 2 * 8;
                    f32x2 before = {0.0F, 0.0F};
                    if (warp_index() > 0) {
                        before = load_shared<f32x2>(to);
                    }
                    store_shared(to, f32x2{fma(acc_o[i][d][2 * half], w, before.x),
                                           fma(acc_o[i][d][2 * half + 1], w, before.y)});
                }
            }
        }
    }

    /// O = sum of the warps' O / l, in 16 bits, and lse to memory.
    template <bool Causal>
    FLASHLENS_INLINE void store(const AttentionParams& p, const HeadRows& to, float* lse, int first_row, f32 c) const {
        const Step step("epilogue");
        constexpr int chunks = T::head_dim / 4;  // a lane has 4 columns of a row
        constexpr int rows_per_pass = T::threads / chunks;
        const int column = static_cast<int>(threadIdx.x) % chunks;
#pragma unroll 1
        for (int r = static_cast<int>(threadIdx.x) / chunks; r < T::block_m; r += rows_per_pass) {
            const f32x4 of_warp = maxima(r);
            const f32 m = max_of(of_warp);
            const f32 l = sum_of(r, of_warp, m, c);
            const f32 inverse = reciprocal(l);
            const f32x4 out = load_shared<f32x4>(chunk(r, column));
            Pairs pairs{T::Element::pack(out.x * inverse, out.y * inverse),
                        T::Element::pack(out.z * inverse, out.w * inverse)};
            if (visible_keys<Causal>(p, first_row + r) <= 0) {
                pairs = {};  // whatever the keys it does not see hold
            }
            if (first_row + r < p.seqlen_q && column * 4 < p.head_dim) {
                store_global(to.row(first_row + r) + column * 8, pairs);
            }
            if (first_row + r < p.seqlen_q && column == 0) {
                const f32 log_sum = fma(m, p.scale, log2(l) * ln_2);
                store_global(lse + first_row + r, select(l == 0.0F, -infinity, log_sum));
            }
        }
    }
};

}  // namespace flashlens::FLASHLENS_MACHINE::key_warps
