// Who owns what, as a picture for a slide, on light paper or dark as the reader's system has it.
#pragma once

#include <string>

#include "explorer/comparison.h"
#include "report/language.h"
#include "report/map_view.h"

namespace flashlens::report {

/// A whole SVG document of one view, 16:9 (CTAs on SMs may need more height).
std::string map_to_svg(const Comparison& comparison, MapView view, Language language);

}  // namespace flashlens::report
