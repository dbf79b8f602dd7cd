// How much each idea on the way from v1 to v2 weighs in one comparison, by the figure that it is about.
#pragma once

#include <vector>

#include "explorer/comparison.h"
#include "explorer/ladder.h"

namespace flashlens::report {

struct IdeaWeight {
    Idea idea = Idea::grid;
    /// How many times as little v2 needs of what the idea saves, as a logarithm: 0 for no difference, below it where v2
    /// is the one that needs more.
    double weight = 0.0;
};

/// Of the ideas that are about an amount, the weightiest first; those that change nothing are left out. The grid's is the
/// ratio of SMs with work. Another's is what a resource falls by: warps' exchange of shared memory traffic, o_tmp of global
/// memory traffic, divisions and masking of fp32 operations and those that the card would do in the time of v1's matmul
/// FLOPs; at most by what the idea takes away, and at most as far as it really falls, since v2 also spends
/// some of what it saves (it reads K and V from shared memory more often). cp.async has no such figure. Empty unless both
/// were counted.
std::vector<IdeaWeight> idea_weights(const VariantFacts& v1, const VariantFacts& v2, const Comparison& comparison);

}  // namespace flashlens::report
