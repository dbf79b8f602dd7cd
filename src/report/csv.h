// Comma-separated values, as RFC 4180 has them.
#pragma once

#include <string>
#include <vector>

namespace flashlens::report {

/// The fields with commas between them and a newline at the end. A field with a comma, a quote or a line break in it
/// stands in quotes, its own quotes doubled.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace flashlens::report
