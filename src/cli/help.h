// flashlens --help: the commands on one screen, and each command's own page. Their texts are in help_words.cpp.
#pragma once

#include <string>

#include "bilingual.h"
#include "cli/options.h"

namespace flashlens::cli {

/// Every command, a line each.
std::string overview(Language language);

/// How the command is used: every option that it takes, with its default, and examples.
std::string page_of(Command command, Language language);

/// "flashlens 0.1.0".
std::string version_text();

}  // namespace flashlens::cli
