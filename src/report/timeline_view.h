// SMs over time, drawn in a terminal.
#pragma once

#include <string>

#include "explorer/timeline.h"
#include "report/language.h"
#include "report/terminal.h"

namespace flashlens::report {

/// The variants one below the other on one time scale, SMs folded into a few rows, with what the numbers say. No line is
/// wider than the terminal.
std::string show_timelines(const Timelines& timelines, Language language, const Terminal& terminal);

}  // namespace flashlens::report
