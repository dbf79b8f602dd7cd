// Command lines that the program prints, to be copied.
#pragma once

#include <string>

#include "cli/options.h"

namespace flashlens::cli {

/// As a shell takes it for one word, in quotes where it needs them.
std::string shell_word(const std::string& text);

/// The command that asks `other` what was asked here: "flashlens ladder -b 1 --causal". Of the options as given, in their
/// order, those that `other` takes too; without the ones that say where the answer goes and how it looks, but for
/// --lang.
std::string asked_of(Command other, const Given& given);

}  // namespace flashlens::cli
