// Lines of the kernels' code as cells of a column.
#pragma once

#include <string>
#include <vector>

#include "report/code_cell.h"
#include "teaching/alignment.h"

namespace flashlens::report {

/// The letters of a line's steps, in order.
std::string letters(const teaching::CodeLine& line);
/// The colour of the letters and of the step's name.
int colour_of(const teaching::CodeLine& line);

/// A line with these marks, without the blanks that all lines of the excerpt start with.
CodeCell cell_of(const teaching::Excerpt& excerpt, const teaching::CodeLine& line, std::string marks);

/// Room for the longest number and the most letters.
Margins margins_of(const std::vector<const teaching::Excerpt*>& excerpts);
Margins margins_of(const std::vector<teaching::Side>& sides);

/// Columns that the code of a side would like to have.
int natural_width(const teaching::Side& side, const Margins& margins);

}  // namespace flashlens::report
