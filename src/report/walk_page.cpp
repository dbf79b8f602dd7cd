#include "report/walk_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/width.h"

namespace flashlens::report {
namespace {

constexpr int longest_sum = 4 * walk_number_width + 9;  // l = l exp(m - m_new) + rowsum P
constexpr int comment_column = 79;                      // right of the longest line of numbers
constexpr int shortest_comment = 30;

/// Cells with blanks between them, in lines of at most `width` columns.
std::vector<std::string> broken(const std::vector<std::string>& cells, int width) {
    std::vector<std::string> lines{""};
    int used = 0;
    for (const std::string& cell : cells) {
        const int own = visible_width(cell);
        if (used > 0 && used + 1 + own > width) {
            lines.emplace_back();
            used = 0;
        }
        lines.back() += (used > 0 ? " " : "") + cell;
        used += own + (used > 0 ? 1 : 0);
    }
    return lines;
}

/// "0..3", "2", "0, 2, 3".
std::string ranges(const std::vector<std::int64_t>& numbers) {
    if (numbers.size() > 1 && numbers.back() - numbers.front() + 1 == std::ssize(numbers)) {
        return fmt::format("{}..{}", numbers.front(), numbers.back());
    }
    return fmt::format("{}", fmt::join(numbers, ", "));
}

}  // namespace

WalkPage::WalkPage(const WalkShow& show, Language language, const Terminal& terminal, Density density)
    : show_(show),
      language_(language),
      terminal_(terminal),
      density_(density),
      narrow_(terminal.columns < label_width + longest_sum),
      commented_(terminal.columns >= comment_column + shortest_comment) {}

void WalkPage::gap() {
    if (density_ < Density::dense) {
        line();
    }
}

void WalkPage::paragraph(const std::string& text, Style style) {
    lines(labelled("", 0, text, terminal_, style));
}

std::string WalkPage::number(double value) const {
    const std::string text = walk_number(value);
    return narrow_ ? text : at_right(text, walk_number_width);
}

std::vector<std::string> WalkPage::numbers(const std::vector<double>& values, bool changed) const {
    std::vector<std::string> cells;
    std::transform(values.begin(), values.end(), std::back_inserter(cells), [&](double value) {
        const std::string text = at_right(walk_number(value), walk_number_width);
        return changed ? bold(text) : text;
    });
    return cells;
}

void WalkPage::formula(std::string_view label, const std::vector<std::string>& cells, bool changed, Text comment) {
    const std::string mark = changed && !terminal_.colour ? "* " : "  ";
    labelled_cells(mark + std::string(label), narrow_ ? 4 : label_width, cells,
                   commented_ && explaining_ ? say(comment) : "");
}

void WalkPage::labelled_cells(const std::string& label, int column, const std::vector<std::string>& cells,
                              const std::string& comment) {
    if (narrow_) {
        line(label);
    }
    const std::string indent(column, ' ');
    const std::vector<std::string> rows = broken(cells, terminal_.columns - column);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::string text = (i > 0 || narrow_ ? indent : pad(label, column)) + rows[i];
        const int end = column + visible_width(rows[i]);
        const bool fits = comment_column + display_width(comment) <= terminal_.columns;
        if (i == 0 && !comment.empty() && end < comment_column && fits) {
            text += std::string(comment_column - end, ' ') + dim(comment);
        }
        line(text);
    }
}

int visible_width(const std::string& text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') {
            i = text.find('m', i);
        } else {
            plain += text[i];
        }
    }
    return display_width(plain);
}

std::string sees_words(const WalkPage& page, std::int64_t row) {
    std::vector<std::int64_t> keys;
    for (std::int64_t j = 0; j < page.problem().problem.seqlen_k; ++j) {
        if (teaching::sees(page.problem(), row, j)) {
            keys.push_back(j);
        }
    }
    return keys.empty()       ? page.say(Text::walk_sees_nothing)
           : keys.size() == 1 ? page.say(Text::walk_sees_key, keys.front())
                              : page.say(Text::walk_sees_keys, ranges(keys));
}

bool in_detail(const WalkPage& page, std::int64_t row) {
    const std::vector<std::int64_t>& rows = page.show().rows;
    return rows.empty() || std::find(rows.begin(), rows.end(), row) != rows.end();
}

}  // namespace flashlens::report
