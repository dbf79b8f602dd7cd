// The slides of `map`: its views, one function each (map_svg_*.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/map_words.h"
#include "report/slide.h"
#include "report/svg_parts.h"

namespace flashlens::report {

/// A rectangle as this fate is drawn, in the class `fill`: hatched one way where the masking code hides something, the other
/// way and wider where it runs in vain; no fill where nothing is done.
std::string fate_mark(teaching::Fate fate, std::string_view fill, double x, double y, double width, double height);

void ctas_on_slide(Slide& slide, const std::vector<Shown>& all, const Problem& problem, Language language);
void blocks_on_slide(Slide& slide, const std::vector<Shown>& all, const Problem& problem, Language language);
void warps_on_slide(Slide& slide, const std::vector<Shown>& all, Language language);
void lanes_on_slide(Slide& slide, Language language);
void sms_on_slide(Slide& slide, const std::vector<Shown>& all, const Comparison& comparison, Language language);

/// Panels side by side: the left edges and the width of each.
struct Panels {
    double width = 0.0;
    double gap = 0.0;
    double left(std::size_t i) const { return svg::margin + static_cast<double>(i) * (width + gap); }
};
Panels panels(std::size_t count);

}  // namespace flashlens::report
