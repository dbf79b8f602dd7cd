// Who owns what, drawn in a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "explorer/comparison.h"
#include "report/language.h"
#include "report/terminal.h"

namespace flashlens::report {

enum class MapView {
    ctas,    ///< S by CTA: rows, key blocks and their order, what the mask leaves
    warps,   ///< a step of a CTA by warp
    lanes,   ///< an mma by lane
    blocks,  ///< one CTA and the blocks of Q, K, V, O that it works through
    sms,     ///< CTAs on SMs
};

/// "ctas", "warps", ... in the order of the enumeration.
std::vector<std::string> map_view_names();
std::string_view name_of(MapView view);

/// The views, one below the other, no line wider than the terminal. Of a comparison with something to compute.
std::string show_map(const Comparison& comparison, const std::vector<MapView>& views, Language language,
                     const Terminal& terminal);

}  // namespace flashlens::report
