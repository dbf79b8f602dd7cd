// A sweep as people read it: what is swept and what is not, a table with a row for each point, and a chart.
#pragma once

#include <string>

#include "explorer/sweep.h"
#include "report/language.h"
#include "report/quantity.h"
#include "report/terminal.h"

namespace flashlens::report {

/// No line is wider than the terminal. `charted`: the quantity of the chart, which has its columns in the table before
/// any other; null: no chart. Quantities that are alike at every point are told in a line, and those for which there is
/// no room are named.
std::string show_sweep(const Sweep& sweep, const Quantity* charted, Language language, const Terminal& terminal);

}  // namespace flashlens::report
