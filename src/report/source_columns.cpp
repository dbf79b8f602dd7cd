#include "report/source_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>

#include "report/comparison_view.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

std::string_view dash(const Terminal& terminal) {
    return terminal.utf8 ? "─" : "-";
}

}  // namespace

std::string place_line(const teaching::Excerpt& excerpt, int width, const Terminal& terminal) {
    const bool one = excerpt.first() == excerpt.last();
    const std::string lines =
        one ? fmt::format("{}", excerpt.first()) : fmt::format("{}-{}", excerpt.first(), excerpt.last());
    const std::string place = fmt::format("{}:{}", excerpt.path, lines);
    const std::string shown = display_width(place) > width ? wrap(place, width).front() : place;
    return styled(shown, Style::bold, terminal) + pad("", width - display_width(shown));
}

std::string titled(const std::string& title, const std::vector<int>& widths, const Terminal& terminal) {
    const int start = 3 + display_width(title) + 1;
    if (start > terminal.columns) {
        return "\n" + labelled("", 0, title, terminal, Style::bold);
    }
    std::vector<int> junctions;
    int at = 0;
    for (const int width : widths) {
        at += width + 3;
        junctions.push_back(at - 2);
    }
    std::string result = "\n" + repeated(dash(terminal), 2) + " " + styled(title, Style::bold, terminal) + " ";
    for (int column = start; column < terminal.columns; ++column) {
        const bool junction = std::find(junctions.begin(), junctions.end(), column) != junctions.end();
        result += junction ? (terminal.utf8 ? "┬" : "+") : dash(terminal);
    }
    return result + "\n";
}

std::string beside_each_other(const std::vector<std::vector<std::string>>& cells, const std::vector<int>& widths,
                              const Terminal& terminal) {
    std::size_t height = 1;
    for (const auto& cell : cells) {
        height = std::max(height, cell.size());
    }
    const std::string between = terminal.utf8 ? " │ " : " | ";
    std::string result;
    for (std::size_t line = 0; line < height; ++line) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            result += (i == 0 ? "" : between) + (line < cells[i].size() ? cells[i][line] : pad("", widths[i]));
        }
        result += "\n";
    }
    return result;
}

std::string bottom_rule(const std::vector<int>& widths, const Terminal& terminal) {
    std::string result;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        result += i == 0 ? "" : terminal.utf8 ? "─┴─" : "-+-";
        result += repeated(dash(terminal), widths[i]);
    }
    return result + "\n";
}

std::string alone(const std::string& line) {
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string alone(const std::vector<std::string>& lines) {
    std::string result;
    for (const std::string& line : lines) {
        result += alone(line);
    }
    return result;
}

std::vector<int> shared_out(std::vector<int> natural, int columns) {
    const int room = columns - 3 * (static_cast<int>(natural.size()) - 1);
    int over = std::accumulate(natural.begin(), natural.end(), -room);
    for (; over > 0; --over) {
        --*std::max_element(natural.begin(), natural.end());
    }
    for (; over < 0; ++over) {
        ++*std::min_element(natural.begin(), natural.end());
    }
    return natural;
}

}  // namespace flashlens::report
