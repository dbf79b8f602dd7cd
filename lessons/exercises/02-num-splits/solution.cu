// Exercise 2: v1's num_splits heuristic, its slip mended. What is asked: flashlens practice 2 --task
//
// One solution.
#include <algorithm>
#include <cmath>
#include <vector>

#include "exercise.cuh"

namespace flashlens::exercise {

constexpr std::int64_t block_m = 16;  // query rows of a tile; the splits of a head share its tiles out

/// The most splits to look at: as many as the head has query tiles, and never more than 30.
inline int max_splits(std::int64_t seqlen_q) {
    return static_cast<int>(std::min<std::int64_t>(30, (seqlen_q + block_m - 1) / block_m));
}

/// How many CTAs v1 launches for each batch and head; batch_heads is their number, batch x heads. The card has sm_count SMs,
/// and each holds ctas_per_sm of v1's CTAs at once: so many CTAs are a wave.
inline int num_splits(std::int64_t batch_heads, int sm_count, int ctas_per_sm, std::int64_t seqlen_q) {
    std::vector<double> efficiency;  // of 1 split, of 2, ...
    for (int splits = 1; splits <= max_splits(seqlen_q); ++splits) {
        const double waves = static_cast<double>(batch_heads * splits) / (sm_count * ctas_per_sm);
        efficiency.push_back(waves / std::ceil(waves));
    }
    const double best = *std::max_element(efficiency.begin(), efficiency.end());
    int splits = 1;
    while (efficiency[splits - 1] <= 0.95 * best) {
        ++splits;
    }
    return splits;
}

}  // namespace flashlens::exercise

FLASHLENS_EXERCISE_FUNCTION(NumSplits, flashlens::exercise::num_splits)
