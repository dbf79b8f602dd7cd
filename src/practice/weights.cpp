#include "practice/weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "practice/rows.h"

namespace flashlens::practice {
namespace {

constexpr double unwritten = std::numeric_limits<double>::quiet_NaN();

void add_weights(Weights& to, const Problem& problem, const Output& output, std::int64_t first) {
    for (std::int64_t i = 0; i < problem.seqlen_q; ++i) {
        for (std::int64_t j = first; j < std::min(first + problem.head_dim, problem.seqlen_k); ++j) {
            const std::size_t at = at_q(problem, 0, i, 0, j - first);
            to.weight[static_cast<std::size_t>(i * to.keys + j)] =
                output.o_unwritten[at] ? unwritten : widen(output.o[at], problem.dtype);
        }
    }
    to.lse.clear();
    for (std::size_t i = 0; i < output.lse.size(); ++i) {
        to.lse.push_back(output.lse_unwritten[i] ? unwritten : static_cast<double>(output.lse[i]));
    }
}

Weights no_weights(const Problem& problem) {
    Weights none{problem.seqlen_q, problem.seqlen_k, {}, {}};
    none.weight.resize(static_cast<std::size_t>(none.queries * none.keys));
    return none;
}

}  // namespace

void see_keys_from(std::int64_t first, const Problem& problem, Inputs& inputs) {
    for (std::int64_t j = 0; j < problem.seqlen_k; ++j) {
        for (std::int64_t d = 0; d < problem.head_dim; ++d) {
            inputs.v[at_k(problem, 0, j, 0, d)] = round_to(j - first == d ? 1.0 : 0.0, problem.dtype);
        }
    }
}

Weights weights_of(const Problem& problem, const Output& output) {
    Weights seen = no_weights(problem);
    add_weights(seen, problem, output, 0);
    return seen;
}

Weights see_weights(Attempt& attempt, const Problem& problem, Inputs inputs) {
    Weights seen = no_weights(problem);
    for (std::int64_t first = 0; first < problem.seqlen_k; first += problem.head_dim) {
        see_keys_from(first, problem, inputs);
        const Output output = attempt.run(problem, inputs);
        all_rows_written(problem, output);
        add_weights(seen, problem, output, first);
    }
    return seen;
}

Inputs inputs_of(const Problem& problem, const std::function<double(std::int64_t)>& q,
                 const std::function<double(std::int64_t)>& k) {
    Inputs inputs;
    inputs.q.resize(static_cast<std::size_t>(problem.seqlen_q * problem.head_dim));
    inputs.k.resize(static_cast<std::size_t>(problem.seqlen_k * problem.head_dim));
    inputs.v.resize(inputs.k.size());
    for (std::int64_t i = 0; i < problem.seqlen_q; ++i) {
        inputs.q[at_q(problem, 0, i, 0, 0)] = round_to(q(i), problem.dtype);
    }
    for (std::int64_t j = 0; j < problem.seqlen_k; ++j) {
        inputs.k[at_k(problem, 0, j, 0, 0)] = round_to(k(j), problem.dtype);
    }
    return inputs;
}

Inputs rising_inputs(const Problem& problem, double step) {
    Inputs inputs = random_inputs(problem);
    for (std::int64_t i = 0; i < problem.seqlen_q; ++i) {
        inputs.q[at_q(problem, 0, i, 0, 0)] = round_to(4.0, problem.dtype);
    }
    for (std::int64_t j = 0; j < problem.seqlen_k; ++j) {
        const double blocks_walked = static_cast<double>(problem.seqlen_k - 1 - j) / 64.0;
        inputs.k[at_k(problem, 0, j, 0, 0)] = round_to(step * blocks_walked / (4.0 * problem.scale), problem.dtype);
    }
    return inputs;
}

Problem one_head(std::int64_t seqlen_q, std::int64_t seqlen_k, bool causal, std::int64_t head_dim) {
    Problem problem;
    problem.heads = problem.kv_heads = 1;
    problem.seqlen_q = seqlen_q;
    problem.seqlen_k = seqlen_k;
    problem.head_dim = head_dim;
    problem.causal = causal;
    problem.scale = 1.0 / std::sqrt(static_cast<double>(head_dim));
    return problem;
}

double logit(const Problem& problem, const Inputs& inputs, std::int64_t query, std::int64_t key) {
    double sum = 0.0;
    for (std::int64_t d = 0; d < problem.head_dim; ++d) {
        sum += widen(inputs.q[at_q(problem, 0, query, 0, d)], problem.dtype) *
               widen(inputs.k[at_k(problem, 0, key, 0, d)], problem.dtype);
    }
    return problem.scale * sum;
}

}  // namespace flashlens::practice
