// Lists and ranges of numbers: "1,8,32", "64:256:64", "512:16384:x2", and mixtures of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flashlens::cli {

/// What an option's numbers may be, and one that works.
struct Bounds {
    std::uint64_t smallest = 0;
    std::uint64_t largest = 0;
    std::uint64_t example = 0;
};

/// The numbers of a list with commas whose items are numbers or ranges, in the order given, each once:
///     first:last           every whole number from first to last
///     first:last:+step     first, first + step, ... up to last; first:last:step is the same
///     first:last:xfactor   first, first x factor, ... up to last, rounded to whole numbers; the factor may have a point
/// Throws UsageError for anything else (the option, the value, the item and what would work), for what is out of bounds,
/// and for more than `most` numbers, which it says instead of making them.
std::vector<std::uint64_t> number_list(std::string_view option, std::string_view text, const Bounds& bounds,
                                       std::uint64_t most);

/// The items between the commas, without blanks at their ends.
std::vector<std::string> comma_list(std::string_view text);

}  // namespace flashlens::cli
