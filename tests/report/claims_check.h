// Holds a sentence of the why against the comparison that it speaks of.
#pragma once

#include <map>
#include <string>

#include "explorer/comparison.h"
#include "report/claim.h"

namespace flashlens::report {

/// Every figure that a sentence may name, worked out from the comparison, apart from the code under test.
std::map<std::string, double> figures(const Comparison& comparison);

/// Checks that each claim is true of these figures and that the sentence shows them.
void check_sentence(const Sentence& sentence, const std::map<std::string, double>& known);

}  // namespace flashlens::report
