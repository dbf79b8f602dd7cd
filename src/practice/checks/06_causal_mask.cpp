#include <vector>

#include "practice/checks/checks.h"
#include "practice/passing.h"
#include "practice/seen_keys.h"
#include "practice/weights.h"

namespace flashlens::practice {
namespace {

using Index = std::int64_t;

/// Where a row stands in its query block of 128: MMA tile, warp, row g or g + 8, lane / 4.
struct Place {
    Index block, tile, warp, half, g;

    explicit Place(Index i) : block(i / 128), tile(i % 128 / 64), warp(i % 64 / 16), half(i % 16 / 8), g(i % 8) {}
    Index row() const { return block * 128 + tile * 64 + warp * 16 + half * 8 + g; }
};

/// Another idea of what is seen under a causal mask; without one it is right.
template <class Test>
Sees when_causal(const Test& test) {
    return [test](const Problem& p, Index i, Index j) { return j < p.seqlen_k && (!p.causal || test(p, i, j)); };
}

/// A wrong idea of which query an element is of.
template <class Row>
Sees by_row(const Row& row_of) {
    return when_causal([row_of](const Problem& p, Index i, Index j) { return j <= row_of(i, j) + p.diagonal(); });
}

std::vector<MaskMistake> mistakes_of_the_diagonal() {
    return {
        {"causal-missing",
         both({"there is no causal mask, only the tail is masked. Under one, query i sees key j if and only if j <= i "
               "+ Sk - Sq.",
               "没有 causal mask，只 mask 了尾部。有 causal mask 时，query i 看得到 key j，当且仅当 j <= i + Sk - "
               "Sq。"}),
         when_causal([](const Problem&, Index, Index) { return true; })},
        {"nothing-masked",
         both({"under Causal nothing is masked, not even the tail. An element that must not count has to be set to "
               "-infinity: continue or return leaves its score as it is.",
               "Causal 时什么都没有 mask，连尾部也没有。不该计入的元素要设成 -infinity：用 continue 或 return "
               "跳过它，score 就留下来了。"}),
         [](const Problem& p, Index, Index j) { return p.causal || j < p.seqlen_k; }},
        {"diagonal-top-left",
         both({"the diagonal is top-left (j <= i). It has to run into the bottom right corner, j <= i + Sk - Sq: the "
               "last query sees the last key.",
               "对角线是左上对齐的（j <= i）。它应当通到右下角，即 j <= i + Sk - Sq：最后一个 query 看得到最后一个 "
               "key。"}),
         when_causal([](const Problem&, Index i, Index j) { return j <= i; })},
        {"diagonal-one-too-far",
         both({"the diagonal is one key too far right: every query looks one token into the future.",
               "对角线向右多了一个 key。每个 query 都能看到未来的一个 token。"}),
         when_causal([](const Problem& p, Index i, Index j) { return j <= i + p.diagonal() + 1; })},
        {"diagonal-excluded",
         both({"the key on the diagonal itself is masked (j < i + Sk - Sq). A query sees its own token: <=.",
               "对角线上的那个 key 也被 mask 了（j < i + Sk - Sq）。query 看得到自己的 token：用 <=。"}),
         when_causal([](const Problem& p, Index i, Index j) { return j < i + p.diagonal(); })},
        {"diagonal-upside-down",
         both({"the diagonal is shifted by Sq - Sk, the wrong way. It is i + Sk - Sq: with more keys than queries, "
               "each query sees more.",
               "对角线移动了 Sq - Sk，方向反了。应为 i + Sk - Sq：key 比 query 多时，每个 query 看到的更多。"}),
         when_causal([](const Problem& p, Index i, Index j) { return j <= i - p.diagonal(); })},
        {"future-only",
         both({"it is the wrong way round. A query sees what comes after it, and not what came before.",
               "弄反了。query 看到的是后面的 key，而不是前面的。"}),
         when_causal([](const Problem& p, Index i, Index j) { return j >= i + p.diagonal(); })},
        {"something-always-seen",
         both({"rows left of the first key are made to see key 0. They see nothing: O = 0, lse = -infinity.",
               "在第一个 key 左边的那些行被迫看到 key 0。它们什么都看不到：O = 0，lse = -infinity。"}),
         when_causal([](const Problem& p, Index i, Index j) { return j == 0 || j <= i + p.diagonal(); })},
        {"causal-always",
         both({"the causal mask is applied in the kernel that has none, too. It belongs into if (Causal).",
               "没有 causal mask 的 kernel 也用上了它。应放在 if (Causal) 里。"}),
         [](const Problem& p, Index i, Index j) { return j < p.seqlen_k && j <= i + p.seqlen_k - p.seqlen_q; }},
        {"tail-lost",
         both({"without a causal mask keys past the end count. The test key < p.seqlen_k has been lost.",
               "没有 causal mask 时，末尾之后的 key 也计入了。key < p.seqlen_k 的判断丢了。"}),
         [](const Problem& p, Index i, Index j) { return !p.causal || j <= i + p.diagonal(); }},
    };
}

std::vector<MaskMistake> mistakes_of_the_row() {
    return {
        {"second-half-forgotten",
         both({"all of a lane's elements are taken to be of row g. Elements 2 and 3 are of row g + 8, which sees 8 "
               "keys more.",
               "把一个 lane 的全部元素都当成第 g 行。元素 2 和 3 属于第 g + 8 行，它多看到 8 个 key。"}),
         by_row([](Index i, Index) { return i - 8 * Place(i).half; })},
        {"first-row-forgotten",
         both({"queries are numbered from the beginning of their block: first_row is missing, so that every query "
               "block is masked as the first one is.",
               "query 从自己所在 block 的开头编号。缺了 first_row，于是每个 query block 都按第一个来 mask。"}),
         by_row([](Index i, Index) { return i % 128; })},
        {"warp-forgotten",
         both({"all warps take themselves for warp 0. Warp w has rows 16w .. 16w + 15 of every 64: warp_index() is "
               "missing.",
               "所有 warp 都把自己当成 warp 0。warp w 持有每 64 行中的第 16w 到 16w + 15 行：缺了 warp_index()。"}),
         by_row([](Index i, Index) { return i - 16 * Place(i).warp; })},
        {"tile-forgotten",
         both({"both MMA tiles of a warp are taken for the first. Tile i begins 16 x 4 rows after tile i - 1.",
               "把一个 warp 的两个 MMA tile 都当成第一个。第 i 个 tile 比第 i - 1 个靠后 16 x 4 行。"}),
         by_row([](Index i, Index) { return i - 64 * Place(i).tile; })},
        {"tiles-of-a-warp-side-by-side",
         both({"a warp's MMA tiles are taken to follow each other. Rows are dealt 16 at a time to all warps in turn: "
               "tile i of warp w begins at (i * warps + w) * 16.",
               "以为一个 warp 的 MMA tile 是相连的。行每 16 行一份，依次发给各个 warp：warp w 的第 i 个 tile 从 (i * "
               "warps + w) * 16 开始。"}),
         by_row([](Index i, Index) {
             const Place at(i);
             return at.row() - (at.tile * 4 + at.warp) * 16 + (at.warp * 2 + at.tile) * 16;
         })},
        {"tiles-of-a-warp-side-by-side",
         both({"tile i is taken to begin 16 rows after tile i - 1. Between them are the other warps' 48 rows: tile i "
               "of warp w begins at (i * warps + w) * 16.",
               "以为第 i 个 tile 紧接在第 i - 1 个之后 16 行。两者之间还有其他 warp 的 48 行：warp w 的第 i 个 tile 从 "
               "(i * warps + w) * 16 开始。"}),
         by_row([](Index i, Index) { return i - 48 * Place(i).tile; })},
        {"warps-forgotten",
         both({"rows are counted as if there were one warp: tile i of warp w begins at (i * warps + w) * 16 of the "
               "block, "
               "not at i * 16.",
               "数行的时候好像只有一个 warp：warp w 的第 i 个 tile 从 block 的第 (i * warps + w) * 16 行开始，而不是 i "
               "* "
               "16。"}),
         by_row([](Index i, Index) {
             const Place at(i);
             return i - at.warp * 16 - at.tile * 48;
         })},
        {"column-element-for-row",
         both({"which of a lane's two rows it is has been taken from e % 2. That is the column; the row is g where e / "
               "2 "
               "is 0, and g + 8 where it is 1.",
               "lane 的两行中是哪一行，取自了 e % 2。那是列；e / 2 为 0 是第 g 行，为 1 是第 g + 8 行。"}),
         by_row([](Index i, Index j) { return i - 8 * Place(i).half + 8 * (j % 2); })},
        {"lane-is-not-a-row",
         both({"each lane is taken to have a row of its own. Four lanes share one: the row is g = lane / 4.",
               "以为每个 lane 各有一行。四个 lane 共有一行：行是 g = lane / 4。"}),
         by_row([](Index i, Index j) { return i + 3 * Place(i).g + j % 8 / 2; })},
        {"column-lane-for-row",
         both({"the row is taken from t = lane % 4, which is the column; it follows from g = lane / 4.",
               "行取自 t = lane % 4，而那是列；行要由 g = lane / 4 决定。"}),
         by_row([](Index i, Index j) { return i - Place(i).g + j % 8 / 2; })},
        {"element-is-not-a-row",
         both({"element e is taken to be of row g + 8e or so. There are two rows: e / 2 is 0 for row g, 1 for row g + "
               "8.",
               "把元素 e 当成第 g + 8e 之类的行。只有两行：e / 2 为 0 是第 g 行，为 1 是第 g + 8 行。"}),
         by_row([](Index i, Index j) {
             const Place at(i);
             return i - 8 * at.half + 8 * (2 * at.half + j % 2);
         })},
        {"element-is-not-a-row",
         both({"the second row of a lane is taken to be g + 1. It is g + 8.",
               "把 lane 的第二行当成 g + 1。它是 g + 8。"}),
         by_row([](Index i, Index) { return i - 7 * Place(i).half; })},
    };
}

}  // namespace

void check_causal_mask(Attempt& attempt) {
    hold_minus_infinity(attempt, one_head(200, 330, true));
    std::vector<SeenRun> runs;
    for (const Problem& problem : {
             one_head(200, 330, true),   // more keys than queries
             one_head(300, 200, true),   // fewer: rows 0 to 99 see nothing
             one_head(256, 256, true),   // as many, and whole blocks
             one_head(130, 155, false),  // no causal mask: the tail alone
         }) {
        runs.push_back({problem, see_keys(attempt, problem)});
    }
    std::vector<MaskMistake> mistakes = mistakes_of_the_diagonal();
    for (MaskMistake& mistake : mistakes_of_the_row()) {
        mistakes.push_back(std::move(mistake));
    }
    hold_keys(runs, mistakes);
    attempt.held(both({"Sq 200 against Sk 330, 256 against 256: each row sees the keys up to i + Sk - Sq, and no other",
                       "Sq 200 对 Sk 330、256 对 256：每一行看到的 key 正好到 i + Sk - Sq 为止"}));
    attempt.held(both({"Sq 300 against Sk 200: rows 0 to 99 see nothing, O is 0 and lse -infinity",
                       "Sq 300 对 Sk 200：第 0 到 99 行什么都看不到，O 是 0，lse 是 -infinity"}));
    attempt.held(both({"without a causal mask, all keys and no more", "没有 causal mask 时：全部 key，不多不少"}));
    hold_scores_kept(attempt, one_head(100, 150, true));
    attempt.held(both({"the scores of keys that are seen are left alone", "看得到的 key，score 没有被改动"}));
    hold_error_check(attempt, usual_problems());
}

}  // namespace flashlens::practice
