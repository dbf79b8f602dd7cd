// The formulas of a query row in v2's order: m, l and acc stay in registers, and are normalised once, at the end.
#include <fmt/format.h>

#include "report/walk_row.h"

namespace flashlens::report {
namespace {

using teaching::WalkRow;
using teaching::WalkStep;

void start(WalkPage& page, const WalkRow& row) {
    row_heading(page, row);
    page.formula("m, l", {page.number(row.m), page.number(row.l)}, false, Text::walk_why_start);
    page.formula("acc", page.numbers(row.out), false, Text::walk_why_start_acc);
}

void block(WalkPage& page, const WalkStep& step, const WalkRow& row) {
    row_heading(page, step, row);
    scores_formula(page, row);
    if (row.m == no_key) {
        instead_of_formulas(page, Text::walk_v2_nothing_yet);
        return;
    }
    maximum_formula(page, "m_new = max(m, rowmax S)", row);
    weight_formula(page, "exp(m - m_new)", row,
                   {Text::walk_why_no_rescale, Text::walk_why_rescale_one, Text::walk_why_rescale});
    page.formula("P = exp(S - m_new)", page.numbers(row.p), false, Text::walk_why_p);
    const bool l_changed = row.l != row.l_before;
    page.formula("l = l exp(m - m_new) + rowsum P",
                 {fmt::format("{} x {} + {} = {}", page.number(row.l_before), page.number(row.rescale),
                              page.number(row.p_sum), page.result(row.l, l_changed))},
                 l_changed, Text::walk_why_l_v2);
    if (page.density() == Density::roomy) {
        page.formula("P V", page.numbers(row.pv), false, Text::walk_why_pv);
        page.formula("acc_before", page.numbers(row.out_before), false, Text::walk_why_acc_before);
    }
    const bool changed = row.out != row.out_before;
    page.formula("acc = acc exp(m - m_new) + P V", page.numbers(row.out, changed), changed, Text::walk_why_acc);
}

void finish(WalkPage& page, const WalkRow& row) {
    row_heading(page, row);
    if (row.l == 0.0) {
        instead_of_formulas(page, Text::walk_never);
        return;
    }
    page.formula("acc", page.numbers(row.out_before), false, Text::walk_why_acc_before);
    page.formula("m, l", {page.number(row.m), page.number(row.l)}, false, Text::walk_why_finish_m_l);
    page.formula("O = acc / l", page.numbers(row.out, true), true, Text::walk_why_finish_o);
    lse_formula(page, row, true, Text::walk_why_lse_last);
}

}  // namespace

void v2_row_on_page(WalkPage& page, const WalkStep& step, const WalkRow& row) {
    switch (step.kind) {
        case WalkStep::Kind::start:
            start(page, row);
            break;
        case WalkStep::Kind::block:
            block(page, step, row);
            break;
        case WalkStep::Kind::finish:
            finish(page, row);
            break;
        case WalkStep::Kind::pass:
            break;  // v1's
    }
}

}  // namespace flashlens::report
