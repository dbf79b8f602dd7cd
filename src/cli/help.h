// flashlens --help: the commands on one screen, and each command's own page. Their texts are in help_words.cpp.
#pragma once

#include <string>

#include "bilingual.h"
#include "cli/options.h"
#include "report/terminal.h"

namespace flashlens::cli {

/// The columns of help on a terminal of that width: its own, but never so few that texts beside options are slivers, nor
/// so many that lines are hard to follow. 80 in a file or a pipe.
int help_columns(const report::Terminal& terminal);

/// Every command, a line each. Usage and examples are never broken: they are there to be copied.
std::string overview(Language language, int columns = 80);

/// How the command is used: every option that it takes, with its default, and examples.
std::string page_of(Command command, Language language, int columns = 80);

/// "flashlens 0.1.0".
std::string version_text();

}  // namespace flashlens::cli
