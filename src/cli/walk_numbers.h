// The numbers that a walk is about: read from files, typed, or random.
#pragma once

#include <string>

#include "cli/options.h"
#include "report/language.h"
#include "teaching/walk.h"

namespace flashlens::cli {

/// Puts Q, K and V, or scores and V, into the walk, and its sizes and scale with them. Returns where typed or read
/// numbers come from; empty when all are random. Throws UsageError for what is no number, too large or contradictory.
std::string set_numbers(teaching::WalkProblem& walk, const Given& given, report::Language language);

/// Refuses scores that have no room in a walk's eight columns.
void check_scores(const teaching::WalkProblem& walk, const Given& given);

}  // namespace flashlens::cli
