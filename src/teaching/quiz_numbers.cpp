#include "teaching/quiz_numbers.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explorer/variant.h"
#include "say.h"
#include "teaching/cta_traffic.h"
#include "teaching/ownership.h"
#include "teaching/walk.h"

namespace flashlens::teaching {
namespace {

/// A text in both languages with the same places to fill, or it does not compile.
struct Words : Bilingual {
    consteval Words(const char* english, const char* chinese) : Bilingual{english, chinese} {
        if (indices(en) != indices(zh)) {
            throw "the Chinese text has other places to fill than the English one";
        }
    }
};

template <class... Args>
std::string filled(const Words& words, Language language, const Args&... args) {
    return said::filled(words.in(language), args...);
}

/// "1,234,567".
std::string grouped(std::int64_t value) {
    std::string digits = std::to_string(value);
    for (std::size_t at = digits.size(); at > 3; at -= 3) {
        digits.insert(at - 3, ",");
    }
    return digits;
}

/// A problem on a card.
struct Setting {
    Problem problem;
    const hardware::Card* card = nullptr;
    std::string card_name;

    VariantFacts plan_of(std::string_view variant, std::optional<int> splits = std::nullopt) const {
        return plan(variant, problem, *card, false, splits);
    }
};

Setting draw_setting(Draw& draw, std::initializer_list<std::int64_t> head_dims, std::int64_t most_heads = 32) {
    constexpr std::int64_t batches[] = {1, 1, 2, 4};
    constexpr std::int64_t heads[] = {1, 3, 8, 12, 16, 32};
    constexpr std::int64_t lengths[] = {384, 700, 1000, 1024, 1500, 2048, 3000, 4096, 8192};
    Setting s;
    s.card_name = draw.one_of({"A100", "H100", "RTX 3090", "RTX 4090", "H200", "L4"});
    s.card = &hardware::find_card(s.card_name);
    Problem& p = s.problem;
    p.batch = batches[draw.below(4)];
    do {
        p.heads = heads[draw.below(6)];
    } while (p.heads > most_heads);
    p.kv_heads = p.heads;
    p.seqlen_q = p.seqlen_k = lengths[draw.below(9)];
    p.head_dim = draw.one_of(head_dims);
    p.scale = 1.0 / std::sqrt(static_cast<double>(p.head_dim));
    return s;
}

std::string card_option(const Setting& s) {
    return s.card_name.find(' ') == std::string::npos ? s.card_name : '"' + s.card_name + '"';
}

std::string shape_options(const Problem& p) {
    std::string options = fmt::format(" -b {} -H {}", p.batch, p.heads);
    if (p.kv_heads != p.heads) {
        options += fmt::format(" --kv-heads {}", p.kv_heads);
    }
    options += p.seqlen_q == p.seqlen_k ? fmt::format(" -s {}", p.seqlen_q)
                                        : fmt::format(" --seqlen-q {} --seqlen-k {}", p.seqlen_q, p.seqlen_k);
    return options + fmt::format(" -d {}{}", p.head_dim, p.causal ? " --causal" : "");
}

std::string command(const char* name, const Setting& s) {
    return fmt::format("flashlens {} --gpu {}{}", name, card_option(s), shape_options(s.problem));
}

/// "B 2, H 8, Sq = Sk = 4096, D 64, no mask".
std::string described(const Setting& s, Language language) {
    const Problem& p = s.problem;
    std::vector<std::string> parts{fmt::format("B {}", p.batch), fmt::format("H {}", p.heads)};
    if (p.kv_heads != p.heads) {
        parts.push_back(fmt::format("KV {}", p.kv_heads));
    }
    if (p.seqlen_q == p.seqlen_k) {
        parts.push_back(fmt::format("Sq = Sk = {}", p.seqlen_q));
    } else {
        parts.push_back(fmt::format("Sq {}", p.seqlen_q));
        parts.push_back(fmt::format("Sk {}", p.seqlen_k));
    }
    parts.push_back(fmt::format("D {}", p.head_dim));
    constexpr Words causal{"causal", "causal"};
    constexpr Words full{"no mask", "不加 mask"};
    parts.emplace_back((p.causal ? causal : full).in(language));
    return list(parts).in(language);
}

void remember(QuizQuestion& q, const Setting& s) {
    const Problem& p = s.problem;
    q.drawn = {{"B", p.batch},           {"H", p.heads},    {"KV", p.kv_heads},           {"Sq", p.seqlen_q},
               {"Sk", p.seqlen_k},       {"D", p.head_dim}, {"causal", p.causal ? 1 : 0}, {"chip", s.card->chip},
               {"SMs", s.card->sm_count}};
}

/// What the questions about a launch have in common.
void ask(QuizQuestion& q, const Setting& s, double value, QuizUnit unit, std::string text, std::string why,
         std::string show, int lesson) {
    remember(q, s);
    q.value = value;
    q.unit = unit;
    q.text = std::move(text);
    q.why = std::move(why);
    q.show = std::move(show);
    q.read = {lesson};
}

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
        filled(why, language, p.seqlen_k, p.head_dim, grouped(traffic.kv_read)), split_command(d), 2);
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
        filled(why, language, owners.key_blocks() - 1, p.batch, p.heads, p.seqlen_q, p.head_dim, grouped(written)),
        command("map", s) + " --no-causal --variants v1 --view blocks", 3);
    q.tolerance = 0.005;
}

// online softmax and numerics: a row of scores

struct Row {
    WalkProblem walk;
    std::string scores;
};

Row draw_row(Draw& draw) {
    Row row;
    row.walk.problem.batch = row.walk.problem.heads = row.walk.problem.kv_heads = 1;
    row.walk.problem.seqlen_q = 1;
    row.walk.problem.seqlen_k = 4;
    row.walk.problem.head_dim = 4;
    row.walk.scores = Matrix(1, 4);
    row.walk.v = Matrix(4, 4);
    std::vector<int> values{0, 1, 2, 3, 4, 5};
    draw.shuffle(values);
    for (std::size_t j = 0; j < 4; ++j) {
        row.walk.scores.values[j] = values[j];
        row.scores += fmt::format("{}{}", j == 0 ? "" : " ", values[j]);
        row.walk.v.at(static_cast<std::int64_t>(j), static_cast<std::int64_t>(j)) = 1.0;
    }
    return row;
}

void remember(QuizQuestion& q, const Row& row) {
    constexpr std::array names{"s0", "s1", "s2", "s3"};
    for (std::size_t j = 0; j < names.size(); ++j) {
        q.drawn.emplace_back(names[j], row.walk.scores.values[j]);
    }
    q.unit = QuizUnit::real;
    q.tolerance = 0.01;
}

void sum_after_blocks(Draw& draw, Language language, QuizQuestion& q) {
    const Row row = draw_row(draw);
    const Walk walked = walk(row.walk, WalkOrder::v2);
    const WalkRow& last = walked.steps.end()[-2].rows.front();
    remember(q, row);
    constexpr Words text{
        "A row has the scaled scores {}, in two blocks of two keys. What is l, the row sum of exp(s - m), at the "
        "end? (1 % is close enough.)",
        "一行缩放后的 score 是 {}，每两个 key 一个 block。最后的 l，即 exp(s - m) 的行和，是多少？（误差 1 % "
        "以内即可）"};
    constexpr Words why{
        "m is {} at the end. v2 takes the last block first: l = {:.4g}; then l exp({} - {}) + {:.4g} = {:.4g}. The "
        "order changes the steps, not the sum.",
        "最后 m 是 {}。v2 先取最后一个 block：l = {:.4g}；然后 l exp({} - {}) + {:.4g} = "
        "{:.4g}。次序改变的是步骤，不是和。"};
    q.value = last.l;
    q.text = filled(text, language, row.scores);
    q.why = filled(why, language, last.m, last.l_before, last.m_before, last.m, last.p_sum, last.l);
    q.show = fmt::format("flashlens walk --scores \"{}\" --order v2", row.scores);
    q.read = {3};
}

void rescale_factor(Draw& draw, Language language, QuizQuestion& q) {
    const Row row = draw_row(draw);
    const Walk walked = walk(row.walk, WalkOrder::v2);
    const WalkRow& last = walked.steps.end()[-2].rows.front();
    remember(q, row);
    constexpr Words text{
        "A row has the scaled scores {}, in two blocks of two keys; v2 takes the last block first. By what are l and "
        "acc_o multiplied when the other block comes? (1 % is close enough.)",
        "一行缩放后的 score 是 {}，每两个 key 一个 block；v2 先取最后一个 block。轮到另一个 block 时，l 和 acc_o "
        "要乘以多少？（误差 1 % 以内即可）"};
    constexpr Words why{"By exp(m_before - m) = exp({} - {}) = {:.4g}; it is 1 where the maximum does not rise.",
                        "乘以 exp(m_before - m) = exp({} - {}) = {:.4g}；最大值不上升时就是 1。"};
    q.value = last.rescale;
    q.text = filled(text, language, row.scores);
    q.why = filled(why, language, last.m_before, last.m, last.rescale);
    q.show = fmt::format("flashlens walk --scores \"{}\" --order v2", row.scores);
    q.read = {3};
}

void log_sum_exp(Draw& draw, Language language, QuizQuestion& q) {
    const Row row = draw_row(draw);
    const double lse = walk_reference(row.walk).lse.front();
    const Walk walked = walk(row.walk, WalkOrder::v2);
    const WalkRow& last = walked.steps.end()[-2].rows.front();
    remember(q, row);
    constexpr Words text{
        "A row has the scaled scores {}. Which lse (natural logarithm) does a kernel write for it? (1 % is close "
        "enough.)",
        "一行缩放后的 score 是 {}。kernel 为它写出的 lse（自然对数）是多少？（误差 1 % 以内即可）"};
    constexpr Words why{
        "lse = m + log l = {} + log {:.4g} = {:.4g}. exp(s) alone would overflow for large scores; m keeps every "
        "exponential at 1 or less.",
        "lse = m + log l = {} + log {:.4g} = {:.4g}。score 大时直接算 exp(s) 会溢出；减去 m 后每个指数都不超过 1。"};
    q.value = lse;
    q.text = filled(text, language, row.scores);
    q.why = filled(why, language, last.m, last.l, lse);
    q.show = fmt::format("flashlens walk --scores \"{}\" --order v2", row.scores);
    q.read = {6};
}

// warps

void warp_of_key(Draw& draw, Language language, QuizQuestion& q) {
    Setting s = draw_setting(draw, {64}, 1);
    s.problem.batch = 1;
    const VariantFacts facts = s.plan_of("v1");
    const Ownership owners(facts, s.problem);
    const std::int64_t key = draw.below(facts.launch.tile.block_n);
    const int warp = owners.warp_of(0, key);
    constexpr Words text{
        "v1, {}. Which of its 4 warps (0 to 3) computes the scores of key {} of a key block?",
        "v1，{}。一个 key block 里第 {} 个 key（从 0 起）的 score 由 4 个 warp（0 到 3）中的哪个计算？"};
    constexpr Words why{"Warp w has keys 16w .. 16w+15 of every 64: {} mod 64 = {}, and {} / 16 rounds down to {}.",
                        "每 64 个 key 中，warp w 负责第 16w 到 16w+15 个：{} mod 64 = {}，{} / 16 向下取整得 {}。"};
    ask(q, s, warp, QuizUnit::count, filled(text, language, described(s, language), key),
        filled(why, language, key, key % 64, key % 64, warp),
        command("map", s) + " --no-causal --variants v1 --view warps", 5);
    q.drawn.emplace_back("key", static_cast<double>(key));
}

void keys_of_warp(Draw& draw, Language language, QuizQuestion& q) {
    Setting s = draw_setting(draw, {32, 64, 128}, 1);
    s.problem.batch = 1;
    const VariantFacts facts = s.plan_of("v1");
    const Ownership owners(facts, s.problem);
    const int warp = static_cast<int>(draw.below(4));
    std::int64_t keys = 0;
    for (std::int64_t key = 0; key < facts.launch.tile.block_n; ++key) {
        keys += owners.warp_of(0, key) == warp ? 1 : 0;
    }
    constexpr Words text{"v1, {}. Of each full key block, how many keys does warp {} take?",
                         "v1，{}。每个满的 key block 中，warp {} 负责多少个 key？"};
    constexpr Words why{"BlockN is {}, and the four warps share the keys: {} each. In v2 every warp takes all of them.",
                        "BlockN 是 {}，四个 warp 平分这些 key：各 {} 个。v2 里每个 warp 都用到全部 key。"};
    ask(q, s, static_cast<double>(keys), QuizUnit::count, filled(text, language, described(s, language), warp),
        filled(why, language, facts.launch.tile.block_n, keys),
        command("map", s) + " --no-causal --variants v1 --view warps", 5);
}

void v2_barriers(Draw& draw, Language language, QuizQuestion& q) {
    Setting s = draw_setting(draw, {32, 64}, 1);
    Problem& p = s.problem;
    p.batch = 1;
    p.seqlen_q = 128;
    p.seqlen_k = 128 * (1 + draw.below(12));
    const VariantFacts facts = s.plan_of("v2");
    const CountedFacts counted = count_on_cpu(facts, p, [](double) {});
    const std::int64_t blocks = Ownership(facts, p).key_blocks();
    const auto barriers = static_cast<std::int64_t>(counted.report.total.barriers);
    constexpr Words text{"v2, {}: one CTA, {} key blocks. How many __syncthreads() does the CTA come to?",
                         "v2，{}：一个 CTA，{} 个 key block。这个 CTA 经过多少次 __syncthreads()？"};
    constexpr Words why{
        "Two for each key block (K is there; V is there), and one before O is written: {}. v1 has them for every "
        "query tile of every key block, since its warps merge there.",
        "每个 key block 两次（K 到齐、V 到齐），写 O 之前再一次：{}。v1 的每个 query tile 遇到每个 key block 都要同步，"
        "因为它的 warp 要合并结果。"};
    ask(q, s, static_cast<double>(barriers), QuizUnit::count, filled(text, language, described(s, language), blocks),
        filled(why, language, barriers),
        fmt::format("flashlens compare --machine cpu --verify off --variants v2 --gpu {}{}", card_option(s),
                    shape_options(p)),
        5);
}

// shared memory

void v2_shared(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_setting(draw, {32, 64, 128, 256});
    const LaunchFacts launch = s.plan_of("v2").launch;
    const Tile& t = launch.tile;
    constexpr Words text{"v2, {}, fp16, on {}. The tile is {} x {}. How much shared memory has a CTA?",
                         "v2，{}，fp16，{}。tile 是 {} x {}。一个 CTA 用多少 shared memory？"};
    constexpr Words why{"Q, one block of K, one of V, 2 bytes each: ({} + 2 x {}) x {} x 2 = {} bytes.",
                        "Q、一个 K block、一个 V block，每个数 2 字节：({} + 2 x {}) x {} x 2 = {} 字节。"};
    ask(q, s, launch.smem_bytes, QuizUnit::bytes,
        filled(text, language, described(s, language), s.card_name, t.block_m, t.block_n),
        filled(why, language, t.block_m, t.block_n, t.head_dim, grouped(launch.smem_bytes)), command("explain", s), 4);
}

void v1_shared(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_setting(draw, {32, 64, 128});
    const LaunchFacts launch = s.plan_of("v1").launch;
    const Tile& t = launch.tile;
    constexpr Words text{"v1, {}, fp16, BlockN {}. How much shared memory has a CTA?",
                         "v1，{}，fp16，BlockN 为 {}。一个 CTA 用多少 shared memory？"};
    constexpr Words why{
        "Q twice, 2 x 16 x {} x 2 = {}; then V, later K, {} x {} x 2 = {}, whose place the partial O of four warps "
        "takes; 128 for lse between key blocks. {} bytes in all.",
        "两份 Q：2 x 16 x {} x 2 = {}；V 和之后的 K 共用 {} x {} x 2 = {}，四个 warp 的部分 O 也放在这里；"
        "key block 之间的 lse 占 128。共 {} 字节。"};
    ask(q, s, launch.smem_bytes, QuizUnit::bytes, filled(text, language, described(s, language), t.block_n),
        filled(why, language, t.head_dim, 64 * t.head_dim, t.block_n, t.head_dim, 2 * t.block_n * t.head_dim,
               grouped(launch.smem_bytes)),
        command("explain", s), 4);
}

// occupancy

std::string_view draw_variant(Draw& draw) {
    return draw.one_of<std::string_view>({"v1", "v2"});
}

Setting draw_launch(Draw& draw, std::string_view variant) {
    return variant == "v1" ? draw_setting(draw, {32, 64, 128}) : draw_setting(draw, {32, 64, 128, 256});
}

void ctas_per_sm(Draw& draw, Language language, QuizQuestion& q) {
    const std::string_view variant = draw_variant(draw);
    const Setting s = draw_launch(draw, variant);
    const LaunchFacts launch = s.plan_of(variant).launch;
    const hardware::Card& card = *s.card;
    constexpr Words text{
        "{} on {}: {} threads, {} registers a thread, {} bytes of shared memory a CTA (and {} reserved by the "
        "driver). An SM has {} registers, {} bytes of shared memory, {} threads. How many CTAs share an SM?",
        "{}，{}：每个 CTA {} 个线程，每线程 {} 个寄存器，{} 字节 shared memory（另有 {} 由驱动保留）。一个 SM 有 {} 个"
        "寄存器、{} 字节 shared memory、最多 {} 个线程。一个 SM 上放几个 CTA？"};
    constexpr Words why{"Registers allow {} CTAs, shared memory {}, threads {}: the least is {}.",
                        "寄存器允许 {} 个 CTA，shared memory 允许 {} 个，线程数允许 {} 个：取最小的 {}。"};
    const hardware::Occupancy& o = launch.occupancy;
    ask(q, s, o.ctas_per_sm, QuizUnit::count,
        filled(text, language, variant, s.card_name, launch.threads, launch.registers, launch.smem_bytes,
               card.reserved_shared_bytes_per_cta, card.registers_per_sm, card.shared_bytes_per_sm,
               card.max_threads_per_sm),
        filled(why, language, o.by_registers, o.by_shared_memory, o.by_threads, o.ctas_per_sm), command("explain", s),
        4);
    q.drawn.emplace_back("threads", launch.threads);
    q.drawn.emplace_back("registers", launch.registers);
    q.drawn.emplace_back("smem", launch.smem_bytes);
    q.drawn.emplace_back("reserved", card.reserved_shared_bytes_per_cta);
    q.drawn.emplace_back("registers_per_sm", card.registers_per_sm);
    q.drawn.emplace_back("smem_per_sm", card.shared_bytes_per_sm);
    q.drawn.emplace_back("threads_per_sm", card.max_threads_per_sm);
}

void limiter(Draw& draw, Language language, QuizQuestion& q) {
    // Not where two of them allow no more: there would be two right answers.
    for (;;) {
        const std::string_view variant = draw_variant(draw);
        const Setting s = draw_launch(draw, variant);
        const LaunchFacts launch = s.plan_of(variant).launch;
        const hardware::Occupancy& o = launch.occupancy;
        if ((o.by_registers == o.ctas_per_sm) + (o.by_shared_memory == o.ctas_per_sm) +
                (o.by_threads == o.ctas_per_sm) + (o.by_ctas == o.ctas_per_sm) !=
            1) {
            continue;
        }
        constexpr Words text{
            "{}, {}, on {}: {} registers a thread, {} threads, {} bytes of shared memory. What keeps a further CTA "
            "from an SM that has {}?",
            "{}，{}，{}：每线程 {} 个寄存器，{} 个线程，{} 字节 shared memory。一个 SM 已有 {} 个 "
            "CTA，再放一个时卡在哪里？"};
        constexpr Words why{
            "Registers allow {} CTAs, shared memory {}, threads {}, the chip {}; the least one decides.",
            "寄存器允许 {} 个 CTA，shared memory {} 个，线程数 {} 个，芯片上限 {} 个；最小的那个起作用。"};
        ask(q, s, 0.0, QuizUnit::count,
            filled(text, language, variant, described(s, language), s.card_name, launch.registers, launch.threads,
                   launch.smem_bytes, o.ctas_per_sm),
            filled(why, language, o.by_registers, o.by_shared_memory, o.by_threads, o.by_ctas), command("explain", s),
            4);
        constexpr Words names[] = {{"registers", "寄存器"},
                                   {"shared memory", "shared memory"},
                                   {"threads", "线程数"},
                                   {"the chip's most CTAs per SM", "每个 SM 的 CTA 数上限"}};
        using enum hardware::Limiter;
        constexpr hardware::Limiter limiters[] = {registers, shared_memory, threads, ctas};
        q.kind = QuizKind::choice;
        for (std::size_t i = 0; i < 4; ++i) {
            q.options.push_back({std::string(names[i].in(language)), o.limiter == limiters[i]});
        }
        q.drawn.emplace_back("threads", launch.threads);
        q.drawn.emplace_back("registers", launch.registers);
        q.drawn.emplace_back("smem", launch.smem_bytes);
        q.drawn.emplace_back("reserved", s.card->reserved_shared_bytes_per_cta);
        q.drawn.emplace_back("registers_per_sm", s.card->registers_per_sm);
        q.drawn.emplace_back("smem_per_sm", s.card->shared_bytes_per_sm);
        q.drawn.emplace_back("threads_per_sm", s.card->max_threads_per_sm);
        return;
    }
}

void v2_waves(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_setting(draw, {64, 128});
    const LaunchFacts launch = s.plan_of("v2").launch;
    const int per_sm = launch.occupancy.ctas_per_sm;
    constexpr Words text{
        "v2, {}, on {} with {} SMs: {} CTAs, {} to an SM. How many waves is that? (1 % is close enough.)",
        "v2，{}，{}，{} 个 SM：{} 个 CTA，每个 SM 放 {} 个。一共多少个 wave？（误差 1 % 以内即可）"};
    constexpr Words why{"{} / ({} x {}) = {:.3g}.", "{} / ({} x {}) = {:.3g}。"};
    ask(q, s, launch.waves.waves, QuizUnit::real,
        filled(text, language, described(s, language), s.card_name, s.card->sm_count, launch.ctas, per_sm),
        filled(why, language, launch.ctas, s.card->sm_count, per_sm, launch.waves.waves), command("explain", s), 4);
    q.tolerance = 0.01;
    q.drawn.emplace_back("ctas_per_sm", per_sm);
}

void v2_sm_fill(Draw& draw, Language language, QuizQuestion& q) {
    Setting s = draw_setting(draw, {64}, 3);
    s.problem.batch = 1;
    const LaunchFacts launch = s.plan_of("v2").launch;
    constexpr Words text{
        "v2, {}, on {} with {} SMs. What share of the SMs has work in the first wave, in percent? (1 % is close "
        "enough.)",
        "v2，{}，{}，{} 个 SM。第一个 wave 中有活干的 SM 占百分之多少？（误差 1 % 以内即可）"};
    constexpr Words why{"{} CTAs go to empty SMs first: {} of {} SMs have work, {:.3g} %.",
                        "{} 个 CTA 先分给空闲的 SM：{} 个 SM 有活干，共 {} 个，即 {:.3g} %。"};
    const double percent = 100.0 * launch.waves.sm_fill;
    ask(q, s, percent, QuizUnit::percent, filled(text, language, described(s, language), s.card_name, s.card->sm_count),
        filled(why, language, launch.ctas, launch.waves.sms_with_work, s.card->sm_count, percent),
        command("explain", s), 2);
    q.tolerance = 0.01;
}

// masking

Setting draw_masked(Draw& draw) {
    Setting s = draw_setting(draw, {64}, 1);
    Problem& p = s.problem;
    p.batch = 1;
    p.causal = true;
    p.seqlen_q = draw.one_of<std::int64_t>({128, 200, 256, 300, 512, 640});
    p.seqlen_k = p.seqlen_q + draw.one_of<std::int64_t>({0, 64, 100, 256, 1000});
    return s;
}

void pairs(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_masked(draw);
    const Problem& p = s.problem;
    const std::int64_t count = visible_pairs(p);
    constexpr Words text{
        "Causal, bottom-right aligned, Sq {}, Sk {}. How many (query, key) pairs of a head are visible? (1 % is "
        "close enough.)",
        "causal，右下对齐，Sq {}，Sk {}。一个 head 有多少个可见的（query, key）对？（误差 1 % 以内即可）"};
    constexpr Words why{"Query i sees keys j <= i + {}, so rows have {} to {} keys: {} x ({} + {}) / 2 = {}.",
                        "query i 可见 j <= i + {} 的 key，所以各行可见 {} 到 {} 个 key：{} x ({} + {}) / 2 = {}。"};
    const std::int64_t first = p.diagonal() + 1;
    ask(q, s, static_cast<double>(count), QuizUnit::count, filled(text, language, p.seqlen_q, p.seqlen_k),
        filled(why, language, p.diagonal(), first, p.seqlen_k, p.seqlen_q, first, p.seqlen_k, grouped(count)),
        command("explain", s), 2);
    q.tolerance = 0.01;
}

void visited_blocks(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_masked(draw);
    const Problem& p = s.problem;
    const Ownership owners(s.plan_of("v2"), p);
    const std::int64_t block = draw.below(owners.units());
    const std::int64_t visited = owners.visited_end(block);
    const std::int64_t last_row = owners.rows(block).end - 1;
    constexpr Words text{
        "v2, {}, bottom-right aligned, tile {} x {}. How many key blocks does the CTA of query block {} (counted "
        "from 0) visit?",
        "v2，{}，右下对齐，tile {} x {}。第 {} 个 query block（从 0 起）的 CTA 要走多少个 key block？"};
    constexpr Words why{
        "Its last row, {}, sees keys 0 .. {}: {} keys, in {} blocks of {}. Those right of the diagonal are skipped.",
        "它的最后一行 {} 可见 key 0 到 {}，共 {} 个，分在 {} 个 block 里（每个 {}）。对角线右边的 block 都跳过。"};
    const std::int64_t keys = last_row + p.diagonal() + 1;
    ask(q, s, static_cast<double>(visited), QuizUnit::count,
        filled(text, language, described(s, language), owners.unit_rows(), owners.block_keys(), block),
        filled(why, language, last_row, keys - 1, keys, visited, owners.block_keys()),
        command("map", s) + " --variants v2", 4);
    q.drawn.emplace_back("block", static_cast<double>(block));
}

void masked_blocks(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_masked(draw);
    const Problem& p = s.problem;
    const Ownership owners(s.plan_of("v2"), p);
    const std::int64_t block = draw.below(owners.units());
    const std::int64_t masked = owners.visited_end(block) - owners.masking_begin(block);
    constexpr Words text{
        "v2, {}, bottom-right aligned, tile {} x {}. On how many key blocks does the CTA of query block {} (counted "
        "from 0) run its masking code?",
        "v2，{}，右下对齐，tile {} x {}。第 {} 个 query block（从 0 起）的 CTA 在多少个 key block 上执行 mask 代码？"};
    constexpr Words why{
        "It visits {} key blocks, last to first. The first {} that it meets, where the diagonal and the end of the "
        "keys may run, are masked: ceil(BlockM / BlockN), and one more unless both lengths are whole blocks. The "
        "other {} take the loop without masks.",
        "它从后往前走 {} 个 key block。最先遇到的 {} 个可能含有对角线或 key 的末尾，要做 mask：ceil(BlockM / BlockN) "
        "个，"
        "长度不都是整块时再加一个。其余 {} 个走没有 mask 的循环。"};
    ask(q, s, static_cast<double>(masked), QuizUnit::count,
        filled(text, language, described(s, language), owners.unit_rows(), owners.block_keys(), block),
        filled(why, language, owners.visited_end(block), masked, owners.masking_begin(block)),
        command("map", s) + " --variants v2", 4);
    q.drawn.emplace_back("block", static_cast<double>(block));
}

// gqa

Setting draw_gqa(Draw& draw) {
    Setting s = draw_setting(draw, {64, 128});
    s.problem.heads = draw.one_of<std::int64_t>({8, 16, 32, 64});
    s.problem.kv_heads = s.problem.heads / draw.one_of<std::int64_t>({2, 4, 8});
    return s;
}

void kv_head(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_gqa(draw);
    const Problem& p = s.problem;
    const std::int64_t head = draw.below(p.heads);
    const std::int64_t group = p.heads / p.kv_heads;
    const std::int64_t shared = head / group;
    constexpr Words text{"{} query heads, {} KV heads. Which KV head does query head {} read? (All counted from 0.)",
                         "{} 个 query head，{} 个 KV head。第 {} 个 query head 读哪个 KV head？（都从 0 起数）"};
    constexpr Words why{"{} query heads share a KV head: {} / {} rounds down to {}.",
                        "每 {} 个 query head 共用一个 KV head：{} / {} 向下取整得 {}。"};
    ask(q, s, static_cast<double>(shared), QuizUnit::count, filled(text, language, p.heads, p.kv_heads, head),
        filled(why, language, group, head, group, shared), command("explain", s), 1);
    q.drawn.emplace_back("head", static_cast<double>(head));
}

void kv_bytes(Draw& draw, Language language, QuizQuestion& q) {
    const Setting s = draw_gqa(draw);
    const Problem& p = s.problem;
    const CtaTraffic one = traffic_of(Ownership(s.plan_of("v2"), p), 0, p);
    const std::int64_t bytes = one.kv_read * p.batch * p.kv_heads;
    constexpr Words text{"{}, fp16. How many bytes are K and V together? (1 % is close enough.)",
                         "{}，fp16。K 和 V 一共多少字节？（误差 1 % 以内即可）"};
    constexpr Words why{
        "2 x {} x {} KV heads x {} x {} x 2 bytes = {}; with a KV head for each query head it would be {} times that.",
        "2 x {} x {} 个 KV head x {} x {} x 2 字节 = {}；若每个 query head 各有一个 KV head，则是它的 {} 倍。"};
    ask(q, s, static_cast<double>(bytes), QuizUnit::bytes, filled(text, language, described(s, language)),
        filled(why, language, p.batch, p.kv_heads, p.seqlen_k, p.head_dim, grouped(bytes), p.heads / p.kv_heads),
        command("explain", s), 1);
    q.tolerance = 0.01;
}

// reading

void work(Draw& draw, Language language, QuizQuestion& q) {
    Setting s = draw_setting(draw, {64, 128});
    const Problem& p = s.problem;
    const std::int64_t total = flops(p);
    constexpr Words text{
        "{}. How many FLOPs do the two matrix products take? (1 % is close enough; 12.3 GFLOP will do.)",
        "{}。两次矩阵乘一共多少 FLOP？（误差 1 % 以内即可，可写作 12.3 GFLOP）"};
    constexpr Words why{"4 x B x H x D x pairs = 4 x {} x {} x {} x {} = {}: two products, a multiply and an add each.",
                        "4 x B x H x D x 对数 = 4 x {} x {} x {} x {} = {}：两次矩阵乘，每次一乘一加。"};
    ask(q, s, static_cast<double>(total), QuizUnit::flop, filled(text, language, described(s, language)),
        filled(why, language, p.batch, p.heads, p.head_dim, grouped(visible_pairs(p)), grouped(total)),
        command("explain", s), 7);
    q.tolerance = 0.01;
}

void rate(Draw& draw, Language language, QuizQuestion& q) {
    Setting s = draw_setting(draw, {64, 128});
    s.problem.seqlen_q = s.problem.seqlen_k = 4096;
    s.problem.causal = draw.below(2) == 1;
    const auto total = static_cast<double>(flops(s.problem));
    // A time at which a fifth to four fifths of the card's matmul rate would be reached.
    const double share = 0.2 + 0.1 * static_cast<double>(draw.below(7));
    const double us = std::round(10.0 * total / (share * s.card->matmul_tflops * 1e6)) / 10.0;
    constexpr Words text{
        "{}: the work is {:.4g} GFLOP. A kernel takes {} us. How many TFLOP/s is that? (1 % is close enough.)",
        "{}：工作量是 {:.4g} GFLOP。一个 kernel 用了 {} us。合多少 TFLOP/s？（误差 1 % 以内即可）"};
    constexpr Words why{
        "{:.4g} GFLOP / {} us = {:.3g} TFLOP/s. The work counts visible pairs alone, so a kernel that computes what "
        "the mask hides gets no credit for it.",
        "{:.4g} GFLOP / {} us = {:.3g} TFLOP/s。工作量只计可见的对，所以算了被 mask 掉的部分并不加分。"};
    const double tflops = total / us / 1e6;
    ask(q, s, tflops, QuizUnit::tflops, filled(text, language, described(s, language), total / 1e9, us),
        filled(why, language, total / 1e9, us, tflops), command("explain", s), 7);
    q.tolerance = 0.01;
    q.drawn.emplace_back("us", us);
}

constexpr std::array generators = std::to_array<QuizGenerator>({
    {"grid-n1", "grid", 1, v2_ctas},
    {"grid-n2", "grid", 3, v2_block_m},
    {"splits-n1", "splits", 3, v1_num_splits},
    {"splits-n2", "splits", 1, tiles_of_split},
    {"splits-n3", "splits", 2, bytes_of_split},
    {"main-loop-n1", "main-loop", 1, v1_passes},
    {"main-loop-n2", "main-loop", 3, v1_o_tmp},
    {"online-softmax-n1", "online-softmax", 2, sum_after_blocks},
    {"online-softmax-n2", "online-softmax", 1, rescale_factor},
    {"warps-n1", "warps", 2, warp_of_key},
    {"warps-n2", "warps", 1, keys_of_warp},
    {"warps-n3", "warps", 3, v2_barriers},
    {"shared-memory-n1", "shared-memory", 1, v2_shared},
    {"shared-memory-n2", "shared-memory", 3, v1_shared},
    {"occupancy-n1", "occupancy", 2, ctas_per_sm},
    {"occupancy-n2", "occupancy", 2, limiter},
    {"occupancy-n3", "occupancy", 1, v2_waves},
    {"occupancy-n4", "occupancy", 1, v2_sm_fill},
    {"numerics-n1", "numerics", 2, log_sum_exp},
    {"masking-n1", "masking", 1, pairs},
    {"masking-n2", "masking", 2, visited_blocks},
    {"masking-n3", "masking", 3, masked_blocks},
    {"gqa-n1", "gqa", 1, kv_head},
    {"gqa-n2", "gqa", 2, kv_bytes},
    {"reading-n1", "reading", 1, work},
    {"reading-n2", "reading", 2, rate},
});

}  // namespace

std::span<const QuizGenerator> quiz_generators() {
    return generators;
}

QuizQuestion drawn_question(const QuizGenerator& generator, std::uint64_t seed, Language language) {
    QuizQuestion question;
    question.id = generator.id;
    question.topic = generator.topic;
    question.level = generator.level;
    question.kind = QuizKind::number;
    // Each generator has draws of its own: what else is asked does not change its numbers.
    for (const char c : generator.id) {
        seed = seed * 131 + static_cast<unsigned char>(c);
    }
    Draw draw(seed);
    generator.make(draw, language, question);
    return question;
}

}  // namespace flashlens::teaching
