// What each step adds or takes away, from the first rung's figure to the last one's.
#pragma once

#include <string>
#include <vector>

#include "report/ladder_facts.h"
#include "report/language.h"
#include "report/terminal.h"

namespace flashlens::report {

struct WaterfallBar {
    enum class Kind { total, better, worse, same };
    Kind kind = Kind::total;
    std::string name;  ///< "2 query-blocks"
    std::string what;  ///< of a step: what it changes
    double from = 0.0;
    double to = 0.0;
    std::string label;  ///< "161 us", "-41.2 us  1.34x"
};

struct Waterfall {
    std::string title;                 ///< which figure, and that less is better, or more
    std::vector<std::string> caption;  ///< of which shape and card, where the figures come from
    std::vector<WaterfallBar> bars;    ///< empty: there are no steps, or the figure is not known
    double highest = 0.0;
};

/// The steps of one ladder, each from where the one before ends. Totals stand at its ends, and at v2.
Waterfall waterfall(const Comparison& comparison, const std::vector<StepFacts>& steps, const LadderQuantity& by,
                    Language language);

/// In a terminal; empty without bars.
std::string draw(const Waterfall& waterfall, Language language, const Terminal& terminal);

/// A whole SVG document, for a slide of 16:9.
std::string waterfall_to_svg(const Waterfall& waterfall, Language language);

}  // namespace flashlens::report
