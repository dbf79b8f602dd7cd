// A picture made of characters: text put at places, in colours where the terminal shows them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/terminal.h"

namespace flashlens::report {

/// How a character is shown.
struct Ink {
    static constexpr std::size_t no_hue = 99;
    std::size_t hue = no_hue;  ///< of chart.h
    bool bold = false;
    bool dim = false;
    bool reverse = false;

    friend bool operator==(const Ink&, const Ink&) = default;
};

class Picture {
public:
    /// Text of any width of characters at a column and a line, over what is there.
    void put(int column, int line, std::string_view text, const Ink& ink = {});
    int lines() const { return static_cast<int>(rows_.size()); }
    /// Columns up to the last character.
    int columns() const;
    /// Lines without blanks at their ends, each ended by a newline. One wider than the terminal is cut, and shows it.
    std::string text(const Terminal& terminal) const;

private:
    struct Cell {
        std::string glyph = " ";  ///< empty: the right half of a wide one
        Ink ink;
    };
    using Row = std::vector<Cell>;

    std::vector<Row> rows_;
};

}  // namespace flashlens::report
