// What the verdict needs to know of one key/value head.
#pragma once

#include <cstdint>
#include <vector>

#include "explorer/inputs.h"
#include "explorer/problem.h"

namespace flashlens {

struct HeadFacts {
    /// Largest Euclidean norm among keys 0 .. j; keys that aren't finite are left out.
    std::vector<double> max_key_norm;
    double max_abs_v = 0.0;                ///< over finite elements
    std::int64_t last_bad_key = -1;        ///< the last key with a NaN or infinity in K
    std::vector<std::int64_t> last_bad_v;  ///< (head_dim): the last key with a NaN or infinity in that column of V
};

HeadFacts head_facts(const Problem& problem, const Inputs& inputs, std::int64_t batch, std::int64_t kv_head);

/// Euclidean norm of one query row's finite elements.
double query_norm(const Problem& problem, const Inputs& inputs, std::int64_t batch, std::int64_t head,
                  std::int64_t row);

/// Sum of |V| in one column over keys 0 .. keys - 1.
double sum_abs_v(const Problem& problem, const Inputs& inputs, std::int64_t batch, std::int64_t kv_head,
                 std::int64_t dim, std::int64_t keys);

}  // namespace flashlens
