#include "practice/seen_keys.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "practice/rows.h"
#include "practice/softmax_model.h"
#include "practice/weights.h"

namespace flashlens::practice {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool same_count(double a, double b) {
    return a == b || std::fabs(a - b) < 0.01;
}

/// The key blocks that a row's query block visits, and from which on the mask code runs.
struct Walk {
    std::int64_t first_masked, end;

    Walk(const Problem& p, std::int64_t row, const MaskedTile& tile) {
        const std::int64_t last_row = (row / tile.block_m + 1) * tile.block_m - 1;
        const std::int64_t keys = p.causal ? std::min(p.seqlen_k, last_row + p.diagonal() + 1) : p.seqlen_k;
        end = (std::max<std::int64_t>(keys, 0) + tile.block_n - 1) / tile.block_n;
        const bool whole = p.seqlen_q % tile.block_m == 0 && p.seqlen_k % tile.block_n == 0;
        const std::int64_t crossed = (tile.block_m + tile.block_n - 1) / tile.block_n;
        first_masked = std::max<std::int64_t>(0, end - (!p.causal ? 1 : whole ? crossed : crossed + 1));
    }
};

bool same_row(const SeenKeys& a, const SeenKeys& b, std::int64_t i) {
    const auto row = static_cast<std::size_t>(i);
    return same_count(a.count[row], b.count[row]) && a.of_row(i) == b.of_row(i);
}

bool same_keys(const SeenKeys& a, const SeenKeys& b) {
    for (std::int64_t i = 0; i < a.queries; ++i) {
        if (!same_row(a, b, i)) {
            return false;
        }
    }
    return true;
}

/// "37 keys": past the end; not a whole number where their score is neither 0 nor -infinity.
Message ghosts_text(double ghosts) {
    return same_count(ghosts, 1.0) ? both({"1 key", "1 个 key"}) : both({"{:.4g} keys", "{:.4g} 个 key"}, ghosts);
}

/// "Row 17 sees key 40, which it should not"
Message example(const SeenKeys& seen, const SeenKeys& right, std::int64_t i) {
    for (const bool too_many : {true, false}) {
        for (std::int64_t j = 0; j < seen.keys; ++j) {
            if (seen.at(i, j) != right.at(i, j) && seen.at(i, j) == too_many) {
                return too_many
                           ? both({"Row {} sees key {}, which it should not", "第 {} 行看到了不该看到的 key {}"}, i, j)
                           : both({"Row {} does not see key {}, which it should", "第 {} 行看不到本该看到的 key {}"}, i,
                                  j);
            }
        }
    }
    if (right.count[static_cast<std::size_t>(i)] == 0.0) {
        return both({"Row {} should see nothing, and something counts in its l",
                     "第 {} 行应该什么都看不到，但它的 l 里计入了东西"},
                    i);
    }
    const double ghosts = seen.past_end(i);
    return ghosts > 0.0 ? both({"Row {} counts {} past the last one", "第 {} 行多计了最后一个 key 之后的 {}"}, i,
                               ghosts_text(ghosts))
                        : both({"Row {} has a wrong lse", "第 {} 行的 lse 不对"}, i);
}

Message seen_text(const std::vector<std::int64_t>& keys) {
    return keys.empty() ? both({"no key", "零个 key"}) : keys_text(keys);
}

std::vector<Message> evidence_of(const SeenRun& run, const SeenKeys& right, std::int64_t i) {
    const SeenKeys& seen = run.keys;
    const auto row = static_cast<std::size_t>(i);
    std::vector<Message> lines;
    std::vector<std::int64_t> rows;
    for (std::int64_t r = 0; r < seen.queries; ++r) {
        if (!same_row(seen, right, r)) {
            rows.push_back(r);
        }
    }
    if (seen.of_row(i) != right.of_row(i)) {
        lines.push_back(both({"row {} sees {}, and should see {}", "第 {} 行看到 {}，应该看到 {}"}, i,
                             seen_text(seen.of_row(i)), seen_text(right.of_row(i))));
    }
    const double ghosts = seen.past_end(i);
    if (right.count[row] == 0.0 && seen.count[row] > 0.0) {
        lines.push_back(both({"row {}: lse is {:.3g}, the logarithm of {} with logit 0; it should be -infinity",
                              "第 {} 行：lse 是 {:.3g}，即 logit 为 0 的 {} 之对数；应为 -infinity"},
                             i, std::log(seen.count[row]), ghosts_text(seen.count[row])));
    } else if (!same_count(ghosts, 0.0)) {
        lines.push_back(both(
            {"row {}, with logits that are all 0: its weights in O add up to {:.4f}, not to 1. The rest went to {} "
             "past the end, of logit 0",
             "第 {} 行，所有 logit 都是 0 时：O 中的权重之和是 {:.4f}，而不是 1；其余给了末尾之后 logit 为 0 的 {}"},
            i, (seen.count[row] - ghosts) / seen.count[row], ghosts_text(ghosts)));
    }
    lines.push_back(
        both({"so in {} of {} rows: {}", "{1} 行中有 {0} 行如此：{2}"}, rows.size(), seen.queries, rows_text(rows)));
    lines.push_back(shape_text(run.problem));
    return lines;
}

std::optional<SeenKeys::Uneven> uneven_in(const Weights& weights, std::int64_t i) {
    std::int64_t heavy = -1;
    std::int64_t light = -1;
    for (std::int64_t j = 0; j < weights.keys; ++j) {
        if (weights.at(i, j) > 0.0) {
            heavy = heavy < 0 || weights.at(i, j) > weights.at(i, heavy) ? j : heavy;
            light = light < 0 || weights.at(i, j) < weights.at(i, light) ? j : light;
        }
    }
    if (heavy < 0 || weights.at(i, heavy) < 1.02 * weights.at(i, light)) {
        return std::nullopt;
    }
    return SeenKeys::Uneven{i, heavy, light, weights.at(i, heavy) / weights.at(i, light)};
}

}  // namespace

std::vector<std::int64_t> SeenKeys::of_row(std::int64_t query) const {
    std::vector<std::int64_t> numbers;
    for (std::int64_t j = 0; j < keys; ++j) {
        if (at(query, j)) {
            numbers.push_back(j);
        }
    }
    return numbers;
}

double SeenKeys::past_end(std::int64_t query) const {
    return count[static_cast<std::size_t>(query)] - static_cast<double>(of_row(query).size());
}

SeenKeys see_keys(Attempt& attempt, const Problem& problem) {
    const auto nothing = [](std::int64_t) { return 0.0; };
    const Weights weights = see_weights(attempt, problem, inputs_of(problem, nothing, nothing));
    SeenKeys keys{weights.queries, weights.keys};
    std::vector<std::int64_t> rows_of_nan;
    for (std::int64_t i = 0; i < weights.queries; ++i) {
        const double count = std::exp(weights.lse[static_cast<std::size_t>(i)]);
        if (std::isnan(count)) {
            rows_of_nan.push_back(i);
        }
        keys.count.push_back(count);
        for (std::int64_t j = 0; j < weights.keys; ++j) {
            const double weight = weights.at(i, j);
            keys.seen.push_back(weight > 0.0);  // a NaN is 0 / 0: nothing is seen, and lse is -infinity
        }
        if (!keys.uneven) {
            keys.uneven = uneven_in(weights, i);
        }
    }
    if (!rows_of_nan.empty()) {
        throw Finding{"nan",
                      both({"NaN. A score that must not count is set to -infinity, whatever it was: +infinity, or "
                            "-infinity that is multiplied by 0 for the keys that are seen, makes NaN of the row.",
                            "出现 NaN。不该计入的 score，无论原来是多少，都要直接设为 -infinity：若设成 "
                            "+infinity，或者让看得见的 key 去乘 0 × -infinity，整行都会变成 NaN。"}),
                      {both({"NaN in lse of {}, though all of Q and K is 0", "Q 和 K 全是 0，{}的 lse 却是 NaN"},
                            rows_text(rows_of_nan)),
                       shape_text(problem)}};
    }
    return keys;
}

SeenKeys keys_under(const Problem& problem, const Sees& sees, const MaskedTile& tile) {
    SeenKeys keys{problem.seqlen_q, problem.seqlen_k};
    keys.seen.resize(static_cast<std::size_t>(keys.queries * keys.keys));
    for (std::int64_t i = 0; i < problem.seqlen_q; ++i) {
        const Walk walk(problem, i, tile);
        const bool written_as_0 = !really_sees(problem, i, 0);  // v2's epilogue: such a row sees no key
        double count = 0.0;
        for (std::int64_t j = 0; j < walk.end * tile.block_n; ++j) {
            if (j / tile.block_n >= walk.first_masked && !sees(problem, i, j)) {
                continue;
            }
            count += 1.0;
            if (j < problem.seqlen_k && !written_as_0) {
                keys.seen[static_cast<std::size_t>(i * keys.keys + j)] = true;
            }
        }
        keys.count.push_back(count);
    }
    return keys;
}

void hold_keys(std::span<const SeenRun> runs, std::span<const MaskMistake> mistakes, const MaskedTile& tile) {
    for (const SeenRun& run : runs) {
        if (const auto& uneven = run.keys.uneven) {
            throw Finding{
                "scores-changed",
                both({"Keys that are seen do not weigh the same where all logits are 0: their scores have been "
                      "changed. A mask leaves them as they are.",
                      "所有 logit 都是 0 时，看得见的 key 权重却不相同：它们的 score 被改动了。mask 不应改动它们。"}),
                {both({"row {}: key {} weighs {:.3g} times as much as key {}",
                       "第 {0} 行：key {1} 的权重是 key {3} 的 {2:.3g} 倍"},
                      uneven->row, uneven->heavy, uneven->times, uneven->light),
                 shape_text(run.problem)}};
        }
        const SeenKeys right = keys_under(run.problem, really_sees, tile);
        if (same_keys(run.keys, right)) {
            continue;
        }
        std::int64_t i = 0;
        while (i + 1 < right.queries && same_row(run.keys, right, i)) {
            ++i;
        }
        const Message where = example(run.keys, right, i);
        const std::vector<Message> evidence = evidence_of(run, right, i);
        for (const MaskMistake& mistake : mistakes) {
            if (std::all_of(runs.begin(), runs.end(), [&](const SeenRun& any) {
                    return same_keys(any.keys, keys_under(any.problem, mistake.sees, tile));
                })) {
                throw Finding{mistake.id, both({"{}: {}", "{}：{}"}, where, mistake.what), evidence};
            }
        }
        throw Finding{"mask-wrong", both({"{}.", "{}。"}, where), evidence};
    }
}

void hold_minus_infinity(Attempt& attempt, const Problem& problem, const MaskedTile& tile) {
    const Inputs inputs = inputs_of(
        problem, [](std::int64_t) { return -infinity; }, [](std::int64_t) { return 1.0; });
    const Output output = attempt.run(problem, inputs);
    for (std::int64_t i = 0; i < problem.seqlen_q; ++i) {
        const Walk walk(problem, i, tile);
        std::int64_t masked = 0;
        std::int64_t seen = 0;
        for (std::int64_t j = walk.first_masked * tile.block_n; j < walk.end * tile.block_n; ++j) {
            ++(really_sees(problem, i, j) ? seen : masked);
        }
        const auto lse = static_cast<double>(output.lse[static_cast<std::size_t>(i)]);
        if (masked == 0 || !std::isfinite(lse) || std::fabs(std::exp(lse) - static_cast<double>(seen)) < 0.01) {
            continue;  // (the last: keys that are seen have 0, see hold_scores_kept)
        }
        const double exactly = (lse - std::log(static_cast<double>(masked))) / problem.scale;
        const double score = std::fabs(exactly) < 0.01 ? 0.0 : exactly;
        const std::vector<Message> evidence{
            both({"row {}, whose own scores are all -infinity: lse is {:.6g}, and {} masked keys of score {:.4g} make "
                  "that (lse = scale s + log n)",
                  "第 {} 行，它自己的 score 都是 -infinity：lse 却是 {:.6g}，正是 {} 个 score 为 {:.4g} 的被 mask 的 "
                  "key 给出的值（lse = scale s + log n）"},
                 i, lse, masked, score),
            shape_text(problem)};
        if (score == 0.0) {
            throw Finding{"masked-with-0",
                          both({"Keys that must not count are given the score 0. That is a score like any other: exp(0 "
                                "- m) is not 0, and they take weight. It has to be -infinity.",
                                "不该计入的 key 得到的 score 是 0。0 是一个普通的 score：exp(0 - m) 不是 "
                                "0，它们照样拿走权重。应为 -infinity。"}),
                          evidence};
        }
        throw Finding{
            "masked-with-finite",
            both({"Keys that must not count are given the score {:.4g}, a finite number: a row whose own scores are "
                  "lower gives them its weight, and a row that sees nothing has a finite lse. It has to be -infinity.",
                  "不该计入的 key 得到的 score 是 {:.4g}，一个有限的数：如果一行自己的 score "
                  "更低，权重就被它们拿走；什么都看不到的行，lse 也成了有限值。应为 -infinity。"},
                 score),
            evidence};
    }
}

void hold_scores_kept(Attempt& attempt, const Problem& problem) {
    const Inputs inputs = rising_inputs(problem);
    SoftmaxModel all_the_same = right_model(problem);
    all_the_same.new_max = [](double, double) { return 0.0; };
    all_the_same.weight = [](double, double) { return 1.0; };
    SoftmaxModel scaled_twice = right_model(problem);
    const double scale = problem.scale;
    scaled_twice.weight = [scale](double s, double m) { return std::exp(scale * (s - m)); };
    scaled_twice.rescale_o = scaled_twice.rescale_l = scaled_twice.weight;
    scaled_twice.lse = [scale](double m, double l) { return scale * m + std::log(l); };
    const std::vector<Mistake> mistakes{
        {"scores-lost",
         both({"All keys that are seen weigh the same, whatever Q and K are: their scores have been overwritten. A "
               "mask leaves them as they are.",
               "无论 Q 和 K 是什么，看得见的 key 权重都相同：它们的 score 被覆盖了。mask 不应改动它们。"}),
         all_the_same},
        {"scaled-twice",
         both({"The scores of the keys that are seen have been multiplied by the scale. v2 does that later, in the "
               "exponential: now it is there twice.",
               "看得见的 key，score 已经乘上了 scale。v2 要到后面取指数时才乘：这样就乘了两次。"}),
         scaled_twice}};
    hold_weights(see_weights(attempt, problem, inputs), problem, inputs, mistakes);
}

}  // namespace flashlens::practice
