// The parts that JSON of several commands is made of.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "explorer/comparison.h"
#include "hardware/card.h"
#include "report/comparison_view.h"

namespace flashlens::report {

using Json = nlohmann::ordered_json;

/// The number, or "nan", "inf", "-inf".
Json number(double value);

Json problem_json(const Comparison& comparison);
Json card_json(const hardware::Card& card);
Json variant_json(const VariantFacts& variant, const Comparison& comparison, Detail detail);

/// Ended by a newline. Invalid UTF-8 (in a path, say) is replaced rather than refused.
std::string dump(const Json& json);

}  // namespace flashlens::report
