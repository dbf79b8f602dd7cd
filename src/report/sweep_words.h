// What the figures of a sweep are of, and where they come from, in words.
#pragma once

#include <string>
#include <vector>

#include "explorer/sweep.h"
#include "report/language.h"
#include "report/quantity.h"

namespace flashlens::report {

/// The points that have figures.
std::vector<const SweepPoint*> points_with_figures(const Sweep& sweep);

/// Shape, type and mask as far as every point shares them: "B 1  Sq = Sk  D 64  fp16  causal, bottom-right aligned".
std::string shared_shape(const Sweep& sweep, Language language);

/// The card, or that each point has its own.
std::string cards(const Sweep& sweep, Language language);

/// "counted by the CPU machine on one CTA of each class".
std::string how_known(Origin origin, const Sweep& sweep, Language language);

/// The quantities of which some point of the sweep has a figure.
std::vector<const Quantity*> known_quantities(const Sweep& sweep);

/// What a chart shows unless asked for something else: the speed-up where there are times of several variants, the rate
/// where there are those of one, else the SM fill.
const Quantity& usual_quantity(const Sweep& sweep);

}  // namespace flashlens::report
