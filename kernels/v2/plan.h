// How FlashAttention-2 cuts a problem: tiles by head dim and chip, shared memory and grid (v2.8.3:
// flash_fwd_launch_template.h). Plain host code; needs no CUDA.
#pragma once

#include <cstdint>

#include "kernels/attention.h"

namespace flashlens::v2 {

constexpr int max_head_dim = 256;

/// Chips with 99 KiB of shared memory per CTA, where v2.8.3 takes smaller tiles.
constexpr bool has_small_shared_memory(Chip chip) { return chip == 86 || chip == 89 || chip == 120; }

/// sm_75 is not among v2.8.3's chips: these tiles are ours. An SM has 64 KiB of shared memory, a CTA may take all of it.
/// Nothing works while a CTA waits for its copies, as there is no cp.async, so two CTAs share an SM where they can: up to
/// head dim 128.
constexpr Tile choose_tile_sm75(std::int64_t head_dim) {
    if (head_dim <= 32) return {32, 128, 128, 4};
    if (head_dim <= 64) return {64, 128, 64, 4};
    if (head_dim <= 128) return {128, 64, 32, 4};
    return {256, 64, 32, 4};
}

/// head_dim is a multiple of 8, at most 256.
constexpr Tile choose_tile(std::int64_t head_dim, Chip chip, bool causal) {
    if (chip == 75) return choose_tile_sm75(head_dim);
    if (head_dim <= 32) return {32, 128, 128, 4};
    if (head_dim <= 64) return {64, 128, 128, 4};
    if (head_dim <= 128) {
        if (!has_small_shared_memory(chip)) return {128, 128, 64, 4};
        return causal ? Tile{128, 64, 64, 4} : Tile{128, 128, 32, 4};
    }
    // 64 x 64 lets two CTAs share an SM of sm_90, and is what fits in 99 KiB; sm_80 has room for one of 128 x 64.
    return chip == 80 ? Tile{256, 128, 64, 8} : Tile{256, 64, 64, 4};
}

/// Dynamic shared memory per CTA, bytes: Q, one K block, one V block.
constexpr int shared_bytes(const Tile& tile) { return (tile.block_m + 2 * tile.block_n) * tile.head_dim * 2; }

constexpr std::int64_t query_blocks(const Tile& tile, std::int64_t seqlen_q) {
    return (seqlen_q + tile.block_m - 1) / tile.block_m;
}

}  // namespace flashlens::v2
