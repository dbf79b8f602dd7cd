// How the rungs between v1 and v2 cut a problem. Plain host code; needs no CUDA.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "kernels/between/rungs.h"
#include "kernels/v1/plan.h"
#include "kernels/v2/plan.h"

namespace flashlens::between {

constexpr int max_head_dim = 128;  // v1's

/// Query rows of a CTA while O goes through memory; then it is the tile's.
constexpr int query_block_rows = 128;

/// Of v1 up to query-blocks, of v2 from wide-warps on. row-warps (and swapped-narrow, which is swapped-loops with its tile) has
/// v1's key blocks and four warps of 16 rows each; every
/// warp of key-warps holds O of the whole query block, which is as large as registers allow.
constexpr Tile choose_tile(std::string_view variant, std::int64_t head_dim, std::int64_t seqlen_k, Chip chip,
                           bool causal) {
    if (variant == "query-blocks") return v1::choose_tile(head_dim, seqlen_k);
    if (variant == "row-warps" || variant == "swapped-narrow") {
        const Tile tile = v1::choose_tile(head_dim, seqlen_k);
        return {tile.head_dim, 64, tile.block_n, 4};
    }
    if (variant == "key-warps") {
        return head_dim <= 32 ? Tile{32, 128, 64, 4} : head_dim <= 64 ? Tile{64, 64, 128, 4} : Tile{128, 32, 128, 4};
    }
    return v2::choose_tile(head_dim, chip, causal);
}

/// Query rows of a CTA.
constexpr int query_rows(std::string_view variant, const Tile& tile) {
    return through_memory(variant) ? query_block_rows : tile.block_m;
}

/// Dynamic shared memory per CTA, bytes: v1's, or the query block, one K block, one V block.
constexpr int shared_bytes(std::string_view variant, const Tile& tile, std::int64_t seqlen_k) {
    if (variant == "query-blocks") return v1::shared_bytes(tile, seqlen_k);
    const int tiles = (query_rows(variant, tile) + 2 * tile.block_n) * tile.head_dim * 2;
    if (variant != "key-warps") return tiles;
    const int o_and_statistics = tile.block_m * tile.head_dim * 4 + 2 * tile.block_m * tile.warps * 4;
    return std::max(tiles, o_and_statistics);
}

}  // namespace flashlens::between
