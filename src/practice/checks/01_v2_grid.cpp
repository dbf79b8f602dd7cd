#include <algorithm>

#include "practice/checks/checks.h"
#include "practice/rows.h"

namespace flashlens::practice {
namespace {

constexpr std::int64_t block_m = 64;

Problem problem_of(std::int64_t batch, std::int64_t heads, std::int64_t seqlen_q) {
    Problem p;
    p.batch = batch;
    p.heads = heads;
    p.kv_heads = 1;
    p.seqlen_q = seqlen_q;
    p.seqlen_k = seqlen_q + 300;  // neither keys nor KV heads are what the grid is of
    return p;
}

struct Axes {
    std::int64_t x = 0, y = 0, z = 0;
    bool operator==(const Axes&) const = default;
};

Message text_of(const Axes& a) {
    return both({"({}, {}, {})", "({}, {}, {})"}, a.x, a.y, a.z);
}

/// What is wrong with a grid for this problem; throws it.
void hold_grid(const Axes& grid, const Problem& p) {
    const std::int64_t blocks = (p.seqlen_q + block_m - 1) / block_m;
    const Axes right{blocks, p.batch, p.heads};
    if (grid == right) {
        return;
    }
    const std::vector<Message> evidence{
        both({"your grid is {}, v2's is {}", "你的 grid 是 {}，v2 的是 {}"}, text_of(grid), text_of(right)),
        shape_text(p)};
    if (grid == Axes{p.batch, p.heads, 1}) {
        throw Finding{"grid-of-v1",
                      both({"This is v1's grid with one split: {} CTAs, however long the sequence is.",
                            "这是 v1 在 1 个 split 时的 grid：不论序列多长，只有 {} 个 CTA。"},
                           p.batch * p.heads),
                      evidence};
    }
    if (grid == Axes{p.seqlen_q / block_m, p.batch, p.heads}) {
        throw Finding{
            "grid-rounds-down",
            both({"The last query block has no CTA: {} rows are {:.2f} blocks of {}, and your grid has {}. {} of "
                  "every head are left out.",
                  "最后一个 query block 没有 CTA：{} 行是 {:.2f} 个 {} 行的 block，而你的 grid 只有 {} 个。每个 head "
                  "的{}都被漏掉。"},
                 p.seqlen_q, static_cast<double>(p.seqlen_q) / block_m, block_m, grid.x,
                 both({"Rows {} to {}", "第 {} 到 {} 行"}, grid.x * block_m, p.seqlen_q - 1)),
            evidence};
    }
    if (grid == Axes{p.seqlen_q / block_m + 1, p.batch, p.heads}) {
        throw Finding{"grid-one-block-more",
                      both({"One query block too many: {} rows are exactly {} blocks of {}.",
                            "多了一个 query block：{} 行正好是 {} 个 {} 行的 block。"},
                           p.seqlen_q, blocks, block_m),
                      evidence};
    }
    if (grid == Axes{p.seqlen_q, p.batch, p.heads}) {
        throw Finding{"grid-of-rows",
                      both({"A CTA for each row: a CTA owns a block of {} rows.",
                            "每一行一个 CTA：一个 CTA 拥有 {} 行的 block。"},
                           block_m),
                      evidence};
    }
    if (grid == Axes{(p.seqlen_k + block_m - 1) / block_m, p.batch, p.heads}) {
        throw Finding{"grid-of-keys",
                      both({"There is a CTA for each block of {} keys: {} rows of K. The grid is of the {} query rows, "
                            "and each CTA "
                            "walks all its keys in a loop.",
                            "每 {} 个 key 一个 CTA：数的是 K 的 {} 行。grid 要按 query 的 {} 行来分，每个 CTA "
                            "在循环里走完自己的 key。"},
                           block_m, p.seqlen_k, p.seqlen_q),
                      evidence};
    }
    if (grid == Axes{blocks, p.batch, p.kv_heads}) {
        throw Finding{
            "grid-of-kv-heads",
            both({"There are CTAs for KV heads only: {}, where {} query heads share them. Every query head has "
                  "rows of O of its own.",
                  "只给 KV head 启动了 CTA：{} 个，而共用它们的 query head 有 {} 个。每个 query head 在 O "
                  "里都有自己的行。"},
                 p.kv_heads, p.heads),
            evidence};
    }
    Axes sorted_grid = grid;
    Axes sorted_right = right;
    for (Axes* axes : {&sorted_grid, &sorted_right}) {
        std::int64_t* numbers[] = {&axes->x, &axes->y, &axes->z};
        std::sort(std::begin(numbers), std::end(numbers), [](auto* a, auto* b) { return *a < *b; });
        *axes = {*numbers[0], *numbers[1], *numbers[2]};
    }
    if (sorted_grid == sorted_right) {
        throw Finding{
            "grid-axes-swapped",
            both({"The right number of CTAs, on other axes: v2 has query blocks on x, batches on y and heads on z. "
                  "x runs fastest, so the CTAs of one head run side by side.",
                  "CTA 的数量对，但轴不对：v2 的 x 是 query block，y 是 batch，z 是 head。x 变化最快，所以同一个 head "
                  "的 "
                  "CTA 会同时运行。"}),
            evidence};
    }
    throw Finding{"grid-wrong",
                  both({"{} CTAs, where {} query blocks of {} heads of {} batches need {}.",
                        "有 {} 个 CTA，而 {} 个 query block × {} 个 head × {} 个 batch 需要 {} 个。"},
                       grid.x * grid.y * grid.z, blocks, p.heads, p.batch, blocks * p.heads * p.batch),
                  evidence};
}

/// Where every head has one query block, and a full one, do all heads get their rows? Then it is not batch and head.
bool heads_are_found(Attempt& attempt) {
    const Problem p = problem_of(2, 5, block_m);
    const Inputs inputs = random_inputs(p);
    try {
        const Output output = attempt.run(p, inputs);
        all_rows_written(p, output);
        return output.o == inputs.q;
    } catch (const Finding&) {
        return false;
    }
}

/// Runs it; throws what is wrong with the grid, then with what the CTAs made of it.
void hold(Attempt& attempt, const Problem& p) {
    const Inputs inputs = random_inputs(p);
    Axes grid;
    simt::LaunchOptions options;
    options.multiplicity = [&](simt::Dim3 block) {
        grid = {std::max<std::int64_t>(grid.x, block.x + 1), std::max<std::int64_t>(grid.y, block.y + 1),
                std::max<std::int64_t>(grid.z, block.z + 1)};
        return 1;
    };
    const bool counted = attempt.machine() == Machine::cpu;
    Output output;
    try {
        output = attempt.run(p, inputs, options);
        if (counted) {
            hold_grid(grid, p);
        }
        all_rows_written(p, output);
    } catch (Finding& finding) {
        if (counted && (grid.x > 0)) {
            hold_grid(grid, p);
        }
        finding.evidence.insert(finding.evidence.begin(), finding.what);
        if (heads_are_found(attempt)) {
            finding.what =
                both({"The grid is right, and so are batch and head, but not the rows that a CTA copies: blockIdx.x is "
                      "its query block b, which has rows {0} b to {0} b + {1}, as far as there are rows.",
                      "grid 对了，batch 和 head 也对，但 CTA 拷贝的行不对：blockIdx.x 是它的 query block b，含第 {0} b "
                      "到 {0} b + {1} 行，超出序列的除外。"},
                     block_m, block_m - 1);
            finding.id = "rows-misread";
        } else {
            finding.what =
                both({"The grid is right, but CTAs take the wrong work from blockIdx: x is the query block, y the "
                      "batch, z the head.",
                      "grid 对了，但 CTA 从 blockIdx 取错了工作：x 是 query block，y 是 batch，z 是 head。"});
            finding.id = "axes-misread";
        }
        throw finding;
    }
    if (output.o != inputs.q) {
        throw Finding{"wrong-copy", both({"O is not what Q is.", "O 与 Q 不一致。"}), {shape_text(p)}};
    }
}

}  // namespace

void check_v2_grid(Attempt& attempt) {
    hold(attempt, problem_of(2, 5, 150));
    attempt.held(both(
        {"B 2  H 5  Sq 150: the last query block is not full", "B 2  H 5  Sq 150：最后一个 query block 没有填满"}));
    hold(attempt, problem_of(3, 2, 256));
    attempt.held(both({"B 3  H 2  Sq 256: it is", "B 3  H 2  Sq 256：填满了"}));
    hold(attempt, problem_of(1, 1, 1));
    attempt.held(both({"one single row", "只有一行"}));
}

}  // namespace flashlens::practice
