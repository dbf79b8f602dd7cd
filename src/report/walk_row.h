// What the formulas of a query row have in common in both orders.
#pragma once

#include <string_view>

#include "report/walk_page.h"

namespace flashlens::report {

/// The row, which keys it sees, and the names of the columns below, if there is room; for steps with keys, these.
void row_heading(WalkPage& page, const teaching::WalkRow& row);
void row_heading(WalkPage& page, const teaching::WalkStep& step, const teaching::WalkRow& row);

/// A sentence instead of formulas, while the row has seen nothing.
void instead_of_formulas(WalkPage& page, Text sentence);

void scores_formula(WalkPage& page, const teaching::WalkRow& row);
/// The new maximum: of the one before and these scores'.
void maximum_formula(WalkPage& page, std::string_view label, const teaching::WalkRow& row);

/// Why what came before weighs what it does now.
struct WhyWeight {
    Text nothing_before, one, less;
};
void weight_formula(WalkPage& page, std::string_view label, const teaching::WalkRow& row, const WhyWeight& why);

/// lse = m + log l.
void lse_formula(WalkPage& page, const teaching::WalkRow& row, bool changed, Text comment);

}  // namespace flashlens::report
