#include "teaching/ladder_ideas.h"

#include <array>
#include <cstddef>

namespace flashlens::teaching {
namespace {

using Names = std::string_view[];

constexpr Names about_grid{"sm-fill", "waves", "ctas", "global-read"};
constexpr Names about_row_warps{"barriers", "shared-exchange", "shuffles"};
constexpr Names about_wide_warps{"shared-per-pair", "ldmatrix"};
constexpr Names about_loop_order{"o-tmp", "global-write", "global-read"};
constexpr Names about_late_norm{"divisions", "fp32-ops"};
constexpr Names about_masking{"mask-ops", "fp32-ops"};
constexpr Names about_async_copies{"mma-beside-copies", "cp-async"};
constexpr Names about_beyond{"barriers", "fp32-ops", "sm-fill"};

/// In the order of Idea.
constexpr std::array words = std::to_array<IdeaWords>({
    {{"a CTA for each query block", "每个 query block 一个 CTA"},
     {"A CTA for each query block of 128 rows, where v1 deals 16-row tiles out to at most 30 splits of a head.",
      "每个 128 行的 query block 一个 CTA；v1 则把 16 行的 query tile 分给每个 head 至多 30 个 split。"},
     about_grid},
    {{"warps split query rows", "warp 按 query 行切分"},
     {"Warps split query rows, not keys: the maxima, sums and O of a row belong to one warp, so warps exchange "
      "nothing, "
      "and the inner loop has no barrier.",
      "各 warp 按 query 行切分，不再按 key 切分：一行的最大值、行和与 O 都归同一个 warp，warp "
      "之间什么也不交换，内层循环没有 barrier。"},
     about_row_warps},
    {{"32 rows a warp", "每个 warp 32 行"},
     {"32 query rows a warp, as in v2's tile: each K and V fragment read from shared memory serves two mma.",
      "每个 warp 32 个 query 行，与 v2 的 tile 相同：从 shared memory 读出的每个 K、V fragment 供两条 mma 使用。"},
     about_wide_warps},
    {{"warps split query rows, 32 each", "warp 按 query 行切分，每个 32 行"},
     {"Warps split query rows, not keys, and have 32 each: they exchange nothing, and each K and V fragment serves two "
      "mma.",
      "各 warp 按 query 行切分，不再按 key 切分，每个 32 行：warp 之间什么也不交换，每个 K、V fragment 供两条 mma "
      "使用。"},
     about_row_warps},
    {{"key blocks inside", "key block 放到内层"},
     {"Key blocks are the inner loop: Q, acc_o, m and l stay with the CTA, and O is written once, where it went "
      "through "
      "device memory between key blocks.",
      "key block 成为内层循环：Q、acc_o、m、l 一直留在 CTA 里，O 只写一次，不再在 key block 之间经过显存。"},
     about_loop_order},
    {{"normalised once", "只归一化一次"},
     {"O is divided by l once, in the end, not after every key block.",
      "O 只在最后除以 l 一次，不再每个 key block 都除。"},
     about_late_norm},
    {{"masking where it is needed", "只在需要处 mask"},
     {"The last key block comes first, and blocks that need masking have a loop of their own: the other loop has no "
      "masking code, and only the first copy looks at bounds.",
      "从最后一个 key block 开始，需要 mask 的 block 单独一个循环：另一个循环里没有 mask "
      "代码，只有第一次拷贝检查边界。"},
     about_masking},
    {{"copies with cp.async", "用 cp.async 拷贝"},
     {"K and V are copied with cp.async, while products run on what is there already.",
      "K、V 用 cp.async 拷贝，同时用已经到达的数据做矩阵乘。"},
     about_async_copies},
    {{"what comes after v2", "v2 之后"},
     {"v2's idea taken further: one barrier a key block, maxima raised only where they must be, exponentials between "
      "the products, query blocks in another order and size (kernels/v2_tuned/NOTES.md).",
      "把 v2 的思路再推进一步：每个 key block 只有一个 barrier，最大值非升不可时才更新，指数穿插在矩阵乘之间，query "
      "block 换了顺序和大小（kernels/v2_tuned/NOTES.md）。"},
     about_beyond},
});

}  // namespace

const IdeaWords& words_of(Idea idea) {
    return words[static_cast<std::size_t>(idea)];
}

}  // namespace flashlens::teaching
