// The walk through the online softmax, a page for each step: formulas with the numbers beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/language.h"
#include "report/terminal.h"
#include "teaching/walk.h"

namespace flashlens::report {

/// All that the pages show.
struct WalkShow {
    teaching::WalkProblem problem;
    std::string inputs;                 ///< where typed or read numbers come from; empty for random ones
    std::vector<teaching::Walk> walks;  ///< one or both, in the order shown
    teaching::WalkReference reference;
    std::vector<std::int64_t> rows;  ///< the query rows shown in detail; empty: all
};

/// The problem; the steps of each walk and its result; and, of two walks, what differs between them.
std::size_t walk_pages(const WalkShow& show);

/// One of them. Where a page of all detail has more than `lines` lines, it does with less: no P V, no blank
/// lines, at last no word on where the state is.
std::string walk_page(const WalkShow& show, std::size_t page, Language language, const Terminal& terminal,
                      std::optional<int> lines = std::nullopt);

/// All of them, for a pipe or a file.
std::string all_walk_pages(const WalkShow& show, Language language, const Terminal& terminal);

/// Every step and value.
std::string walk_to_json(const WalkShow& show);

}  // namespace flashlens::report
