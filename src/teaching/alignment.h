// What of the kernels' code stands side by side.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "teaching/source.h"

namespace flashlens::teaching {

/// A line of a side: of which excerpt; without `line`, the place of the excerpt's heading.
struct Place {
    std::size_t excerpt;
    std::optional<std::size_t> line;
};

/// What stands side by side; a side that has nothing there has no place.
struct Row {
    std::vector<std::optional<Place>> places;
    bool together = false;  ///< has to start on one line; other rows may shift where one side's lines are broken
};

/// The rows of a part: every side's headings and lines, each once and in order. In the main loop lines of one step stand on
/// one row; elsewhere the excerpts begin side by side, if all sides have as many.
std::vector<Row> rows_of(const Part& part);

/// What a row is lined up by, if by anything.
using Anchor = std::optional<int>;

/// Pairs (i, j) with a[i] == b[j], ascending in both, as many as there can be and each as early as it can be. Empty
/// anchors match nothing.
std::vector<std::pair<std::size_t, std::size_t>> line_up(std::span<const Anchor> a, std::span<const Anchor> b);

}  // namespace flashlens::teaching
