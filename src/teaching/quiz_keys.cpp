// Which keys are whose, and which are seen: warps, masking.
#include <fmt/format.h>

#include <cstdint>

#include "teaching/ownership.h"
#include "teaching/quiz_asked.h"
#include "teaching/quiz_setting.h"
#include "whole.h"

namespace flashlens::teaching::asked {

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

// masking

namespace {

Setting draw_masked(Draw& draw) {
    Setting s = draw_setting(draw, {64}, 1);
    Problem& p = s.problem;
    p.batch = 1;
    p.causal = true;
    p.seqlen_q = draw.one_of<std::int64_t>({128, 200, 256, 300, 512, 640});
    p.seqlen_k = p.seqlen_q + draw.one_of<std::int64_t>({0, 64, 100, 256, 1000});
    return s;
}

}  // namespace

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
        filled(why, language, p.diagonal(), first, p.seqlen_k, p.seqlen_q, first, p.seqlen_k, whole(count)),
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

}  // namespace flashlens::teaching::asked
