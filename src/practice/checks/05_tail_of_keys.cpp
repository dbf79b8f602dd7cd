#include <vector>

#include "practice/checks/checks.h"
#include "practice/passing.h"
#include "practice/seen_keys.h"
#include "practice/weights.h"

namespace flashlens::practice {
namespace {

/// Where an element of S stands in its key block, and whose it is.
struct Element {
    std::int64_t block, n, t,
        pair;                    ///< key block, 8-key tile of it, lane % 4, first or second of the lane's two columns
    std::int64_t tile, half, g;  ///< MMA tile of the warp, row g or g + 8 of it, lane / 4

    Element(std::int64_t i, std::int64_t j)
        : block(j / 64), n(j % 64 / 8), t(j % 8 / 2), pair(j % 2), tile(i % 128 / 64), half(i % 16 / 8), g(i % 8) {}
};

/// A wrong idea of which key an element is of.
template <class Key>
Sees by_key(const Key& key_of) {
    return
        [key_of](const Problem& p, std::int64_t i, std::int64_t j) { return key_of(Element(i, j), i, j) < p.seqlen_k; };
}

std::vector<MaskMistake> mistakes() {
    using Index = std::int64_t;
    return {
        {"nothing-masked",
         both({"nothing keeps them from it. The key block goes on with rows of zeros, their scores are 0, and exp(0 - "
               "m) is not 0.",
               "没有任何东西把它们排除在外。key block 在末尾之后由全零的行补齐，它们的 score 是 0，而 exp(0 - m) 不是 "
               "0。"}),
         [](const Problem&, Index, Index) { return true; }},
        {"one-key-too-many",
         both({"the bound is off by one. Keys are 0 to Sk - 1: key Sk is already past the end (< Sk, not <=).",
               "边界差了一。key 的编号是 0 到 Sk - 1：key Sk 已经在末尾之后（用 <，不是 <=）。"}),
         by_key([](const Element&, Index, Index j) { return j - 1; })},
        {"one-key-too-few",
         both({"the bound is off by one. The last key, Sk - 1, is masked, too.",
               "边界差了一。最后一个 key（Sk - 1）也被 mask 了。"}),
         by_key([](const Element&, Index, Index j) { return j + 1; })},
        {"lane-forgotten",
         both({"all four lanes of a quad take themselves for the first. Of the 8 columns of a tile, lane t has 2t and "
               "2t + 1.",
               "quad 中的四个 lane 都把自己当成了第一个。一个 tile 的 8 列中，lane t 持有的是第 2t 和 2t + 1 列。"}),
         by_key([](const Element& s, Index, Index) { return s.block * 64 + s.n * 8 + s.pair; })},
        {"lane-not-doubled",
         both({"a lane's columns are taken to begin at t. It has two of them, so they begin at 2t.",
               "把 lane 的列当成从第 t 列开始。每个 lane 有两列，所以应从第 2t 列开始。"}),
         by_key([](const Element& s, Index, Index) { return s.block * 64 + s.n * 8 + s.t + s.pair; })},
        {"lane-not-doubled",
         both({"both columns of a lane are taken to be column t. It has two of them, 2t and 2t + 1.",
               "把 lane 的两列都当成第 t 列。它持有的是第 2t 和 2t + 1 列。"}),
         by_key([](const Element& s, Index, Index) { return s.block * 64 + s.n * 8 + s.t; })},
        {"lane-of-the-warp",
         both({"columns are counted through all 32 lanes, so it depends on the row which keys count. Lanes 4 apart "
               "have the same columns of other rows: t is lane % 4.",
               "列号按全部 32 个 lane 来数，结果哪些 key 计入会随行而变。相隔 4 的 lane 持有其他行的同样几列：t 是 "
               "lane % 4。"}),
         by_key([](const Element& s, Index, Index) { return s.block * 64 + s.n * 8 + (s.g * 4 + s.t) * 2 + s.pair; })},
        {"lane-divided",
         both({"the columns are taken from g = lane / 4, which is the row; they follow from t = lane % 4.",
               "列号取自 g = lane / 4，而那是行；列要由 t = lane % 4 决定。"}),
         by_key([](const Element& s, Index, Index) { return s.block * 64 + s.n * 8 + s.g * 2 + s.pair; })},
        {"tile-not-8-keys",
         both({"tile n is taken to begin at key n of the block. A tile has 8 keys: it begins at 8n.",
               "把第 n 个 tile 当成从 block 的第 n 个 key 开始。一个 tile 有 8 个 key：它从 8n 开始。"}),
         by_key([](const Element& s, Index, Index) { return s.block * 64 + s.n + s.t * 2 + s.pair; })},
        {"pair-forgotten",
         both({"a lane's two columns are judged alike, by the first. The last key may be the first of a pair: elements "
               "0 and 1 (2 and 3) are of different keys.",
               "lane 的两列都按第一列来判断。最后一个 key 可能正好是一对中的第一个：元素 0 和 1（2 和 3）属于不同的 "
               "key。"}),
         by_key([](const Element& s, Index, Index) { return s.block * 64 + s.n * 8 + s.t * 2; })},
        {"row-element-for-column",
         both({"which of a lane's two columns it is has been taken from e / 2. That is the row, g or g + 8; the column "
               "is e % 2.",
               "lane 的两列中是哪一列，取自了 e / 2。那是行（g 或 g + 8）；列由 e % 2 决定。"}),
         by_key([](const Element& s, Index, Index j) { return j - s.pair + s.half; })},
        {"tile-forgotten",
         both({"all 8-key tiles of the block are taken for its first. Tile n begins 8n keys into the block.",
               "把 block 的每个 8-key tile 都当成了第一个。第 n 个 tile 从 block 的第 8n 个 key 开始。"}),
         by_key([](const Element& s, Index, Index j) { return j - s.n * 8; })},
        {"queries-for-keys",
         both({"keys are held against Sq, the number of queries. They end at Sk.",
               "拿 key 去和 query 的个数 Sq 比。key 到 Sk 为止。"}),
         [](const Problem& p, Index, Index j) { return j < p.seqlen_q; }},
        {"element-is-not-a-column",
         both({"elements 2 and 3 are taken for two columns more. They are the same two columns, of row g + 8.",
               "把元素 2 和 3 当成了另外两列。它们仍是同样的两列，只是属于第 g + 8 行。"}),
         by_key([](const Element& s, Index, Index j) { return j + 2 * s.half; })},
        {"columns-side-by-side",
         both({"a lane is taken to have a quarter of the block's keys side by side. It has two of every 8.",
               "以为一个 lane 持有 block 中连续的四分之一个 key。实际上它在每 8 个 key 中持有两个。"}),
         by_key([](const Element& s, Index, Index) { return s.block * 64 + s.t * 16 + s.n * 2 + s.pair; })},
        {"block-start-forgotten",
         both(
             {"keys are numbered from the beginning of their block and held against Sk, so that beyond the first block "
              "nothing is masked: first_key is missing.",
              "key 从自己所在 block 的开头编号，再去和 Sk 比，所以除第一个 block 外什么都没有 mask。缺了 first_key。"}),
         by_key([](const Element&, Index, Index j) { return j % 64; })},
        {"whole-block-lost",
         both({"keys are held against Sk % 64, the length of a tail. Where the last block is full there is no tail, "
               "that is 0, and all of the block is masked.",
               "拿 key 去和尾块长度 Sk % 64 比。最后一个 block 正好填满时没有尾块，它等于 0，于是整个 block 都被 mask "
               "了。"}),
         [](const Problem& p, Index, Index j) { return j % 64 < p.seqlen_k % 64; }},
        {"everything-masked",
         both({"all keys of the last block are masked, those that exist, too.",
               "最后一个 block 的所有 key 都被 mask 了，真正存在的也不例外。"}),
         [](const Problem&, Index, Index) { return false; }},
        {"row-for-key",
         both({"keys are counted from first_row. That is the block's first query; its first key is first_key.",
               "key 从 first_row 数起。那是 block 的第一个 query；它的第一个 key 是 first_key。"}),
         by_key([](const Element&, Index i, Index j) { return i / 128 * 128 + j % 64; })},
        {"inverse",
         both({"it is the wrong way round. The keys that exist are masked, those past the end count.",
               "弄反了。真正存在的 key 被 mask，末尾之后的反而计入。"}),
         [](const Problem& p, Index, Index j) { return j >= p.seqlen_k; }},
        {"second-half-forgotten",
         both(
             {"rows g + 8 of each tile are left unmasked: a lane has two rows, and elements 2 and 3 are of the second.",
              "每个 tile 的第 g + 8 行没有 mask。一个 lane 有两行，元素 2 和 3 属于第二行。"}),
         [](const Problem& p, Index i, Index j) { return Element(i, j).half == 1 || j < p.seqlen_k; }},
        {"second-tile-forgotten",
         both({"only the first MMA tile is masked. A warp has {} here, i = 0 and 1.",
               "只 mask 了第一个 MMA tile：这里一个 warp 有 {} 个，i = 0 和 1。"},
              2),
         [](const Problem& p, Index i, Index j) { return Element(i, j).tile == 1 || j < p.seqlen_k; }},
    };
}

}  // namespace

void check_tail_of_keys(Attempt& attempt) {
    hold_minus_infinity(attempt, one_head(130, 155, false));
    std::vector<SeenRun> runs;
    for (const std::int64_t seqlen_k : {155, 192, 50, 5}) {  // an odd tail, none, an even one, one of less than a tile
        const Problem problem = one_head(130, seqlen_k, false);
        runs.push_back({problem, see_keys(attempt, problem)});
    }
    hold_keys(runs, mistakes());
    attempt.held(both({"Sk 155, 192, 50 and 5: every row sees all keys, and nothing past them",
                       "Sk 155、192、50 和 5：每一行都看到全部 key，且看不到末尾之后的任何东西"}));
    hold_scores_kept(attempt, one_head(130, 50, false));
    attempt.held(both({"the scores of keys that count are left alone", "计入的 key，score 没有被改动"}));
    hold_error_check(attempt, usual_problems({.causal = false}));
}

}  // namespace flashlens::practice
