// Products that run while a copy is on its way: what cp.async is for. Counted by the CPU machine.
#pragma once

#include <cstdint>

#include "practice/attempt.h"

namespace flashlens::practice {

/// Of how many key blocks the products ran beside a copy; 0 of a step that has none.
struct Overlap {
    double of_qk = 0.0;
    double of_pv = 0.0;
    Message counted{};  ///< the same in words
};

/// Of a run with `blocks` key blocks. Its products are counted in the steps gemm_qk and gemm_pv; not on a GPU.
Overlap overlap_of(Attempt& attempt, const Problem& problem, std::int64_t blocks);

}  // namespace flashlens::practice
