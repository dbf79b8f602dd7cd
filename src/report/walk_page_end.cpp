// The last pages: where a walk ends, beside the reference; and what differs between two walks.
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "report/numbers.h"
#include "report/walk_page.h"

namespace flashlens::report {
namespace {

using teaching::Matrix;
using teaching::Transfer;
using teaching::Walk;
using teaching::WalkOrder;
using teaching::WalkStep;
using Tensor = Transfer::Tensor;

constexpr int result_column = 16;
constexpr int narrow_column = 3;

/// Columns that the longest of a walk's results takes.
int widest(const Walk& walk) {
    std::size_t wide = walk_number_width;
    for (const std::vector<double>* values : {&walk.o.values, &walk.lse}) {
        for (const double value : *values) {
            wide = std::max(wide, exact_walk_number(value).size());
        }
    }
    return static_cast<int>(wide);
}

/// A row of O and its lse.
void result_row(WalkPage& page, Text label, const Matrix& o, const std::vector<double>& lse, std::int64_t row,
                int number_width) {
    std::vector<std::string> cells;
    for (std::int64_t d = 0; d < o.columns; ++d) {
        cells.push_back(at_right(exact_walk_number(o.at(row, d)), number_width));
    }
    cells.push_back(" lse " + at_right(exact_walk_number(lse[row]), number_width));
    page.labelled_cells("  " + page.say(label), page.narrow() ? narrow_column : result_column, cells);
}

/// The table of what differs between two walks.
class DifferenceTable {
public:
    explicit DifferenceTable(const WalkPage& page)
        : page_(page),
          a_(page.show().walks[0]),
          b_(page.show().walks[1]),
          table_({{""}, {"v1", Style::bold}, {"v2", Style::bold}}) {}

    void group(Text title) { table_.group(page_.say(title)); }
    void row(Text label, const std::string& left, const std::string& right, Style style = Style::plain) {
        table_.row(page_.say(label), {{left, style}, {right, style}});
    }
    void total(std::int64_t WalkStep::*so_far) {
        row(Text::walk_total, whole(a_.steps.back().*so_far), whole(b_.steps.back().*so_far), Style::bold);
    }
    void count(Text label, std::int64_t Walk::*count) { row(label, whole(a_.*count), whole(b_.*count)); }
    void bytes(const std::string& label, std::initializer_list<Tensor> tensors, bool written) {
        std::int64_t left = 0;
        std::int64_t right = 0;
        for (const Tensor tensor : tensors) {
            left += bytes_of(a_, tensor, written);
            right += bytes_of(b_, tensor, written);
        }
        table_.row("  " + label, {{whole(left)}, {whole(right)}});
    }
    void errors(Text label) { row(label, error_of(a_), error_of(b_)); }
    std::string render() const { return table_.render(page_.terminal()); }

private:
    std::string error_of(const Walk& walk) const {
        return error(walk_error(page_.problem(), walk, page_.show().reference).o);
    }

    const WalkPage& page_;
    const Walk& a_;
    const Walk& b_;
    Table table_;
};

}  // namespace

void result_on_page(WalkPage& page, const Walk& walk) {
    const std::string name = walk.order == WalkOrder::v1 ? "v1" : "v2";
    const teaching::WalkReference& reference = page.show().reference;
    page.title(page.say(Text::walk_result_title, name));
    const int wide = widest(walk);
    for (std::int64_t i = 0; i < walk.o.rows; ++i) {
        if (!in_detail(page, i)) {
            continue;
        }
        page.gap();
        page.line(page.bold(page.say(Text::walk_query_sees, i, sees_words(page, i))));
        result_row(page, Text::walk_result_walk, walk.o, walk.lse, i, wide);
        result_row(page, Text::walk_result_reference, reference.o, reference.lse, i, wide);
    }
    page.gap();
    const teaching::WalkError far = teaching::walk_error(page.problem(), walk, reference);
    page.paragraph(page.say(Text::walk_result_difference, error(far.o), error(far.allowed_o), error(far.lse),
                            error(far.allowed_lse)));
    page.paragraph(page.say(far.ok() ? Text::walk_result_same : Text::walk_result_wrong, name),
                   far.ok() ? Style::good : Style::bad);
    const WalkStep& last = walk.steps.back();
    page.paragraph(page.say(Text::walk_result_traffic, whole(last.read_so_far), whole(last.written_so_far)));
}

void difference_on_page(WalkPage& page) {
    page.title(page.say(Text::walk_difference_title));
    DifferenceTable table(page);
    table.row(Text::walk_loops, page.say(Text::walk_loops_v1), page.say(Text::walk_loops_v2));
    table.row(Text::walk_state, page.say(Text::walk_state_memory), page.say(Text::walk_state_registers));
    table.group(Text::walk_bytes_read);
    table.bytes("Q", {Tensor::q}, false);
    table.bytes("K, V", {Tensor::k, Tensor::v}, false);
    table.bytes(page.say(Text::walk_state_bytes), {Tensor::o_tmp, Tensor::lse}, false);
    table.total(&WalkStep::read_so_far);
    table.group(Text::walk_bytes_written);
    table.bytes("o_tmp", {Tensor::o_tmp}, true);
    table.bytes("O", {Tensor::o}, true);
    table.bytes("lse", {Tensor::lse}, true);
    table.total(&WalkStep::written_so_far);
    table.group(Text::walk_work);
    table.count(Text::walk_rescaled, &Walk::rescaled_rows);
    table.count(Text::walk_divided, &Walk::divided_rows);
    if (page.density() >= Density::dense) {  // the walks' own results have the rest
        page.lines(table.render());
        return;
    }
    table.errors(Text::walk_largest);
    page.lines(table.render());
    page.paragraph(page.say(Text::walk_difference_note));
}

}  // namespace flashlens::report
