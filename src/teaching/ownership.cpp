#include "teaching/ownership.h"

#include <algorithm>

namespace flashlens::teaching {
namespace {

std::int64_t pieces(std::int64_t whole, std::int64_t piece) {
    return (whole + piece - 1) / piece;
}

/// Rows of the smallest MMA, and keys of two of them side by side: warps are dealt pieces of so many.
constexpr std::int64_t warp_piece = 16;

}  // namespace

Ownership::Ownership(const VariantFacts& planned, const Problem& problem)
    : tile_(planned.launch.tile),
      splits_(planned.launch.splits.value_or(0)),
      tuned_(planned.name == "v2-tuned"),
      seqlen_q_(problem.seqlen_q),
      seqlen_k_(problem.seqlen_k),
      causal_(problem.causal),
      diagonal_(problem.diagonal()),
      units_(pieces(problem.seqlen_q, tile_.block_m)),
      // v1 runs through one, empty, where there is no key: its rows are written all the same
      key_blocks_(std::max<std::int64_t>(pieces(problem.seqlen_k, tile_.block_n), splits_ > 0 ? 1 : 0)) {}

std::int64_t Ownership::shares() const {
    return is_v1() ? std::min(splits_, units_) : units_;
}

Span Ownership::rows(std::int64_t unit) const {
    return {unit * unit_rows(), std::min((unit + 1) * unit_rows(), seqlen_q_)};
}

Span Ownership::keys(std::int64_t key_block) const {
    return {key_block * block_keys(), std::min((key_block + 1) * block_keys(), seqlen_k_)};
}

std::int64_t Ownership::unit_count(std::int64_t share) const {
    return share < units_ ? pieces(units_ - share, unit_step()) : 0;
}

std::int64_t Ownership::keys_seen(std::int64_t row) const {
    return causal_ ? std::clamp<std::int64_t>(row + diagonal_ + 1, 0, seqlen_k_) : seqlen_k_;
}

std::int64_t Ownership::visited_end(std::int64_t unit) const {
    // The kernels ask for the unit's last row even where it lies past Sq.
    const std::int64_t seen = pieces(keys_seen((unit + 1) * unit_rows() - 1), block_keys());
    return is_v1() ? std::max<std::int64_t>(seen, 1) : seen;
}

std::int64_t Ownership::masking_begin(std::int64_t unit) const {
    if (is_v1()) {
        return 0;
    }
    if (tuned_) {
        return std::min(keys_seen(unit * unit_rows()) / block_keys(), visited_end(unit));
    }
    std::int64_t masked = 1;
    if (causal_) {
        const bool even = seqlen_q_ % unit_rows() == 0 && seqlen_k_ % block_keys() == 0;
        masked = pieces(unit_rows(), block_keys()) + (even ? 0 : 1);
    }
    return std::max<std::int64_t>(visited_end(unit) - masked, 0);
}

Fates Ownership::fates(std::int64_t unit) const {
    const std::int64_t end = visited_end(unit);
    const std::int64_t masking = masking_begin(unit);
    // The unit's first row sees the fewest keys: from this block on, something is hidden from it, or lies past Sk.
    const std::int64_t hiding = keys_seen(unit * unit_rows()) / block_keys();
    Fates result;
    result.skipped = key_blocks_ - end;
    result.plain = masking;
    result.vain = std::clamp<std::int64_t>(hiding, masking, end) - masking;
    result.hidden = end - masking - result.vain;
    return result;
}

Fate Ownership::fate(std::int64_t unit, std::int64_t key_block) const {
    const Fates in_order = fates(unit);  // plain, vain, hidden, skipped: from the first key block to the last
    if (key_block < in_order.plain) {
        return Fate::plain;
    }
    if (key_block < in_order.plain + in_order.vain) {
        return Fate::vain;
    }
    return key_block < in_order.visited() ? Fate::hidden : Fate::skipped;
}

Fates Ownership::fates() const {
    Fates all;
    for (std::int64_t unit = 0; unit < units_; ++unit) {
        const Fates one = fates(unit);
        all.skipped += one.skipped;
        all.hidden += one.hidden;
        all.vain += one.vain;
        all.plain += one.plain;
    }
    return all;
}

std::vector<Visit> Ownership::walk(std::int64_t share, std::int64_t most) const {
    std::vector<Visit> result;
    const auto full = [&] { return static_cast<std::int64_t>(result.size()) >= most; };
    if (!is_v1()) {
        for (std::int64_t n = visited_end(share) - 1; n >= 0 && !full(); --n) {
            result.push_back({share, n});
        }
        return result;
    }
    for (std::int64_t n = 0; n < key_blocks_ && !full(); ++n) {
        for (std::int64_t unit = share; unit < units_ && !full(); unit += splits_) {
            if (n < visited_end(unit)) {
                result.push_back({unit, n});
            }
        }
    }
    return result;
}

std::int64_t Ownership::visits(std::int64_t share) const {
    std::int64_t sum = 0;
    for (std::int64_t unit = share; unit < units_; unit += unit_step()) {
        sum += visited_end(unit);
    }
    return sum;
}

std::int64_t Ownership::step(const Visit& visit) const {
    if (!is_v1()) {
        return visited_end(visit.unit) - visit.key_block;
    }
    std::int64_t before = 0;
    for (std::int64_t unit = owner(visit.unit); unit < units_; unit += splits_) {
        const bool earlier_in_the_block = unit < visit.unit && visit.key_block < visited_end(unit);
        before += std::min(visited_end(unit), visit.key_block) + (earlier_in_the_block ? 1 : 0);
    }
    return before + 1;
}

int Ownership::warp_of(std::int64_t row, std::int64_t key) const {
    return static_cast<int>((is_v1() ? key : row) / warp_piece % warps());
}

}  // namespace flashlens::teaching
