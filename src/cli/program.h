// The program without its process: what main runs, and tests too.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/explorer_seam.h"
#include "report/terminal.h"

namespace flashlens::cli {

/// Runs the command line (without the program's name). Errors are one line on `err`, "flashlens: ..."; the return value
/// is the exit code (commands.h). Nothing is thrown.
int run(const std::vector<std::string>& arguments, const Explorer& explorer, const report::Surroundings& surroundings,
        std::ostream& out, std::ostream& err);

}  // namespace flashlens::cli
