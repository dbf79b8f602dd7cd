// The columns that say what was asked, in every CSV file.
#pragma once

#include <string>
#include <vector>

#include "explorer/problem.h"

namespace flashlens::report {

/// "batch", "heads", ...
std::vector<std::string> problem_columns();

/// The problem's, in the order of problem_columns().
std::vector<std::string> problem_fields(const Problem& problem);

}  // namespace flashlens::report
