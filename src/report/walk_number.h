// Numbers as a walk shows them.
#pragma once

#include <string>
#include <string_view>

namespace flashlens::report {

inline constexpr int walk_number_width = 8;

/// A number in the same eight columns as all others: four places after the point, fewer where the number is large; an
/// exponent where it would else read 0.0000; "0" only for zero itself.
std::string walk_number(double value);

/// Seven places, for results beside those of the reference.
std::string exact_walk_number(double value);

/// `text` with blanks before it up to `width` columns.
std::string at_right(std::string_view text, int width);

}  // namespace flashlens::report
