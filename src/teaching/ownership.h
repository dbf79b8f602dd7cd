// Who owns what of S = Q K^T of one head: which CTA has which query rows, which key blocks it meets and in which order, and
// which warp of it has which rows or keys. Follows from the planned launch; a test holds it against the kernels as they run.
#pragma once

#include <cstdint>
#include <vector>

#include "explorer/comparison.h"

namespace flashlens::teaching {

/// begin .. end - 1.
struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    std::int64_t size() const { return end - begin; }
    friend bool operator==(const Span&, const Span&) = default;
};

/// What happens where a query unit meets a key block.
enum class Fate {
    skipped,  ///< nothing is loaded or computed
    hidden,   ///< the masking code runs, and hides at least one key of at least one row
    vain,     ///< the masking code runs and hides nothing
    plain,    ///< no masking code runs, and all rows see all keys
};

/// One query unit against one key block.
struct Visit {
    std::int64_t unit = 0;
    std::int64_t key_block = 0;

    friend bool operator==(const Visit&, const Visit&) = default;
};

/// How many pairs of a query unit and a key block have each fate.
struct Fates {
    std::int64_t skipped = 0;
    std::int64_t hidden = 0;
    std::int64_t vain = 0;
    std::int64_t plain = 0;

    std::int64_t visited() const { return hidden + vain + plain; }
    std::int64_t all() const { return visited() + skipped; }
};

/// A query unit is what meets one key block at a time: v1's 16-row query tile, the others' query block. A share is what one
/// CTA owns: v1's split z, that is query tiles z, z + num_splits, ...; the others' one query block.
class Ownership {
public:
    /// Of a launch that runs.
    Ownership(const VariantFacts& planned, const Problem& problem);

    bool is_v1() const { return splits_ > 0; }
    std::int64_t unit_rows() const { return tile_.block_m; }
    std::int64_t block_keys() const { return tile_.block_n; }
    std::int64_t units() const { return units_; }
    std::int64_t key_blocks() const { return key_blocks_; }
    /// CTAs of a head that own rows.
    std::int64_t shares() const;

    /// Without what lies past Sq or Sk.
    Span rows(std::int64_t unit) const;
    Span keys(std::int64_t key_block) const;

    /// The share that a query unit belongs to.
    std::int64_t owner(std::int64_t unit) const { return is_v1() ? unit % splits_ : unit; }
    /// The query units of a share, ascending: the first, how far apart they are, and how many.
    std::int64_t first_unit(std::int64_t share) const { return share; }
    std::int64_t unit_step() const { return is_v1() ? splits_ : units_; }
    std::int64_t unit_count(std::int64_t share) const;

    /// A unit meets the key blocks before this one, and no others.
    std::int64_t visited_end(std::int64_t unit) const;
    /// On those of them from this one on, the masking code runs.
    std::int64_t masking_begin(std::int64_t unit) const;
    Fate fate(std::int64_t unit, std::int64_t key_block) const;
    Fates fates(std::int64_t unit) const;
    /// Of the whole S.
    Fates fates() const;

    /// What a share's CTA does, in its order: v1 takes key blocks first to last, and all its query tiles for each; the others
    /// take key blocks last to first. At most `most` visits, the first ones.
    std::vector<Visit> walk(std::int64_t share, std::int64_t most) const;
    std::int64_t visits(std::int64_t share) const;
    /// The place of a visit in its CTA's walk, from 1.
    std::int64_t step(const Visit& visit) const;

    int warps() const { return tile_.warps; }
    /// v1's warps split the keys of a block, the others' the rows of a unit. Which warp has this row of the unit and this key
    /// of the block?
    int warp_of(std::int64_t row, std::int64_t key) const;

private:
    std::int64_t keys_seen(std::int64_t row) const;

    Tile tile_;
    std::int64_t splits_ = 0;  ///< 0: not v1
    bool tuned_ = false;
    std::int64_t seqlen_q_;
    std::int64_t seqlen_k_;
    bool causal_;
    std::int64_t diagonal_;
    std::int64_t units_;
    std::int64_t key_blocks_;
};

}  // namespace flashlens::teaching
