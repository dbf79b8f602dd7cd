// Which keys a learner's mask lets each row see.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "practice/attempt.h"
#include "practice/softmax_model.h"

namespace flashlens::practice {

/// Query i and key j; keys up to the end of the last block are asked for, those past Sk too.
using Sees = std::function<bool(const Problem& problem, std::int64_t i, std::int64_t j)>;

struct SeenKeys {
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::vector<bool> seen{};     ///< (queries, keys): the key has a weight in O
    std::vector<double> count{};  ///< (queries): how many keys count in l, those past the end too
    /// Two keys of a row that are seen and weigh differently; by right all weigh the same.
    struct Uneven {
        std::int64_t row, heavy, light;
        double times;
    };
    std::optional<Uneven> uneven{};

    bool at(std::int64_t query, std::int64_t key) const { return seen[static_cast<std::size_t>(query * keys + key)]; }
    std::vector<std::int64_t> of_row(std::int64_t query) const;
    /// Keys that count without a weight in O: their rows of V are zeros, because they lie past the end.
    double past_end(std::int64_t query) const;
};

/// Runs the kernel with logits that are all 0, so that every key that counts weighs the same. Throws the Finding "nan".
SeenKeys see_keys(Attempt& attempt, const Problem& problem);

/// v2's tile: its main loop visits the key blocks that the last row of a query block sees, and runs the mask code only
/// on the last of them.
struct MaskedTile {
    std::int64_t block_m = 128;
    std::int64_t block_n = 64;
};

/// What see_keys() finds when v2's mask code lets query i see key j like this.
SeenKeys keys_under(const Problem& problem, const Sees& sees, const MaskedTile& tile = {});

struct SeenRun {
    Problem problem;
    SeenKeys keys;
};

/// A mistake that has a name, and what it lets a row see.
struct MaskMistake {
    std::string id;
    Message what;  ///< "the diagonal is top-left (j <= i)": goes on from "Row 17 sees key 40, which it should not"
    Sees sees;
};

/// Throws a Finding where the keys seen are not the right ones: "scores-changed" where they weigh differently, the mistake
/// that fits all the runs, or, where none does, "mask-wrong": which row, and which keys it sees instead of which.
void hold_keys(std::span<const SeenRun> runs, std::span<const MaskMistake> mistakes, const MaskedTile& tile = {});

/// Masked keys have -infinity, and nothing else: with Q of -infinity every key that is seen has that, too, so that any
/// other number takes the row, and stands in lse. Throws "masked-with-0" or "masked-with-finite", which says the number.
void hold_minus_infinity(Attempt& attempt, const Problem& problem, const MaskedTile& tile = {});

/// A mask leaves the scores of the keys that are seen as they are. Throws "scores-lost", "scaled-twice", or what
/// hold_weights() throws. The mask code has to run on all key blocks of the problem, so that all scores go through it.
void hold_scores_kept(Attempt& attempt, const Problem& problem);

}  // namespace flashlens::practice
