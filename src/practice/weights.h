// What a learner's kernel did, seen through V: with unit vectors for rows of V, O is P.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "practice/attempt.h"

namespace flashlens::practice {

/// The weight that each query gave to each key in the end (P / l of a right kernel), and lse. Of one head of one batch.
struct Weights {
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::vector<double> weight;  ///< (queries, keys); NaN where O was not written
    std::vector<double> lse;     ///< (queries); NaN where it was not written

    double at(std::int64_t query, std::int64_t key) const {
        return weight[static_cast<std::size_t>(query * keys + key)];
    }
};

/// Makes row first + d of V the unit vector of column d, and 0 of all others: column d of O is then the weight of that key.
void see_keys_from(std::int64_t first, const Problem& problem, Inputs& inputs);

/// What a run on such inputs, of keys 0 .. head_dim - 1, left: the weights of one run, complete or not. Other keys: 0.
Weights weights_of(const Problem& problem, const Output& output);

/// Runs the kernel once for every head_dim keys; the problem has one batch and one head, and V of `inputs` is not looked
/// at. Throws the Finding "rows-not-written" where a row of O or of lse was left as it was.
Weights see_weights(Attempt& attempt, const Problem& problem, Inputs inputs);

/// Q and K such that every logit is q(i) * k(j), as near as the type has it, times the scale. Small problems only need
/// one column; the others are 0.
Inputs inputs_of(const Problem& problem, const std::function<double(std::int64_t)>& q,
                 const std::function<double(std::int64_t)>& k);

/// Random Q and K under which maxima keep growing while a kernel walks from the last key to the first: by about `step` in
/// the logit each 64 keys. So whatever is not rescaled shows.
Inputs rising_inputs(const Problem& problem, double step = 1.5);

/// A problem of one batch and one head.
Problem one_head(std::int64_t seqlen_q, std::int64_t seqlen_k, bool causal, std::int64_t head_dim = 64);

/// scale q.k in fp64.
double logit(const Problem& problem, const Inputs& inputs, std::int64_t query, std::int64_t key);

}  // namespace flashlens::practice
