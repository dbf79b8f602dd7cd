// The kernels between v1 and v2: what a step of the ladder changes, in numbers.
#include <fmt/format.h>

#include <cstdint>

#include "explorer/variant.h"
#include "teaching/ownership.h"
#include "teaching/quiz_asked.h"
#include "teaching/quiz_setting.h"
#include "whole.h"

namespace flashlens::teaching::asked {
namespace {

/// 128 query rows of one head, and `key_blocks` blocks of 256 keys at most: counted in a moment.
Setting draw_query_block(Draw& draw, std::int64_t key_blocks) {
    Setting s = draw_setting(draw, {64}, 1);
    s.problem.batch = 1;
    s.problem.seqlen_q = 128;
    s.problem.seqlen_k = 256 * (2 + draw.below(key_blocks - 1));
    return s;
}

simt::Counters counted(const Setting& s, const VariantFacts& facts) {
    return count_on_cpu(facts, s.problem, [](double) {}).report.total;
}

std::string ladder_command(const Setting& s) {
    return fmt::format("flashlens ladder --machine cpu --verify off --gpu {}{}", card_option(s),
                       shape_options(s.problem));
}

}  // namespace

void query_blocks_ctas(Draw& draw, Language language, QuizQuestion& q) {
    Setting s = draw_setting(draw, {32, 64, 128}, 8);
    s.problem.seqlen_q = s.problem.seqlen_k = draw.one_of<std::int64_t>({200, 384, 500, 512, 640, 700, 1000, 1024});
    const LaunchFacts launch = s.plan_of("query-blocks").launch;
    const LaunchFacts v1 = s.plan_of("v1").launch;
    const Problem& p = s.problem;
    constexpr Words text{
        "The first step from v1 to v2, query-blocks: {}, on {}. v1's grid has {} CTAs here. How many has query-blocks?",
        "从 v1 到 v2 的第一步 query-blocks：{}，{}。这里 v1 的 grid 有 {} 个 CTA。query-blocks 有多少个？"};
    constexpr Words why{
        "A CTA for each {} query rows, as in v2: ceil({} / {}) = {}, times {} batches, times {} heads: {}. No "
        "heuristic "
        "is asked.",
        "和 v2 一样，每 {} 行 query 一个 CTA：ceil({} / {}) = {}，乘以 batch {}，再乘以 {} 个 "
        "head：{}。不再需要启发式。"};
    ask(q, s, static_cast<double>(launch.ctas), QuizUnit::count,
        filled(text, language, described(s, language), s.card_name, v1.ctas),
        filled(why, language, launch.query_rows, p.seqlen_q, launch.query_rows, launch.grid.x, p.batch, p.heads,
               launch.ctas),
        fmt::format("flashlens explain --variants v1,query-blocks,v2 --gpu {}{}", card_option(s), shape_options(p)), 8);
}

void row_warps_barriers(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_query_block(draw, 10);
    const VariantFacts facts = s.plan_of("row-warps");
    const int n = facts.launch.tile.block_n;
    const std::int64_t blocks = (s.problem.seqlen_k + n - 1) / n;
    const auto before = static_cast<std::int64_t>(counted(s, s.plan_of("query-blocks")).barriers);
    const auto barriers = static_cast<std::int64_t>(counted(s, facts).barriers);
    constexpr Words text{
        "{}, one CTA, {} key blocks. With warps over keys (query-blocks) it comes to {} barriers. How many are left "
        "with "
        "warps over query rows (row-warps)? The loops are still v1's.",
        "{}，一个 CTA，{} 个 key block。warp 按 key 切分时（query-blocks），它要经过 {} 次 barrier。warp 改按 query "
        "行切分后（row-warps）还剩多少次？循环仍是 v1 的顺序。"};
    constexpr Words why{
        "One when K and V of a block are there, and one before the next block takes their place: 2 x {} - 1 = {}. "
        "Query "
        "tiles need none: no warp waits for another's maxima, sums or O.",
        "一个 block 的 K、V 到齐时一次，下一个 block 覆盖它们之前一次：2 x {} - 1 = {}。query tile "
        "之间一次也不需要：没有 "
        "warp 要等别人的最大值、行和或 O。"};
    ask(q, s, static_cast<double>(barriers), QuizUnit::count,
        filled(text, language, described(s, language), blocks, before), filled(why, language, blocks, barriers),
        ladder_command(s), 8);
}

void o_tmp_of_tile(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_query_block(draw, 10);
    const bool wide = draw.below(2) == 1;
    const VariantFacts facts = s.plan_of(wide ? "wide-warps" : "row-warps");
    const int n = facts.launch.tile.block_n;
    const std::int64_t blocks = (s.problem.seqlen_k + n - 1) / n;
    const CountedFacts run = count_on_cpu(facts, s.problem, [](double) {});
    std::int64_t written = 0;
    for (const simt::StepCounters& step : run.report.steps) {
        written += step.name == "store o_tmp" ? static_cast<std::int64_t>(step.counters.global_write_bytes) : 0;
    }
    constexpr Words text{
        "{}, {}: tile {} x {}, key blocks still the outer loop. How many bytes of running O in fp32 does it write to "
        "device memory?",
        "{}，{}：tile 是 {} x {}，key block 仍在外层。它向显存写多少字节的中间 O（fp32）？"};
    constexpr Words why{
        "Each of {} key blocks but the last leaves every row's O: {} x {} rows x {} x 4 bytes = {}. Key blocks half as "
        "long are twice as many trips; with the loops swapped there is none.",
        "{} 个 key block 中，除最后一个外都要写下每一行的 O：{} x {} 行 x {} x 4 字节 = {}。key block "
        "短一半，来回的次数就多一倍；循环交换之后一次也没有。"};
    ask(q, s, static_cast<double>(written), QuizUnit::bytes,
        filled(text, language, wide ? "wide-warps" : "row-warps", described(s, language), facts.launch.tile.block_m, n),
        filled(why, language, blocks, blocks - 1, s.problem.seqlen_q, s.problem.head_dim, whole(written)),
        ladder_command(s), 8);
    q.drawn.emplace_back("wide", wide ? 1 : 0);
    q.tolerance = 0.005;
}

void divisions_of_norm(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_query_block(draw, 10);
    const bool late = draw.below(3) == 0;
    const VariantFacts facts = s.plan_of(late ? "late-norm" : "swapped-loops");
    const int n = facts.launch.tile.block_n;
    const std::int64_t blocks = (s.problem.seqlen_k + n - 1) / n;
    const auto divisions = static_cast<std::int64_t>(counted(s, facts).fp32_div);
    constexpr Words text{
        "{}, {}: one CTA, {} key blocks of {} keys. Four lanes share a row, and each divides for itself. How many "
        "divisions do all lanes make?",
        "{}，{}：一个 CTA，{} 个 key block，每个 {} 个 key。一行由四个 lane 分担，各自做除法。所有 lane "
        "一共做多少次除法？"};
    constexpr Words once{
        "Once for each row, in the end: {} rows x 4 lanes = {}. swapped-loops divides after each of the "
        "{} key blocks.",
        "每行只在最后除一次：{} 行 x 4 个 lane = {}。swapped-loops 则在 {} 个 key block 之后各除一次。"};
    constexpr Words always{"After every key block: {} x {} rows x 4 lanes = {}. late-norm divides once, in the end.",
                           "每个 key block 之后都除：{} x {} 行 x 4 个 lane = {}。late-norm 只在最后除一次。"};
    ask(q, s, static_cast<double>(divisions), QuizUnit::count,
        filled(text, language, late ? "late-norm" : "swapped-loops", described(s, language), blocks, n),
        late ? filled(once, language, s.problem.seqlen_q, divisions, blocks)
             : filled(always, language, blocks, s.problem.seqlen_q, divisions),
        ladder_command(s), 8);
    q.drawn.emplace_back("late", late ? 1 : 0);
}

}  // namespace flashlens::teaching::asked
