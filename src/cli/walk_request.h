// From the command line to a walk: the problem with its numbers, the orders, what is shown.
#pragma once

#include "cli/options.h"
#include "report/language.h"
#include "report/walk_view.h"

namespace flashlens::cli {

/// Walks the problem that the options describe: random numbers, --input's, or typed ones. Throws UsageError for what
/// makes no sense, what does not go together, and what would not fit a screen.
report::WalkShow to_walk(const Given& given, report::Language language);

}  // namespace flashlens::cli
