// The walk's end held against reference/, which takes 16-bit words.
#include <algorithm>
#include <cmath>
#include <limits>

#include "explorer/inputs.h"
#include "explorer/verdict.h"
#include "reference/attention.h"
#include "teaching/walk.h"

namespace flashlens::teaching {
namespace {

std::vector<std::uint16_t> words_of(const Matrix& matrix, DType dtype) {
    std::vector<std::uint16_t> words;
    std::transform(matrix.values.begin(), matrix.values.end(), std::back_inserter(words),
                   [&](double value) { return round_to(value, dtype); });
    return words;
}

/// The reference makes its own scores. Those that were typed come out of it as scores times a unit matrix, for one row
/// and the keys that it sees.
reference::Exact exact_of_scores(const WalkProblem& problem, std::int64_t row) {
    std::vector<std::int64_t> keys;
    for (std::int64_t j = 0; j < problem.problem.seqlen_k; ++j) {
        if (sees(problem, row, j)) {
            keys.push_back(j);
        }
    }
    const std::int64_t head_dim = problem.problem.head_dim;
    const std::int64_t count = std::ssize(keys);
    Matrix q(1, std::max(count, head_dim));
    Matrix k(count, q.columns);
    Matrix v(count, q.columns);
    for (std::int64_t j = 0; j < count; ++j) {
        q.at(0, j) = problem.scores.at(row, keys[j]);
        k.at(j, j) = 1.0;
        for (std::int64_t d = 0; d < head_dim; ++d) {
            v.at(j, d) = problem.v.at(keys[j], d);
        }
    }
    reference::Sizes sizes;
    sizes.batch = sizes.heads = sizes.kv_heads = sizes.seqlen_q = 1;
    sizes.seqlen_k = count;
    sizes.head_dim = q.columns;
    sizes.type = problem.problem.dtype == DType::fp16 ? reference::Type::fp16 : reference::Type::bf16;
    const DType dtype = problem.problem.dtype;
    const std::vector<std::uint16_t> words[] = {words_of(q, dtype), words_of(k, dtype), words_of(v, dtype)};
    return reference::exact(sizes, {words[0], words[1], words[2]}, reference::all_rows(sizes), 1);
}

/// The largest |q| . |k| of any pair, scaled: what the rounding of a score is a share of.
double largest_score(const WalkProblem& problem) {
    double largest = 0.0;
    for (std::int64_t i = 0; i < problem.problem.seqlen_q; ++i) {
        for (std::int64_t j = 0; j < problem.problem.seqlen_k; ++j) {
            double sum = 0.0;
            if (problem.scores_given()) {
                sum = sees(problem, i, j) ? std::abs(problem.scores.at(i, j)) : 0.0;
            } else {
                for (std::int64_t d = 0; d < problem.problem.head_dim; ++d) {
                    sum += std::abs(problem.q.at(i, d) * problem.k.at(j, d)) * problem.problem.scale;
                }
            }
            largest = std::max(largest, sum);
        }
    }
    return largest;
}

/// |a - b|; equal infinities are no distance apart.
double distance(double a, double b) {
    return a == b ? 0.0 : std::abs(a - b);
}

/// The larger, or NaN once there is one.
double worse(double a, double b) {
    return std::isnan(a) || a > b ? a : b;
}

}  // namespace

WalkReference walk_reference(const WalkProblem& problem) {
    const std::int64_t rows = problem.problem.seqlen_q;
    const std::int64_t head_dim = problem.problem.head_dim;
    WalkReference result{Matrix(rows, head_dim), {}};
    if (!problem.scores_given()) {
        const reference::Sizes sizes = reference_sizes(problem.problem);
        const DType dtype = problem.problem.dtype;
        const std::vector<std::uint16_t> words[] = {words_of(problem.q, dtype), words_of(problem.k, dtype),
                                                    words_of(problem.v, dtype)};
        reference::Exact exact = reference::exact(sizes, {words[0], words[1], words[2]}, reference::all_rows(sizes), 1);
        result.o.values = std::move(exact.o);
        result.lse = std::move(exact.lse);
        return result;
    }
    for (std::int64_t i = 0; i < rows; ++i) {
        const reference::Exact exact = exact_of_scores(problem, i);
        std::copy_n(exact.o.begin(), head_dim, result.o.values.begin() + i * head_dim);
        result.lse.push_back(exact.lse.front());
    }
    return result;
}

WalkError walk_error(const WalkProblem& problem, const Walk& walk, const WalkReference& reference) {
    WalkError error;
    double largest_v = 0.0;
    for (const double v : problem.v.values) {
        largest_v = std::max(largest_v, std::abs(v));
    }
    for (std::size_t i = 0; i < walk.o.values.size(); ++i) {
        error.o = worse(distance(walk.o.values[i], reference.o.values[i]), error.o);
    }
    for (std::size_t i = 0; i < walk.lse.size(); ++i) {
        error.lse = worse(distance(walk.lse[i], reference.lse[i]), error.lse);
    }
    // A score is off by some units of its last place, and exp(score) by that share of itself; 256 units leave room for
    // the sums of every step.
    const double units = 256 * std::numeric_limits<double>::epsilon() * (1.0 + largest_score(problem));
    error.allowed_o = units * largest_v;
    error.allowed_lse = units;
    return error;
}

}  // namespace flashlens::teaching
