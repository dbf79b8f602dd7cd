// Exercise 8: the running maximum, and what it makes you rescale. What is asked: flashlens practice 8 --task
//
// One solution.
#include "exercise.cuh"
#include "kernels/v2/steps.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

/// One step of the online softmax, for one key block: S becomes P = exp(scale (S - m)).
///
/// acc_s[i][n][2 * half .. 2 * half + 1] are a lane's two columns of S in 8-key tile n, for its row `half` of MMA tile i;
/// acc_o[i][d][2 * half .. 2 * half + 1] the same of O. m and l are of the key blocks before, and have to be true of this
/// one too when it ends. l adds up this lane's columns only. c = scale log2 e: exp(scale x) is exp2(c x).
template <class T>
FLASHLENS_INLINE void my_softmax(typename T::AccS& acc_s, typename T::Rows& m, typename T::Rows& l,
                                 typename T::AccO& acc_o, f32 c) {
#pragma unroll
    for (int i = 0; i < T::mmas_m; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            f32 block_max = -infinity;
#pragma unroll
            for (int n = 0; n < T::mmas_n; ++n) {
                block_max = max(block_max, max(acc_s[i][n][2 * half], acc_s[i][n][2 * half + 1]));
            }
            block_max = quad_max(block_max);  // four lanes share a row

            const f32 m_old = m[i][half];
            m[i][half] = max(m_old, block_max);
            const f32 m_safe = select(m[i][half] == -infinity, 0.0F, m[i][half]);  // a row may have seen nothing yet
            const f32 rescale = exp2((m_old - m_safe) * c);
            l[i][half] *= rescale;
#pragma unroll
            for (int d = 0; d < T::mmas_d; ++d) {
                acc_o[i][d][2 * half] *= rescale;
                acc_o[i][d][2 * half + 1] *= rescale;
            }

            const f32 offset = select(m[i][half] == -infinity, 0.0F, m[i][half] * c);
#pragma unroll
            for (int n = 0; n < T::mmas_n; ++n) {
#pragma unroll
                for (int e = 2 * half; e < 2 * half + 2; ++e) {
                    acc_s[i][n][e] = exp2(acc_s[i][n][e] * c - offset);
                    l[i][half] += acc_s[i][n][e];
                }
            }
        }
    }
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2

#define softmax_rescale_o my_softmax  // v2's main loop calls yours
#include "kernels/v2/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

inline void launch_exercise(const AttentionParams& p, bool causal, Launcher& launcher) {
    using T = Traits<fp16, 64, 64, 32, 4>;  // head dim 64, query blocks of 64, key blocks of 32, 4 warps
    causal ? launch<T, true>(p, launcher) : launch<T, false>(p, launcher);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2

FLASHLENS_EXERCISE_KERNEL(flashlens::FLASHLENS_MACHINE::v2::launch_exercise)
