// Exercise 3: prove that v1's splits merge nothing. What is asked: flashlens practice 3 --task
//
// One solution.
#include <cmath>
#include <cstring>

#include "exercise.cuh"

namespace flashlens::exercise {

/// Runs the laboratory's kernel with one number of splits after the other. True: all bits of O and lse are the same each time,
/// so that nothing can have been merged. False: some are not.
///
/// laboratory.run(num_splits) gives back .o, a vector of 16-bit words (fp16 numbers, as their bits), and .lse, a vector of
/// floats. num_splits may be 1 to laboratory.most_splits; no more than laboratory.most_runs runs in all.
inline bool splits_merge_nothing(const Laboratory& laboratory) {
    const Outputs one_split = laboratory.run(1);
    for (int splits = 2; splits <= laboratory.most_splits; ++splits) {
        const Outputs outputs = laboratory.run(splits);
        const std::size_t lse_bytes = one_split.lse.size() * sizeof(float);
        if (outputs.o != one_split.o || std::memcmp(outputs.lse.data(), one_split.lse.data(), lse_bytes) != 0) {
            return false;
        }
    }
    return true;
}

}  // namespace flashlens::exercise

FLASHLENS_EXERCISE_FUNCTION(SplitsMergeNothing, flashlens::exercise::splits_merge_nothing)
