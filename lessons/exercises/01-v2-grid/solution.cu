// Exercise 1: v2's launch grid. What is asked: flashlens practice 1 --task
#include "exercise.cuh"
#include "kernels/v2/steps.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

using BlockOf64 = Traits<fp16, 64, 64, 64, 4>;  // head dim 64, query and key blocks of 64 rows, 4 warps

/// The grid, in CTAs: one CTA for each query block of each head of each batch.
inline Grid grid_of(const AttentionParams& p) {
    const int query_blocks = (p.seqlen_q + BlockOf64::block_m - 1) / BlockOf64::block_m;
    return {query_blocks, p.batch, p.heads};
}

// What a CTA takes its work from.
FLASHLENS_INLINE int my_query_block() { return static_cast<int>(blockIdx.x); }
FLASHLENS_INLINE int my_batch() { return static_cast<int>(blockIdx.y); }
FLASHLENS_INLINE int my_head() { return static_cast<int>(blockIdx.z); }

}  // namespace flashlens::FLASHLENS_MACHINE::v2

#include "v2_with_my_grid.cuh"  // v2's kernel, with the four functions above in it

FLASHLENS_EXERCISE_KERNEL(flashlens::FLASHLENS_MACHINE::v2::launch_with_my_grid)
