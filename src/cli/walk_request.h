// From the command line to a walk: the problem with its numbers, the orders, what is shown.
#pragma once

#include "cli/options.h"
#include "report/language.h"
#include "report/walk_view.h"

namespace flashlens::cli {

/// Walks the problem that the options describe: random numbers, --input's, or typed ones. Throws UsageError for what
/// makes no sense, what does not go together, and what would not fit a screen.
report::WalkShow to_walk(const Given& given, report::Language language);

/// "0 5; 1 -inf": rows with semicolons between them, numbers with blanks or commas. Only where `minus_inf` is true may a
/// number be -inf; all others are finite in fp16, and come out as it rounds them.
teaching::Matrix typed_matrix(std::string_view option, std::string_view text, bool minus_inf);

}  // namespace flashlens::cli
