// CTAs of a launch that do the same work: one stands for all of its class.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "explorer/cta_work.h"

namespace flashlens {

/// CTAs of one class do the same instructions on addresses with the same alignments, so that each counts the same.
///
/// They share: what their place along the query rows makes them do (the split of v1; the query block of the others, where all
/// but the last are alike unless the mask is causal) and where, within a 32-byte sector, the rows they touch begin.
class CtaClasses {
public:
    CtaClasses(const VariantFacts& planned, const Problem& problem);

    /// Where within a sector the rows of Q and O, of K and V, and of lse begin.
    using Alignment = std::array<std::int64_t, 3>;

    struct Class {
        GridPlace first{};  ///< in launch order
        std::uint64_t ctas = 0;
        std::int64_t place = 0;  ///< along the query rows; where several are alike, a number that they share
        Alignment alignment{};
    };
    /// In the order of their alignments, and within one of their places.
    const std::vector<Class>& all() const { return classes_; }
    /// The index of a CTA's class.
    std::size_t class_of(const GridPlace& cta) const { return index_.at(key(cta)); }

private:
    using Key = std::pair<Alignment, std::int64_t>;

    Key key(const GridPlace& cta) const;

    const VariantFacts& planned_;
    const Problem& problem_;
    std::map<Key, std::size_t> index_;
    std::vector<Class> classes_;
};

}  // namespace flashlens
