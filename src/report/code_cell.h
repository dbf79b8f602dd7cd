// A line of code in a column: its number, its steps, coloured text, broken where it is too wide.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/terminal.h"

namespace flashlens::report {

/// Colours of the 256 that stand out on a dark screen and on a light one.
namespace colour {
inline constexpr int keyword = 133, type = 31, number = 130, string = 65, comment = 102, preprocessor = 96;
inline constexpr int step = 166, load = 67, barrier = 161;
}  // namespace colour

/// `text` in one of the 256 colours, where the terminal shows colours.
std::string coloured(std::string_view text, int colour, bool bold, const Terminal& terminal);

struct CodeCell {
    std::string number;              ///< empty: the line has none
    std::string marks;               ///< letters of the steps
    std::string_view text;           ///< without the indentation that all lines of the excerpt share
    std::string_view highlighted;    ///< a part of text: the step's name; may be empty
    int mark_colour = colour::step;  ///< of marks and highlighted; bold but for loads
};

/// How wide the columns before the code are.
struct Margins {
    int number = 0;
    int marks = 0;

    int width() const { return (number > 0 ? number + 1 : 0) + (marks > 0 ? marks + 1 : 0); }
};

/// Lines of exactly `width` columns. Where code is too wide it goes on in the next line, indented, with a mark where the
/// number would stand: at a blank, and before a comment if that is enough.
std::vector<std::string> code_lines(const CodeCell& cell, const Margins& margins, int width, const Terminal& terminal);

}  // namespace flashlens::report
