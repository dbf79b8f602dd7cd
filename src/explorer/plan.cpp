// Planning a launch: tile, grid, occupancy and waves of a variant on a card, or the limit that forbids it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "explorer/variant.h"
#include "kernels/between/plan.h"
#include "kernels/v1/plan.h"
#include "kernels/v2/plan.h"
#include "kernels/v2_tuned/plan.h"
#include "say.h"

namespace flashlens {
namespace {

constexpr Chip oldest_chip = 75;
constexpr std::int64_t max_seqlen = std::int64_t{1} << 30;  // kernels count rows and keys in 32 bits, past the end too
constexpr std::int64_t max_grid_x = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t max_grid_yz = 65535;

/// The chip whose registers and tiles stand for a card's: minor revisions run the code of the first of their family.
Chip table_chip(Chip chip) {
    switch (chip) {
        case 87:
            return 86;
        case 103:
            return 100;
        case 121:
            return 120;
        default:
            return chip;
    }
}

/// Whose kernels run on the card.
Chip kernels_of(const hardware::Card& card) {
    return card.kernels_of.value_or(table_chip(card.chip));
}

Message limit(std::string_view option, std::int64_t value, std::string_view axis, std::int64_t most) {
    return say("{} {} is too large for {} of its grid, which takes at most {}", option, value, axis, most);
}

/// What no kernel here can do.
Message refuse_problem(const Problem& problem, const hardware::Card& card, std::int64_t max_head_dim) {
    if (card.chip < oldest_chip) {
        return say("needs compute capability 7.5 or newer, {} has {}.{}", card.name, card.chip / 10, card.chip % 10);
    }
    if (kernels_of(card) < 80 && problem.dtype == DType::bf16) {
        return card.kernels_of
                   ? say("--dtype bf16: this program was built for sm_75 alone, which has no bf16; --dtype "
                         "fp16 works, or build it with -DCMAKE_CUDA_ARCHITECTURES={}",
                         card.chip)
                   : say("--dtype bf16: {} (sm_75) has no bf16; --dtype fp16 works, or a card from sm_80 on",
                         card.name);
    }
    if (problem.head_dim > max_head_dim) {
        return say("--head-dim {}: takes multiples of 8 up to {}", problem.head_dim, max_head_dim);
    }
    for (const auto& [option, seqlen] : {std::pair{"--seqlen-q", problem.seqlen_q}, {"--seqlen-k", problem.seqlen_k}}) {
        if (seqlen > max_seqlen) {
            return say("{} {}: takes lengths up to {}", option, seqlen, max_seqlen);
        }
    }
    return {};
}

void set_occupancy(VariantFacts& facts, const Problem& problem, const hardware::Card& card, bool card_is_here) {
    LaunchFacts& launch = facts.launch;
    if (card_is_here) {
        gpu::Call call = gpu_call(facts, problem);
        launch.registers = gpu::inspect(call).registers;
    } else {
        const auto registers = hardware::registers_per_thread(between::kernel_of(facts.name), launch.chip,
                                                              problem.dtype, problem.causal, launch.tile);
        if (!registers) {
            facts.refusal =
                say("not compiled for compute capability {}.{} ({})", card.chip / 10, card.chip % 10, card.name);
            return;
        }
        launch.registers = *registers;
    }
    launch.occupancy = hardware::occupancy(card, launch.threads, launch.registers, launch.smem_bytes);
    if (launch.occupancy.ctas_per_sm == 0) {
        facts.refusal = launch.occupancy.refusal;
    }
}

void set_warps(LaunchFacts& launch, int warps, bool split_keys) {
    launch.warps = fmt::format("{} warps over {}", warps, split_keys ? "keys" : "query rows");
    launch.warps_split_keys = split_keys;
    launch.threads = 32 * warps;
}

void check_grid(VariantFacts& facts, std::string_view x, std::string_view y, std::string_view z) {
    const Grid& grid = facts.launch.grid;
    if (grid.x > max_grid_x) {
        facts.refusal = limit(x, grid.x, "x", max_grid_x);
    } else if (grid.y > max_grid_yz) {
        facts.refusal = limit(y, grid.y, "y", max_grid_yz);
    } else if (grid.z > max_grid_yz) {
        facts.refusal = limit(z, grid.z, "z", max_grid_yz);
    }
}

void set_waves(LaunchFacts& launch, const hardware::Card& card) {
    launch.ctas = launch.grid.x * launch.grid.y * launch.grid.z;
    launch.waves = hardware::waves(card, launch.occupancy.ctas_per_sm, launch.ctas_with_work);
}

/// num_splits CTAs for each batch and head; each has every num_splits-th of the head's pieces.
void set_grid_of_splits(VariantFacts& facts, const Problem& problem, const hardware::Card& card,
                        std::optional<int> splits, std::int64_t pieces) {
    LaunchFacts& launch = facts.launch;
    const std::int64_t heads = problem.batch * problem.heads;
    launch.splits = 1;
    if (splits) {
        launch.splits = *splits;
    } else if (heads > 0) {
        launch.splits = v1::num_splits_heuristic(heads, card.sm_count, launch.occupancy.ctas_per_sm,
                                                 v1::max_splits(problem.seqlen_q));
    }
    launch.grid = {problem.batch, problem.heads, *launch.splits};
    launch.ctas_with_work = heads * std::min<std::int64_t>(*launch.splits, pieces);  // the others exit at once
    set_waves(launch, card);
    check_grid(facts, "--batch", "--heads", "--splits");
}

void plan_v1(VariantFacts& facts, const Problem& problem, const hardware::Card& card, bool card_is_here,
             std::optional<int> splits) {
    LaunchFacts& launch = facts.launch;
    facts.refusal = refuse_problem(problem, card, v1::max_head_dim);
    if (!facts.refusal.empty()) {
        return;
    }
    launch.axes = say("batch, head, split");
    set_warps(launch, v1::warps, true);
    launch.tile = v1::choose_tile(problem.head_dim, problem.seqlen_k);
    launch.smem_bytes = v1::shared_bytes(launch.tile, problem.seqlen_k);
    launch.splits = 1;
    set_occupancy(facts, problem, card, card_is_here);
    if (!facts.refusal.empty()) {
        return;
    }
    const std::int64_t tiles = (problem.seqlen_q + v1::block_m - 1) / v1::block_m;
    set_grid_of_splits(facts, problem, card, splits, tiles);
    launch.owns = *launch.splits == 1 ? fmt::format("all {}-row query tiles of a head", v1::block_m)
                                      : fmt::format("one {}-row query tile in {}", v1::block_m, *launch.splits);
}

/// Query blocks but those whose last row sees no key: they only write zeros.
std::int64_t blocks_with_work(const Problem& problem, std::int64_t query_rows, std::int64_t blocks) {
    const std::int64_t blind_rows = problem.causal ? std::max<std::int64_t>(-problem.diagonal(), 0) : 0;
    const std::int64_t blind_blocks = problem.seqlen_k == 0 ? blocks : blind_rows / query_rows;
    return std::max<std::int64_t>(blocks - blind_blocks, 0);
}

/// A CTA for each query block, batch and head.
void set_grid_of_query_blocks(VariantFacts& facts, const Problem& problem, const hardware::Card& card) {
    LaunchFacts& launch = facts.launch;
    const std::int64_t blocks = (problem.seqlen_q + launch.query_rows - 1) / launch.query_rows;
    launch.grid = {blocks, problem.batch, problem.heads};
    launch.ctas_with_work = blocks_with_work(problem, launch.query_rows, blocks) * problem.batch * problem.heads;
    set_waves(launch, card);
    check_grid(facts, "--seqlen-q", "--batch", "--heads");
}

void plan_v2(VariantFacts& facts, const Problem& problem, const hardware::Card& card, bool card_is_here) {
    LaunchFacts& launch = facts.launch;
    facts.refusal = refuse_problem(problem, card, v2::max_head_dim);
    if (!facts.refusal.empty()) {
        return;
    }
    launch.axes = say("query block, batch, head");
    launch.tile = v2::choose_tile(problem.head_dim, launch.chip, problem.causal);
    set_warps(launch, launch.tile.warps, false);
    launch.smem_bytes = v2::shared_bytes(launch.tile);
    launch.query_rows = launch.tile.block_m;
    launch.owns = fmt::format("one {}-row query block", launch.query_rows);
    set_occupancy(facts, problem, card, card_is_here);
    if (facts.refusal.empty()) {
        set_grid_of_query_blocks(facts, problem, card);
    }
}

void plan_between(VariantFacts& facts, const Problem& problem, const hardware::Card& card, bool card_is_here,
                  std::optional<int> splits) {
    LaunchFacts& launch = facts.launch;
    facts.refusal = refuse_problem(problem, card, between::max_head_dim);
    if (facts.refusal.empty() && launch.chip < 80) {
        facts.refusal =
            say("the kernels between v1 and v2 need compute capability 8.0 or newer; v1 and v2 run on sm_75");
    }
    if (facts.refusal.empty() && problem.dtype == DType::bf16 && between::is_other_order(facts.name)) {
        facts.refusal = say("is compiled for --dtype fp16 alone, as all that take v2's changes in another order are");
    }
    if (!facts.refusal.empty()) {
        return;
    }
    launch.axes = say("query block, batch, head");
    launch.tile = between::choose_tile(facts.name, problem.head_dim, problem.seqlen_k, launch.chip, problem.causal);
    launch.query_rows = between::query_rows(facts.name, launch.tile);
    set_warps(launch, launch.tile.warps, facts.name == "query-blocks" || facts.name == "key-warps");
    launch.smem_bytes = between::shared_bytes(facts.name, launch.tile, problem.seqlen_k);
    launch.owns = fmt::format("one {}-row query block", launch.query_rows);
    set_occupancy(facts, problem, card, card_is_here);
    if (!facts.refusal.empty()) {
        return;
    }
    if (between::has_splits(facts.name)) {
        launch.axes = say("batch, head, split");
        set_grid_of_splits(facts, problem, card, splits, v2::query_blocks(launch.tile, problem.seqlen_q));
        launch.owns = fmt::format("one {}-row query block in {}", launch.query_rows, *launch.splits);
    } else {
        set_grid_of_query_blocks(facts, problem, card);
    }
}

void plan_v2_tuned(VariantFacts& facts, const Problem& problem, const hardware::Card& card, bool card_is_here) {
    LaunchFacts& launch = facts.launch;
    facts.refusal = refuse_problem(problem, card, v2_tuned::max_head_dim);
    if (facts.refusal.empty() && launch.chip < 80) {
        facts.refusal =
            card.kernels_of
                ? say("copies with cp.async, and this program was built for sm_75 alone, which has none; build "
                      "it with -DCMAKE_CUDA_ARCHITECTURES={}",
                      card.chip)
                : say("copies with cp.async, which {} (sm_75) does not have; v1 and v2 run there, v2-tuned "
                      "from sm_80 on",
                      card.name);
    }
    if (!facts.refusal.empty()) {
        return;
    }
    const std::int64_t heads = problem.batch * problem.heads;
    launch.axes = say("query block of a head");
    launch.tile = v2_tuned::choose_tile(problem.head_dim, launch.chip, problem.seqlen_q, heads, card.sm_count);
    set_warps(launch, launch.tile.warps, false);
    launch.smem_bytes = v2_tuned::shared_bytes(launch.tile);
    launch.query_rows = launch.tile.block_m;
    launch.heaviest_first = problem.causal;
    launch.owns = fmt::format("one {}-row query block{}", launch.tile.block_m,
                              launch.heaviest_first ? ", the heaviest first" : "");
    set_occupancy(facts, problem, card, card_is_here);
    if (!facts.refusal.empty()) {
        return;
    }
    const std::int64_t blocks = v2::query_blocks(launch.tile, problem.seqlen_q);
    launch.grid = {blocks * heads, 1, 1};
    launch.ctas_with_work = blocks_with_work(problem, launch.query_rows, blocks) * heads;
    set_waves(launch, card);
    launch.order = v2_tuned::choose_order(
        problem.causal, launch.ctas, heads,
        4 * problem.seqlen_k * problem.head_dim * problem.kv_heads / std::max<std::int64_t>(problem.heads, 1),
        card.sm_count, launch.occupancy.ctas_per_sm);
    check_grid(facts, "--batch x --heads x --seqlen-q", "", "");
}

}  // namespace

std::vector<std::string> all_variants() {
    return {"v1", "v2", "v2-tuned"};
}

std::vector<std::string> ladder_variants() {
    return {std::begin(between::ladder), std::end(between::ladder)};
}

std::vector<std::string> names_between() {
    std::vector<std::string> names(std::begin(between::ladder) + 1, std::end(between::ladder) - 1);
    names.insert(names.end(), std::begin(between::other_orders), std::end(between::other_orders));
    return names;
}

std::vector<std::string> default_variants() {
    return {"v1", "v2"};
}

AttentionParams kernel_params(const Problem& problem) {
    AttentionParams p;
    p.batch = static_cast<int>(problem.batch);
    p.heads = static_cast<int>(problem.heads);
    p.kv_heads = static_cast<int>(problem.kv_heads);
    p.seqlen_q = static_cast<int>(problem.seqlen_q);
    p.seqlen_k = static_cast<int>(problem.seqlen_k);
    p.head_dim = static_cast<int>(problem.head_dim);
    p.diagonal = static_cast<int>(problem.diagonal());
    p.scale = static_cast<float>(problem.scale);
    return p;
}

gpu::Call gpu_call(const VariantFacts& planned, const Problem& problem) {
    const LaunchFacts& launch = planned.launch;
    return {planned.name, problem.dtype, problem.causal,        launch.tile, launch.splits.value_or(1),
            launch.order, launch.chip,   kernel_params(problem)};
}

VariantFacts plan(std::string_view variant, const Problem& problem, const hardware::Card& card, bool card_is_here,
                  std::optional<int> splits) {
    VariantFacts facts;
    facts.name = variant;
    facts.launch.chip = kernels_of(card);
    if (variant == "v1") {
        plan_v1(facts, problem, card, card_is_here, splits);
    } else if (variant == "v2") {
        plan_v2(facts, problem, card, card_is_here);
    } else if (between::is_between(variant)) {
        plan_between(facts, problem, card, card_is_here, splits);
    } else {
        plan_v2_tuned(facts, problem, card, card_is_here);
    }
    return facts;
}

}  // namespace flashlens
