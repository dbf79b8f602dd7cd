// How a launch deals out its work: grid, splits, main loop.
#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "teaching/cta_traffic.h"
#include "teaching/ownership.h"
#include "teaching/quiz_asked.h"
#include "teaching/quiz_setting.h"
#include "whole.h"

namespace flashlens::teaching::asked {

// grid

void v2_ctas(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_setting(draw, {32, 64, 128});
    const LaunchFacts launch = s.plan_of("v2").launch;
    const Problem& p = s.problem;
    constexpr Words text{"v2, {}, on {}. A query block has {} rows. How many CTAs does the grid have?",
                         "v2，{}，{}。一个 query block 有 {} 行。grid 里有多少个 CTA？"};
    constexpr Words why{"ceil({} / {}) = {} query blocks, times {} batches, times {} heads: {}.",
                        "ceil({} / {}) = {} 个 query block，乘以 batch {}，再乘以 {} 个 head：{}。"};
    ask(q, s, static_cast<double>(launch.ctas), QuizUnit::count,
        filled(text, language, described(s, language), s.card_name, launch.tile.block_m),
        filled(why, language, p.seqlen_q, launch.tile.block_m, launch.grid.x, p.batch, p.heads, launch.ctas),
        command("explain", s), 2);
}

void v2_block_m(Draw& draw, Language language, QuizQuestion& q) {
    Setting s = draw_setting(draw, {64, 128, 256});
    s.problem.causal = draw.below(2) == 1;
    const LaunchFacts launch = s.plan_of("v2").launch;
    constexpr Words text{"v2, {}, on {} (sm_{}). How many query rows has its query block?",
                         "v2，{}，{}（sm_{}）。它的 query block 有多少行？"};
    constexpr Words why{
        "The tile is {} x {} here. Up to D 64 it is 128 x 128 everywhere. For D 128 it is 128 x 64, but on chips "
        "with 99 KiB a CTA (sm_86, 89, 120) 128 x 32, or 64 x 64 under a causal mask. For D 256 it is 64 x 64, but "
        "128 x 64 on sm_80.",
        "这里的 tile 是 {} x {}。D 不超过 64 时一律 128 x 128。D 128 时是 128 x 64；但每个 CTA 只有 99 KiB 的芯片"
        "（sm_86、89、120）上是 128 x 32，causal 时是 64 x 64。D 256 时是 64 x 64，sm_80 上是 128 x 64。"};
    ask(q, s, launch.tile.block_m, QuizUnit::count,
        filled(text, language, described(s, language), s.card_name, s.card->chip),
        filled(why, language, launch.tile.block_m, launch.tile.block_n), command("explain", s), 2);
}

// splits

void v1_num_splits(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_setting(draw, {32, 64, 128});
    const LaunchFacts launch = s.plan_of("v1").launch;
    const int places = s.card->sm_count * launch.occupancy.ctas_per_sm;
    const std::int64_t heads = s.problem.batch * s.problem.heads;
    constexpr Words text{"v1, {}, on {}: {} SMs, {} CTAs on each. Which num_splits does its heuristic take?",
                         "v1，{}，{}：{} 个 SM，每个放 {} 个 CTA。它的启发式取多大的 num_splits？"};
    constexpr Words why{
        "The smallest number from 1 to 30 whose efficiency, waves / ceil(waves), is above 95 % of the best one's; "
        "waves are {} splits / {}. {} splits make {} CTAs, {:.3g} waves.",
        "在 1 到 30 中取效率 waves / ceil(waves) 超过最佳值 95 % 的最小一个；waves = {} x 份数 / {}。{} 份共 {} 个 "
        "CTA，{:.3g} 个 wave。"};
    ask(q, s, *launch.splits, QuizUnit::count,
        filled(text, language, described(s, language), s.card_name, s.card->sm_count, launch.occupancy.ctas_per_sm),
        filled(why, language, heads, places, *launch.splits, heads * *launch.splits,
               static_cast<double>(heads * *launch.splits) / places),
        command("explain", s), 2);
    q.drawn.emplace_back("ctas_per_sm", launch.occupancy.ctas_per_sm);
}

namespace {

struct Split {
    Setting s;
    int splits;
    std::int64_t share;
};

Split draw_split(Draw& draw) {
    Setting s = draw_setting(draw, {32, 64, 128}, 1);
    s.problem.batch = 1;
    const int splits = static_cast<int>(draw.one_of({3, 4, 6, 8, 12, 16, 20}));
    return {s, splits, draw.below(splits)};
}

std::string split_command(const Split& d) {
    return command("map", d.s) +
           fmt::format("{} --variants v1 --splits {}", d.s.problem.causal ? "" : " --no-causal", d.splits);
}

}  // namespace

void tiles_of_split(Draw& draw, Language language, QuizQuestion& q) {
    const Split d = draw_split(draw);
    const Ownership owners(d.s.plan_of("v1", d.splits), d.s.problem);
    constexpr Words text{"v1, {}, num_splits {}. How many 16-row query tiles has the CTA with blockIdx.z = {}?",
                         "v1，{}，num_splits 为 {}。blockIdx.z = {} 的 CTA 有多少个 16 行的 query tile？"};
    constexpr Words why{"Of {} tiles it takes numbers {}, {}, ...: one in {}. That is {}.",
                        "在 {} 个 tile 中，它取第 {}、{}……个，每 {} 个取一个，共 {} 个。"};
    const std::int64_t count = owners.unit_count(d.share);
    ask(q, d.s, static_cast<double>(count), QuizUnit::count,
        filled(text, language, described(d.s, language), d.splits, d.share),
        filled(why, language, owners.units(), d.share, d.share + d.splits, d.splits, count), split_command(d), 2);
    q.drawn.emplace_back("splits", d.splits);
    q.drawn.emplace_back("z", d.share);
}

void bytes_of_split(Draw& draw, Language language, QuizQuestion& q) {
    const Split d = draw_split(draw);
    const Problem& p = d.s.problem;
    const CtaTraffic traffic = traffic_of(Ownership(d.s.plan_of("v1", d.splits), p), d.share, p);
    constexpr Words text{"v1, fp16, {}, num_splits {}. How many bytes of K and V together does one split read?",
                         "v1，fp16，{}，num_splits 为 {}。一个 split 一共读多少字节的 K 和 V？"};
    constexpr Words why{
        "All of them: 2 x {} keys x {} x 2 bytes = {}. Splits divide the query tiles, so each needs every key.",
        "全部：2 x {} 个 key x {} x 2 字节 = {}。split 分的是 query tile，所以每一份都要用到所有 key。"};
    ask(q, d.s, static_cast<double>(traffic.kv_read), QuizUnit::bytes,
        filled(text, language, described(d.s, language), d.splits),
        filled(why, language, p.seqlen_k, p.head_dim, whole(traffic.kv_read)), split_command(d), 2);
}

// main loop

void v1_passes(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_setting(draw, {32, 64, 128});
    const VariantFacts facts = s.plan_of("v1");
    const Ownership owners(facts, s.problem);
    constexpr Words text{"v1, {}. How many times does a query tile stream past: how many key blocks are there?",
                         "v1，{}。一个 query tile 要流过几遍，也就是有多少个 key block？"};
    constexpr Words why{"BlockN is {} (128 for D 128, else 256): ceil({} / {}) = {}.",
                        "BlockN 是 {}（D 128 时 128，否则 256）：ceil({} / {}) = {}。"};
    const int n = facts.launch.tile.block_n;
    ask(q, s, static_cast<double>(owners.key_blocks()), QuizUnit::count, filled(text, language, described(s, language)),
        filled(why, language, n, s.problem.seqlen_k, n, owners.key_blocks()), command("explain", s), 3);
}

void v1_o_tmp(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_setting(draw, {32, 64, 128});
    const Problem& p = s.problem;
    const Ownership owners(s.plan_of("v1"), p);
    std::int64_t written = 0;
    for (std::int64_t share = 0; share < owners.shares(); ++share) {
        written += traffic_of(owners, share, p).o_tmp_written;
    }
    written *= p.batch * p.heads;
    constexpr Words text{
        "v1, {}, {} key blocks. How many bytes does the launch write to o_tmp, its running output in device memory?",
        "v1，{}，共 {} 个 key block。整个 launch 向显存里的 o_tmp（中间输出）写多少字节？"};
    constexpr Words why{
        "Every pass but the last writes each row in fp32: {} passes x {} x {} x {} rows x {} x 4 bytes = {}. The "
        "last writes O itself.",
        "除最后一遍外，每一遍都以 fp32 写出每一行：{} 遍 x {} x {} x {} 行 x {} x 4 字节 = {}。最后一遍写的是 O "
        "本身。"};
    ask(q, s, static_cast<double>(written), QuizUnit::bytes,
        filled(text, language, described(s, language), owners.key_blocks()),
        filled(why, language, owners.key_blocks() - 1, p.batch, p.heads, p.seqlen_q, p.head_dim, whole(written)),
        command("map", s) + " --no-causal --variants v1 --view blocks", 3);
    q.tolerance = 0.005;
}

}  // namespace flashlens::teaching::asked
