// What each CTA of a planned launch works on.
#pragma once

#include <cstdint>

#include "explorer/comparison.h"

namespace flashlens {

/// One head of one batch, and a share of its query rows: v1's split (blockIdx.z), the others' query block.
struct CtaWork {
    std::int64_t batch = 0;
    std::int64_t head = 0;
    std::int64_t share = 0;

    friend bool operator==(const CtaWork&, const CtaWork&) = default;
};

/// A CTA's place in its grid.
struct GridPlace {
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t z = 0;

    friend bool operator==(const GridPlace&, const GridPlace&) = default;
};

/// The place of the CTA that is launched after `number` others: x runs fastest, then y.
GridPlace place_of(const Grid& grid, std::int64_t number);

/// Of a launch that is planned (and runs) for `problem`.
CtaWork work_of(const VariantFacts& planned, const Problem& problem, const GridPlace& place);

}  // namespace flashlens
