// A sweep as a chart of one quantity.
#pragma once

#include "explorer/sweep.h"
#include "report/chart.h"
#include "report/language.h"
#include "report/quantity.h"

namespace flashlens::report {

/// Lines over the swept option that has the most numbers (of those with equally many the last given), one line for each
/// variant and combination of the other options' values. Where no option has three numbers, or one of words has more:
/// bars, a group for each of its values. Too many lines to tell apart are cut to some of them, evenly spread; the
/// caption says so.
Chart sweep_chart(const Sweep& sweep, const Quantity& quantity, Language language);

}  // namespace flashlens::report
