#include "report/document_table.h"
#include "report/width.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace flashlens::report {
namespace {

using teaching::Align;
using Rows = std::vector<std::vector<StyledText>>;

constexpr int gap = 2;            ///< between columns
constexpr int wide_enough = 12;   ///< columns of text are not made narrower than that, or than their longest word
constexpr int record_indent = 2;  ///< of a value that stands below its heading

std::string blanks(int count) {
    return std::string(static_cast<std::size_t>(std::max(count, 0)), ' ');
}

int sum(const std::vector<int>& widths) {
    return std::accumulate(widths.begin(), widths.end(), gap * (static_cast<int>(widths.size()) - 1));
}

/// What the columns need: for all of their text on one line, and so that no word is broken.
struct Needs {
    std::vector<int> natural, least;
};

Needs needs_of(const Rows& rows) {
    Needs needs;
    for (std::size_t column = 0; column < rows.front().size(); ++column) {
        int natural = 1;
        int least = 1;
        for (const auto& row : rows) {
            natural = std::max(natural, width_of(row[column]));
            least = std::max(least, widest_word(row[column]));
        }
        needs.natural.push_back(natural);
        needs.least.push_back(std::min(natural, natural > wide_enough ? std::max(least, wide_enough) : least));
    }
    return needs;
}

std::string aligned(const StyledLine& line, int width, Align align) {
    const int room = width - line.width;
    const int left = align == Align::right ? room : align == Align::centre ? room / 2 : 0;
    return blanks(left) + line.text + blanks(room - left);
}

/// True when the row needs more than one line.
bool add_row(const std::vector<StyledText>& row, const std::vector<int>& widths, const std::vector<Align>& aligns,
             const Terminal& terminal, std::vector<std::string>& lines) {
    std::vector<std::vector<StyledLine>> cells;
    std::size_t height = 1;
    for (std::size_t column = 0; column < row.size(); ++column) {
        cells.push_back(wrap_styled(row[column], widths[column], terminal));
        height = std::max(height, cells.back().size());
    }
    for (std::size_t i = 0; i < height; ++i) {
        std::string line;
        for (std::size_t column = 0; column < cells.size(); ++column) {
            const StyledLine cell = i < cells[column].size() ? cells[column][i] : StyledLine{};
            line += (column > 0 ? blanks(gap) : "") + aligned(cell, widths[column], aligns[column]);
        }
        lines.push_back(without_blanks_at_end(line));
    }
    return height > 1;
}

std::vector<std::string> as_columns(const Rows& rows, const std::vector<int>& widths, const std::vector<Align>& aligns,
                                    const Terminal& terminal) {
    std::vector<std::vector<std::string>> parts;
    bool tall = false;
    for (const auto& row : rows) {
        parts.emplace_back();
        tall = add_row(row, widths, aligns, terminal, parts.back()) && parts.size() > 1 ? true : tall;
    }
    std::string rule;
    std::string thin;
    for (std::size_t column = 0; column < widths.size(); ++column) {
        rule += (column > 0 ? blanks(gap) : "") + repeated(terminal.utf8 ? "─" : "-", widths[column]);
        thin += (column > 0 ? blanks(gap) : "") + repeated(terminal.utf8 ? "┈" : ".", widths[column]);
    }
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        lines.insert(lines.end(), parts[i].begin(), parts[i].end());
        if (i == 0) {
            lines.push_back(with_style(rule, "2", terminal));
        } else if (tall && i + 1 < parts.size()) {
            lines.push_back(with_style(thin, "2", terminal));  // else nobody sees where a row ends
        }
    }
    return lines;
}

/// "heading: value" on a line each, a row below the other.
std::vector<std::string> as_records(const Rows& rows, int width, const Terminal& terminal) {
    std::vector<std::string> lines;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        for (std::size_t column = 0; column < rows[i].size(); ++column) {
            if (width_of(rows[i][column]) == 0) {
                continue;
            }
            StyledText text = rows.front()[column];
            if (width_of(text) > 0) {
                text.push_back({": ", ""});
            }
            text.insert(text.end(), rows[i][column].begin(), rows[i][column].end());
            const int indent = column == 0 ? 0 : record_indent;
            for (const StyledLine& line : wrap_styled(text, width - indent, terminal)) {
                lines.push_back(blanks(indent) + line.text);
            }
        }
    }
    return lines;
}

}  // namespace

std::vector<std::string> document_table(const Rows& rows, const std::vector<Align>& aligns, int width,
                                        const Terminal& terminal) {
    const Needs needs = needs_of(rows);
    if (sum(needs.least) > width) {
        return as_records(rows, width, terminal);
    }
    std::vector<int> widths = needs.natural;
    while (sum(widths) > width) {
        // The one that has most to give.
        std::size_t widest = 0;
        int most = -1;
        for (std::size_t column = 0; column < widths.size(); ++column) {
            if (widths[column] > needs.least[column] && widths[column] > most) {
                most = widths[column];
                widest = column;
            }
        }
        --widths[widest];
    }
    return as_columns(rows, widths, aligns, terminal);
}

}  // namespace flashlens::report
