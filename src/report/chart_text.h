// A chart drawn with characters.
#pragma once

#include <string>

#include "report/chart.h"
#include "report/terminal.h"

namespace flashlens::report {

/// Lines of text, none wider than the terminal, each ended by a newline: title, plot, axes, legend, caption. Lines are
/// drawn in Braille dots and their points with markers where the terminal is UTF-8, else in ASCII with letters.
std::string draw(const Chart& chart, const Terminal& terminal);

}  // namespace flashlens::report
