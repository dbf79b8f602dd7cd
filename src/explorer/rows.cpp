// Which rows the reference checks when all of them would take too long.
#include <algorithm>
#include <set>

#include "explorer/verdict.h"

namespace flashlens {
namespace {

using reference::Row;

/// Rows that cost as much as converting K and V for a block of rows does: rows are cheaper together than alone.
constexpr std::int64_t neighbours = 8;

/// What a row costs however few keys it sees, in keys.
constexpr std::int64_t row_overhead = 64;

double cost(const reference::Sizes& sizes, std::int64_t row) {
    return 4.0 * static_cast<double>(sizes.head_dim) *
           static_cast<double>(reference::visible_keys(sizes, row) + row_overhead);
}

/// `wanted` in order, each once, without those outside 0 .. size - 1.
std::vector<std::int64_t> inside(const std::vector<std::int64_t>& wanted, std::int64_t size) {
    std::vector<std::int64_t> kept;
    for (const std::int64_t index : wanted) {
        if (index >= 0 && index < size && std::find(kept.begin(), kept.end(), index) == kept.end()) {
            kept.push_back(index);
        }
    }
    return kept;
}

/// Rows where an off-by-one would show, the likeliest first.
std::vector<std::int64_t> edge_rows(const Problem& problem) {
    const std::int64_t last = problem.seqlen_q - 1;
    std::vector<std::int64_t> rows{0, last};
    if (problem.causal) {
        const std::int64_t first_that_sees = -problem.diagonal();
        const std::int64_t first_that_sees_all = problem.seqlen_k - 1 - problem.diagonal();
        for (const std::int64_t row : {first_that_sees, first_that_sees_all}) {
            rows.insert(rows.end(), {row - 1, row, row + 1});
        }
    }
    for (const std::int64_t tile : {128, 64, 16}) {
        const std::int64_t middle = problem.seqlen_q / 2 / tile * tile;
        for (const std::int64_t edge : {tile, last / tile * tile, middle}) {
            rows.insert(rows.end(), {edge - 1, edge, edge + 1});
        }
    }
    return inside(rows, problem.seqlen_q);
}

}  // namespace

std::vector<Row> choose_rows(const Problem& problem, double budget_flops) {
    const reference::Sizes sizes = reference_sizes(problem);
    const double head_cost =
        4.0 * static_cast<double>(problem.head_dim) *
        (static_cast<double>(visible_pairs(problem)) + static_cast<double>(problem.seqlen_q * row_overhead));
    if (head_cost * static_cast<double>(problem.batch) * static_cast<double>(problem.heads) <= budget_flops) {
        return reference::all_rows(sizes);
    }

    const std::int64_t group = problem.heads / problem.kv_heads;
    const auto batches = inside({0, problem.batch - 1, problem.batch / 2}, problem.batch);
    const auto heads = inside({0, problem.heads - 1, group - 1, group, problem.heads / 2}, problem.heads);
    std::set<Row> chosen;
    double spent = 0.0;
    const auto choose = [&](const Row& row) {
        if (chosen.insert(row).second) {
            spent += cost(sizes, row.row);
        }
    };
    // In any case the first and the last row of one head; then half the budget for the edges.
    choose({0, 0, 0});
    choose({0, 0, problem.seqlen_q - 1});
    for (const std::int64_t row : edge_rows(problem)) {
        for (const std::int64_t batch : batches) {
            for (const std::int64_t head : heads) {
                if (spent <= budget_flops / 2) {
                    choose({batch, head, row});
                }
            }
        }
    }
    // The other half for runs of rows spread over every head and batch, one somewhere in each of as many equal shares.
    const std::int64_t total = problem.batch * problem.heads * problem.seqlen_q;
    const double mean_cost = head_cost / static_cast<double>(problem.seqlen_q);
    const auto shares = static_cast<std::int64_t>((budget_flops - spent) / (mean_cost * 2 * neighbours));
    for (std::int64_t share = 0; share < shares; ++share) {
        const std::int64_t width = std::max<std::int64_t>(total / shares, 1);
        // Weyl's sequence of the golden ratio moves the place within the share, lest it keeps step with the tiles.
        const auto within = static_cast<std::int64_t>((static_cast<std::uint64_t>(share) * 0x9E3779B97F4A7C15U) >> 1U);
        const std::int64_t start = std::min(share * width + within % width, total - 1);
        const std::int64_t head = start / problem.seqlen_q;
        for (std::int64_t row = start % problem.seqlen_q, end = row + neighbours; row < end; ++row) {
            if (row < problem.seqlen_q) {
                choose({head / problem.heads, head % problem.heads, row});
            }
        }
    }
    return {chosen.begin(), chosen.end()};
}

}  // namespace flashlens
