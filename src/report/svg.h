// A chart as a picture of its own: SVG that needs no other file, on light paper or dark as the reader's system has it.
#pragma once

#include <string>

#include "report/chart.h"

namespace flashlens::report {

/// A whole SVG document, for a slide of 16:9 (bars may need more height).
std::string to_svg(const Chart& chart);

}  // namespace flashlens::report
