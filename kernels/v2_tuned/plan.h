// How v2_tuned cuts a problem: tiles by head dim, chip and size of the grid, shared memory, and the order in which CTAs take
// query blocks. Plain host code; needs no CUDA.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/v2/plan.h"

namespace flashlens::v2_tuned {

constexpr int max_head_dim = 256;

/// K and V of two key blocks are in shared memory: the one at work and the one on its way.
constexpr int stages = 2;

/// Dynamic shared memory per CTA, bytes: Q, and the stages' K and V blocks.
constexpr int shared_bytes(const Tile& tile) { return (tile.block_m + stages * 2 * tile.block_n) * tile.head_dim * 2; }

/// The tile that gives most per SM, as measured on sm_90: 32 query rows a warp (16 for head dim 256, whose O fills the
/// registers), four warps a CTA, and as many keys as let two CTAs share an SM. head_dim is a multiple of 8, at most 256.
constexpr Tile choose_large_tile(std::int64_t head_dim, Chip chip) {
    const bool small = v2::has_small_shared_memory(chip);  // 99 KiB per CTA, where sm_80 has 163 and sm_90 227
    const bool medium = chip == 80;
    if (head_dim <= 64) return {head_dim <= 32 ? 32 : 64, 128, 64, 4};
    if (head_dim <= 128) return {128, 128, small || medium ? 32 : 64, 4};
    if (small) return {256, 64, 32, 4};
    return {256, 128, medium ? 32 : 64, 8};
}

/// For grids that would leave SMs without work: half the query rows a CTA. Each warp then has 16 rows, and each operand of K
/// and V serves one mma where it served two; up to head dim 64 the registers that this frees hold twice the keys (but not
/// where shared memory then had room for one CTA an SM).
constexpr Tile choose_small_tile(std::int64_t head_dim, Chip chip) {
    if (head_dim <= 32) return {32, 64, 128, 4};
    if (head_dim <= 64)
        return v2::has_small_shared_memory(chip) ? choose_large_tile(head_dim, chip) : Tile{64, 64, 128, 4};
    if (head_dim <= 128) return {128, 64, v2::has_small_shared_memory(chip) ? 32 : 64, 4};
    return choose_large_tile(head_dim, chip);
}

/// heads: batch x heads.
constexpr Tile choose_tile(std::int64_t head_dim, Chip chip, std::int64_t seqlen_q, std::int64_t heads, int sm_count) {
    const Tile large = choose_large_tile(head_dim, chip);
    return v2::query_blocks(large, seqlen_q) * heads <= sm_count ? choose_small_tile(head_dim, chip) : large;
}

/// Under a causal mask, how many heads together: the heavy CTAs of all come first, and light ones fill the gaps at the end.
/// - As many as have K and V in the L2 cache at once (24 MiB: half of an H100's), but at least
/// - so many that even the last group keeps every slot for a CTA at work for as long as its heaviest CTA takes: of a head's
///   `blocks` query blocks this one walks about `blocks` times the keys of the lightest, all of them blocks (blocks + 1) / 2.
/// A last group that is too small for that has its heads shared out among larger groups.
constexpr std::int64_t choose_heads_together(std::int64_t blocks, std::int64_t heads,
                                             std::int64_t kv_bytes_per_query_head, std::int64_t slots) {
    constexpr std::int64_t l2_bytes = std::int64_t{24} << 20;
    const std::int64_t in_l2 = l2_bytes / std::max<std::int64_t>(kv_bytes_per_query_head, 1);
    const std::int64_t enough = std::min(heads, (2 * slots + blocks) / (blocks + 1));
    std::int64_t together = std::clamp(in_l2, enough, heads);
    while (heads % together != 0 && heads % together < enough) {
        ++together;
    }
    return together;
}

/// If all CTAs run at once, there is no end to fill: then those that join others on their SM, after the first sm_count, come
/// lightest first, to join the heaviest. Without a mask all CTAs weigh the same.
constexpr CtaOrder choose_order(bool causal, std::int64_t ctas, std::int64_t heads,
                                std::int64_t kv_bytes_per_query_head, int sm_count, int ctas_per_sm) {
    if (!causal || ctas == 0) return {};
    const std::int64_t slots = std::int64_t{sm_count} * ctas_per_sm;
    CtaOrder order;
    order.heads_together = static_cast<int>(choose_heads_together(ctas / heads, heads, kv_bytes_per_query_head, slots));
    if (ctas <= slots) order.turn_at = sm_count;
    return order;
}

struct Work {
    std::int64_t head;  ///< batch x heads + head
    std::int64_t query_block;
};

/// What CTA x of a grid of `ctas` takes.
constexpr Work work_of(const CtaOrder& order, std::int64_t ctas, std::int64_t heads, std::int64_t x) {
    const std::int64_t blocks = ctas / heads;
    const std::int64_t place = x < order.turn_at ? x : ctas - 1 - (x - order.turn_at);
    const std::int64_t first = place / (blocks * order.heads_together) * order.heads_together;
    const std::int64_t group = std::min<std::int64_t>(heads - first, order.heads_together);
    const std::int64_t in_group = place - first * blocks;
    return {first + in_group % group, blocks - 1 - in_group / group};
}

}  // namespace flashlens::v2_tuned
