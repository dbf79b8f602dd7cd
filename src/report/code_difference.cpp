#include "report/code_difference.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "report/code_cell.h"
#include "report/source_columns.h"
#include "report/table.h"
#include "report/width.h"
#include "split.h"

namespace flashlens::report {
namespace {

constexpr int side_by_side_from = 150;  // as `source`
constexpr std::size_t around = 3;       // equal lines shown before and after a difference
constexpr std::size_t most_cells = 4'000'000;
constexpr Margins margins{4, 1};

/// Pairs of equal lines of two stretches, in order: a longest common subsequence.
std::vector<std::pair<std::size_t, std::size_t>> common(const std::vector<std::string>& left,
                                                        const std::vector<std::string>& right, std::size_t skip,
                                                        std::size_t rows, std::size_t columns) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    if (rows * columns > most_cells) {
        return pairs;  // nobody reads that far
    }
    // longest[i][j]: how many pairs there are from row i and column j on.
    std::vector<std::uint32_t> longest((rows + 1) * (columns + 1));
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return longest[i * (columns + 1) + j]; };
    const auto same = [&](std::size_t i, std::size_t j) { return left[skip + i] == right[skip + j]; };
    for (std::size_t i = rows; i-- > 0;) {
        for (std::size_t j = columns; j-- > 0;) {
            at(i, j) = same(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
        }
    }
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
        if (same(i, j)) {
            pairs.emplace_back(skip + i++, skip + j++);
        } else if (at(i + 1, j) >= at(i, j + 1)) {
            ++i;
        } else {
            ++j;
        }
    }
    return pairs;
}

bool is_remark(const std::string& line) {
    const std::size_t first = line.find_first_not_of(' ');
    return first == std::string::npos || line.compare(first, 2, "//") == 0;
}

/// Rows that are shown: where the code differs, and some around it. Comments alone are no difference.
std::vector<bool> seen(const std::vector<LinePair>& pairs, const std::vector<std::string>& left,
                       const std::vector<std::string>& right) {
    std::vector<bool> result(pairs.size());
    for (std::size_t begin = 0; begin < pairs.size(); ++begin) {
        std::size_t end = begin;
        bool differs = false;
        for (; end < pairs.size() && !pairs[end].same(); ++end) {
            differs = differs || !is_remark(pairs[end].left ? left[*pairs[end].left] : right[*pairs[end].right]);
        }
        if (differs) {
            const std::size_t first = begin < around ? 0 : begin - around;
            std::fill(result.begin() + static_cast<std::ptrdiff_t>(first),
                      result.begin() + static_cast<std::ptrdiff_t>(std::min(end + around, pairs.size())), true);
        }
        begin = std::max(begin, end);
    }
    return result;
}

CodeCell cell_of(const std::vector<std::string>& lines, std::size_t line, std::string mark, int colour) {
    CodeCell cell;
    cell.number = std::to_string(line + 1);
    cell.marks = std::move(mark);
    cell.text = lines[line];
    cell.mark_colour = colour;
    return cell;
}

void add_below(std::vector<std::string>& result, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
        result.push_back(without_blanks_at_end(line));
    }
}

}  // namespace

std::vector<std::string> code_to_show(std::string_view file) {
    constexpr std::size_t tab = 4;
    std::vector<std::string> lines = split(file, '\n');
    if (lines.back().empty()) {
        lines.pop_back();
    }
    for (std::string& line : lines) {
        std::string text;
        for (const char c : line) {
            text += c == '\t' ? std::string(tab - text.size() % tab, ' ') : std::string(1, c);
        }
        line = printable(without_blanks_at_end(text.ends_with('\r') ? text.substr(0, text.size() - 1) : text));
    }
    return lines;
}

std::vector<LinePair> paired(const std::vector<std::string>& left, const std::vector<std::string>& right) {
    std::size_t before = 0;
    while (before < std::min(left.size(), right.size()) && left[before] == right[before]) {
        ++before;
    }
    std::size_t after = 0;
    while (after < std::min(left.size(), right.size()) - before &&
           left[left.size() - 1 - after] == right[right.size() - 1 - after]) {
        ++after;
    }
    std::vector<std::pair<std::size_t, std::size_t>> equal;
    for (std::size_t i = 0; i < before; ++i) {
        equal.emplace_back(i, i);
    }
    const auto middle = common(left, right, before, left.size() - before - after, right.size() - before - after);
    equal.insert(equal.end(), middle.begin(), middle.end());
    for (std::size_t i = after; i > 0; --i) {
        equal.emplace_back(left.size() - i, right.size() - i);
    }
    equal.emplace_back(left.size(), right.size());
    std::vector<LinePair> pairs;
    std::size_t i = 0;
    std::size_t j = 0;
    for (const auto& [next_left, next_right] : equal) {
        for (; i < next_left; ++i) {
            pairs.push_back({i, {}});
        }
        for (; j < next_right; ++j) {
            pairs.push_back({{}, j});
        }
        if (i < left.size() && j < right.size()) {
            pairs.push_back({i++, j++});
        }
    }
    return pairs;
}

std::vector<std::string> differences(std::string_view left, std::string_view right, const Terminal& terminal,
                                     Extent extent) {
    const std::vector<std::string> left_lines = code_to_show(left);
    const std::vector<std::string> right_lines = code_to_show(right);
    const std::vector<LinePair> pairs = paired(left_lines, right_lines);
    const std::vector<bool> shown =
        extent == Extent::all ? std::vector<bool>(pairs.size(), true) : seen(pairs, left_lines, right_lines);
    const bool wide = terminal.columns >= side_by_side_from;
    const int width = wide ? (terminal.columns - 3) / 2 : std::max(terminal.columns, 20);
    std::vector<std::string> result;
    const auto gap = [&](std::size_t row) {
        if (row > 0 && !shown[row - 1] && !result.empty()) {
            result.emplace_back(terminal.utf8 ? "   …" : " ...");
        }
    };
    const auto code = [&](const std::vector<std::string>& lines, std::size_t line, const char* mark, int colour) {
        return code_lines(cell_of(lines, line, mark, colour), margins, width, terminal);
    };
    for (std::size_t row = 0; row < pairs.size();) {
        if (!shown[row]) {
            ++row;
            continue;
        }
        gap(row);
        if (!wide) {
            const LinePair& pair = pairs[row++];
            add_below(result, pair.same() ? code(left_lines, *pair.left, "", colour::step)
                              : pair.left ? code(left_lines, *pair.left, "-", colour::barrier)
                                          : code(right_lines, *pair.right, "+", colour::string));
            continue;
        }
        // Lines that differ stand beside each other as they come.
        std::vector<std::size_t> lefts;
        std::vector<std::size_t> rights;
        const bool same = pairs[row].same();
        do {
            if (pairs[row].left) {
                lefts.push_back(*pairs[row].left);
            }
            if (pairs[row].right) {
                rights.push_back(*pairs[row].right);
            }
            ++row;
        } while (!same && row < pairs.size() && !pairs[row].same());
        for (std::size_t i = 0; i < std::max(lefts.size(), rights.size()); ++i) {
            std::vector<std::vector<std::string>> cells(2);
            if (i < lefts.size()) {
                cells[0] = code(left_lines, lefts[i], same ? "" : "-", colour::barrier);
            }
            if (i < rights.size()) {
                cells[1] = code(right_lines, rights[i], same ? "" : "+", colour::string);
            }
            for (const std::string& line : split(beside_each_other(cells, {width, width}, terminal), '\n')) {
                if (!line.empty()) {
                    result.push_back(without_blanks_at_end(line));
                }
            }
        }
    }
    return result;
}

}  // namespace flashlens::report
