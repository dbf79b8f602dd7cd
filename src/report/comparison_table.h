// The table of a comparison: one column per variant.
#pragma once

#include <cstddef>
#include <vector>

#include "explorer/comparison.h"
#include "report/comparison_view.h"
#include "report/language.h"
#include "report/table.h"

namespace flashlens::report {

/// Columns for the variants of these indices. `with_common`: also what belongs to no single variant: plain attention's
/// traffic and the CPU reference.
Table comparison_table(const Comparison& comparison, const std::vector<std::size_t>& indices, bool with_common,
                       Detail detail, Language language);

/// The CPU reference and plain attention alone, for a terminal too narrow for columns side by side.
Table reference_table(const Comparison& comparison, Detail detail, Language language);

}  // namespace flashlens::report
