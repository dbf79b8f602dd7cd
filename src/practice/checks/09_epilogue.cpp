#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "practice/checks/09_epilogue_state.h"
#include "practice/checks/checks.h"
#include "practice/passing.h"
#include "practice/rows.h"
#include "practice/softmax_model.h"
#include "practice/weights.h"

namespace flashlens::practice {
namespace {

using epilogue::hold_lse;
using epilogue::hold_lse_written;
using epilogue::hold_o;
using epilogue::rows_without_lse;
using epilogue::telling_inputs;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One full query block, one full key block.
void hold_one_block(Attempt& attempt) {
    const Problem problem = one_head(64, 64, false);
    Inputs inputs = telling_inputs(problem);
    see_keys_from(0, problem, inputs);
    Output output;
    try {
        output = attempt.run(problem, inputs);
    } catch (Finding& finding) {
        // Bytes tell whether it is lse that several lanes write.
        simt::LaunchOptions unchecked;
        unchecked.checks = false;
        if (finding.id == "race") {
            const std::uint64_t of_o = inputs.q.size() * 2;
            const std::uint64_t of_lse =
                attempt.run(problem, inputs, unchecked).report->total.global_write_bytes - of_o;
            if (of_lse == 4 * 4 * static_cast<std::uint64_t>(problem.seqlen_q)) {
                finding.evidence.insert(finding.evidence.begin(), finding.what);
                finding.evidence.push_back(both({"{} bytes of lse are written, for {} rows of 4 bytes",
                                                 "写了 {} 字节的 lse，而 {} 行每行只有 4 字节"},
                                                of_lse, problem.seqlen_q));
                throw Finding{
                    "lse-by-all-lanes",
                    both({"All four lanes of a quad write their row's lse: the same place, four times. One of "
                          "them is enough.",
                          "quad 的四个 lane 都在写同一行的 lse：同一个位置写了四次。由其中一个 lane 写就够了。"}),
                    finding.evidence};
            }
        }
        throw;
    }
    const Weights seen = weights_of(problem, output);
    hold_o(seen, problem, inputs);
    attempt.held(
        both({"O = acc_o / l, with the l of all four lanes of a quad", "O = acc_o / l，l 取自 quad 的全部四个 lane"}));
    hold_lse_written(problem, output);
    hold_lse(seen, problem, inputs);
    attempt.held(both({"lse = scale m + ln l, of the right row", "lse = scale m + ln l，行也对"}));
}

/// The query block ends past Sq, and there are several: what the first block did right is done elsewhere.
void hold_places_of_lse(Attempt& attempt) {
    const auto past_the_end = [](Finding& finding, const Problem& problem) {
        finding.evidence.insert(finding.evidence.begin(), finding.what);
        finding.evidence.push_back(shape_text(problem));
        return Finding{
            "rows-past-sq",
            both({"lse is written for rows that there are not: a query block has 64 rows, and the last one may "
                  "end past Sq. Only rows of the head below Sq are written (first_row + row < Sq).",
                  "给不存在的行写了 lse：一个 query block 有 64 行，最后一个可能超出 Sq。"
                  "只能写 head 中小于 Sq 的行（first_row + row < Sq）。"}),
            finding.evidence};
    };
    const auto not_by_all_lanes = [](Finding& finding, const Problem& problem) {
        finding.evidence.insert(finding.evidence.begin(), finding.what);
        finding.evidence.push_back(shape_text(problem));
        return Finding{
            "reduced-by-some-lanes",
            both({"quad_sum is reached by some lanes of a warp only. It is made of shuffles, and all 32 lanes have to "
                  "come to those: only what is written may depend on whether the row is there (first_row + row < Sq).",
                  "只有 warp 的部分 lane 执行了 quad_sum。它由 shuffle 组成，32 个 lane 都必须到齐："
                  "能随行是否存在（first_row + row < Sq）而变的，只有写不写。"}),
            finding.evidence};
    };
    const auto output_of = [&](const Problem& problem, Inputs inputs) {
        see_keys_from(0, problem, inputs);
        try {
            Output output = attempt.run(problem, inputs);
            all_rows_written(problem, output);
            return output;
        } catch (Finding& finding) {
            if (finding.id == "out-of-bounds") {
                throw past_the_end(finding, problem);
            }
            if (finding.id == "missing-lane") {
                throw not_by_all_lanes(finding, problem);
            }
            if (problem.seqlen_q > 64 && (finding.id == "race" || finding.id == "rows-not-written")) {
                simt::LaunchOptions unchecked;
                unchecked.checks = false;
                const std::vector<std::int64_t> missing = rows_without_lse(attempt.run(problem, inputs, unchecked));
                if (std::ssize(missing) == problem.seqlen_q - 64 && missing.front() == 64) {
                    finding.evidence.insert(finding.evidence.begin(), finding.what);
                    finding.evidence.push_back(
                        both({"never written: lse of {}", "从未被写：{}的 lse"}, rows_text(missing)));
                    finding.evidence.push_back(shape_text(problem));
                    throw Finding{
                        "lse-without-first-row",
                        both({"Every CTA writes its lse into the head's first 64 rows: `row` counts within the "
                              "query block, and the block begins at first_row.",
                              "每个 CTA 都把 lse 写进 head 的前 64 行：row 是 query block 内的行号，"
                              "而 block 从 first_row 开始。"}),
                        finding.evidence};
                }
            }
            throw;
        }
    };
    for (const Problem& problem : {one_head(40, 64, false), one_head(150, 64, false)}) {
        const Inputs inputs = telling_inputs(problem);
        const Weights seen = weights_of(problem, output_of(problem, inputs));
        hold_lse(seen, problem, inputs);
    }
    attempt.held(both({"rows past Sq are not written; several query blocks", "不写超出 Sq 的行；多个 query block"}));
}

/// Rows past the first block that are 0 because visible_keys was asked of a row of the block.
void hold_rows_asked_for(const Weights& seen, const Problem& problem, const Inputs& inputs) {
    SoftmaxModel of_block = right_model(problem);
    of_block.sees = [sees = of_block.sees](std::int64_t i, std::int64_t j) { return sees(i % 64, 0) && sees(i, j); };
    Weights made = run_model(of_block, problem, inputs);
    made.lse = seen.lse;
    const Weights right = run_model(right_model(problem), problem, inputs);
    if (!same_weights(seen, made) || right.weight == made.weight) {
        return;
    }
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 64; i < problem.seqlen_q; ++i) {
        if (seen.at(i, 0) == 0.0 && right.at(i, 0) != 0.0) {
            rows.push_back(i);
        }
    }
    throw Finding{
        "empty-rows-of-the-block",
        both({"O is 0 in rows that see keys: visible_keys is asked of `row`, which counts within the query "
              "block, and wants the row of the head, first_row + row.",
              "有些行看得见 key，O 却是 0：visible_keys 要的是 head 里的行号 first_row + row，传给它的却是 "
              "query block 内的行号 row。"}),
        {both({"0, and should not be: O of {}", "是 0 而不应是 0：{}的 O"}, rows_text(rows)),
         both({"row 0 of the head sees no key, row {} sees {}", "head 的第 0 行看不到任何 key，第 {} 行看得见 {} 个"},
              rows.front(), rows.front() + problem.diagonal() + 1),
         shape_text(problem)}};
}

void hold_empty_rows(Attempt& attempt) {
    const Problem problem = one_head(100, 64, true);  // rows 0 to 35 see nothing
    Inputs inputs = telling_inputs(problem);
    see_keys_from(0, problem, inputs);
    const Output output = attempt.run(problem, inputs);
    hold_lse_written(problem, output);
    const Weights seen = weights_of(problem, output);
    const std::int64_t empty = -problem.diagonal();
    std::vector<std::int64_t> not_zero;
    std::vector<std::int64_t> not_minus_infinity;
    for (std::int64_t i = 0; i < empty; ++i) {
        const auto first = seen.weight.begin() + i * seen.keys;
        if (std::any_of(first, first + seen.keys, [](double weight) { return weight != 0.0; })) {
            not_zero.push_back(i);
        }
        if (seen.lse[static_cast<std::size_t>(i)] != -infinity) {
            not_minus_infinity.push_back(i);
        }
    }
    if (!not_zero.empty()) {
        throw Finding{
            "empty-rows-o",
            both({"A row that sees no key has acc_o = 0 and l = 0, and O is {} there: 0 times 1 / 0 is NaN. Write "
                  "0 for such rows.",
                  "看不到任何 key 的行，acc_o = 0，l = 0，而这里 O 是 {}：0 乘以 1 / 0 是 NaN。"
                  "这样的行请写 0。"},
                 seen.at(not_zero.front(), 0)),
            {both({"not 0: O of {}", "不是 0：{}的 O"}, rows_text(not_zero)), shape_text(problem)}};
    }
    if (!not_minus_infinity.empty()) {
        const double found = seen.lse[static_cast<std::size_t>(not_minus_infinity.front())];
        throw Finding{
            "empty-rows-lse",
            both({"lse of a row that sees no key is {}, and has to be -inf, the logarithm of an empty sum.{}",
                  "看不到任何 key 的行，lse 是 {}，应为 -inf，即空和的对数。{}"},
                 found,
                 found == infinity ? both({" (+inf is what v2.8.3 writes there, as a mark.)",
                                           "（v2.8.3 在这里写的是 +inf，当作标记。）"})
                                   : Message{}),
            {both({"not -inf: lse of {}", "不是 -inf：{}的 lse"}, rows_text(not_minus_infinity)), shape_text(problem)}};
    }
    hold_rows_asked_for(seen, problem, inputs);
    hold_o(seen, problem, inputs);
    hold_lse(seen, problem, inputs);
    attempt.held(both({"rows that see no key: O = 0, lse = -inf", "看不到任何 key 的行：O = 0，lse = -inf"}));
}

}  // namespace

void check_epilogue(Attempt& attempt) {
    hold_one_block(attempt);
    hold_places_of_lse(attempt);
    hold_empty_rows(attempt);
    hold_error_check(attempt, usual_problems());
}

}  // namespace flashlens::practice
