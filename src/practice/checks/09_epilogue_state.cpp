#include "practice/checks/09_epilogue_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "practice/rows.h"
#include "practice/softmax_model.h"

namespace flashlens::practice::epilogue {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double ln_2 = 0.69314718055994530942;

/// Which lane of a quad holds column j of an accumulator: two of every eight each.
std::int64_t lane_of(std::int64_t j) {
    return j % 8 / 2;
}

/// What the main loop leaves of a row, in fp64.
struct Row {
    double m = -infinity;           ///< the scale is in it
    std::array<double, 4> parts{};  ///< of l: each lane's

    double l() const { return parts[0] + parts[1] + parts[2] + parts[3]; }
};
using Rows = std::vector<Row>;

Rows rows_of(const Problem& problem, const Inputs& inputs) {
    const SoftmaxModel right = right_model(problem);
    Rows rows(static_cast<std::size_t>(problem.seqlen_q));
    for (std::int64_t i = 0; i < problem.seqlen_q; ++i) {
        Row& row = rows[static_cast<std::size_t>(i)];
        for (std::int64_t j = 0; j < problem.seqlen_k && right.sees(i, j); ++j) {
            row.m = std::max(row.m, logit(problem, inputs, i, j));
        }
        for (std::int64_t j = 0; j < problem.seqlen_k && right.sees(i, j); ++j) {
            row.parts[static_cast<std::size_t>(lane_of(j))] += std::exp(logit(problem, inputs, i, j) - row.m);
        }
    }
    return rows;
}

/// What somebody writes instead.
struct Instead {
    const char* id;
    Message what;
    /// The factor on acc_o, in columns of this lane of the quad; or lse, written by this lane.
    std::function<double(const Rows& rows, std::size_t i, std::size_t lane)> value;
};

std::vector<Instead> instead_of_o() {
    return {
        {"not-divided",
         both({"O is acc_o: nothing has been divided by l, so that a row's weights add up to l and not to 1.",
               "O 就是 acc_o：没有除以 l，所以一行的权重之和是 l，而不是 1。"}),
         [](const Rows&, std::size_t, std::size_t) { return 1.0; }},
        {"l-not-reduced",
         both({"l is only one lane's part of the row sum: each lane has divided its columns of O by the exponentials "
               "of its own columns of S. The four lanes of the quad have to add theirs up first.",
               "l 只是一个 lane 的那部分行和：每个 lane 都用自己那几列 S 的指数和去除自己那几列 O。"
               "quad 的四个 lane 要先把各自的部分加起来。"}),
         [](const Rows& rows, std::size_t i, std::size_t lane) { return 1.0 / rows[i].parts[lane]; }},
        {"l-half-reduced",
         both({"l is added up over two lanes and not over four: after one shuffle each lane has its neighbour's part, "
               "after a second one those of the whole quad.",
               "l 只在两个 lane 之间相加，而不是四个：一次 shuffle 之后只有相邻 lane 的部分，"
               "第二次之后才有整个 quad 的。"}),
         [](const Rows& rows, std::size_t i, std::size_t lane) {
             return 1.0 / (rows[i].parts[lane] + rows[i].parts[lane ^ 1]);
         }},
        {"l-half-reduced",
         both({"l is added up over two lanes and not over four: a shuffle with mask 2 is there, one with mask 1 is "
               "not.",
               "l 只在两个 lane 之间相加，而不是四个：有 mask 为 2 的 shuffle，缺 mask 为 1 的。"}),
         [](const Rows& rows, std::size_t i, std::size_t lane) {
             return 1.0 / (rows[i].parts[lane] + rows[i].parts[lane ^ 2]);
         }},
        {"divided-twice",
         both({"O has been divided by l twice: in a row whose l is 10 it is 10 times too small.",
               "O 被 l 除了两次：l 为 10 的行，O 小了 10 倍。"}),
         [](const Rows& rows, std::size_t i, std::size_t) { return 1.0 / (rows[i].l() * rows[i].l()); }},
        {"multiplied-by-l",
         both({"acc_o has been multiplied by l, not divided: the factor is 1 / l.",
               "acc_o 被乘以 l，而不是除以 l：因子应为 1 / l。"}),
         [](const Rows& rows, std::size_t i, std::size_t) { return rows[i].l(); }},
        {"l-of-the-other-row",
         both({"Half of the rows are divided by the l of the lane's other row: a lane has two, 8 apart, and l[i][0] is "
               "one's and l[i][1] the other's.",
               "有一半的行除以了同一个 lane 另一行的 l：一个 lane 有相隔 8 的两行，l[i][0] 和 l[i][1] 各属一行。"}),
         [](const Rows& rows, std::size_t i, std::size_t) { return 1.0 / rows[i & ~std::size_t{8}].l(); }},
        {"l-of-the-other-row",
         both({"Half of the rows are divided by the l of the lane's other row: a lane has two, 8 apart, and l[i][0] is "
               "one's and l[i][1] the other's.",
               "有一半的行除以了同一个 lane 另一行的 l：一个 lane 有相隔 8 的两行，l[i][0] 和 l[i][1] 各属一行。"}),
         [](const Rows& rows, std::size_t i, std::size_t) { return 1.0 / rows[i | 8].l(); }},
        {"divided-by-exp-lse",
         both({"acc_o has been divided by exp(lse) = exp(m) l. But it is a sum of exp(s - m), as l is: exp(m) is in "
               "neither, and acc_o / l is all.",
               "acc_o 被 exp(lse) = exp(m) l 除了。但它和 l 一样是 exp(s - m) 的和：两者都不含 exp(m)，"
               "acc_o / l 就够了。"}),
         [](const Rows& rows, std::size_t i, std::size_t) { return std::exp(-rows[i].m) / rows[i].l(); }},
    };
}

std::vector<Instead> instead_of_lse(double scale) {
    return {
        {"lse-without-m",
         both({"lse lacks m: it is only ln l, the sum of exponentials that have been taken from the maximum.",
               "lse 缺了 m：只有 ln l，即减去最大值之后的指数和的对数。"}),
         [](const Rows& rows, std::size_t i, std::size_t) { return std::log(rows[i].l()); }},
        {"lse-without-l", both({"lse is only the maximum: ln l is missing.", "lse 只是最大值：缺了 ln l。"}),
         [](const Rows& rows, std::size_t i, std::size_t) { return rows[i].m; }},
        {"lse-without-scale",
         both({"m goes into lse without the scale: m is the maximum of unscaled scores, and lse is that of the logits, "
               "scale m + ln l.",
               "m 没有乘 scale 就进了 lse：m 是未缩放 score 的最大值，而 lse 说的是 logit：scale m + ln l。"}),
         [scale](const Rows& rows, std::size_t i, std::size_t) { return rows[i].m / scale + std::log(rows[i].l()); }},
        {"lse-scaled-whole",
         both({"All of lse is multiplied by the scale: only m is without it, l is a sum of exponentials that have it.",
               "整个 lse 都乘了 scale：只有 m 里没有 scale，l 是指数之和，指数里已经有了。"}),
         [scale](const Rows& rows, std::size_t i, std::size_t) { return rows[i].m + scale * std::log(rows[i].l()); }},
        {"lse-base-2",
         both({"The logarithm of l is one to base 2: log2 l is ln l / ln 2.",
               "l 的对数以 2 为底：log2 l 等于 ln l / ln 2。"}),
         [](const Rows& rows, std::size_t i, std::size_t) { return rows[i].m + std::log2(rows[i].l()); }},
        {"lse-base-2",
         both({"All of lse is to base 2, as the kernel's exponents are: it has to be a natural logarithm.",
               "整个 lse 都以 2 为底，和 kernel 里的指数一样：它应该是自然对数。"}),
         [](const Rows& rows, std::size_t i, std::size_t) { return (rows[i].m + std::log(rows[i].l())) / ln_2; }},
        {"lse-base-2",
         both({"log2 l is converted in the wrong direction: ln l is log2 l times ln 2, not divided by it.",
               "log2 l 换算反了：ln l 是 log2 l 乘以 ln 2，不是除以它。"}),
         [](const Rows& rows, std::size_t i, std::size_t) { return rows[i].m + std::log2(rows[i].l()) / ln_2; }},
        {"lse-of-reciprocal",
         both({"It is the logarithm of 1 / l, which is minus ln l.", "取的是 1 / l 的对数，即负的 ln l。"}),
         [](const Rows& rows, std::size_t i, std::size_t) { return rows[i].m - std::log(rows[i].l()); }},
        {"lse-minus-m",
         both({"m is subtracted from ln l: exp(s) = exp(m) exp(s - m), so m is added.",
               "ln l 减去了 m：exp(s) = exp(m) exp(s - m)，所以 m 要加上。"}),
         [](const Rows& rows, std::size_t i, std::size_t) { return std::log(rows[i].l()) - rows[i].m; }},
        {"lse-without-log",
         both({"l itself is added to m, not its logarithm.", "加到 m 上的是 l 本身，而不是它的对数。"}),
         [](const Rows& rows, std::size_t i, std::size_t) { return rows[i].m + rows[i].l(); }},
        {"lse-l-not-reduced",
         both({"O is right, but lse is made of one lane's part of l, not of the quad's sum: if all parts are alike, it "
               "is ln 4 = 1.39 too small.",
               "O 正确，但 lse 用的是一个 lane 的那部分 l，而不是 quad 的和：若四部分相等，lse 就小了 ln 4 = 1.39。"}),
         [](const Rows& rows, std::size_t i, std::size_t lane) { return rows[i].m + std::log(rows[i].parts[lane]); }},
        {"lse-of-the-other-row",
         both({"In half of the rows lse has the m of the lane's other row, 8 rows away.",
               "有一半的行，lse 用的是同一个 lane 另一行（相隔 8 行）的 m。"}),
         [](const Rows& rows, std::size_t i, std::size_t) {
             return rows[i & ~std::size_t{8}].m + std::log(rows[i].l());
         }},
        {"lse-of-the-other-row",
         both({"In half of the rows lse has the l of the lane's other row, 8 rows away.",
               "有一半的行，lse 用的是同一个 lane 另一行（相隔 8 行）的 l。"}),
         [](const Rows& rows, std::size_t i, std::size_t) {
             return rows[i].m + std::log(rows[i & ~std::size_t{8}].l());
         }},
    };
}

/// The first of these that explains what was seen, but for rounding.
template <class Explains>
const Instead* explanation(const std::vector<Instead>& candidates, const Explains& explains) {
    const auto found = std::find_if(candidates.begin(), candidates.end(), explains);
    return found == candidates.end() ? nullptr : &*found;
}

/// Of the first row that is wrong, lane by lane of its quad: what came out of what.
std::vector<Message> lanes_of_row(const Weights& seen, const Weights& right, const Rows& rows) {
    const auto ratio = [&](std::int64_t i, std::int64_t j) {  // of 0 to 0, of a key that is not seen: right
        return seen.at(i, j) == right.at(i, j) ? 1.0 : seen.at(i, j) / right.at(i, j);
    };
    const auto off = [&](std::int64_t i, std::int64_t j) { return std::fabs(std::log(ratio(i, j))); };
    std::int64_t row = 0;
    std::array<std::int64_t, 4> worst{};
    for (bool found = false; !found && row < seen.queries; row += found ? 0 : 1) {
        worst = {0, 2, 4, 6};
        for (std::int64_t j = 0; j < seen.keys; ++j) {
            std::int64_t& of_lane = worst[static_cast<std::size_t>(lane_of(j))];
            of_lane = off(row, j) > off(row, of_lane) ? j : of_lane;
            found |= !(off(row, j) < 0.01);
        }
    }
    const Row& state = rows[static_cast<std::size_t>(row)];
    const auto as_much = [&](std::int64_t j) { return std::fabs(ratio(row, j) / ratio(row, worst[0]) - 1.0) < 0.02; };
    if (std::all_of(worst.begin(), worst.end(), as_much)) {
        return {both({"row {}: O is {:.3g} times what it should be; l is {:.3g}, scale m is {:.3g}",
                      "第 {} 行：O 是应有值的 {:.3g} 倍；l 是 {:.3g}，scale m 是 {:.3g}"},
                     row, ratio(row, worst[0]), state.l(), state.m)};
    }
    std::vector<Message> lines;
    for (std::size_t lane = 0; lane < 4; ++lane) {
        lines.push_back(both(
            {"row {}, lane {} of the quad: O of column {} is {:.3g} times what it should be; the lane's part of l is "
             "{:.3g} of {:.3g}",
             "第 {} 行、quad 的 lane {}：第 {} 列的 O 是应有值的 {:.3g} 倍；这个 lane 的那部分 l 是 {:.3g}，总和 "
             "{:.3g}"},
            row, lane, worst[lane], ratio(row, worst[lane]), state.parts[lane], state.l()));
    }
    return lines;
}

/// Rows whose lse is that of another row; the difference, if it is the same for all of them.
std::optional<Finding> rows_mixed_up(const Weights& seen, const Weights& right) {
    std::vector<std::int64_t> rows;
    std::int64_t from = -1;
    for (std::int64_t i = 0; i < seen.queries; ++i) {
        const double got = seen.lse[static_cast<std::size_t>(i)];
        const auto near = [&](double lse) { return std::fabs(lse - got) <= 1e-4 * (1.0 + std::fabs(got)); };
        if (near(right.lse[static_cast<std::size_t>(i)])) {
            continue;
        }
        const auto found = std::find_if(right.lse.begin(), right.lse.end(), near);
        if (found == right.lse.end()) {
            return std::nullopt;
        }
        from = rows.empty() ? found - right.lse.begin() : from;
        rows.push_back(i);
    }
    return Finding{
        "lse-of-the-other-row",
        both({"lse is that of other rows in {} of {} rows: {}.", "{1} 行中有 {0} 行写的是别的行的 lse：{2}。"},
             rows.size(), seen.queries, rows_text(rows)),
        {both({"row {} has the lse of row {}", "第 {} 行的 lse 属于第 {} 行"}, rows.front(), from)}};
}

}  // namespace

Inputs telling_inputs(const Problem& problem) {
    return inputs_of(
        problem, [](std::int64_t i) { return 4.0 + static_cast<double>(i) / 16.0; },
        [](std::int64_t j) {
            constexpr std::array<double, 4> of_lane{0.0, 0.9, 1.5, 1.9};
            return of_lane[static_cast<std::size_t>(lane_of(j))] + 0.05 * static_cast<double>(j / 8 % 8);
        });
}

void hold_o(const Weights& seen, const Problem& problem, const Inputs& inputs) {
    Weights right = run_model(right_model(problem), problem, inputs);
    right.lse = seen.lse;
    if (same_weights(seen, right)) {
        return;
    }
    const Rows rows = rows_of(problem, inputs);
    std::vector<Message> evidence = lanes_of_row(seen, right, rows);
    evidence.push_back(shape_text(problem));
    const std::vector<Instead> candidates = instead_of_o();
    const Instead* found = explanation(candidates, [&](const Instead& instead) {
        Weights made = right;
        for (std::int64_t i = 0; i < right.queries; ++i) {
            const auto row = static_cast<std::size_t>(i);
            for (std::int64_t j = 0; j < right.keys; ++j) {
                const auto lane = static_cast<std::size_t>(lane_of(j));
                made.weight[static_cast<std::size_t>(i * right.keys + j)] *=
                    rows[row].l() * instead.value(rows, row, lane);
            }
        }
        return same_weights(seen, made);
    });
    if (found != nullptr) {
        throw Finding{found->id, found->what, evidence};
    }
    // No name: which rows, how much, and whether it goes by lanes.
    try {
        Weights of_o = seen;
        of_o.lse = run_model(right_model(problem), problem, inputs).lse;
        hold_weights(of_o, problem, inputs, {});
    } catch (Finding& finding) {
        finding.evidence.insert(finding.evidence.end(), evidence.begin(), evidence.end() - 1);
        throw;
    }
}

void hold_lse(const Weights& seen, const Problem& problem, const Inputs& inputs) {
    const Weights right = run_model(right_model(problem), problem, inputs);
    if (same_weights(seen, right)) {
        return;
    }
    const Rows rows = rows_of(problem, inputs);
    const auto line = [&](std::size_t i) {
        return both({"row {}: lse is {:.5g}, and should be {:.5g}; scale m = {:.5g}, l = {:.5g}, ln l = {:.5g}",
                     "第 {} 行：lse 是 {:.5g}，应为 {:.5g}；scale m = {:.5g}，l = {:.5g}，ln l = {:.5g}"},
                    i, seen.lse[i], right.lse[i], rows[i].m, rows[i].l(), std::log(rows[i].l()));
    };
    const std::vector<Message> evidence{line(0), line(8), shape_text(problem)};
    const std::vector<Instead> candidates = instead_of_lse(problem.scale);
    const Instead* found = explanation(candidates, [&](const Instead& instead) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            Weights made = right;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                made.lse[i] = instead.value(rows, i, lane);
            }
            if (same_weights(seen, made)) {
                return true;
            }
        }
        return false;
    });
    if (found != nullptr) {
        throw Finding{found->id, found->what, evidence};
    }
    if (std::optional<Finding> mixed = rows_mixed_up(seen, right)) {
        mixed->evidence.insert(mixed->evidence.end(), evidence.begin(), evidence.end());
        throw std::move(*mixed);
    }
    hold_weights(seen, problem, inputs, {});
}

std::vector<std::int64_t> rows_without_lse(const Output& output) {
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < output.lse_unwritten.size(); ++i) {
        if (output.lse_unwritten[i]) {
            rows.push_back(static_cast<std::int64_t>(i));
        }
    }
    return rows;
}

void hold_lse_written(const Problem& problem, const Output& output) {
    const std::vector<std::int64_t> missing = rows_without_lse(output);
    if (std::ssize(missing) == problem.seqlen_q) {
        throw Finding{"lse-not-written",
                      both({"O is right; lse has never been written.", "O 正确；lse 从未被写。"}),
                      {shape_text(problem)}};
    }
    const bool of_one_lane = std::ssize(missing) == problem.seqlen_q / 8 * 7 &&
                             std::none_of(missing.begin(), missing.end(), [](std::int64_t i) { return i % 8 == 0; });
    if (of_one_lane) {
        throw Finding{
            "lse-by-lane-0",
            both({"Of 8 rows only one has its lse, that of lane 0: every quad has a row of its own, so the "
                  "first lane of each quad has to write, lane_index() % 4 == 0.",
                  "每 8 行只有一行写了 lse，即 lane 0 的那一行：每个 quad 各有自己的行，"
                  "所以每个 quad 的第一个 lane 都要写，即 lane_index() % 4 == 0。"}),
            {both({"never written: lse of {}", "从未被写：{}的 lse"}, rows_text(missing)), shape_text(problem)}};
    }
    all_rows_written(problem, output);
}

}  // namespace flashlens::practice::epilogue
