// The letters beside the code.
#pragma once

#include <string>
#include <vector>

#include "report/language.h"
#include "report/terminal.h"

namespace flashlens::report {

/// The letters, and what they mean in each kernel: a table, or where that is too wide a paragraph for each.
std::string source_legend(const std::vector<std::string>& variants, Language language, const Terminal& terminal);

}  // namespace flashlens::report
