#include "report/walk_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "report/comparison_view.h"
#include "report/numbers.h"
#include "report/table.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

using teaching::Matrix;
using teaching::Transfer;
using teaching::Walk;
using teaching::WalkOrder;
using teaching::WalkProblem;
using teaching::WalkRow;
using teaching::WalkStep;
using Kind = WalkStep::Kind;

constexpr int number_width = 8;
constexpr int label_width = 35;                    // two for the mark, the longest formula, two blanks
constexpr int longest_sum = 4 * number_width + 9;  // l = l exp(m - m_new) + rowsum P
constexpr int comment_column = 79;                 // right of the longest line of numbers
constexpr double no_key = -std::numeric_limits<double>::infinity();

std::string right(std::string_view text, int width) {
    return std::string(std::max(0, width - display_width(text)), ' ') + std::string(text);
}

/// "0..3", "2", "0, 2, 3".
std::string ranges(const std::vector<std::int64_t>& numbers) {
    if (numbers.size() > 1 && numbers.back() - numbers.front() + 1 == std::ssize(numbers)) {
        return fmt::format("{}..{}", numbers.front(), numbers.back());
    }
    return fmt::format("{}", fmt::join(numbers, ", "));
}

std::string range(std::int64_t first, std::int64_t count) {
    return fmt::format("{}..{}", first, first + count - 1);
}

/// Where a page is: which walk, which step of it.
struct Place {
    enum class What { problem, step, result, difference };
    What what;
    const Walk* walk = nullptr;
    std::size_t step = 0;
};

Place place_of(const WalkShow& show, std::size_t page) {
    if (page == 0) {
        return {Place::What::problem};
    }
    --page;
    for (const Walk& walk : show.walks) {
        if (page < walk.steps.size()) {
            return {Place::What::step, &walk, page};
        }
        if (page == walk.steps.size()) {
            return {Place::What::result, &walk};
        }
        page -= walk.steps.size() + 1;
    }
    return {Place::What::difference};
}

/// Each leaves out more than the one before: P V and what it is added to; blank lines; the line on the state.
enum class Density { roomy, plain, dense, terse };

/// Writes one page.
class Page {
public:
    Page(const WalkShow& show, Language language, const Terminal& terminal, Density density)
        : show_(show),
          problem_(show.problem),
          language_(language),
          terminal_(terminal),
          density_(density),
          narrow_(terminal.columns < label_width + longest_sum),
          commented_(terminal.columns >= comment_column + 30) {}

    std::string write(const Place& place) && {
        switch (place.what) {
            case Place::What::problem:
                problem_page();
                break;
            case Place::What::step:
                step_page(*place.walk, place.step);
                break;
            case Place::What::result:
                result_page(*place.walk);
                break;
            case Place::What::difference:
                difference_page();
                break;
        }
        return std::move(out_);
    }

private:
    std::string say(Text name) const { return std::string(text(language_, name)); }
    template <typename... Values>
    std::string say(Text name, const Values&... values) const {
        return fill(language_, name, values...);
    }
    std::string bold(const std::string& text) const { return styled(text, Style::bold, terminal_); }
    std::string dim(const std::string& text) const { return styled(text, Style::dim, terminal_); }

    void line(const std::string& text = "") { out_ += text + "\n"; }
    void gap() {
        if (density_ < Density::dense) {
            line();
        }
    }
    void paragraph(const std::string& text, Style style = Style::plain) {
        out_ += labelled("", 0, text, terminal_, style);
    }
    void title(const std::string& text) { paragraph(text, Style::bold); }

    /// A number in its eight columns, or without blanks where there is no room.
    std::string number(double value) const {
        const std::string text = walk_number(value);
        return narrow_ ? text : right(text, number_width);
    }
    std::string result(double value, bool changed) const { return changed ? bold(number(value)) : number(value); }

    /// A formula and what stands beside it. A mark stands before what changed, where no colour says so.
    void formula(std::string_view label, const std::vector<std::string>& cells, bool changed, Text comment) {
        const std::string start =
            std::string(changed && !terminal_.colour ? "* " : "  ") + std::string(label) + (narrow_ ? "" : " ");
        const int indent = narrow_ ? 4 : label_width;
        std::vector<std::string> lines{narrow_ ? "" : pad(start, label_width)};
        std::vector<int> widths{indent};
        if (narrow_) {
            line(start);
            lines.front() = std::string(indent, ' ');
        }
        for (const std::string& cell : cells) {
            const int width = visible_width(cell);
            const bool first = widths.back() == indent;
            if (!first && widths.back() + 1 + width > terminal_.columns) {
                lines.emplace_back(indent, ' ');
                widths.push_back(indent);
            }
            const bool gap = widths.back() != indent;
            lines.back() += (gap ? " " : "") + cell;
            widths.back() += width + (gap ? 1 : 0);
        }
        if (commented_ && explaining_ && widths.front() < comment_column) {
            const std::string why = say(comment);
            if (comment_column + display_width(why) <= terminal_.columns) {
                lines.front() += std::string(comment_column - widths.front(), ' ') + dim(why);
            }
        }
        for (const std::string& each : lines) {
            line(each);
        }
    }

    /// Escape codes take no room.
    static int visible_width(const std::string& cell) {
        std::string plain;
        for (std::size_t i = 0; i < cell.size(); ++i) {
            if (cell[i] == '\x1b') {
                i = cell.find('m', i);
            } else {
                plain += cell[i];
            }
        }
        return display_width(plain);
    }

    std::vector<std::string> numbers(const std::vector<double>& values, bool changed = false) const {
        std::vector<std::string> cells;
        std::transform(values.begin(), values.end(), std::back_inserter(cells), [&](double value) {
            const std::string text = right(walk_number(value), number_width);
            return changed ? bold(text) : text;
        });
        return cells;
    }

    bool in_detail(std::int64_t row) const {
        return show_.rows.empty() || std::find(show_.rows.begin(), show_.rows.end(), row) != show_.rows.end();
    }

    std::vector<std::int64_t> seen_keys(std::int64_t row) const {
        std::vector<std::int64_t> keys;
        for (std::int64_t j = 0; j < problem_.problem.seqlen_k; ++j) {
            if (teaching::sees(problem_, row, j)) {
                keys.push_back(j);
            }
        }
        return keys;
    }
    std::string sees(std::int64_t row) const {
        const std::vector<std::int64_t> keys = seen_keys(row);
        return keys.empty()       ? say(Text::walk_sees_nothing)
               : keys.size() == 1 ? say(Text::walk_sees_key, keys.front())
                                  : say(Text::walk_sees_keys, ranges(keys));
    }

    // ---- the problem ----

    std::vector<std::string> matrix_lines(std::string_view name, char letter, const Matrix& matrix) const {
        std::vector<std::string> lines{bold(std::string(name))};
        lines.front() +=
            std::string(std::max<std::int64_t>(0, 3 + matrix.columns * (number_width + 1) - std::ssize(name)), ' ');
        for (std::int64_t i = 0; i < matrix.rows; ++i) {
            std::string text = fmt::format("{:>3}", fmt::format("{}{}", letter, i));
            for (std::int64_t c = 0; c < matrix.columns; ++c) {
                text += " " + right(problem_.scores_given() && matrix.at(i, c) == no_key ? say(Text::walk_masked)
                                                                                         : walk_number(matrix.at(i, c)),
                                    number_width);
            }
            lines.push_back(std::move(text));
        }
        return lines;
    }

    void show_matrices(const std::vector<std::vector<std::string>>& side_by_side) {
        std::size_t height = 0;
        int width = 0;
        for (const auto& lines : side_by_side) {
            height = std::max(height, lines.size());
            width += visible_width(lines.front()) + 2;
        }
        if (width - 2 > terminal_.columns) {
            for (const auto& lines : side_by_side) {
                for (const std::string& each : lines) {
                    cut(each);
                }
            }
            return;
        }
        for (std::size_t i = 0; i < height; ++i) {
            std::string text;
            for (std::size_t m = 0; m < side_by_side.size(); ++m) {
                const auto& lines = side_by_side[m];
                const std::string part = i < lines.size() ? lines[i] : "";
                text += part;
                if (m + 1 < side_by_side.size()) {
                    text += std::string(visible_width(lines.front()) + 2 - visible_width(part), ' ');
                }
            }
            text.erase(text.find_last_not_of(' ') + 1);
            line(text);
        }
    }

    /// A row of numbers broken where the terminal ends, the rest under the first number.
    void cut(const std::string& text) {
        std::string rest = text;
        while (visible_width(rest) > terminal_.columns) {
            const std::size_t end =
                3 + static_cast<std::size_t>(std::max(1, (terminal_.columns - 3) / (number_width + 1))) *
                        (number_width + 1);
            if (rest.find('\x1b') != std::string::npos || end >= rest.size()) {
                break;
            }
            line(rest.substr(0, end));
            rest = "   " + rest.substr(end);
        }
        rest.erase(rest.find_last_not_of(' ') + 1);
        line(rest);
    }

    std::string mask_words() const {
        const Problem& p = problem_.problem;
        return !p.causal                        ? say(Text::full_mask)
               : p.align == Align::bottom_right ? say(Text::causal_bottom_right, p.diagonal())
                                                : say(Text::causal_top_left);
    }

    void problem_page() {
        const Problem& p = problem_.problem;
        constexpr const char* distributions[] = {"normal", "uniform", "sharp", "ones"};
        title(say(Text::walk_title));
        paragraph(fmt::format("Sq {}  Sk {}  D {}  scale {}  {}", p.seqlen_q, p.seqlen_k, p.head_dim, decimal(p.scale),
                              mask_words()));
        paragraph(
            say(Text::walk_blocks, problem_.block_m, problem_.block_n, problem_.query_blocks(), problem_.key_blocks()));
        paragraph(show_.inputs.empty() ? say(Text::walk_random, distributions[static_cast<int>(p.dist)], p.seed)
                                       : say(Text::walk_own, show_.inputs));
        gap();
        if (problem_.scores_given()) {
            show_matrices({matrix_lines(say(Text::walk_scores_name), 'q', problem_.scores)});
            show_matrices({matrix_lines("V", 'k', problem_.v)});
        } else {
            show_matrices({matrix_lines("Q", 'q', problem_.q)});
            show_matrices({matrix_lines("K", 'k', problem_.k), matrix_lines("V", 'k', problem_.v)});
        }
        gap();
        for (const Walk& walk : show_.walks) {
            paragraph(say(walk.order == WalkOrder::v1 ? Text::walk_v1_in_words : Text::walk_v2_in_words));
        }
    }

    // ---- a step ----

    std::string step_title(const Walk& walk, std::size_t index) const {
        const WalkStep& step = walk.steps[index];
        const std::string queries = step.row_count == 1
                                        ? say(Text::walk_query, step.first_row)
                                        : say(Text::walk_queries, range(step.first_row, step.row_count));
        const std::string keys = step.key_count == 1
                                     ? say(Text::walk_key, step.first_key)
                                     : say(Text::walk_several_keys, range(step.first_key, step.key_count));
        const std::string which =
            say(Text::walk_step, walk.order == WalkOrder::v1 ? "v1" : "v2", index + 1, walk.steps.size());
        switch (step.kind) {
            case Kind::pass:
                return which + say(Text::walk_pass_title, step.key_block, keys, step.query_block, queries);
            case Kind::start:
                return which + say(Text::walk_start_title, step.query_block, queries);
            case Kind::block:
                return which + say(Text::walk_block_title, step.query_block, queries, step.key_block, keys);
            case Kind::finish:
                break;
        }
        return which + say(Text::walk_finish_title, step.query_block, queries);
    }

    /// "0 [1] 2", last to first if so.
    std::string counter(std::int64_t count, std::int64_t now, bool backwards) const {
        std::string text;
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t n = backwards ? count - 1 - i : i;
            text += " " + (n == now ? bold(fmt::format("[{}]", n)) : fmt::format("{}", n));
        }
        return text;
    }

    /// Which query blocks and key blocks have met, as far as this step.
    std::vector<std::string> map(const Walk& walk, std::size_t now) const {
        const std::int64_t rows = problem_.query_blocks();
        const std::int64_t columns = problem_.key_blocks();
        std::vector<std::string> marks(rows * columns, "-");
        for (std::size_t i = 0; i < walk.steps.size(); ++i) {
            const WalkStep& step = walk.steps[i];
            if (step.kind == Kind::pass || step.kind == Kind::block) {
                marks[step.query_block * columns + step.key_block] = i < now ? "#" : i == now ? bold("@") : ".";
            }
        }
        std::vector<std::string> lines;
        std::string head = "    ";
        for (std::int64_t n = 0; n < columns; ++n) {
            head += fmt::format("{:>3}", fmt::format("n{}", n));
        }
        lines.push_back(dim(head));
        const char letter = walk.order == WalkOrder::v1 ? 't' : 'b';
        for (std::int64_t t = 0; t < rows; ++t) {
            std::string text = dim(fmt::format("{:>4}", fmt::format("{}{}", letter, t)));
            for (std::int64_t n = 0; n < columns; ++n) {
                text += std::string(n < 10 ? 2 : 3, ' ') + marks[t * columns + n];
            }
            lines.push_back(std::move(text));
        }
        return lines;
    }

    void loops(const Walk& walk, std::size_t index) {
        const WalkStep& step = walk.steps[index];
        const bool v1 = walk.order == WalkOrder::v1;
        const std::int64_t key_block = step.kind == Kind::pass || step.kind == Kind::block ? step.key_block : -1;
        std::vector<std::string> left;
        if (v1) {
            left.push_back(say(Text::walk_loop_keys) + counter(problem_.key_blocks(), key_block, false));
            left.push_back("  " + say(Text::walk_loop_tiles) +
                           counter(problem_.query_blocks(), step.query_block, false));
        } else {
            left.push_back(say(Text::walk_loop_blocks) + counter(problem_.query_blocks(), step.query_block, false));
            left.push_back("  " + say(Text::walk_loop_keys) + counter(problem_.key_blocks(), key_block, true));
        }
        const std::vector<std::string> right = map(walk, index);
        std::string legend = say(terminal_.colour ? Text::walk_legend : Text::walk_legend_mark);
        for (const std::string& each : right) {
            if (each.find(" -") != std::string::npos) {
                legend += "  " + say(Text::walk_legend_skipped);
                break;
            }
        }
        left.push_back(dim(legend));
        int width = 0;
        for (const std::string& each : left) {
            width = std::max(width, visible_width(each));
        }
        const int column = std::max(width + 3, std::min(label_width + 10, terminal_.columns - 35));
        if (column + visible_width(right.front()) > terminal_.columns) {
            for (const std::string& each : left) {  // no room for the map
                paragraph(each);
            }
            return;
        }
        for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
            std::string text = i < left.size() ? left[i] : "";
            if (i < right.size()) {
                text += std::string(column - visible_width(text), ' ') + right[i];
            }
            line(text);
        }
    }

    void step_page(const Walk& walk, std::size_t index) {
        const WalkStep& step = walk.steps[index];
        title(step_title(walk, index));
        loops(walk, index);
        explaining_ = true;
        for (const WalkRow& row : step.rows) {
            gap();
            if (!in_detail(row.row)) {
                paragraph(brief(walk, step, row));
                continue;
            }
            switch (step.kind) {
                case Kind::pass:
                    pass(step, row);
                    break;
                case Kind::start:
                    heading(row, {});
                    formula("m, l", {number(row.m), number(row.l)}, false, Text::walk_why_start);
                    formula("acc", numbers(row.out), false, Text::walk_why_start_acc);
                    break;
                case Kind::block:
                    block(step, row);
                    break;
                case Kind::finish:
                    finish(row);
                    break;
            }
            explaining_ = false;
        }
        gap();
        traffic(walk, step);
    }

    std::string brief(const Walk& walk, const WalkStep& step, const WalkRow& row) const {
        const bool has_lse = walk.order == WalkOrder::v1 || step.kind == Kind::finish;
        return say(Text::walk_query, row.row) + ":  m " + walk_number(row.m) +
               (has_lse ? "  lse " + walk_number(row.lse) : "  l " + walk_number(row.l)) + "  " +
               say(Text::walk_not_in_detail);
    }

    void heading(const WalkRow& row, const std::vector<std::string>& columns) {
        const std::string left = say(Text::walk_query_sees, row.row, sees(row.row));
        const int width = display_width(left);
        std::string text = bold(left);
        if (!narrow_ && !columns.empty() && width < label_width) {
            text += std::string(label_width - width, ' ');
            int used = label_width;
            for (std::size_t i = 0; i < columns.size() && used + number_width <= terminal_.columns; ++i) {
                text += (i > 0 ? " " : "") + dim(right(columns[i], number_width));
                used += number_width + (i > 0 ? 1 : 0);
            }
        }
        line(text);
    }

    std::vector<std::string> key_names(const WalkStep& step) const {
        std::vector<std::string> names;
        for (std::int64_t j = 0; j < step.key_count; ++j) {
            names.push_back(fmt::format("key {}", step.first_key + j));
        }
        return names;
    }

    void scores(const WalkRow& row) {
        std::vector<std::string> cells;
        bool any_masked = false;
        for (std::size_t j = 0; j < row.s.size(); ++j) {
            any_masked = any_masked || !row.visible[j];
            cells.push_back(row.visible[j] ? number(row.s[j]) : dim(right(say(Text::walk_masked), number_width)));
        }
        formula(say(problem_.scores_given() ? Text::walk_scores_typed : Text::walk_scores_computed), cells, false,
                any_masked ? Text::walk_why_masked : Text::walk_why_scores);
    }

    void nothing_yet(Text sentence) { out_ += labelled("", 2, say(sentence), terminal_); }

    static bool all_masked(const WalkRow& row) {
        return std::none_of(row.visible.begin(), row.visible.end(), [](bool visible) { return visible; });
    }

    Text why_maximum(const WalkRow& row) const {
        return row.m_before == no_key ? Text::walk_why_first_maximum
               : row.m > row.m_before ? Text::walk_why_raised
                                      : Text::walk_why_kept;
    }

    void pass(const WalkStep& step, const WalkRow& row) {
        heading(row, key_names(step));
        scores(row);
        if (row.m == no_key) {
            nothing_yet(step.last_pass ? Text::walk_never : Text::walk_v1_nothing_yet);
            return;
        }
        const bool before = row.m_before != no_key;
        formula("m = max(lse_before, rowmax S)",
                {fmt::format("max({}, {}) = {}", number(row.m_before), number(row.row_max),
                             result(row.m, row.m != row.m_before))},
                row.m != row.m_before, why_maximum(row));
        formula("w = exp(lse_before - m)",
                {fmt::format("exp({} - {}) = {}", number(row.m_before), number(row.m),
                             result(row.rescale, before && row.rescale != 1.0))},
                before && row.rescale != 1.0,
                !before              ? Text::walk_why_no_weight
                : row.rescale == 1.0 ? Text::walk_why_weight_one
                                     : Text::walk_why_weight);
        formula("P = exp(S - m)", numbers(row.p), false, Text::walk_why_p);
        formula("l = w + rowsum P",
                {fmt::format("{} + {} = {}", number(row.rescale), number(row.p_sum), number(row.l))}, false,
                Text::walk_why_l_v1);
        if (density_ == Density::roomy) {
            formula("P V", numbers(row.pv), false, Text::walk_why_pv);
            formula("O_before", numbers(row.out_before), false,
                    step.first_pass ? Text::walk_why_no_o_before : Text::walk_why_o_before);
        }
        const bool changed = row.out != row.out_before;
        formula("O = (w O_before + P V) / l", numbers(row.out, changed), changed, Text::walk_why_o);
        const bool lse_changed = row.lse != row.m_before;
        formula("lse = m + log l",
                {fmt::format("{} + {} = {}", number(row.m), number(std::log(row.l)), result(row.lse, lse_changed))},
                lse_changed, step.last_pass ? Text::walk_why_lse_last : Text::walk_why_lse);
    }

    void block(const WalkStep& step, const WalkRow& row) {
        heading(row, key_names(step));
        scores(row);
        if (row.m == no_key) {
            nothing_yet(Text::walk_v2_nothing_yet);
            return;
        }
        const bool before = row.m_before != no_key;
        formula("m_new = max(m, rowmax S)",
                {fmt::format("max({}, {}) = {}", number(row.m_before), number(row.row_max),
                             result(row.m, row.m != row.m_before))},
                row.m != row.m_before, why_maximum(row));
        formula("exp(m - m_new)",
                {fmt::format("exp({} - {}) = {}", number(row.m_before), number(row.m),
                             result(row.rescale, before && row.rescale != 1.0))},
                before && row.rescale != 1.0,
                !before              ? Text::walk_why_no_rescale
                : row.rescale == 1.0 ? Text::walk_why_rescale_one
                                     : Text::walk_why_rescale);
        formula("P = exp(S - m_new)", numbers(row.p), false, Text::walk_why_p);
        formula("l = l exp(m - m_new) + rowsum P",
                {fmt::format("{} x {} + {} = {}", number(row.l_before), number(row.rescale), number(row.p_sum),
                             result(row.l, row.l != row.l_before))},
                row.l != row.l_before, Text::walk_why_l_v2);
        if (density_ == Density::roomy) {
            formula("P V", numbers(row.pv), false, Text::walk_why_pv);
            formula("acc_before", numbers(row.out_before), false, Text::walk_why_acc_before);
        }
        const bool changed = row.out != row.out_before;
        formula("acc = acc exp(m - m_new) + P V", numbers(row.out, changed), changed, Text::walk_why_acc);
    }

    void finish(const WalkRow& row) {
        heading(row, {});
        if (row.l == 0.0) {
            nothing_yet(Text::walk_never);
            return;
        }
        formula("acc", numbers(row.out_before), false, Text::walk_why_acc_before);
        formula("m, l", {number(row.m), number(row.l)}, false, Text::walk_why_finish_m_l);
        formula("O = acc / l", numbers(row.out, true), true, Text::walk_why_finish_o);
        formula("lse = m + log l",
                {fmt::format("{} + {} = {}", number(row.m), number(std::log(row.l)), result(row.lse, true))}, true,
                Text::walk_why_lse_last);
    }

    static std::string_view name_of(Transfer::Tensor tensor) {
        constexpr std::string_view names[] = {"Q", "K", "V", "o_tmp", "lse", "O"};
        return names[static_cast<int>(tensor)];
    }

    std::string moved(const WalkStep& step, bool written) const {
        std::vector<std::string> parts;
        for (const Transfer& transfer : step.transfers) {
            if (transfer.written == written) {
                parts.push_back(fmt::format("{} {}", name_of(transfer.tensor), transfer.bytes));
            }
        }
        const std::int64_t bytes = written ? step.written_bytes : step.read_bytes;
        return parts.size() < 2 ? (parts.empty() ? "0" : parts.front())
                                : fmt::format("{} = {}", fmt::join(parts, " + "), bytes);
    }

    void traffic(const Walk& walk, const WalkStep& step) {
        const int width = std::max(display_width(say(Text::walk_reads)), display_width(say(Text::walk_writes))) + 2;
        const bool k_v_wait = step.kind == Kind::pass &&
                              std::none_of(step.transfers.begin(), step.transfers.end(), [](const Transfer& transfer) {
                                  return transfer.tensor == Transfer::Tensor::k;
                              });
        out_ += labelled(say(Text::walk_reads), width,
                         say(Text::walk_moved, moved(step, false), whole(step.read_so_far)) +
                             (k_v_wait ? say(Text::walk_k_v_wait) : ""),
                         terminal_);
        out_ += labelled(say(Text::walk_writes), width,
                         say(Text::walk_moved, moved(step, true), whole(step.written_so_far)), terminal_);
        Text state = Text::walk_state_v2;
        if (walk.order == WalkOrder::v1) {
            state = step.last_pass ? Text::walk_state_v1_last : Text::walk_state_v1;
        } else if (step.kind == Kind::finish) {
            state = Text::walk_state_v2_end;
        }
        if (density_ != Density::terse) {
            paragraph(say(state), Style::dim);
        }
    }

    // ---- results ----

    static std::string exact(double value) {
        return std::isinf(value) ? walk_number(value) : fmt::format("{:.7f}", value);
    }

    void result_line(std::string_view label, const double* o, std::int64_t head_dim, double lse, std::size_t wide) {
        std::vector<std::string> cells;
        for (std::int64_t d = 0; d < head_dim; ++d) {
            cells.push_back(right(exact(o[d]), static_cast<int>(wide)));
        }
        const int label_columns = narrow_ ? 2 : 15;
        std::string text = pad(std::string(label), label_columns);
        int used = label_columns;
        if (narrow_) {
            line(std::string(label));
            text = "  ";
        }
        cells.push_back(" lse " + right(exact(lse), static_cast<int>(wide)));
        for (const std::string& cell : cells) {
            const int width = display_width(cell);
            if (used > label_columns && used + 1 + width > terminal_.columns) {
                line(text);
                text = std::string(label_columns, ' ');
                used = label_columns;
            }
            text += " " + cell;
            used += width + 1;
        }
        line(text);
    }

    void result_page(const Walk& walk) {
        const std::string name = walk.order == WalkOrder::v1 ? "v1" : "v2";
        const std::int64_t head_dim = problem_.problem.head_dim;
        title(say(Text::walk_result_title, name));
        std::size_t wide = number_width;
        for (const double value : walk.o.values) {
            wide = std::max(wide, exact(value).size());
        }
        for (const double value : walk.lse) {
            wide = std::max(wide, exact(value).size());
        }
        for (std::int64_t i = 0; i < walk.o.rows; ++i) {
            if (!in_detail(i)) {
                continue;
            }
            gap();
            line(bold(say(Text::walk_query_sees, i, sees(i))));
            result_line("  " + say(Text::walk_result_walk), &walk.o.values[i * head_dim], head_dim, walk.lse[i], wide);
            result_line("  " + say(Text::walk_result_reference), &show_.reference.o.values[i * head_dim], head_dim,
                        show_.reference.lse[i], wide);
        }
        gap();
        const teaching::WalkError error = teaching::walk_error(problem_, walk, show_.reference);
        paragraph(say(Text::walk_result_difference, report::error(error.o), report::error(error.allowed_o),
                      report::error(error.lse), report::error(error.allowed_lse)));
        paragraph(say(error.ok() ? Text::walk_result_same : Text::walk_result_wrong, name),
                  error.ok() ? Style::good : Style::bad);
        const WalkStep& last = walk.steps.back();
        paragraph(say(Text::walk_result_traffic, whole(last.read_so_far), whole(last.written_so_far)));
    }

    void difference_page() {
        const Walk& a = show_.walks[0];
        const Walk& b = show_.walks[1];
        title(say(Text::walk_difference_title));
        Table table({{""}, {"v1", Style::bold}, {"v2", Style::bold}});
        const auto same = [&](Text label, const std::string& left, const std::string& right, bool strong = false) {
            const Style style = strong ? Style::bold : Style::plain;
            table.row(say(label), {{left, style}, {right, style}});
        };
        const auto bytes = [&](std::string label, std::initializer_list<Transfer::Tensor> tensors, bool written) {
            std::int64_t left = 0;
            std::int64_t right = 0;
            for (const Transfer::Tensor tensor : tensors) {
                left += bytes_of(a, tensor, written);
                right += bytes_of(b, tensor, written);
            }
            table.row("  " + std::move(label), {{whole(left)}, {whole(right)}});
        };
        using Tensor = Transfer::Tensor;
        same(Text::walk_loops, say(Text::walk_loops_v1), say(Text::walk_loops_v2));
        same(Text::walk_state, say(Text::walk_state_memory), say(Text::walk_state_registers));
        table.group(say(Text::walk_bytes_read));
        bytes("Q", {Tensor::q}, false);
        bytes("K, V", {Tensor::k, Tensor::v}, false);
        bytes(say(Text::walk_state_bytes), {Tensor::o_tmp, Tensor::lse}, false);
        same(Text::walk_total, whole(a.steps.back().read_so_far), whole(b.steps.back().read_so_far), true);
        table.group(say(Text::walk_bytes_written));
        bytes("o_tmp", {Tensor::o_tmp}, true);
        bytes("O", {Tensor::o}, true);
        bytes("lse", {Tensor::lse}, true);
        same(Text::walk_total, whole(a.steps.back().written_so_far), whole(b.steps.back().written_so_far), true);
        table.group(say(Text::walk_work));
        same(Text::walk_rescaled, whole(a.rescaled_rows), whole(b.rescaled_rows));
        same(Text::walk_divided, whole(a.divided_rows), whole(b.divided_rows));
        if (density_ >= Density::dense) {  // the walks' own results have the rest
            out_ += table.render(terminal_);
            return;
        }
        same(Text::walk_largest, error(walk_error(problem_, a, show_.reference).o),
             error(walk_error(problem_, b, show_.reference).o));
        out_ += table.render(terminal_);
        paragraph(say(Text::walk_difference_note));
    }

    const WalkShow& show_;
    const WalkProblem& problem_;
    Language language_;
    const Terminal& terminal_;
    Density density_;
    bool narrow_;
    bool commented_;
    bool explaining_ = false;  ///< comments stand beside the first row of a step
    std::string out_;
};

}  // namespace

std::string walk_number(double value) {
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    if (value == 0.0) {
        return "0";
    }
    if (std::abs(value) >= 0.0005) {
        for (int places = 4; places >= 0; --places) {
            std::string text = fmt::format("{:.{}f}", value, places);
            if (text.size() <= number_width) {
                return text;
            }
        }
    }
    std::string text = fmt::format("{:.1e}", value);
    return text.size() <= number_width ? text : fmt::format("{:.0e}", value);
}

std::size_t walk_pages(const WalkShow& show) {
    std::size_t pages = 1;
    for (const Walk& walk : show.walks) {
        pages += walk.steps.size() + 1;
    }
    return pages + (show.walks.size() > 1 ? 1 : 0);
}

std::string walk_page(const WalkShow& show, std::size_t page, Language language, const Terminal& terminal,
                      std::optional<int> lines) {
    std::string text;
    for (const Density density : {Density::roomy, Density::plain, Density::dense, Density::terse}) {
        text = Page(show, language, terminal, density).write(place_of(show, page));
        if (!lines || std::count(text.begin(), text.end(), '\n') <= *lines) {
            break;
        }
    }
    return text;
}

std::string all_walk_pages(const WalkShow& show, Language language, const Terminal& terminal) {
    std::string all;
    for (std::size_t page = 0; page < walk_pages(show); ++page) {
        all += (page > 0 ? "\n" : "") + walk_page(show, page, language, terminal);
    }
    return all;
}

}  // namespace flashlens::report
