// The ladder as JSON and CSV.
#pragma once

#include <string>

#include "explorer/comparison.h"
#include "report/ladder_quantities.h"

namespace flashlens::report {

/// What was asked; each rung with everything that compare's JSON has of a variant; each step with its ideas and figures.
std::string ladder_to_json(const Comparison& comparison);

/// The rungs once more, and each idea with its edges.
std::string orders_to_json(const Comparison& comparison, const LadderQuantity& by);

/// A line for each rung: the problem, the card, then every figure in base units.
std::string ladder_to_csv(const Comparison& comparison);

}  // namespace flashlens::report
