// Columns of code across the screen: titles with a rule, cells side by side, and lines that stand alone.
#pragma once

#include <string>
#include <vector>

#include "report/terminal.h"
#include "teaching/alignment.h"

namespace flashlens::report {

/// A title with a rule after it, across the screen; the rule has the junctions of the columns below. Without room for a
/// rule, the title alone.
std::string titled(const std::string& title, const std::vector<int>& widths, const Terminal& terminal);

/// Above an excerpt: where it stands. One line of this width.
std::string place_line(const teaching::Excerpt& excerpt, int width, const Terminal& terminal);

/// Cells side by side, the lower ones filled up with blanks.
std::string beside_each_other(const std::vector<std::vector<std::string>>& cells, const std::vector<int>& widths,
                              const Terminal& terminal);

/// Below the last row.
std::string bottom_rule(const std::vector<int>& widths, const Terminal& terminal);

/// Lines that nothing stands beside: without blanks at their end.
std::string alone(const std::string& line);
std::string alone(const std::vector<std::string>& lines);

/// Widths for columns that would like to have `natural`: all of the terminal's, the widest gives way.
std::vector<int> shared_out(std::vector<int> natural, int columns);

}  // namespace flashlens::report
