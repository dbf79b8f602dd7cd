// The times of a bench as people read them, and paste them.
#pragma once

#include <string>

#include "explorer/bench.h"
#include "report/language.h"
#include "report/terminal.h"

namespace flashlens::report {

/// A list of how it was measured, a Markdown table per mask, and notes. On a screen too narrow for the tables their rows are
/// paragraphs; where output is no screen they are always tables.
std::string show_bench(const Bench& bench, Language language, const Terminal& terminal);

}  // namespace flashlens::report
