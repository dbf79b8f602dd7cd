// Comma-separated values, as RFC 4180 has them.
#pragma once

#include <string>
#include <vector>

namespace flashlens::report {

/// One record, ended by CRLF. A field with a comma, a quote or a line break stands in quotes, its own quotes doubled.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace flashlens::report
