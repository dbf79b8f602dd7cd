// flashlens --help: all of it on one screen.
#pragma once

#include <string>

namespace flashlens::cli {

/// Every option, at most 34 lines of 80 columns. A test holds it against the table of options.
std::string help_text();

/// "flashlens 0.1.0".
std::string version_text();

}  // namespace flashlens::cli
