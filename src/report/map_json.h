// Who owns what, for scripts.
#pragma once

#include <string>
#include <vector>

#include "explorer/comparison.h"
#include "report/map_view.h"

namespace flashlens::report {

/// The data behind the views. Lists of query units and of CTAs end after 10,000 entries; how many there are stands beside.
std::string map_to_json(const Comparison& comparison, const std::vector<MapView>& views);

}  // namespace flashlens::report
