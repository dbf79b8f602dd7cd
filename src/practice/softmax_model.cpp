#include "practice/softmax_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "practice/rows.h"

namespace flashlens::practice {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double fp16_max = 65504.0;

bool same_weight(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) {
        return std::isnan(a) && std::isnan(b);
    }
    const double x = std::clamp(a, -fp16_max, fp16_max);
    const double y = std::clamp(b, -fp16_max, fp16_max);
    return std::fabs(x - y) <= 4e-3 * std::max(std::fabs(x), std::fabs(y)) + 2e-4;
}

bool same_lse(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= 1e-3 * (1.0 + std::fabs(b));
}

/// "0.0123", "148"; what isn't finite by its name.
std::string number(double value) {
    return fmt::format("{:.3g}", value);
}

Message row_of_weights(const Weights& seen, const Weights& right, std::int64_t i, std::int64_t j) {
    const double got = seen.at(i, j);
    const double want = right.at(i, j);
    const Message times = want > 0.0 && std::isfinite(got) && got > 0.0
                              ? both({" ({} times that)", "（{} 倍）"}, number(got / want))
                              : Message{};
    return both({"row {}, key {}: weight {} in O, should be {}{}", "第 {} 行、key {}：它在 O 中的权重是 {}，应为 {}{}"},
                i, j, number(got), number(want), times);
}

/// The key of row i whose weight is off most, as a ratio where that is possible.
std::int64_t worst_key(const Weights& seen, const Weights& right, std::int64_t i) {
    std::int64_t worst = 0;
    double most = -1.0;
    for (std::int64_t j = 0; j < right.keys; ++j) {
        const double off = std::fabs(seen.at(i, j) - right.at(i, j));
        if (!same_weight(seen.at(i, j), right.at(i, j)) && !(off <= most)) {
            most = std::isnan(off) ? infinity : off;
            worst = j;
        }
    }
    return worst;
}

std::vector<std::int64_t> rows_that_differ(const Weights& seen, const Weights& right) {
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < right.queries; ++i) {
        bool same = true;
        for (std::int64_t j = 0; same && j < right.keys; ++j) {
            same = same_weight(seen.at(i, j), right.at(i, j));
        }
        if (!same) {
            rows.push_back(i);
        }
    }
    return rows;
}

/// No mistake that has a name: where, and how much.
Finding unnamed_weights(const Weights& seen, const Weights& right, const Problem& problem,
                        const std::vector<std::int64_t>& rows, std::int64_t block_n) {
    const std::int64_t i = rows.front();
    Finding finding{"weights-wrong", both({"The weights that O is made of are not right in {} of {} rows: {}.",
                                           "{1} 行中有 {0} 行的 O 用了不正确的权重：{2}。"},
                                          rows.size(), right.queries, rows_text(rows))};
    finding.evidence.push_back(row_of_weights(seen, right, i, worst_key(seen, right, i)));
    for (std::int64_t block = (right.keys - 1) / block_n; block >= 0; --block) {
        double got = 0.0;
        double want = 0.0;
        for (std::int64_t j = block * block_n; j < std::min(right.keys, (block + 1) * block_n); ++j) {
            got += seen.at(i, j);
            want += right.at(i, j);
        }
        const bool same = same_weight(got, want);
        finding.evidence.push_back(both(
            {"row {}, key block {}: weight {} in all, should be {}{}", "第 {} 行、key block {}：总权重 {}，应为 {}{}"},
            i, block, number(got), number(want),
            same                               ? both({" (right)", "（正确）"})
            : want > 0.0 && std::isfinite(got) ? both({" ({} times that)", "（{} 倍）"}, number(got / want))
                                               : Message{}));
    }
    finding.evidence.push_back(shape_text(problem));
    return finding;
}

Finding unnamed_lse(const Weights& seen, const Weights& right, const Problem& problem, std::int64_t wrong,
                    std::int64_t i) {
    return {"lse-wrong",
            both({"O is right, lse is not, in {} of {} rows.", "O 正确，但 {1} 行中有 {0} 行的 lse 不对。"}, wrong,
                 right.queries),
            {both({"row {}: lse is {:.6g}, and should be {:.6g} (the difference is {:.4g}, the ratio {:.4g})",
                   "第 {} 行：lse 是 {:.6g}，应为 {:.6g}（差 {:.4g}，比值 {:.4g}）"},
                  i, seen.lse[static_cast<std::size_t>(i)], right.lse[static_cast<std::size_t>(i)],
                  seen.lse[static_cast<std::size_t>(i)] - right.lse[static_cast<std::size_t>(i)],
                  seen.lse[static_cast<std::size_t>(i)] / right.lse[static_cast<std::size_t>(i)]),
             shape_text(problem)}};
}

}  // namespace

bool really_sees(const Problem& problem, std::int64_t i, std::int64_t j) {
    return j < problem.seqlen_k && (!problem.causal || j <= i + problem.diagonal());
}

SoftmaxModel right_model(const Problem& problem) {
    SoftmaxModel model;
    model.sees = [problem](std::int64_t i, std::int64_t j) { return really_sees(problem, i, j); };
    return model;
}

Weights run_model(const SoftmaxModel& model, const Problem& problem, const Inputs& inputs) {
    Weights result{problem.seqlen_q, problem.seqlen_k, {}, {}};
    const std::int64_t blocks = (problem.seqlen_k + model.block_n - 1) / model.block_n;
    for (std::int64_t i = 0; i < problem.seqlen_q; ++i) {
        std::vector<double> acc(static_cast<std::size_t>(blocks * model.block_n));
        double m = -infinity;
        double l = 0.0;
        for (std::int64_t block = blocks - 1; block >= 0; --block) {
            std::vector<std::pair<std::int64_t, double>> scores;  // of the keys that it sees
            double block_max = -infinity;
            for (std::int64_t j = block * model.block_n; j < (block + 1) * model.block_n; ++j) {
                if (model.sees(i, j)) {
                    scores.emplace_back(j, j < problem.seqlen_k ? logit(problem, inputs, i, j) : 0.0);
                    block_max = std::max(block_max, scores.back().second);
                }
            }
            const double m_old = m;
            m = model.new_max(m, block_max);
            if (m == -infinity) {
                continue;  // nothing seen yet
            }
            const bool first = m_old == -infinity;  // nothing is there to be rescaled
            const double of_o = first ? (model.rescales_o_late ? 0.0 : 1.0) : model.rescale_o(m_old, m);
            const double of_l = first ? (model.rescales_l_late ? 0.0 : 1.0) : model.rescale_l(m_old, m);
            for (double& weight : acc) {
                weight *= model.rescales_o_late ? 1.0 : of_o;
            }
            l *= model.rescales_l_late ? 1.0 : of_l;
            for (const auto& [j, s] : scores) {
                acc[static_cast<std::size_t>(j)] += model.weight(s, m);
                l += model.weight(s, m);
            }
            for (double& weight : acc) {
                weight *= model.rescales_o_late ? of_o : 1.0;
            }
            l *= model.rescales_l_late ? of_l : 1.0;
        }
        for (std::int64_t j = 0; j < problem.seqlen_k; ++j) {
            const double weight = acc[static_cast<std::size_t>(j)];
            result.weight.push_back(l == 0.0 ? 0.0 : model.normalise(weight, l));
        }
        result.lse.push_back(l == 0.0 ? -infinity : model.lse(m, l));
    }
    return result;
}

bool same_weights(const Weights& a, const Weights& b) {
    return std::equal(a.weight.begin(), a.weight.end(), b.weight.begin(), b.weight.end(), same_weight) &&
           std::equal(a.lse.begin(), a.lse.end(), b.lse.begin(), b.lse.end(), same_lse);
}

void hold_weights(const Weights& seen, const Problem& problem, const Inputs& inputs, std::span<const Mistake> mistakes,
                  std::int64_t block_n) {
    const Weights right = run_model(right_model(problem), problem, inputs);
    if (same_weights(seen, right)) {
        return;
    }
    const std::vector<std::int64_t> rows = rows_that_differ(seen, right);
    const auto lse_differs = [&](std::int64_t i) {
        return !same_lse(seen.lse[static_cast<std::size_t>(i)], right.lse[static_cast<std::size_t>(i)]);
    };
    std::vector<std::int64_t> lse_rows;
    for (std::int64_t i = 0; i < right.queries; ++i) {
        if (lse_differs(i)) {
            lse_rows.push_back(i);
        }
    }
    const Finding unnamed = rows.empty() ? unnamed_lse(seen, right, problem, std::ssize(lse_rows), lse_rows.front())
                                         : unnamed_weights(seen, right, problem, rows, block_n);
    for (const Mistake& mistake : mistakes) {
        if (same_weights(seen, run_model(mistake.model, problem, inputs))) {
            Finding finding{mistake.id, mistake.what, mistake.evidence};
            finding.evidence.push_back(unnamed.evidence.front());
            finding.evidence.push_back(shape_text(problem));
            throw finding;
        }
    }
    throw unnamed;
}

}  // namespace flashlens::practice
