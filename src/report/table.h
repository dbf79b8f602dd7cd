// A table of text whose every line has the same width on the terminal.
#pragma once

#include <string>
#include <vector>

#include "report/terminal.h"

namespace flashlens::report {

enum class Style { plain, bold, dim, good, bad };

/// `text` in the style, where the terminal shows colours.
std::string styled(const std::string& text, Style style, const Terminal& terminal);

struct Cell {
    std::string text;
    Style style = Style::plain;
};

/// A column of labels and then value columns. Groups of rows stand under a rule that carries their title. Columns are
/// as wide as their text needs; what is wider than the terminal is wrapped, the widest column first, and inside words
/// only where nothing else is left.
class Table {
public:
    explicit Table(std::vector<Cell> heading);

    void group(const std::string& title);
    /// One cell per value column.
    void row(const std::string& label, std::vector<Cell> cells);
    /// One text across all value columns.
    void span(const std::string& label, const Cell& cell);

    /// The whole table is at least so wide where the terminal is: for long spans beside short cells.
    void at_least(int columns) { least_ = columns; }

    /// Can it be shown with every value column at least `value_width` wide (or as wide as it needs, if less)?
    bool fits(const Terminal& terminal, int value_width) const;

    /// Lines of one display width, each ended by a newline; never wider than the terminal.
    std::string render(const Terminal& terminal) const;

private:
    enum class Kind { row, span, group };
    struct Row {
        Kind kind;
        std::vector<Cell> cells;  ///< the label first
    };

    std::vector<int> natural_widths() const;
    std::vector<int> word_widths() const;  ///< of each column's widest word
    std::vector<int> widths(const Terminal& terminal) const;

    std::vector<Row> rows_;
    std::size_t columns_;
    int least_ = 0;
};

}  // namespace flashlens::report
