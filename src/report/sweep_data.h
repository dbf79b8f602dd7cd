// A sweep for other programs.
#pragma once

#include <string>

#include "explorer/sweep.h"

namespace flashlens::report {

/// A heading and one line for each point and variant (one line for a point that nothing can run), in base units. What is
/// not known is empty.
std::string sweep_to_csv(const Sweep& sweep);

/// Strictly valid JSON: the swept options, the cards, and for each point its settings, its problem and its variants with
/// the keys that compare's JSON has.
std::string sweep_to_json(const Sweep& sweep);

}  // namespace flashlens::report
