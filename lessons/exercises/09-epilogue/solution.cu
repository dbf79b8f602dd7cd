// Exercise 9: v2's epilogue, the one normalisation. What is asked: flashlens practice 9 --task
//
// One solution.
#include "exercise.cuh"
#include "kernels/v2/steps.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

/// After the last key block, once: O = acc_o / l, in 16 bits, into the tile that held Q; lse = ln(sum exp(scale s)), to
/// memory. `lse` is that of the head's row 0.
///
/// Four lanes, a quad, share a row. For its row `half` of MMA tile i, a lane has the maximum of s in m[i][half] (of s
/// itself: the scale is not in it), and in l[i][half] the sum of exp(scale (s - m)) over this lane's own columns of S.
/// acc_o[i][d][2 * half .. 2 * half + 1] are its two columns, in 8-column tile d, of sum exp(scale (s - m)) V.
///
/// At hand: quad_sum(x), reciprocal(x), log2(x), exp2(x), fma(a, b, c) = a b + c, select(condition, a, b), infinity,
/// ln_2, log2_e, and visible_keys<Causal>(p, row of the head): how many keys a row sees, zero or less if none.
template <class T, bool Causal>
FLASHLENS_INLINE void my_normalize(const typename T::AccO& acc_o, const typename T::Rows& m, const typename T::Rows& l,
                                   const AttentionParams& p, int first_row, float* lse, const typename T::QTile& tile) {
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = row_in_block<T>(i, half);  // of the query block; of the head it is row first_row + row

            const f32 sum = quad_sum(l[i][half]);
            const f32 inverse = reciprocal(sum);
            const bool sees_a_key = visible_keys<Causal>(p, first_row + row) > 0;
            const f32 log_sum = fma(m[i][half], p.scale, log2(sum) * ln_2);
            if (lane_index() % 4 == 0 && first_row + row < p.seqlen_q) {
                store_global(lse + first_row + row, select(sees_a_key, log_sum, -infinity));
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

}  // namespace flashlens::FLASHLENS_MACHINE::v2

#define normalize my_normalize  // v2's kernel calls yours
#include "kernels/v2/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

inline void launch_exercise(const AttentionParams& p, bool causal, Launcher& launcher) {
    using T = Traits<fp16, 64, 64, 64, 4>;  // head dim 64, query and key blocks of 64, 4 warps
    causal ? launch<T, true>(p, launcher) : launch<T, false>(p, launcher);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2

FLASHLENS_EXERCISE_KERNEL(flashlens::FLASHLENS_MACHINE::v2::launch_exercise)
