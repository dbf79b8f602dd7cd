// Exercise 5: the tail of the keys. What is asked: flashlens practice 5 --task
//
// One solution.
#include "exercise.cuh"
#include "kernels/v2/steps.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

/// The tail of the keys: elements of S whose key lies past seqlen_k must not count.
///
/// A lane's elements of S, one warp against one key block: acc_s[i][n][e] is in MMA tile i (16 query rows) and 8-key tile n.
/// Within that 16 x 8 tile, with g = lane / 4 and t = lane % 4,
///
///     e = 0, 1:   row g,      columns 2t, 2t + 1
///     e = 2, 3:   row g + 8,  columns 2t, 2t + 1
///
/// Rows are queries and columns are keys. The block's first query is first_row, its first key first_key.
template <class T, bool Causal>
FLASHLENS_INLINE void my_apply_mask(typename T::AccS& acc_s, const AttentionParams& p, int first_row, int first_key) {
    static_assert(!Causal, "the causal mask is the next exercise");
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int n = 0; n < T::mmas_n; ++n) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int key = first_key + n * 8 + lane_index() % 4 * 2 + e % 2;
                acc_s[i][n][e] = select(key < p.seqlen_k, acc_s[i][n][e], -infinity);
            }
        }
    }
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2

#define apply_mask my_apply_mask  // v2's main loop calls yours
#include "kernels/v2/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

inline void launch_exercise(const AttentionParams& p, bool, Launcher& launcher) {
    using T = Traits<fp16, 64, 128, 64, 4>;  // head dim 64, query blocks of 128, key blocks of 64, 4 warps
    launch<T, false>(p, launcher);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2

FLASHLENS_EXERCISE_KERNEL(flashlens::FLASHLENS_MACHINE::v2::launch_exercise)
