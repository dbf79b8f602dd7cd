// The formulas of a query row in v1's order: O normalised and lse come from device memory and go back on every pass.
#include <fmt/format.h>

#include "report/walk_row.h"

namespace flashlens::report {

void v1_row_on_page(WalkPage& page, const teaching::WalkStep& step, const teaching::WalkRow& row) {
    row_heading(page, step, row);
    scores_formula(page, row);
    if (row.m == no_key) {
        instead_of_formulas(page, step.last_pass ? Text::walk_never : Text::walk_v1_nothing_yet);
        return;
    }
    maximum_formula(page, "m = max(lse_before, rowmax S)", row);
    weight_formula(page, "w = exp(lse_before - m)", row,
                   {Text::walk_why_no_weight, Text::walk_why_weight_one, Text::walk_why_weight});
    page.formula("P = exp(S - m)", page.numbers(row.p), false, Text::walk_why_p);
    page.formula("l = w + rowsum P",
                 {fmt::format("{} + {} = {}", page.number(row.rescale), page.number(row.p_sum), page.number(row.l))},
                 false, Text::walk_why_l_v1);
    if (page.density() == Density::roomy) {
        page.formula("P V", page.numbers(row.pv), false, Text::walk_why_pv);
        page.formula("O_before", page.numbers(row.out_before), false,
                     step.first_pass ? Text::walk_why_no_o_before : Text::walk_why_o_before);
    }
    const bool changed = row.out != row.out_before;
    page.formula("O = (w O_before + P V) / l", page.numbers(row.out, changed), changed, Text::walk_why_o);
    lse_formula(page, row, row.lse != row.m_before, step.last_pass ? Text::walk_why_lse_last : Text::walk_why_lse);
}

}  // namespace flashlens::report
