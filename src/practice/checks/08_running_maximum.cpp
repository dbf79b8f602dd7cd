#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "practice/checks/checks.h"
#include "practice/passing.h"
#include "practice/rows.h"
#include "practice/softmax_model.h"
#include "practice/weights.h"

namespace flashlens::practice {
namespace {

constexpr std::int64_t block_n = 32;

/// What people write instead, each with what it makes of a problem.
std::vector<Mistake> mistakes_of(const Problem& problem) {
    const auto nothing = [](double, double) { return 1.0; };
    const auto inverse = [](double m_old, double m) { return std::exp(m - m_old); };
    const auto unscaled = [&](double m_old, double m) { return std::exp2((m_old - m) / problem.scale); };
    const auto with = [&](const auto& of_o, const auto& of_l) {
        SoftmaxModel model = right_model(problem);
        model.block_n = block_n;
        model.rescale_o = of_o;
        model.rescale_l = of_l;
        return model;
    };
    const auto& exact = SoftmaxModel::exact_rescale;
    SoftmaxModel of_each_block = with(nothing, nothing);
    of_each_block.new_max = [](double, double block_max) { return block_max; };
    // The factor is asked for right after the maximum.
    const auto last_block_max = std::make_shared<double>();
    const auto to_block_max = [last_block_max](double m_old, double) { return std::exp(m_old - *last_block_max); };
    SoftmaxModel of_block_max = with(to_block_max, to_block_max);
    of_block_max.new_max = [last_block_max](double m, double block_max) {
        *last_block_max = block_max;
        return std::max(m, block_max);
    };
    return {
        {"nothing-carried-over",
         both({"Each key block is taken by its own maximum, and added to what came before as if that had the same: "
               "nothing is "
               "carried over from the old m to the new one.",
               "每个 key block 都按自己的最大值计算，再直接加到之前的结果上，好像最大值一样：从旧的 m 到新的 "
               "m，什么都没有换算。"}),
         of_each_block},
        {"rescale-missing",
         both({"Nothing is rescaled: where a later key block raises m, what the blocks before have put into l and "
               "acc_o still "
               "counts under the old m, exp(m_new - m_old) times too much.",
               "没有做 rescale：后面的 key block 抬高 m 之后，之前各 block 累加到 l 和 acc_o 里的值仍按旧的 m "
               "计算，大了 "
               "exp(m_new - m_old) 倍。"}),
         with(nothing, nothing)},
        {"rescale-of-o-missing",
         both({"l follows the new maximum, acc_o does not.", "l 跟上了新的最大值，acc_o 没有。"}),
         with(nothing, exact)},
        {"rescale-of-l-missing",
         both({"acc_o follows the new maximum, l does not: O is divided by too much.",
               "acc_o 跟上了新的最大值，l 没有：O 被除得太多。"}),
         with(exact, nothing)},
        {"rescale-inverse",
         both({"The factor is upside down: exp(m_new - m_old), at least 1, instead of exp(m_old - m_new), at most 1.",
               "因子颠倒了：用了不小于 1 的 exp(m_new - m_old)，应为不大于 1 的 exp(m_old - m_new)。"}),
         with(inverse, inverse)},
        {"rescale-to-block-max",
         both({"The factor is made of this block's maximum, exp(m_old - block_max), and not of the new m. Where the "
               "block's "
               "is the smaller one m stays, and the factor has to be 1.",
               "因子用的是本 block 的最大值：exp(m_old - block_max)，而不是新的 m。本 block 的最大值较小时，m "
               "不变，因子应为 1。"}),
         of_block_max},
        {"sum-starts-anew",
         both({"acc_o is carried over from block to block, l is not: it ends as the sum of the last key block alone.",
               "acc_o 一个 block 一个 block 地接着算，l 却没有：最后它只是最后一个 key block 的和。"}),
         with(exact, [](double, double) { return 0.0; })},
        {"rescale-without-scale",
         both({"The factor lacks the scale: exp2(m_old - m) of unscaled scores, without c = scale log2 e.",
               "因子缺了 scale：对未缩放的 score 取 exp2(m_old - m)，没有乘 c = scale log2 e。"}),
         with(unscaled, unscaled)},
    };
}

bool is_nan(double x) {
    return std::isnan(x);
}

/// Some columns of O follow the new maximum, and the others do not.
void hold_all_columns(const Weights& seen, const Problem& problem, const Inputs& inputs) {
    SoftmaxModel model = right_model(problem);
    model.block_n = block_n;
    const Weights right = run_model(model, problem, inputs);
    model.rescale_o = [](double, double) { return 1.0; };
    const Weights left = run_model(model, problem, inputs);
    const auto column_is_of = [&](std::int64_t column, const Weights& other) {
        for (std::int64_t i = 0; i < seen.queries; ++i) {
            for (std::int64_t j = column; j < seen.keys; j += problem.head_dim) {
                if (std::fabs(seen.at(i, j) - other.at(i, j)) > 4e-3 * other.at(i, j) + 2e-4) {
                    return false;
                }
            }
        }
        return true;
    };
    std::vector<std::int64_t> columns;  // key j is seen in column j % head_dim: see_weights()
    for (std::int64_t column = 0; column < problem.head_dim; ++column) {
        if (column_is_of(column, right)) {
            continue;
        }
        if (!column_is_of(column, left)) {
            return;
        }
        columns.push_back(column);
    }
    if (columns.empty() || std::ssize(columns) == problem.head_dim) {
        return;
    }
    throw Finding{"columns-of-o-missing",
                  both({"Only some of O's columns follow the new maximum: {} of {} are not rescaled. A lane has two "
                        "columns in each of "
                        "the T::mmas_d 8-column tiles of acc_o.",
                        "O 只有一部分列跟上了新的最大值：{1} 列中有 {0} 列没有 rescale。acc_o 有 T::mmas_d 个 8 列的 "
                        "tile，一个 lane "
                        "在每个 tile 里有两列。"},
                       columns.size(), problem.head_dim),
                  {both({"left as they were: {}", "没有动过的：{}"}, columns_text(columns)), shape_text(problem)}};
}

/// Rows of NaN have causes of their own.
void hold_no_nan(const Weights& seen, const Problem& problem, const char* id, const Message& what) {
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < seen.queries; ++i) {
        const auto first = seen.weight.begin() + i * seen.keys;
        if (std::any_of(first, first + seen.keys, is_nan) || is_nan(seen.lse[static_cast<std::size_t>(i)])) {
            rows.push_back(i);
        }
    }
    if (!rows.empty()) {
        throw Finding{id, what, {both({"NaN in {}", "{}出现 NaN"}, rows_text(rows)), shape_text(problem)}};
    }
}

}  // namespace

void check_running_maximum(Attempt& attempt) {
    const Problem rising = one_head(70, 150, false);
    const Inputs inputs = rising_inputs(rising, 3.0);
    const Weights seen = see_weights(attempt, rising, inputs);
    hold_no_nan(
        seen, rising, "nan-first-block",
        both({"NaN already without a mask: on the first key block the old m is -infinity, and what is made of it must "
              "come out as 0, as exp(m_old - m) does. (exp(m - m_old), upside down, is infinite there.)",
              "没有 mask 也出现 NaN：在第一个 key block，旧的 m 是 -infinity，由它算出的因子必须是 0，exp(m_old - m) "
              "正是 0。（颠倒成 exp(m - m_old)，就是无穷大。）"}));
    hold_all_columns(seen, rising, inputs);
    hold_weights(seen, rising, inputs, mistakes_of(rising), block_n);
    attempt.held(both({"maxima that rise from block to block: every weight and every lse",
                       "最大值逐 block 上升：每个权重、每个 lse 都对"}));

    // The blocks that come first hold the maximum by far.
    const Problem falling = one_head(70, 150, false);
    const Inputs steep = rising_inputs(falling, -120.0);
    const Weights fallen = see_weights(attempt, falling, steep);
    hold_no_nan(fallen, falling, "maximum-forgotten",
                both({"m falls: it is this block's maximum, not the largest so far. Where a later block's maximum is "
                      "much smaller "
                      "the factor exp(m_old - m) overflows.",
                      "m 下降了：它只是本 block 的最大值，而不是到目前为止的最大值。后面的 block 最大值小得多时，因子 "
                      "exp(m_old - m) "
                      "会溢出。"}));
    hold_weights(fallen, falling, steep, mistakes_of(falling), block_n);
    attempt.held(both({"maxima that fall steeply", "最大值陡降"}));

    const Problem causal = one_head(150, 100, true);  // rows 0 to 49 see nothing, and blocks that a row does not see
    const Inputs of_causal = rising_inputs(causal);
    const Weights masked = see_weights(attempt, causal, of_causal);
    hold_no_nan(
        masked, causal, "nan-nothing-seen",
        both(
            {"NaN where a row sees nothing of a key block: m is still -infinity then, and -infinity minus -infinity is "
             "NaN. Take 0 in its place.",
             "某行看不到一个 key block 中的任何 key 时出现 NaN：此时 m 仍是 -infinity，而 -infinity 减 -infinity 是 "
             "NaN。"
             "请用 0 代替。"}));
    hold_weights(masked, causal, of_causal, mistakes_of(causal), block_n);
    attempt.held(both({"a causal mask, with rows that see nothing", "causal mask，含什么都看不到的行"}));
    hold_error_check(attempt, usual_problems());
}

}  // namespace flashlens::practice
