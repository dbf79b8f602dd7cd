// Where two files of code differ.
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

/// Which lines of two files are shown.
enum class Extent {
    changes,  ///< where the code differs, comments apart, and the lines around
    all
};

/// Two files side by side from 150 columns on, else one below the other in what differs: lines of `left` are marked - and
/// of `right` +. Of Extent::changes empty where they don't differ.
std::vector<std::string> differences(std::string_view left, std::string_view right, const Terminal& terminal,
                                     Extent extent = Extent::changes);

}  // namespace flashlens::report
