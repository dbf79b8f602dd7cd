// Comma-separated values.
#pragma once

#include <string>
#include <vector>

namespace flashlens::report {

/// One record as RFC 4180 has it, but ended by a newline alone, for head, awk and diff; CSV readers take either. A field
/// with a comma, a quote or a line break stands in quotes, its own quotes doubled.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace flashlens::report
