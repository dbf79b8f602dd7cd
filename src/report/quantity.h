// What can be said of a variant in one number: the columns of a sweep, and what a chart can show.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "explorer/comparison.h"
#include "report/language.h"

namespace flashlens::report {

/// Where a figure comes from.
enum class Origin { planned, counted, timed };

struct Quantity {
    std::string_view name;  ///< "global-read": what --chart takes
    std::string_view key;   ///< "global_read_bytes": its column of a CSV file, in base units
    Origin origin;
    Text heading;  ///< of a column
    Text axis;     ///< with the unit
    /// Nothing when the variant does not run or has no such figure; never NaN or infinity.
    std::optional<double> (*of)(const VariantFacts& variant, const Comparison& comparison);
    std::string (*print)(double value);
};

/// In the order of a table's columns.
std::span<const Quantity> quantities();

/// A round figure as it stands beside an axis: a ratio is "5x" there, not "5.00x".
std::string print_tick(const Quantity& quantity, double value);

/// Null when there is none of that name.
const Quantity* find_quantity(std::string_view name);

/// The variant that the others' speed is held against: v1, or the first without it; null where that was not timed (so that one sweep
/// never holds against two).
const VariantFacts* base_of_speed(const Comparison& comparison);

}  // namespace flashlens::report
