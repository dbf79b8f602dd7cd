// How often each query counted each key: what loops over key blocks did, told apart from what the softmax made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "practice/weights.h"

namespace flashlens::practice {

struct KeyCounts {
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::vector<std::int64_t> times;     ///< (queries, keys): 1 for a key that took part once
    std::vector<std::int64_t> past_end;  ///< (queries): keys past Sk that took part, as zeros: in l alone

    std::int64_t at(std::int64_t query, std::int64_t key) const {
        return times[static_cast<std::size_t>(query * keys + key)];
    }
};

/// From the weights of a run on blank_inputs(). Nothing where they are no such counts: something else is wrong, too.
std::optional<KeyCounts> count_keys(const Weights& seen);

/// Q and K of zeros: all keys that take part weigh the same, exp(0) = 1.
Inputs blank_inputs(const Problem& problem);

}  // namespace flashlens::practice
