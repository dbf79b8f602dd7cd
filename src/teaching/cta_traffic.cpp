#include "teaching/cta_traffic.h"

#include <algorithm>

namespace flashlens::teaching {

CtaTraffic traffic_of(const Ownership& ownership, std::int64_t share, const Problem& problem) {
    const std::int64_t row_bytes = 2 * problem.head_dim;
    CtaTraffic t;
    for (std::int64_t unit = ownership.first_unit(share); unit < ownership.units(); unit += ownership.unit_step()) {
        const std::int64_t visits = ownership.visited_end(unit);
        const std::int64_t rows = ownership.rows(unit).size();
        const std::int64_t loads = ownership.is_v1() ? visits : std::min<std::int64_t>(visits, 1);
        t.q_loads += loads;
        t.q_read += loads * rows * row_bytes;
        t.o_written += rows * row_bytes;
        if (ownership.is_v1()) {
            t.o_tmp_written += (visits - 1) * rows * 2 * row_bytes;  // fp32
        }
        // Later units see no fewer keys: the last one's blocks are the CTA's.
        t.key_blocks = std::max(t.key_blocks, visits);
    }
    t.o_tmp_read = t.o_tmp_written;
    t.kv_read = 2 * std::min(t.key_blocks * ownership.block_keys(), problem.seqlen_k) * row_bytes;
    return t;
}

}  // namespace flashlens::teaching
