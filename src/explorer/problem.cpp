#include "explorer/problem.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "say.h"

namespace flashlens {
namespace {

constexpr std::int64_t max_head_dim = 256;

void check_size(std::string_view option, std::int64_t value) {
    if (value < 0) {
        throw UsageError(say("{} {}: must be 0 or more", option, value));
    }
}

void check_head_groups(std::int64_t heads, std::int64_t kv_heads) {
    if (kv_heads == 0 && heads > 0) {
        throw UsageError(
            say("--heads {} --kv-heads {}: {} query heads need at least one KV head; --kv-heads {} gives each "
                "its own",
                heads, kv_heads, heads, heads));
    }
    if (kv_heads > heads || (kv_heads > 0 && heads % kv_heads != 0)) {
        throw UsageError(
            say("--heads {} --kv-heads {}: {} query heads can't share {} KV heads evenly; --kv-heads must "
                "divide --heads",
                heads, kv_heads, heads, kv_heads));
    }
}

void check_head_dim(std::int64_t head_dim) {
    if (head_dim >= 8 && head_dim <= max_head_dim && head_dim % 8 == 0) {
        return;
    }
    const std::int64_t nearest = std::clamp<std::int64_t>(head_dim / 8 * 8, 8, max_head_dim);
    const bool both = head_dim > 8 && head_dim < max_head_dim;
    std::vector<std::int64_t> sizes{nearest};
    if (both) {
        sizes.push_back(nearest + 8);
    }
    throw UsageError(say("--head-dim {}: must be a multiple of 8 from 8 to {}; {} would work", head_dim, max_head_dim,
                         one_of(sizes)));
}

/// Has the product of these sizes of 0 or more at most 63 bits?
bool fits(std::initializer_list<std::int64_t> sizes) {
    std::int64_t product = 1;
    bool overflow = false;
    for (const std::int64_t size : sizes) {
        overflow = overflow || __builtin_mul_overflow(product, size, &product);
    }
    return !overflow;
}

/// The largest of the counts that anybody makes of this problem must fit: bytes of S in fp32, words of each tensor in
/// fp64, FLOPs of both products.
void check_products(const Problem& p) {
    if (!fits({p.batch, p.heads, p.seqlen_q, p.head_dim, 8})) {
        throw UsageError(say(
            "--batch {} --heads {} --seqlen-q {} --head-dim {}: the bytes of this tensor don't fit in 63 bits; smaller "
            "sizes would work",
            p.batch, p.heads, p.seqlen_q, p.head_dim));
    }
    if (!fits({p.batch, p.kv_heads, p.seqlen_k, p.head_dim, 8})) {
        throw UsageError(
            say("--batch {} --kv-heads {} --seqlen-k {} --head-dim {}: the bytes of this tensor don't fit in 63 bits; "
                "smaller sizes would work",
                p.batch, p.kv_heads, p.seqlen_k, p.head_dim));
    }
    // As without a mask: one only takes pairs away. 4 * head_dim >= 32 covers every count per pair, bytes of S too.
    if (!fits({p.seqlen_q, p.seqlen_k, p.batch, p.heads, p.head_dim, 4})) {
        throw UsageError(say(
            "--batch {} --heads {} --seqlen-q {} --seqlen-k {} --head-dim {}: the FLOPs of this problem don't fit in "
            "63 bits; smaller sizes would work",
            p.batch, p.heads, p.seqlen_q, p.seqlen_k, p.head_dim));
    }
}

}  // namespace

void validate(const Problem& problem) {
    check_size("--batch", problem.batch);
    check_size("--heads", problem.heads);
    check_size("--kv-heads", problem.kv_heads);
    check_size("--seqlen-q", problem.seqlen_q);
    check_size("--seqlen-k", problem.seqlen_k);
    check_head_groups(problem.heads, problem.kv_heads);
    check_head_dim(problem.head_dim);
    // The kernels' scale is an fp32 number: one that rounds to 0 or to infinity is none.
    const auto scale = static_cast<float>(problem.scale);
    if (!(scale > 0.0F) || !std::isfinite(scale)) {
        throw UsageError(
            say("--scale {}: must be positive and finite in fp32, about 1e-45 to 3e38 (both kernels "
                "take their row maximum before scaling); 1/sqrt(head_dim) is {:.6g}",
                problem.scale, 1.0 / std::sqrt(static_cast<double>(problem.head_dim))));
    }
    check_products(problem);
}

std::int64_t visible_pairs(const Problem& problem) {
    if (!problem.causal) {
        return problem.seqlen_q * problem.seqlen_k;
    }
    // Query i sees clamp(i + diagonal + 1, 0, seqlen_k) keys: none below `first`, all from `full` on, and one key more
    // per row between them.
    const std::int64_t diagonal = problem.diagonal();
    const std::int64_t first = std::clamp<std::int64_t>(-diagonal, 0, problem.seqlen_q);
    const std::int64_t full = std::clamp<std::int64_t>(problem.seqlen_k - diagonal - 1, first, problem.seqlen_q);
    const std::int64_t rows = full - first;
    const std::int64_t least = first + diagonal + 1;  // keys that row `first` sees, while it doesn't see all
    const std::int64_t staircase =
        rows > 0 ? rows * least + (rows % 2 == 0 ? rows / 2 * (rows - 1) : (rows - 1) / 2 * rows) : 0;
    return staircase + (problem.seqlen_q - full) * problem.seqlen_k;
}

std::int64_t flops(const Problem& problem) {
    return 4 * problem.batch * problem.heads * problem.head_dim * visible_pairs(problem);
}

}  // namespace flashlens
