// Products that run while a copy is on its way: what cp.async is for. Counted by the CPU machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "simt/launch.h"

namespace flashlens::practice {

/// Of how many of `blocks` key blocks the products of this step ran beside a copy; 0 where the step has none.
double blocks_beside_copies(const simt::LaunchReport& report, std::string_view step, std::int64_t blocks);

}  // namespace flashlens::practice
