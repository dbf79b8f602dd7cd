// What each idea gives where other ideas came before it: its edges in the graph of kernels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explorer/comparison.h"
#include "report/ladder_facts.h"
#include "report/language.h"
#include "report/terminal.h"

namespace flashlens::report {

struct IdeaGains {
    Idea idea;
    std::vector<LadderStep> edges;
    std::vector<double> gains;  ///< of each edge: before / after of a figure that is better low, else after / before
    double mean = 0.0;          ///< geometric
    double least = 0.0;
    double most = 0.0;
};

/// By idea, those that have an edge whose figure is known at both ends, and greater than zero.
std::vector<IdeaGains> idea_gains(const Comparison& comparison, const LadderQuantity& by);

/// Of the same, as text.
std::string show_orders(const Comparison& comparison, const LadderQuantity& by, Language language,
                        const Terminal& terminal);

}  // namespace flashlens::report
