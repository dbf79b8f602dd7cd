#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "practice/checks/checks.h"
#include "practice/key_counts.h"
#include "practice/passing.h"
#include "practice/rows.h"
#include "practice/softmax_model.h"

namespace flashlens::practice {
namespace {

constexpr std::int64_t block_m = 128;
constexpr std::int64_t block_n = 32;

bool even(const Problem& p) {
    return p.seqlen_q % block_m == 0 && p.seqlen_k % block_n == 0;
}

std::int64_t visible_keys(const Problem& p, std::int64_t row) {
    return p.causal ? std::clamp<std::int64_t>(row + p.diagonal() + 1, 0, p.seqlen_k) : p.seqlen_k;
}

/// One query block: what there is to do, and what the kernel did.
struct QueryBlock {
    std::int64_t index = 0;
    std::int64_t blocks = 0;  ///< that its rows see
    std::int64_t rule = 0;    ///< of them, those that v2 masks, and ...
    std::int64_t hidden = 0;  ///< ... those that hold a key which some row does not see
    std::int64_t worked = 0;  ///< counted: key blocks that were multiplied by Q, and ...
    std::int64_t masked = 0;  ///< ... those that went through apply_mask
};

/// One shape, and what the kernel's loops did in it.
struct Run {
    Problem problem;
    std::vector<QueryBlock> query_blocks{};  ///< counted on the CPU machine; empty on a GPU
};

/// Runs each query block alone: counters are sums over CTAs.
std::vector<QueryBlock> count_query_blocks(Attempt& attempt, const Problem& p) {
    std::vector<QueryBlock> result;
    if (attempt.machine() == Machine::gpu) {
        return result;
    }
    for (std::int64_t index = 0; index * block_m < p.seqlen_q; ++index) {
        QueryBlock block;
        block.index = index;
        block.blocks = (visible_keys(p, (index + 1) * block_m - 1) + block_n - 1) / block_n;
        const std::int64_t rule = p.causal ? (block_m + block_n - 1) / block_n + (even(p) ? 0 : 1) : 1;
        block.rule = std::min(rule, block.blocks);
        block.hidden = block.blocks - visible_keys(p, index * block_m) / block_n;
        simt::LaunchOptions only_this;
        only_this.multiplicity = [&](simt::Dim3 cta) { return cta.x == index ? 1 : 0; };
        const Output output = attempt.run(p, blank_inputs(p), only_this);
        const auto mmas = static_cast<std::int64_t>(output.report->step("gemm_qk").mma);
        const auto selects = static_cast<std::int64_t>(output.report->step("apply_mask").fp32_select);
        block.worked = mmas / (block_m / 16 * block_n / 8 * 64 / 16);
        block.masked = selects / (block_m * block_n);
        result.push_back(block);
    }
    return result;
}

/// Where something is wrong.
struct Place {
    std::vector<std::int64_t> rows{};  ///< where it is so of any key, ...
    std::int64_t row = 0;              ///< ... the one of them that has most such keys, ...
    std::vector<std::int64_t> keys{};  ///< ... and these

    std::int64_t query_block() const { return row / block_m; }
};

Place find_keys(const Problem& p, const std::function<bool(std::int64_t i, std::int64_t j)>& wrong) {
    Place place;
    for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
        std::vector<std::int64_t> keys;
        for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
            if (wrong(i, j)) {
                keys.push_back(j);
            }
        }
        if (!keys.empty()) {
            place.rows.push_back(i);
        }
        if (keys.size() > place.keys.size()) {
            place.row = i;
            place.keys = std::move(keys);
        }
    }
    return place;
}

Message key_blocks_text(const std::vector<std::int64_t>& keys) {
    const std::int64_t first = keys.front() / block_n;
    const std::int64_t last = keys.back() / block_n;
    return first == last ? both({"key block {}", "key block {}"}, first)
                         : both({"key blocks {} to {}", "key block {} 到 {}"}, first, last);
}

Message masked_text(const QueryBlock& block) {
    return both({"query block {} has {} key blocks: {} need masking, {} went through apply_mask",
                 "query block {} 有 {} 个 key block：需要 mask 的 {} 个，执行了 apply_mask 的 {} 个"},
                block.index, block.blocks, block.rule, block.masked);
}

Message steps_text(const QueryBlock& block) {
    return both({"query block {} has {} key blocks, and your loops make {} steps",
                 "query block {} 有 {} 个 key block，你的循环走了 {} 步"},
                block.index, block.blocks, block.worked);
}

/// What was counted in the query block of a place, and the shape.
void add_counted(std::vector<Message>& evidence, const Run& run, const Place& place,
                 Message (*text)(const QueryBlock&)) {
    if (!run.query_blocks.empty()) {
        evidence.push_back(text(run.query_blocks[static_cast<std::size_t>(place.query_block())]));
    }
    evidence.push_back(shape_text(run.problem));
}

/// A key block that counts twice or never.
void hold_bounds(const Run& run, const KeyCounts& counts) {
    const Problem& p = run.problem;
    const auto finding = [&](const char* id, const Message& what, const Place& place) {
        std::vector<Message> evidence{both({"row {}: {} ({}) counted {} times", "第 {} 行：{}（{}）被计入 {} 次"},
                                           place.row, key_blocks_text(place.keys), keys_text(place.keys),
                                           counts.at(place.row, place.keys.front()))};
        add_counted(evidence, run, place, steps_text);
        return Finding{id, what, evidence};
    };
    // Keys may be missing or too many for another reason: the loops then make as many steps as there are key blocks.
    const auto any_steps = [&](const auto& compare) {
        return run.query_blocks.empty() ||
               std::any_of(run.query_blocks.begin(), run.query_blocks.end(),
                           [&](const QueryBlock& block) { return compare(block.worked, block.blocks); });
    };
    const Place twice =
        find_keys(p, [&](std::int64_t i, std::int64_t j) { return j < visible_keys(p, i) && counts.at(i, j) > 1; });
    if (!twice.rows.empty() && any_steps(std::greater<>())) {
        const std::int64_t last_row = std::min((twice.query_block() + 1) * block_m, p.seqlen_q) - 1;
        if (counts.at(last_row, visible_keys(p, last_row) - 1) > 1) {
            throw finding(
                "second-loop-starts-over",
                both({"The second loop starts over at the last key block: what the first loop has done counts "
                      "twice. It has to go on where n stands.",
                      "第二个循环又从最后一个 key block 开始：第一个循环做过的 block 被计入两次。它应从 n "
                      "当前所在之处继续。"}),
                twice);
        }
        throw finding("block-twice",
                      both({"Both loops take {}: where the first one ends, the second has to begin one block further "
                            "down.",
                            "{} 两个循环都走了：第一个循环停在哪里，第二个就应从它的前一个 block 开始。"},
                           key_blocks_text(twice.keys)),
                      twice);
    }
    const Place never =
        find_keys(p, [&](std::int64_t i, std::int64_t j) { return j < visible_keys(p, i) && counts.at(i, j) == 0; });
    if (!never.rows.empty() && any_steps(std::less<>())) {
        throw finding("block-never",
                      both({"No loop takes {}: its keys are missing from O, in {}.",
                            "没有一个循环走到 {}：{}的 O 缺少它的 key。"},
                           key_blocks_text(never.keys), rows_text(never.rows)),
                      never);
    }
}

/// Every causal query block that was counted masks this many, by its shape's evenness.
bool causal_runs_mask(std::span<const Run> runs, const std::function<std::int64_t(bool is_even)>& count) {
    bool any = false;
    for (const Run& run : runs) {
        for (const QueryBlock& block : run.query_blocks) {
            if (run.problem.causal && block.masked != std::min(count(even(run.problem)), block.blocks)) {
                return false;
            }
            any = any || run.problem.causal;
        }
    }
    return any;
}

/// Why the keys of this run that no row should see are seen, from what was counted in all of them.
Finding unmasked(const Run& run, std::span<const Run> runs, const Place& place) {
    const std::vector<QueryBlock>& blocks = run.query_blocks;
    const Message rows = rows_text(place.rows);
    const std::int64_t ratio = (block_m + block_n - 1) / block_n;
    const std::int64_t upside_down = (block_n + block_m - 1) / block_m;
    if (!blocks.empty() && std::all_of(blocks.begin(), blocks.end(), [](const QueryBlock& block) {
            return block.masked == block.worked - block.rule;
        })) {
        return {
            "wrong-loop-masked",
            both({"The mask is in the wrong loop: the key blocks that need it are the last ones, and the loop from "
                  "the last to the first takes those first. Keys count that should not, in {}.",
                  "mask 放错了循环：需要 mask 的是最后几个 key block，而从后往前走的循环最先走到的就是它们。{}计入了"
                  "不该计入的 key。"},
                 rows)};
    }
    if (std::none_of(blocks.begin(), blocks.end(), [](const QueryBlock& block) { return block.masked < block.rule; })) {
        return {"hidden-keys-seen",
                both({"Keys count that should not, in {}: their key block was not masked, or not by the keys that it "
                      "holds.",
                      "{}计入了不该计入的 key：它们的 key block 没有 mask，或者没有按该 block 里的 key 来 mask。"},
                     rows)};
    }
    if (!run.problem.causal) {
        return {"tail-not-masked",
                both({"Without a causal mask, too, the last key block needs masking: it may end past Sk. The keys past "
                      "the end are zeros in shared memory, and a logit of 0 is not nothing. They count in {}.",
                      "即使没有 causal mask，最后一个 key block 也需要 mask：它可能超出 Sk。超出的 key 在 shared "
                      "memory 里是 0，而 logit 为 0 不等于不存在。{}把它们也算了进去。"},
                     rows)};
    }
    if (causal_runs_mask(runs, [&](bool is_even) { return upside_down + (is_even ? 0 : 1); })) {
        return {"tiles-upside-down",
                both({"BlockM and BlockN are upside down: {} query rows span {} key blocks of {} keys along the "
                      "diagonal, ceil(BlockM / BlockN), not ceil(BlockN / BlockM). Keys count that should not, in {}.",
                      "BlockM 和 BlockN 颠倒了：{} 行 query 沿对角线跨过 {} 个 key block（每个 {} 个 key），是 "
                      "ceil(BlockM / BlockN)，不是 ceil(BlockN / BlockM)。{}计入了不该计入的 key。"},
                     block_m, ratio, block_n, rows)};
    }
    if (!even(run.problem) && causal_runs_mask(std::span(&run, 1), [&](bool) { return ratio; })) {
        return {"diagonal-misaligned",
                both({"One masked key block too few where Sq and Sk are not both multiples of the tiles: the diagonal, "
                      "aligned bottom-right, then does not run through the tiles' corners, and crosses one key block "
                      "more. Keys count that should not, in {}.",
                      "Sq 和 Sk 不都是 tile 的整数倍时，少 mask 了一个 key block：此时右下对齐的对角线不经过 tile "
                      "的角，会多穿过一个 key block。{}计入了不该计入的 key。"},
                     rows)};
    }
    return {"masked-too-few", both({"Too few key blocks are masked: keys count that should not, in {}.",
                                    "mask 的 key block 太少：{}计入了不该计入的 key。"},
                                   rows)};
}

/// Keys that take part and must not.
void hold_mask(const Run& run, std::span<const Run> runs, const KeyCounts& counts) {
    const Problem& p = run.problem;
    const auto missing = [&](std::int64_t i, std::int64_t j) { return j < visible_keys(p, i) && counts.at(i, j) != 1; };
    if (!find_keys(p, missing).rows.empty()) {
        return;  // more is wrong than the mask
    }
    Place place =
        find_keys(p, [&](std::int64_t i, std::int64_t j) { return j >= visible_keys(p, i) && counts.at(i, j) > 0; });
    std::vector<Message> evidence;
    if (!place.rows.empty()) {
        const std::int64_t seen = visible_keys(p, place.row);
        evidence.push_back(
            both({"row {} sees {}; counted, too: {}, of {}", "第 {} 行可见 {}；计入的还有 {}，属于 {}"}, place.row,
                 seen > 0 ? both({"keys 0 to {}", "key 0 到 {}"}, seen - 1) : both({"no key", "0 个 key"}),
                 keys_text(place.keys), key_blocks_text(place.keys)));
    } else {
        for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
            if (counts.past_end[static_cast<std::size_t>(i)] > 0) {
                place.rows.push_back(i);
            }
        }
        if (place.rows.empty()) {
            return;
        }
        place.row = place.rows.front();
        evidence.push_back(both({"row {}: l counts {} keys past the last one, {}",
                                 "第 {} 行：最后一个 key 之后还有 {} 个被计入 l（最后一个是 {}）"},
                                place.row, counts.past_end[static_cast<std::size_t>(place.row)], p.seqlen_k - 1));
    }
    Finding finding = unmasked(run, runs, place);
    add_counted(evidence, run, place, masked_text);
    finding.evidence = evidence;
    throw finding;
}

/// Whose keys take part, and how often: the same for all inputs.
void hold_keys(Attempt& attempt, const Run& run, std::span<const Run> runs) {
    const Inputs blank = blank_inputs(run.problem);
    const Weights seen = see_weights(attempt, run.problem, blank);
    if (const std::optional<KeyCounts> counts = count_keys(seen)) {
        hold_bounds(run, *counts);
        hold_mask(run, runs, *counts);
    }
    hold_weights(seen, run.problem, blank, {}, block_n);
}

/// Where there are fewer key blocks than the rule says.
Run hold_few_blocks(Attempt& attempt, const Problem& p) {
    try {
        Run run{p, count_query_blocks(attempt, p)};
        hold_keys(attempt, run, std::span(&run, 1));
        return run;
    } catch (Finding& finding) {
        if (finding.id == "out-of-bounds") {
            finding.id = "past-the-first-block";
            finding.what =
                both({"The masked loop goes on past key block 0: the rule may ask for more key blocks than "
                      "there are, and n < 0 has to end it.",
                      "带 mask 的循环越过了 key block 0：规则要求的 block 数可能比实际的多，n < 0 "
                      "时必须停下。"});
            finding.evidence.push_back(shape_text(p));
        }
        throw;
    }
}

struct Sums {
    std::int64_t blocks = 0, rule = 0, masked = 0;
};

Sums sums_of(const std::vector<Run>& runs) {
    Sums sums;
    for (const Run& run : runs) {
        for (const QueryBlock& block : run.query_blocks) {
            sums.blocks += block.blocks;
            sums.rule += block.rule;
            sums.masked += block.masked;
        }
    }
    return sums;
}

/// Right results: is the work saved, too?
void hold_work(Attempt& attempt, const std::vector<Run>& runs) {
    if (attempt.machine() == Machine::gpu) {
        attempt.held(
            both({"on a GPU the results only: how many key blocks are masked, the CPU machine counts (without "
                  "--machine gpu)",
                  "在 GPU 上只看结果：有多少 key block 执行了 mask，由 CPU 模拟机计数（去掉 --machine gpu）"}));
        return;
    }
    const Sums sums = sums_of(runs);
    std::vector<Message> evidence;  // the first query block of each shape that masks too much
    bool all_masked = true;
    bool in_even_shapes_only = true;
    bool in_full_only = true;
    for (const Run& run : runs) {
        bool told = false;
        for (const QueryBlock& block : run.query_blocks) {
            all_masked = all_masked && block.masked == block.blocks;
            if (block.masked <= block.rule) {
                continue;
            }
            in_even_shapes_only =
                in_even_shapes_only && run.problem.causal && even(run.problem) && block.masked == block.rule + 1;
            in_full_only = in_full_only && !run.problem.causal;
            if (!told && evidence.size() < 4) {
                evidence.push_back(masked_text(block));
                evidence.push_back(shape_text(run.problem));
                told = true;
            }
        }
    }
    for (const Run& run : runs) {
        for (const QueryBlock& block : run.query_blocks) {
            if (block.masked < block.hidden) {
                throw Finding{
                    "masked-uncounted",
                    both({"The results are right, but keys are hidden by other code than apply_mask, which "
                          "nobody counts: let apply_mask do it.",
                          "结果正确，但遮住 key 的不是 apply_mask，而是无法计数的其他代码：请用 apply_mask。"}),
                    {masked_text(block), shape_text(run.problem)}};
            }
        }
    }
    if (evidence.empty()) {
        attempt.held(
            sums.masked == sums.rule
                ? both({"{} of {} key blocks are masked in these runs, exactly those that the rule needs",
                        "这些运行中 {1} 个 key block 有 {0} 个执行 mask，正好是规则所需"},
                       sums.masked, sums.blocks)
                : both({"{} of {} key blocks are masked: fewer than the {} of v2's rule, and none that needs it "
                        "is left out",
                        "{1} 个 key block 中有 {0} 个执行 mask：比 v2 规则的 {2} 个还少，而且没有漏掉"},
                       sums.masked, sums.blocks, sums.rule));
        return;
    }
    if (all_masked) {
        throw Finding{
            "all-blocks-masked",
            both({"The results are right, but every key block still runs the mask code, as in v1: {} in these "
                  "runs, where {} need it. {} are masked in vain.",
                  "结果正确，但和 v1 一样，每个 key block 都在执行 mask 代码：这些运行中共 {} 个，只有 {} "
                  "个需要，白做了 {} 个。"},
                 sums.masked, sums.rule, sums.masked - sums.rule),
            evidence};
    }
    if (in_even_shapes_only) {
        throw Finding{
            "even-lengths-ignored",
            both({"The results are right, but one key block too many is masked where both lengths are multiples "
                  "of the tiles: the diagonal runs through the tiles' corners then, and crosses only "
                  "ceil(BlockM / BlockN).",
                  "结果正确，但两个长度都是 tile 的整数倍时多 mask 了一个 key block：此时对角线正好经过 tile "
                  "的角，只穿过 ceil(BlockM / BlockN) 个。"}),
            evidence};
    }
    if (in_full_only) {
        throw Finding{
            "full-as-causal",
            both({"The results are right, but without a causal mask only the last key block may hold keys that "
                  "nobody sees: there is no diagonal.",
                  "结果正确，但没有 causal mask 时，只有最后一个 key block 可能含有谁都看不到的 key：没有对角线。"}),
            evidence};
    }
    throw Finding{"masked-too-many",
                  both({"The results are right, but {} key blocks run the mask code in these runs, where {} need it.",
                        "结果正确，但这些运行中有 {} 个 key block 执行 mask 代码，只有 {} 个需要。"},
                       sums.masked, sums.rule),
                  evidence};
}

}  // namespace

void check_two_loops(Attempt& attempt) {
    std::vector<Run> runs;
    for (const Problem& p : {one_head(256, 320, true),                            // multiples of the tiles
                             one_head(256, 300, true), one_head(200, 320, true),  // one of the two lengths is
                             one_head(40, 200, false)}) {
        runs.push_back({p, count_query_blocks(attempt, p)});
    }
    for (const Run& run : runs) {
        hold_keys(attempt, run, runs);
    }
    attempt.held(both({"with and without a causal mask: every row counts its own keys once, and no other",
                       "有无 causal mask：每一行只计入自己可见的 key，各一次"}));
    for (const Problem& p : {one_head(100, 40, true), one_head(300, 40, true)}) {
        runs.push_back(hold_few_blocks(attempt, p));
    }
    attempt.held(both({"fewer key blocks than the rule asks for, and rows that see nothing",
                       "key block 比规则要求的少，以及什么都看不到的行"}));
    for (const bool causal : {false, true}) {
        const Problem rising = one_head(130, 200, causal);
        const Inputs inputs = rising_inputs(rising);
        hold_weights(see_weights(attempt, rising, inputs), rising, inputs, {}, block_n);
    }
    hold_work(attempt, runs);
    hold_error_check(attempt, usual_problems());
}

}  // namespace flashlens::practice
