// Exercise 6: the causal mask. What is asked: flashlens practice 6 --task
//
// Complete what is marked TODO, save, and run: flashlens practice 6
#include "exercise.cuh"
#include "kernels/v2/steps.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

/// Elements of S whose query does not see their key must not count: because the key lies past seqlen_k or, where Causal,
/// because it is right of the diagonal, which runs into the bottom right corner of S.
///
/// acc_s[i][n][e] is in MMA tile i (16 query rows) and 8-key tile n. With g = lane / 4 and t = lane % 4,
///
///     e = 0, 1:   row g,      columns 2t, 2t + 1
///     e = 2, 3:   row g + 8,  columns 2t, 2t + 1
///
/// The block's first query is first_row, its first key first_key. The CTA's rows go to its warps 16 at a time: tile i of
/// warp w begins at row (i * T::warps + w) * 16 of the block, and w is warp_index().
template <class T, bool Causal>
FLASHLENS_INLINE void my_apply_mask(typename T::AccS& acc_s, const AttentionParams& p, int first_row, int first_key) {
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int n = 0; n < T::mmas_n; ++n) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int key = first_key + n * 8 + lane_index() % 4 * 2 + e % 2;
                bool seen = key < p.seqlen_k;
                if (Causal) {
                    // TODO: which query is acc_s[i][n][e] of, and does it see this key? (p.seqlen_q, p.seqlen_k)
                }
                acc_s[i][n][e] = select(seen, acc_s[i][n][e], -infinity);
            }
        }
    }
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2

#define apply_mask my_apply_mask  // v2's main loop calls yours
#include "kernels/v2/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

inline void launch_exercise(const AttentionParams& p, bool causal, Launcher& launcher) {
    using T = Traits<fp16, 64, 128, 64, 4>;  // head dim 64, query blocks of 128, key blocks of 64, 4 warps
    causal ? launch<T, true>(p, launcher) : launch<T, false>(p, launcher);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2

FLASHLENS_EXERCISE_KERNEL(flashlens::FLASHLENS_MACHINE::v2::launch_exercise)
