// What the kernels of this folder are compiled for. Only for the files that compile them (kernels/instance.in).
#pragma once

#include <initializer_list>
#include <string_view>

#include "kernels/between/plan.h"
#include "kernels/primitives/launcher.cuh"

namespace flashlens::FLASHLENS_MACHINE::between {

/// Whether plan.h chooses this tile for the variant on any chip that the code runs on. No other is compiled.
constexpr bool is_chosen(std::string_view variant, const Tile& tile, bool causal) {
    unsigned bit = 1;
    for (const Chip chip : chips_from_sm80) {
        for (const std::int64_t seqlen_k : {128, 1024}) {  // v1's key blocks depend on it
            const bool chosen = flashlens::between::choose_tile(variant, tile.head_dim, seqlen_k, chip, causal) == tile;
            if (chosen && (runs_on & bit) != 0) return true;
        }
        bit *= 2;
    }
    return false;
}

}  // namespace flashlens::FLASHLENS_MACHINE::between
