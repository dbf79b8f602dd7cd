// The ladder from v1 to v2: the kernels of this folder, in order, each one change away from its neighbour; and those that
// lead from v1 to v2 in another order, for what a change is worth when others are there already, or not yet. Plain host
// code.
#pragma once

#include <algorithm>
#include <string_view>

namespace flashlens::between {

/// Variant names. row-warps and wide-warps are one kernel with two tiles; so are swapped-narrow and swapped-loops.
inline constexpr std::string_view ladder[] = {"v1",        "query-blocks", "row-warps", "wide-warps", "swapped-loops",
                                              "late-norm", "masked-loop",  "v2"};

/// Not on the ladder.
inline constexpr std::string_view other_orders[] = {"key-warps",       "swapped-narrow",    "async-swapped",
                                                    "async-late-norm", "async-masked-loop", "v1-grid"};

constexpr bool is_other_order(std::string_view variant) {
    return std::find(std::begin(other_orders), std::end(other_orders), variant) != std::end(other_orders);
}

/// Whether it is a kernel of this folder.
constexpr bool is_between(std::string_view variant) {
    return std::find(std::begin(ladder) + 1, std::end(ladder) - 1, variant) != std::end(ladder) - 1 ||
           is_other_order(variant);
}

/// The name of the kernel that a variant launches, as registers.csv has it.
constexpr std::string_view kernel_of(std::string_view variant) {
    return variant == "wide-warps" ? "row-warps" : variant == "swapped-narrow" ? "swapped-loops" : variant;
}

/// Whether O and lse go through device memory between key blocks: such a kernel wants the scratch of AttentionParams.
constexpr bool through_memory(std::string_view variant) {
    return variant == "v1" || variant == "query-blocks" || variant == "row-warps" || variant == "wide-warps";
}

/// Whether the grid is (batch, heads, splits), of num_splits.
constexpr bool has_splits(std::string_view variant) { return variant == "v1" || variant == "v1-grid"; }

}  // namespace flashlens::between
