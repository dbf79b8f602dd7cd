// A learner's file beside the solution.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/terminal.h"

namespace flashlens::report {

/// A line of one file and its equal in the other; or a line that stands in one of them only.
struct LinePair {
    std::optional<std::size_t> left{};   ///< from 0
    std::optional<std::size_t> right{};  ///< from 0

    bool same() const { return left && right; }
};

/// Both files in order, as many equal lines together as can be. Blanks at the ends of lines don't count.
std::vector<LinePair> paired(const std::vector<std::string>& left, const std::vector<std::string>& right);

/// The lines of a file fit to print: without tabs and what would steer the terminal.
std::vector<std::string> code_to_show(std::string_view file);

/// Numbered lines of code in its colours.
std::vector<std::string> code_listing(std::string_view file, const Terminal& terminal);

/// Where the code of two files differs, comments apart, with the lines around: side by side from 150 columns on, else
/// lines of `left` marked - and of `right` marked +. Empty where they don't differ.
std::vector<std::string> differences(std::string_view left, std::string_view right, const Terminal& terminal);

}  // namespace flashlens::report
