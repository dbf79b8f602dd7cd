// A learner's file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/terminal.h"

namespace flashlens::report {

/// Numbered lines of code in its colours.
std::vector<std::string> code_listing(std::string_view file, const Terminal& terminal);

}  // namespace flashlens::report
