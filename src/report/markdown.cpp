#include "report/markdown.h"

#include <algorithm>
#include <numeric>

#include "report/width.h"

namespace flashlens::report {
namespace {

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        result += c == '|' ? "\\|" : std::string(1, c);
    }
    return result;
}

std::string aligned(const std::string& text, int width, bool to_the_right) {
    const std::string blanks(static_cast<std::size_t>(std::max(width - display_width(text), 0)), ' ');
    return to_the_right ? blanks + text : text + blanks;
}

}  // namespace

void MarkdownTable::row(std::vector<std::string> cells) {
    cells.resize(columns_.size());
    std::transform(cells.begin(), cells.end(), cells.begin(), escaped);
    rows_.push_back(std::move(cells));
}

std::vector<int> MarkdownTable::widths() const {
    std::vector<int> result;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        int width = std::max(3, display_width(columns_[i].heading));  // "--:" is the shortest rule
        for (const auto& row : rows_) {
            width = std::max(width, display_width(row[i]));
        }
        result.push_back(width);
    }
    return result;
}

int MarkdownTable::width() const {
    const std::vector<int> all = widths();
    return std::accumulate(all.begin(), all.end(), 3 * static_cast<int>(all.size()) + 1);
}

std::string MarkdownTable::render() const {
    const std::vector<int> all = widths();
    std::string headings;
    std::string rule;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const bool right = columns_[i].to_the_right;
        headings += "| " + aligned(columns_[i].heading, all[i], right) + " ";
        rule += "| " + std::string(static_cast<std::size_t>(all[i] - (right ? 1 : 0)), '-') + (right ? ": " : " ");
    }
    std::string result = headings + "|\n" + rule + "|\n";
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            result += "| " + aligned(row[i], all[i], columns_[i].to_the_right) + " ";
        }
        result += "|\n";
    }
    return result;
}

}  // namespace flashlens::report
