// The steps of a loop over key blocks that normalises O after each of them. The others are v2's.
#pragma once

#include "kernels/between/load.cuh"

namespace flashlens::FLASHLENS_MACHINE::swapped_loops {

using namespace v2;  // its steps
using between::load;
using between::Traits;

/// The online softmax: S becomes P = exp(scale (S - m_new)), l each row's whole sum, over all key blocks so far. acc_o,
/// which was normalised, is multiplied by what the key blocks before weigh in that sum.
template <class T>
FLASHLENS_INLINE void softmax_weigh_o(typename T::AccS& acc_s, typename T::Rows& m, typename T::Rows& l,
                                      typename T::AccO& acc_o, f32 c) {
    const Step step("softmax_weigh_o");
    typename T::Rows m_old, offset, before;
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
        m_old[i][0] = m[i][0];
        m_old[i][1] = m[i][1];
    }
    reduce_max<T>(acc_s, m);
    choose_exponents<T>(acc_s, m_old, m, offset, before, c);
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            before[i][half] *= l[i][half];
            l[i][half] = 0.0F;
#pragma unroll
            for (int d = 0; d < T::mmas_d; ++d) {
                acc_o[i][d][2 * half] *= before[i][half];
                acc_o[i][d][2 * half + 1] *= before[i][half];
            }
        }
    }
    exponentiate<T>(acc_s, l, offset, c);
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            l[i][half] = quad_sum(l[i][half]) + before[i][half];
        }
    }
}

/// acc_o = acc_o / l; a row that has seen nothing stays 0.
template <class T>
FLASHLENS_INLINE void normalise_o(typename T::AccO& acc_o, const typename T::Rows& l) {
    const Step step("normalise_o");
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const f32 inverse = select(l[i][half] == 0.0F, 1.0F, reciprocal(l[i][half]));
#pragma unroll
            for (int d = 0; d < T::mmas_d; ++d) {
                acc_o[i][d][2 * half] *= inverse;
                acc_o[i][d][2 * half + 1] *= inverse;
            }
        }
    }
}

/// O in 16 bits into the tile that held Q (each warp its own rows); lse to memory. A row whose visible logits are all -inf
/// has l = 0, and 0 / 0 is what the mathematics makes of it.
template <class T, bool Causal>
FLASHLENS_INLINE void store_lse_and_o(const typename T::AccO& acc_o, const typename T::Rows& m,
                                      const typename T::Rows& l, const AttentionParams& p, int first_row, float* lse,
                                      const typename T::QTile& tile) {
    const Step step("epilogue");
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = row_in_block<T>(i, half);
            const f32 sum = l[i][half];
            const bool sees_a_key = visible_keys<Causal>(p, first_row + row) > 0;
            const f32 factor = select(sum == 0.0F, infinity, 1.0F);
            if (lane_index() % 4 == 0 && first_row + row < p.seqlen_q) {
                const f32 log_sum = fma(m[i][half], p.scale, log2(sum) * ln_2);
                store_global(lse + first_row + row, select(sum == 0.0F, -infinity, log_sum));
            }
#pragma unroll
            for (int d = 0; d < T::mmas_d; ++d) {
                const f32* o = &acc_o[i][d][2 * half];
                const std::uint32_t pair = T::Element::pack(o[0] * factor, o[1] * factor);
                store_shared(tile.chunk(row, d) + lane_index() % 4 * 4, sees_a_key ? pair : 0);
            }
        }
    }
}

}  // namespace flashlens::FLASHLENS_MACHINE::swapped_loops
