// The ladder as people read it: a row for each rung, then what each step changes and whether its figures explain it.
#pragma once

#include <string>
#include <vector>

#include "explorer/comparison.h"
#include "report/ladder_facts.h"
#include "report/language.h"
#include "report/terminal.h"

namespace flashlens::report {

/// No line wider than the terminal: where it has no room for all columns, a second table has the others. `by`: what the
/// waterfall shows, the time or a figure that has a better way to go.
std::string show_ladder(const Comparison& comparison, const LadderQuantity& by, Language language,
                        const Terminal& terminal);

/// What the waterfall shows unless something else is asked for: the time where there is one, else shared memory traffic.
const LadderQuantity& usual_waterfall(const Comparison& comparison);

/// "2 query-blocks".
std::string rung_name(const Comparison& comparison, std::size_t index);

/// How far a figure moved: "/9.55" for fewer, "x1.67" for more; empty from or to nothing, and where it did not move.
std::string factor(const Change& change, bool utf8);

/// What the figures and the time of a step say of its idea; empty where the figures beside it say it all.
std::string verdict_on(const StepFacts& step, const Terminal& terminal, Language language);

}  // namespace flashlens::report
