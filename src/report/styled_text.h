// Text in which words have styles, in lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/terminal.h"

namespace flashlens::report {

/// What a terminal shows text with: the codes of ECMA-48's SGR, as in "1" (bold) or "38;5;31"; empty for none.
struct StyledPart {
    std::string text{};
    std::string style{};
};

using StyledText = std::vector<StyledPart>;

/// `text` in the style, where the terminal shows colours.
std::string with_style(std::string_view text, std::string_view style, const Terminal& terminal);

struct StyledLine {
    std::string text{};  ///< with escape codes, where the terminal shows colours
    int width = 0;       ///< columns on the terminal
};

/// As wrap() of width.h breaks the text alone. A newline in it is a line's end in the source of a paragraph: a blank, or
/// nothing between Chinese characters.
std::vector<StyledLine> wrap_styled(const StyledText& text, int width, const Terminal& terminal);

/// Columns of the text on one line; and of its widest part that wrap() would not break.
int width_of(const StyledText& text);
int widest_word(const StyledText& text);

}  // namespace flashlens::report
