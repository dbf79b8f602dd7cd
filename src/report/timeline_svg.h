// SMs over time, as a slide.
#pragma once

#include <string>

#include "explorer/timeline.h"
#include "report/language.h"

namespace flashlens::report {

/// A row for each SM, a bar for each CTA, the variants one below the other on one time scale. Where there are more bars than
/// anybody could tell apart, SMs are shaded by how many of their places are taken.
std::string timelines_to_svg(const Timelines& timelines, Language language);

}  // namespace flashlens::report
