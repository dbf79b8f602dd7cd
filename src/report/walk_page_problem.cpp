// The first page of a walk: the problem, its numbers, and what the orders are.
#include <fmt/format.h>

#include <algorithm>

#include "report/numbers.h"
#include "report/walk_page.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

using teaching::Matrix;
using teaching::Walk;
using teaching::WalkOrder;

constexpr int row_name_width = 3;                    // "q0", "k15"
constexpr int column_width = walk_number_width + 1;  // of a matrix
constexpr int between_matrices = 2;

using Lines = std::vector<std::string>;

/// The name, and below it the rows.
Lines matrix_lines(const WalkPage& page, std::string_view name, char letter, const Matrix& matrix) {
    Lines lines{page.bold(std::string(name))};
    lines.front() +=
        std::string(std::max<std::int64_t>(0, row_name_width + matrix.columns * column_width - std::ssize(name)), ' ');
    const bool may_be_masked = page.problem().scores_given();
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
        std::string text = at_right(fmt::format("{}{}", letter, i), row_name_width);
        for (std::int64_t c = 0; c < matrix.columns; ++c) {
            const double value = matrix.at(i, c);
            const bool masked = may_be_masked && value == no_key;
            text += " " + at_right(masked ? page.say(Text::walk_masked) : walk_number(value), walk_number_width);
        }
        lines.push_back(std::move(text));
    }
    return lines;
}

/// A row of numbers broken where the terminal ends, the rest under the first number.
void broken_row(WalkPage& page, const std::string& text) {
    const int columns = page.terminal().columns;
    const std::size_t numbers = std::max(1, (columns - row_name_width) / column_width);
    const std::size_t end = row_name_width + numbers * column_width;
    std::string rest = text;
    while (visible_width(rest) > columns && rest.find('\x1b') == std::string::npos && end < rest.size()) {
        page.line(rest.substr(0, end));
        rest = std::string(row_name_width, ' ') + rest.substr(end);
    }
    page.line(without_blanks_at_end(std::move(rest)));
}

void beside_each_other(WalkPage& page, const std::vector<Lines>& matrices) {
    std::size_t height = 0;
    for (const Lines& lines : matrices) {
        height = std::max(height, lines.size());
    }
    for (std::size_t i = 0; i < height; ++i) {
        std::string text;
        int end = 0;
        for (const Lines& lines : matrices) {
            const std::string part = i < lines.size() ? lines[i] : "";
            end += visible_width(lines.front()) + between_matrices;
            text += part;
            text += std::string(std::max(0, end - visible_width(text)), ' ');
        }
        page.line(without_blanks_at_end(std::move(text)));
    }
}

/// Side by side where there is room, else one below the other.
void matrices_on_page(WalkPage& page, const std::vector<Lines>& matrices) {
    int width = -between_matrices;
    for (const Lines& lines : matrices) {
        width += visible_width(lines.front()) + between_matrices;
    }
    if (width <= page.terminal().columns) {
        beside_each_other(page, matrices);
        return;
    }
    for (const Lines& lines : matrices) {
        for (const std::string& each : lines) {
            broken_row(page, each);
        }
    }
}

void numbers_on_page(WalkPage& page) {
    const teaching::WalkProblem& problem = page.problem();
    if (problem.scores_given()) {
        matrices_on_page(page, {matrix_lines(page, page.say(Text::walk_scores_name), 'q', problem.scores)});
        matrices_on_page(page, {matrix_lines(page, "V", 'k', problem.v)});
    } else {
        matrices_on_page(page, {matrix_lines(page, "Q", 'q', problem.q)});
        matrices_on_page(page, {matrix_lines(page, "K", 'k', problem.k), matrix_lines(page, "V", 'k', problem.v)});
    }
}

std::string mask_words(const WalkPage& page) {
    const Problem& p = page.problem().problem;
    return !p.causal                        ? page.say(Text::no_mask)
           : p.align == Align::bottom_right ? page.say(Text::causal_bottom_right, signed_offset(p.diagonal()))
                                            : page.say(Text::causal_top_left);
}

}  // namespace

void problem_on_page(WalkPage& page) {
    const teaching::WalkProblem& problem = page.problem();
    const Problem& p = problem.problem;
    const std::string& inputs = page.show().inputs;
    page.title(page.say(Text::walk_title));
    page.paragraph(fmt::format("Sq {}  Sk {}  D {}  scale {}  {}", p.seqlen_q, p.seqlen_k, p.head_dim, decimal(p.scale),
                               mask_words(page)));
    page.paragraph(
        page.say(Text::walk_blocks, problem.block_m, problem.block_n, problem.query_blocks(), problem.key_blocks()));
    page.paragraph(inputs.empty() ? page.say(Text::walk_random, distribution_name(p.dist), p.seed)
                                  : page.say(Text::walk_own, inputs));
    page.gap();
    numbers_on_page(page);
    page.gap();
    for (const Walk& walk : page.show().walks) {
        page.paragraph(page.say(walk.order == WalkOrder::v1 ? Text::walk_v1_in_words : Text::walk_v2_in_words));
    }
}

}  // namespace flashlens::report
