// Where an element of a tensor stands, in the layouts of kernels/attention.h. Not for kernels: what checks them counts for
// itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "explorer/problem.h"

namespace flashlens {

/// In Q and O, (batch, seqlen_q, heads, head_dim).
inline std::size_t at_q(const Problem& p, std::int64_t batch, std::int64_t row, std::int64_t head,
                        std::int64_t column) {
    return static_cast<std::size_t>(((batch * p.seqlen_q + row) * p.heads + head) * p.head_dim + column);
}

/// In K and V, (batch, seqlen_k, kv_heads, head_dim).
inline std::size_t at_k(const Problem& p, std::int64_t batch, std::int64_t row, std::int64_t head,
                        std::int64_t column) {
    return static_cast<std::size_t>(((batch * p.seqlen_k + row) * p.kv_heads + head) * p.head_dim + column);
}

/// In lse, (batch, heads, seqlen_q).
inline std::size_t at_lse(const Problem& p, std::int64_t batch, std::int64_t head, std::int64_t row) {
    return static_cast<std::size_t>((batch * p.heads + head) * p.seqlen_q + row);
}

}  // namespace flashlens
