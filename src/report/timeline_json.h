// A timeline for programs.
#pragma once

#include <string>

#include "explorer/timeline.h"

namespace flashlens::report {

/// Every CTA's SM, place, start and end, and what follows from them. In English, with the names of code.
std::string timelines_to_json(const Timelines& timelines);

}  // namespace flashlens::report
