// What the JSON of every command has in common.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "explorer/comparison.h"
#include "hardware/card.h"
#include "report/comparison_view.h"

namespace flashlens::report {

using Json = nlohmann::ordered_json;

/// A number that is not finite, which JSON can't hold, is the string "nan", "inf" or "-inf".
Json number(double value);
Json json_of(const Problem& problem);
Json json_of(const hardware::Card& card);
/// Everything known of a variant, by the keys of compare's JSON; without what needs a run where nothing has run.
Json json_of(const VariantFacts& variant, const Comparison& comparison, Detail detail);

/// Indented, ended by a newline. Invalid UTF-8 (in a path, say) is replaced rather than refused.
std::string json_text(const Json& json);

}  // namespace flashlens::report
