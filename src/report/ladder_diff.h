// The code of two kernels of the ladder: what changes from one to the other.
#pragma once

#include <string>

#include "explorer/comparison.h"
#include "report/code_difference.h"
#include "report/language.h"
#include "report/terminal.h"

namespace flashlens::report {

/// `planned`: both, as explain plans them for some shape, whose tiles are named where they differ. Extent::all: also the
/// lines that don't change, and files that are gone.
std::string show_ladder_diff(const Comparison& planned, Extent extent, Language language, const Terminal& terminal);

/// Files, and their lines: which stand in both, which in one.
std::string ladder_diff_to_json(const Comparison& planned);

}  // namespace flashlens::report
