// Exercise 7: a row's maximum and sum, in two shuffles. What is asked: flashlens practice 7 --task
//
// Complete what is marked TODO, save, and run: flashlens practice 7
#include "exercise.cuh"
#include "kernels/primitives/warp.cuh"

namespace flashlens::FLASHLENS_MACHINE {

// A row of S lies in the four lanes of a quad: lanes 4g .. 4g + 3 have row g of a 16-row tile, and lane 4g + t has columns
// 2t and 2t + 1 of each 8 keys. v2 lets each lane go over its own columns and then asks the other three.
//
// shuffle_xor(value, mask): every lane of the warp gives its `value`, and lane L gets that of lane L ^ mask. All 32 lanes
// have to come to it. (In CUDA's own words: __shfl_xor_sync(0xffffffff, value, mask).)

/// The maximum of `value` over the four lanes of the quad, in all four of them.
FLASHLENS_INLINE f32 my_quad_max(f32 value) {
    return value;  // TODO: this is the lane's own; max(a, b) is the larger of two
}

/// The sum of `value` over the four lanes of the quad, in all four of them.
FLASHLENS_INLINE f32 my_quad_sum(f32 value) {
    return value;  // TODO: the same with a sum
}

}  // namespace flashlens::FLASHLENS_MACHINE

#define quad_max my_quad_max  // v2's softmax_rescale_o and epilogue call yours
#define quad_sum my_quad_sum
#include "kernels/v2/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

inline void launch_exercise(const AttentionParams& p, bool causal, Launcher& launcher) {
    using T = Traits<fp16, 64, 64, 64, 4>;  // head dim 64, query and key blocks of 64, 4 warps
    causal ? launch<T, true>(p, launcher) : launch<T, false>(p, launcher);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2

FLASHLENS_EXERCISE_KERNEL(flashlens::FLASHLENS_MACHINE::v2::launch_exercise)
