// What the JSON of every command has in common.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "explorer/problem.h"
#include "hardware/card.h"

namespace flashlens::report {

using Json = nlohmann::ordered_json;

/// A number that is not finite, which JSON can't hold, is the string "nan", "inf" or "-inf".
Json number(double value);
Json json_of(const Problem& problem);
Json json_of(const hardware::Card& card);

/// Indented, ended by a newline. Invalid UTF-8 (in a path, say) is replaced rather than refused.
std::string json_text(const Json& json);

}  // namespace flashlens::report
