// A table of a page: columns under a rule, or where they would be too narrow, one row below the other.
#pragma once

#include <string>
#include <vector>

#include "report/styled_text.h"
#include "report/terminal.h"
#include "teaching/document.h"

namespace flashlens::report {

/// Lines of at most `width` columns. `rows`: the heading first.
std::vector<std::string> document_table(const std::vector<std::vector<StyledText>>& rows,
                                        const std::vector<teaching::Align>& aligns, int width,
                                        const Terminal& terminal);

}  // namespace flashlens::report
