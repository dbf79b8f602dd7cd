// What matters for this shape, in two to four sentences made from the run's own figures.
#pragma once

#include <string>
#include <vector>

#include "explorer/comparison.h"
#include "report/claim.h"
#include "report/language.h"

namespace flashlens::report {

/// Compares v1 with v2 (or the first two variants that run; or speaks of the only one). Every sentence was offered with
/// its claims, and only those whose claims all hold are printed; the most telling four of them, in the order: time,
/// launch, then the rest by weight. Where v1 and v2 were counted, one says which of the changes between them matters most
/// here, and names ladder_command, which shows each, unless that is empty. Empty when nothing runs or the problem has no
/// work.
std::vector<Sentence> why(const Comparison& comparison, Language language, const std::string& ladder_command = "");

}  // namespace flashlens::report
