// How FlashAttention-1 cuts a problem: tiles, shared memory, num_splits and grid (v1.0.9: fmha_fwd_hdim*.cu,
// kernel_traits.h, fmha_fwd_launch_template.h). Plain host code; needs no CUDA.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/attention.h"

namespace flashlens::v1 {

constexpr int max_head_dim = 128;
constexpr int block_m = 16;  // query rows of a tile
constexpr int warps = 4;

/// head_dim is a multiple of 8, at most 128. 256 keys a block; 128 for head dim 128, whose K and V fragments would not
/// fit the registers, and where there are no more than 128 keys.
constexpr Tile choose_tile(std::int64_t head_dim, std::int64_t seqlen_k) {
    const int padded = head_dim <= 32 ? 32 : head_dim <= 64 ? 64 : 128;
    return {padded, block_m, padded == 128 || seqlen_k <= 128 ? 128 : 256, warps};
}

/// Dynamic shared memory per CTA, bytes; the formula is at the head of kernel.cuh.
constexpr int shared_bytes(const Tile& tile, std::int64_t seqlen_k) {
    const int q = 2 * tile.block_m * tile.head_dim * 2;
    const int kv = tile.block_n * tile.head_dim * 2;
    const int partial_o_and_statistics = tile.block_m * tile.head_dim * 16 + 512;
    const int lse = seqlen_k > tile.block_n ? 128 : 0;
    return q + std::max(kv, partial_o_and_statistics) + lse;
}

/// The most splits that the heuristic considers, with v1.0.9's slip in it: meant was the number of query tiles,
/// (seqlen_q + M - 1) / M, written was (seqlen_q + M - 1 / M), and 1 / M is an integer division: 0. As seqlen_q has
/// been rounded up to a multiple of M, the second argument is never under 32: always 30.
constexpr int max_splits(std::int64_t seqlen_q) {
    const std::int64_t m = block_m;
    const std::int64_t rounded = std::max<std::int64_t>((seqlen_q + m - 1) / m * m, m);
    return static_cast<int>(std::min<std::int64_t>(30, rounded + m - 1 / m));
}

/// The smallest number of splits that fills the last wave nearly (95 %) as well as the best one does.
///
/// waves(s) = batch_heads s / (SMs CTAs-per-SM); a fraction of a wave costs a whole one: efficiency = waves / ceil(waves).
inline int num_splits_heuristic(std::int64_t batch_heads, int sm_count, int ctas_per_sm, int max_splits) {
    std::vector<double> efficiency;
    for (int splits = 1; splits <= max_splits; ++splits) {
        const double waves = static_cast<double>(batch_heads) * splits / (static_cast<double>(sm_count) * ctas_per_sm);
        efficiency.push_back(waves / std::ceil(waves));
    }
    const double best = *std::max_element(efficiency.begin(), efficiency.end());
    const auto good_enough = [best](double e) { return e > 0.95 * best; };
    const auto first = std::find_if(efficiency.begin(), efficiency.end(), good_enough);
    return static_cast<int>(first - efficiency.begin()) + 1;
}

}  // namespace flashlens::v1
