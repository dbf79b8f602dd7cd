// The figures that the steps of the ladder are judged by.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "report/quantity.h"

namespace flashlens::report {

/// Which way a figure is meant to go.
enum class Better { lower, higher, neither };

struct LadderQuantity {
    Quantity quantity;
    Better better;
    bool on_its_own;  ///< worth a word where no idea is about it; others follow from one that is
};

/// Those that need no time, in the order shown. The ones of quantity.h keep their names.
std::span<const LadderQuantity> ladder_quantities();

/// The time, for a waterfall.
const LadderQuantity& ladder_time();

/// Of either; null when there is none of that name.
const LadderQuantity* find_ladder_quantity(std::string_view name);

/// What a waterfall can show: the time, and each figure that has a better way to go.
std::vector<std::string_view> waterfall_names();

}  // namespace flashlens::report
