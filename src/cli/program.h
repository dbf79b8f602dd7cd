// The program without its process: what main runs, and tests too.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/explorer_seam.h"
#include "message.h"
#include "report/terminal.h"

namespace flashlens::cli {

/// Runs the command line (without the program's name). Errors are one line on `err`, "flashlens: ..."; the return value
/// is the exit code (commands.h). Nothing is thrown.
int run(const std::vector<std::string>& arguments, const Explorer& explorer, const report::Surroundings& surroundings,
        std::ostream& out, std::ostream& err);

/// What the command line asks for with --lang, else the locale's language.
Language language_of(const std::vector<std::string>& arguments, const report::Surroundings& surroundings);

/// "flashlens: " and the message on `err`: one line, which a terminal gets in lines of its width.
void tell(const Message& message, Language language, const report::Surroundings& surroundings, std::ostream& err);

}  // namespace flashlens::cli
