#include "report/table.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "report/width.h"
#include "split.h"

namespace flashlens::report {
namespace {

constexpr int label_minimum = 14;

struct Border {
    std::string_view across, down, left, right, middle, top_left, top, top_right, bottom_left, bottom, bottom_right;
};

constexpr Border unicode{"─", "│", "├", "┤", "┼", "┌", "┬", "┐", "└", "┴", "┘"};
constexpr Border ascii{"-", "|", "+", "+", "+", "+", "+", "+", "+", "+", "+"};

/// "│ " before, " │" after, " │ " between.
int border_width(std::size_t columns) {
    return 3 * static_cast<int>(columns) + 1;
}

/// Of the widest of the lines that a text has before it is wrapped.
int widest_line(std::string_view text) {
    int widest = 0;
    for (const std::string& line : split(text, '\n')) {
        widest = std::max(widest, display_width(line));
    }
    return widest;
}

std::string rule(const Border& border, const std::vector<int>& widths, std::string_view left, std::string_view middle,
                 std::string_view right) {
    std::string line(left);
    for (std::size_t i = 0; i < widths.size(); ++i) {
        line += repeated(border.across, widths[i] + 2);
        line += i + 1 < widths.size() ? middle : right;
    }
    return line + "\n";
}

/// A rule that carries a title; junctions that the title covers give way.
std::string titled_rule(const Border& border, const std::vector<int>& widths, const std::string& title,
                        const Terminal& terminal) {
    const int covered = 2 + display_width(title) + 2;  // edge, dash, and a blank on each side, less the edge's column
    std::string line(border.left);
    line += border.across;
    line += " " + styled(title, Style::bold, terminal) + " ";
    int at = 1 + covered - 1;
    int junction = 0;
    std::size_t column = 0;
    const int total = std::accumulate(widths.begin(), widths.end(), border_width(widths.size()));
    for (; at + 1 < total; ++at) {
        while (column < widths.size() && junction < at) {
            junction += widths[column++] + 3;
        }
        line += junction == at ? border.middle : border.across;
    }
    line += border.right;
    return line + "\n";
}

std::string text_rows(const Border& border, const std::vector<Cell>& cells, const std::vector<int>& widths,
                      const Terminal& terminal) {
    std::vector<std::vector<std::string>> wrapped;
    std::size_t height = 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        wrapped.push_back(wrap(cells[i].text, widths[i]));
        height = std::max(height, wrapped.back().size());
    }
    std::string result;
    for (std::size_t line = 0; line < height; ++line) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string text = line < wrapped[i].size() ? wrapped[i][line] : "";
            const std::string blanks(static_cast<std::size_t>(std::max(widths[i] - display_width(text), 0)), ' ');
            result += std::string(border.down) + " " + styled(text, cells[i].style, terminal) + blanks + " ";
        }
        result += std::string(border.down) + "\n";
    }
    return result;
}

}  // namespace

std::string styled(const std::string& text, Style style, const Terminal& terminal) {
    if (!terminal.colour || style == Style::plain || text.empty()) {
        return text;
    }
    const char* code = style == Style::bold ? "1" : style == Style::dim ? "2" : style == Style::good ? "32" : "1;31";
    return std::string("\x1b[") + code + "m" + text + "\x1b[0m";
}

Table::Table(std::vector<Cell> heading) : columns_(heading.size()) {
    rows_.push_back({Kind::row, std::move(heading)});
}

void Table::group(const std::string& title) {
    rows_.push_back({Kind::group, {{title, Style::bold}}});
}

void Table::row(const std::string& label, std::vector<Cell> cells) {
    cells.insert(cells.begin(), Cell{label, Style::plain});
    cells.resize(columns_);
    rows_.push_back({Kind::row, std::move(cells)});
}

void Table::span(const std::string& label, const Cell& cell) {
    rows_.push_back({Kind::span, {{label, Style::plain}, cell}});
}

std::vector<int> Table::natural_widths() const {
    std::vector<int> result(columns_, 1);
    int widest_span = 0;
    for (const Row& row : rows_) {
        if (row.kind == Kind::group) {
            continue;
        }
        const std::size_t own = row.kind == Kind::span ? 1 : columns_;
        for (std::size_t i = 0; i < own; ++i) {
            result[i] = std::max(result[i], widest_line(row.cells[i].text));
        }
        if (row.kind == Kind::span) {
            widest_span = std::max(widest_span, display_width(row.cells[1].text));
        }
    }
    // Spans may widen the last column a little; long ones wrap.
    const int values = std::accumulate(result.begin() + 1, result.end(), 3 * (static_cast<int>(columns_) - 2));
    if (columns_ > 1 && widest_span > values) {
        result.back() += std::min(widest_span - values, std::max(0, 30 - result.back()));
    }
    result.back() += std::max(least_ - std::accumulate(result.begin(), result.end(), border_width(columns_)), 0);
    return result;
}

std::vector<int> Table::word_widths() const {
    std::vector<int> result(columns_, 1);
    for (const Row& row : rows_) {
        for (std::size_t i = 0; row.kind == Kind::row && i < columns_; ++i) {
            result[i] = std::max(result[i], widest_word(row.cells[i].text));
        }
    }
    return result;
}

std::vector<int> Table::widths(const Terminal& terminal) const {
    const std::vector<int> words = word_widths();
    std::vector<int> result = natural_widths();
    int over = std::accumulate(result.begin(), result.end(), border_width(columns_)) - terminal.columns;
    for (; over > 0; --over) {
        std::size_t widest_of_words = columns_;
        for (std::size_t i = 0; i < columns_; ++i) {
            const int least = std::max(words[i], i == 0 ? label_minimum : 0);
            if (result[i] > least && (widest_of_words == columns_ || result[i] > result[widest_of_words])) {
                widest_of_words = i;
            }
        }
        if (widest_of_words < columns_) {
            --result[widest_of_words];
            continue;
        }
        const bool label_may_shrink = result.front() > label_minimum || columns_ == 1;
        auto widest = std::max_element(result.begin() + (label_may_shrink ? 0 : 1), result.end());
        if (*widest <= 4) {
            widest = std::max_element(result.begin(), result.end());
        }
        if (*widest <= 2) {
            break;
        }
        --*widest;
    }
    return result;
}

bool Table::fits(const Terminal& terminal, int value_width) const {
    const std::vector<int> natural = natural_widths();
    int needed = border_width(columns_) + std::min(natural.front(), label_minimum);
    for (std::size_t i = 1; i < columns_; ++i) {
        needed += std::min(natural[i], value_width);
    }
    return needed <= terminal.columns;
}

std::string Table::render(const Terminal& terminal) const {
    const Border& border = terminal.utf8 ? unicode : ascii;
    const std::vector<int> widths = this->widths(terminal);
    const int total = std::accumulate(widths.begin(), widths.end(), border_width(columns_));
    std::vector<int> span_widths{widths.front(), total - widths.front() - border_width(2)};
    std::string result = rule(border, widths, border.top_left, border.top, border.top_right);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        if (row.kind == Kind::group && display_width(row.cells[0].text) + 6 <= total) {
            result += titled_rule(border, widths, row.cells[0].text, terminal);
        } else if (row.kind == Kind::group) {
            result += rule(border, widths, border.left, border.middle, border.right);
            result += text_rows(border, row.cells, {total - 4}, terminal);
        } else {
            result += text_rows(border, row.cells, row.kind == Kind::span ? span_widths : widths, terminal);
        }
        if (i == 0 && rows_.size() > 1 && rows_[1].kind != Kind::group) {
            result += rule(border, widths, border.left, border.middle, border.right);
        }
    }
    return result + rule(border, widths, border.bottom_left, border.bottom, border.bottom_right);
}

}  // namespace flashlens::report
