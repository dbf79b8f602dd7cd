// What one CTA asks of device memory: what it loads once, what streams past it, what it parks there.
#pragma once

#include <cstdint>

#include "teaching/ownership.h"

namespace flashlens::teaching {

/// In bytes. lse, 4 bytes a row, is left out.
struct CtaTraffic {
    std::int64_t q_read = 0;
    std::int64_t kv_read = 0;
    std::int64_t o_tmp_written = 0;  ///< v1's running output, between key blocks
    std::int64_t o_tmp_read = 0;
    std::int64_t o_written = 0;

    std::int64_t key_blocks = 0;  ///< of K, and as many of V, that it loads
    std::int64_t q_loads = 0;     ///< of a query unit
};

CtaTraffic traffic_of(const Ownership& ownership, std::int64_t share, const Problem& problem);

}  // namespace flashlens::teaching
