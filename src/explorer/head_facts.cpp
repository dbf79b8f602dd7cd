#include "explorer/head_facts.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace flashlens {
namespace {

std::span<const std::uint16_t> key_row(const Problem& problem, const std::vector<std::uint16_t>& tensor,
                                       std::int64_t batch, std::int64_t kv_head, std::int64_t key) {
    const std::int64_t row = (batch * problem.seqlen_k + key) * problem.kv_heads + kv_head;
    return {tensor.data() + row * problem.head_dim, static_cast<std::size_t>(problem.head_dim)};
}

double norm(std::span<const std::uint16_t> words, DType dtype) {
    double sum = 0.0;
    for (const std::uint16_t word : words) {
        const double value = widen(word, dtype);
        sum += value * value;
    }
    return std::sqrt(sum);
}

}  // namespace

HeadFacts head_facts(const Problem& problem, const Inputs& inputs, std::int64_t batch, std::int64_t kv_head) {
    HeadFacts facts;
    facts.max_key_norm.resize(problem.seqlen_k);
    facts.last_bad_v.assign(problem.head_dim, -1);
    double largest = 0.0;
    for (std::int64_t key = 0; key < problem.seqlen_k; ++key) {
        const double length = norm(key_row(problem, inputs.k, batch, kv_head, key), problem.dtype);
        if (std::isfinite(length)) {
            largest = std::max(largest, length);
        } else {
            facts.last_bad_key = key;
        }
        facts.max_key_norm[key] = largest;
        const auto v = key_row(problem, inputs.v, batch, kv_head, key);
        for (std::int64_t dim = 0; dim < problem.head_dim; ++dim) {
            const double value = std::fabs(widen(v[dim], problem.dtype));
            if (std::isfinite(value)) {
                facts.max_abs_v = std::max(facts.max_abs_v, value);
            } else {
                facts.last_bad_v[dim] = key;
            }
        }
    }
    return facts;
}

double query_norm(const Problem& problem, const Inputs& inputs, std::int64_t batch, std::int64_t head,
                  std::int64_t row) {
    const std::int64_t first = ((batch * problem.seqlen_q + row) * problem.heads + head) * problem.head_dim;
    double sum = 0.0;
    for (std::int64_t dim = 0; dim < problem.head_dim; ++dim) {
        const double value = widen(inputs.q[first + dim], problem.dtype);
        sum += std::isfinite(value) ? value * value : 0.0;
    }
    return std::sqrt(sum);
}

double sum_abs_v(const Problem& problem, const Inputs& inputs, std::int64_t batch, std::int64_t kv_head,
                 std::int64_t dim, std::int64_t keys) {
    double sum = 0.0;
    for (std::int64_t key = 0; key < keys; ++key) {
        sum += std::fabs(widen(key_row(problem, inputs.v, batch, kv_head, key)[dim], problem.dtype));
    }
    return sum;
}

}  // namespace flashlens
