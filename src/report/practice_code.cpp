#include "report/practice_code.h"

#include <algorithm>

#include "report/code_cell.h"
#include "report/code_difference.h"
#include "report/width.h"

namespace flashlens::report {

std::vector<std::string> code_listing(std::string_view file, const Terminal& terminal) {
    const std::vector<std::string> lines = code_to_show(file);
    std::vector<std::string> result;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        CodeCell cell;
        cell.number = std::to_string(line + 1);
        cell.text = lines[line];
        for (const std::string& shown : code_lines(cell, {4, 0}, std::max(terminal.columns, 20), terminal)) {
            result.push_back(without_blanks_at_end(shown));
        }
    }
    return result;
}

}  // namespace flashlens::report
