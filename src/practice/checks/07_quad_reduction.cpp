#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "practice/checks/checks.h"
#include "practice/passing.h"
#include "practice/rows.h"
#include "practice/weights.h"

namespace flashlens::practice {
namespace {

using Index = std::int64_t;

// 32 experiments in one launch, one in each half of each warp's 16 rows: experiment x gives lane x something that no other
// lane has, and all 32 lanes show whether it came to them. Lane 4g + t has row g there, and keys 2t, 2t + 1 of every 8.
constexpr Index lanes = 32;
constexpr Index seqlen = 64;  // of keys
constexpr double far_below = -1000.0;
constexpr double far_above = 200.0;  // exp(-200) is 0 in fp32

Index row_of(Index experiment, Index lane) {
    return experiment * 8 + lane / 4;
}
Index experiment_of(Index row) {
    return row / 8;
}
Index lane_of(Index row, Index key) {
    return row % 8 * 4 + key % 8 / 2;
}
Index first_key(Index lane) {
    return lane % 4 * 2;
}
Index quad_of(Index lane) {
    return lane / 4;
}

using Logit = std::function<double(Index row, Index key)>;

/// With unit vectors for rows of K any S can be had: a query's elements are its scores.
Weights see(Attempt& attempt, const Problem& problem, const Logit& logit) {
    Inputs inputs = inputs_of(
        problem, [](Index) { return 0.0; }, [](Index) { return 0.0; });
    for (Index j = 0; j < problem.seqlen_k; ++j) {
        inputs.k[at_k(problem, 0, j, 0, j)] = round_to(1.0, problem.dtype);
        for (Index i = 0; i < problem.seqlen_q; ++i) {
            inputs.q[at_q(problem, 0, i, 0, j)] = round_to(logit(i, j) / problem.scale, problem.dtype);
        }
    }
    return see_weights(attempt, problem, inputs);
}

/// How often each lane's value comes into each lane's result: [into][from].
using Taken = std::array<std::array<double, lanes>, lanes>;

/// Each lane has one key, of logit 0, but for the experiment's lane: its key has a logit so much larger that, under a
/// maximum which takes that in, exp makes 0 of the others'.
Taken taken_by_maximum(Attempt& attempt, const Problem& problem) {
    const Weights seen = see(attempt, problem, [](Index i, Index j) {
        const Index lane = lane_of(i, j);
        return j != first_key(lane) ? far_below : lane == experiment_of(i) ? far_above : 0.0;
    });
    for (Index x = 0; x < lanes; ++x) {
        const Index row = row_of(x, x);
        const double lse = seen.lse[static_cast<std::size_t>(row)];
        if (!(seen.at(row, first_key(x)) > 0.0) && !(lse < far_above)) {
            throw Finding{
                "max-too-small",
                both({"my_quad_max gives less than the largest of the four values: exp(s - m) overflows for the key "
                      "that has the largest score. Does a lane lose its own value, or take the smaller of two?",
                      "my_quad_max 得到的比四个值中最大的还小：对 score 最大的那个 key，exp(s - m) 会溢出。是不是某个 "
                      "lane 丢了自己的值，或者在两个里取了小的？"}),
                {both({"row {}: lane {} has a logit of {}, all others of its quad have 0; the weight of that key is "
                       "{}, and should be 1",
                       "第 {} 行：lane {} 有一个 logit 是 {}，quad 中其余的都是 0；该 key 的权重是 {}，应为 1"},
                      row, x, far_above, seen.at(row, first_key(x))),
                 shape_text(problem)}};
        }
    }
    Taken taken{};
    for (Index into = 0; into < lanes; ++into) {
        for (Index from = 0; from < lanes; ++from) {
            const bool own_weight = seen.at(row_of(from, into), first_key(into)) > 0.0;
            taken[into][from] = into == from || !own_weight ? 1.0 : 0.0;
        }
    }
    return taken;
}

struct Sums {
    std::array<std::array<double, lanes>, lanes> sum{};  ///< [lane][experiment]: what its weights were divided by
    Taken taken{};
    bool linear = true;
    bool maxima = true;  ///< it is 8 where the 8 came to the lane, and 1 where it did not
};

/// Every key that weighs anything has logit 0: one in each lane, eight in the experiment's lane. 1 / O is the row's sum.
Sums taken_by_sum(Attempt& attempt, const Problem& problem) {
    const Weights seen = see(attempt, problem, [](Index i, Index j) {
        const Index lane = lane_of(i, j);
        return j == first_key(lane) || (lane == experiment_of(i) && j < 32) ? 0.0 : far_below;
    });
    const auto near = [](double a, double b) { return std::fabs(a - b) < 0.2; };
    Sums sums;
    for (Index lane = 0; lane < lanes; ++lane) {
        double all = 0.0;
        Index eights = 0;
        for (Index x = 0; x < lanes; ++x) {
            sums.sum[lane][x] = 1.0 / seen.at(row_of(x, lane), first_key(lane));
            all += sums.sum[lane][x];
            eights += near(sums.sum[lane][x], 8.0) ? 1 : 0;
            sums.maxima = sums.maxima && (near(sums.sum[lane][x], 8.0) || near(sums.sum[lane][x], 1.0));
        }
        sums.maxima = sums.maxima && eights > 1;
        // Over the experiments, each value that comes in is 1 in all but one of them, and 8 in that.
        const double base = all / (lanes + 7);
        double values = 0.0;
        for (Index x = 0; x < lanes; ++x) {
            const double times = (sums.sum[lane][x] - base) / 7.0;
            sums.taken[lane][x] = std::round(times);
            values += sums.taken[lane][x];
            sums.linear = sums.linear && std::isfinite(times) && std::fabs(times - std::round(times)) < 0.15;
        }
        sums.linear = sums.linear && values > 0.0 && near(base, values);
    }
    return sums;
}

/// What is wrong with whose values come into a lane's result.
struct Quad {
    Index lane = -1;  ///< the first lane of which it is not right; -1: all are
    std::vector<Index> in, missing, others, repeated;
    std::array<double, 4> often{};  ///< how often each lane of the quad comes in
    bool alone = true;              ///< every lane has its own value, once, and nothing else
    double times = 0.0;             ///< more than 0: every lane of every quad comes in that often
};

Quad judged(const Taken& taken) {
    Quad found;
    found.times = taken[0][0];
    for (Index into = 0; into < lanes; ++into) {
        Quad here;
        for (Index from = 0; from < lanes; ++from) {
            const double times = taken[into][from];
            const bool mate = quad_of(into) == quad_of(from);
            found.alone = found.alone && (times == (into == from ? 1.0 : 0.0));
            found.times = times == (mate ? found.times : 0.0) ? found.times : 0.0;
            if (mate) {
                here.often[from % 4] = times;
            }
            if (times > 0.0) {
                here.in.push_back(from);
            }
            if (mate && times == 0.0) {
                here.missing.push_back(from);
            }
            if (!mate && times > 0.0) {
                here.others.push_back(from);
            }
            if (mate && times > 1.0) {
                here.repeated.push_back(from);
            }
        }
        if (found.lane < 0 && !(here.missing.empty() && here.others.empty() && here.repeated.empty())) {
            found.lane = into;
            found.in = here.in;
            found.missing = here.missing;
            found.others = here.others;
            found.repeated = here.repeated;
            found.often = here.often;
        }
    }
    return found;
}

/// "keys 2 to 3": the columns of these lanes in a tile of 8 keys.
Message columns_of(const std::vector<Index>& of) {
    std::vector<Index> keys;
    keys.reserve(2 * of.size());
    for (const Index lane : of) {
        keys.push_back(first_key(lane));
        keys.push_back(first_key(lane) + 1);
    }
    std::sort(keys.begin(), keys.end());
    return keys_text(keys);
}

Message rows_of(const std::vector<Index>& of) {
    std::vector<Index> rows;
    rows.reserve(of.size());
    for (const Index lane : of) {
        rows.push_back(quad_of(lane));
    }
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows_text(rows);
}

Message in_text(const Quad& quad) {
    return both({"lane {} (row {}, keys {} and {} of every 8) ends up with the values of {}; it has to be {}",
                 "lane {}（第 {} 行，每 8 个 key 中的第 {}、{} 个）最后得到的是 {} 的值；应为 {}"},
                quad.lane, quad_of(quad.lane), first_key(quad.lane), first_key(quad.lane) + 1, lanes_text(quad.in),
                lanes_text({quad.lane / 4 * 4, quad.lane / 4 * 4 + 1, quad.lane / 4 * 4 + 2, quad.lane / 4 * 4 + 3}));
}

/// What is the same of the maximum and of the sum; `id` begins with which.
void hold_quad(const Quad& quad, const std::string& id, const Message& function, const Problem& problem) {
    if (quad.lane < 0) {
        return;
    }
    const std::vector<Message> evidence{in_text(quad), shape_text(problem)};
    if (quad.alone) {
        throw Finding{id + "-of-own-columns",
                      both({"{} gives each lane back its own value: of every 8 keys, lane {} knows keys {} and {} "
                            "only. The other three lanes of the quad have the rest of the row.",
                            "{} 把每个 lane 自己的值原样还给它：每 8 个 key 中，lane {} 只知道第 {}、{} "
                            "个。这一行的其余部分在 quad 的另外三个 lane 手里。"},
                           function, quad.lane, first_key(quad.lane), first_key(quad.lane) + 1),
                      evidence};
    }
    if (!quad.others.empty()) {
        throw Finding{id + "-of-other-rows",
                      both({"{} mixes rows: the result of lane {}, which has row {}, takes in {} ({}). The lanes of a "
                            "row differ in the last two bits of their number: only masks 1, 2 and 3 stay among them.",
                            "{} 把不同的行混在了一起：lane {} 持有第 {} 行，结果里却混进了 {}（{}）。同一行的 lane "
                            "只在编号的最低两位上不同：只有 mask 1、2、3 不会走出这一行。"},
                           function, quad.lane, quad_of(quad.lane), lanes_text(quad.others), rows_of(quad.others)),
                      evidence};
    }
    if (quad.lane % 4 != 0) {
        throw Finding{id + "-not-in-all-lanes",
                      both({"{} gives lane {} of a quad what is right, but not lane {}. All four lanes go on with the "
                            "result, each for its own columns: all of them need it.",
                            "{} 让 quad 的 lane {} 得到了正确的结果，lane {} 却没有。四个 lane "
                            "都要用这个结果处理自己的列：每个都需要它。"},
                           function, quad.lane / 4 * 4, quad.lane),
                      evidence};
    }
    if (std::find(quad.missing.begin(), quad.missing.end(), quad.lane) != quad.missing.end()) {
        throw Finding{
            id + "-own-value-lost",
            both({"{} loses what a lane itself has: the result of lane {} lacks {}. A shuffle brings the other "
                  "lane's value; the lane's own has to go in, too.",
                  "{} 丢了 lane 自己的值：lane {} 的结果里缺了 {}。shuffle "
                  "带来的是另一个 lane 的值；自己的也要算进去。"},
                 function, quad.lane, lanes_text(quad.missing)),
            evidence};
    }
    if (!quad.missing.empty()) {
        throw Finding{id + "-lanes-missing",
                      both({"{} leaves lanes out: the result of lane {} lacks {}, that is {} of every 8. A shuffle "
                            "asks one other lane; the second one has to pass on what the first one made.",
                            "{} 漏了 lane：lane {} 的结果里缺了 {}，即每 8 个 key 中的 {}。一次 shuffle 只问另一个 "
                            "lane；第二次要传的是第一次得到的结果。"},
                           function, quad.lane, lanes_text(quad.missing), columns_of(quad.missing)),
                      evidence};
    }
    const std::vector<Message> how_often{
        both({"lane {}: the four lanes of its quad come in {}, {}, {} and {} times; it has to be once each",
              "lane {}：它的 quad 的四个 lane 分别计入 {}、{}、{}、{} 次；应各为一次"},
             quad.lane, quad.often[0], quad.often[1], quad.often[2], quad.often[3]),
        shape_text(problem)};
    if (quad.times > 1.0) {
        throw Finding{id + "-repeated",
                      both({"{} gives {} times the right sum: every lane of the quad is added {} times.",
                            "{} 得到的是正确值的 {} 倍：quad 的每个 lane 都被加了 {} 次。"},
                           function, quad.times, quad.times),
                      how_often};
    }
    throw Finding{id + "-counts-twice",
                  both({"{} adds lanes more than once: the result of lane {} has {} too often.",
                        "{} 把有的 lane 加了不止一次：lane {} 的结果里，{} 加多了。"},
                       function, quad.lane, lanes_text(quad.repeated)),
                  how_often};
}

void hold_maximum(Attempt& attempt, const Problem& problem) {
    hold_quad(judged(taken_by_maximum(attempt, problem)), "max", both({"my_quad_max", "my_quad_max"}), problem);
    const double level = 100.0;
    const Weights flat = see(attempt, problem, [&](Index, Index) { return level; });
    const auto one_in_64 = [](double weight) { return std::fabs(weight * seqlen - 1.0) < 0.01; };
    const auto nothing = [](double weight) { return !(weight > 0.0); };
    if (std::all_of(flat.weight.begin(), flat.weight.end(), nothing)) {
        throw Finding{
            "max-is-a-sum",
            both({"my_quad_max adds up: where all scores are the same, m is larger than any of them, and every exp(s - "
                  "m) is 0. It has to take the largest.",
                  "my_quad_max 做的是加法：所有 score 都相同时，m 比每一个都大，exp(s - m) 全是 0。应取最大的一个。"}),
            {both({"all logits are {}: every weight in O should be 1/64, and none is above 0",
                   "所有 logit 都是 {}：O 中每个权重应为 1/64，却没有一个大于 0"},
                  level),
             shape_text(problem)}};
    }
    // (Its sum may still be wrong: then it is wrong for all keys alike.)
    const double first = flat.weight.front();
    if (!one_in_64(first) && !std::all_of(flat.weight.begin(), flat.weight.end(), [&](double weight) {
            return weight == first || std::fabs(weight - first) <= 0.01 * std::fabs(first);
        })) {
        throw Finding{
            "max-wrong",
            both({"my_quad_max does not give all lanes of a row the same maximum.",
                  "my_quad_max 没有让同一行的各个 lane 得到相同的最大值。"}),
            {both({"all logits are {}: every weight in O should be 1/64; those of row 0 begin {:.3g}, {:.3g}, {:.3g}",
                   "所有 logit 都是 {}：O 中每个权重应为 1/64；第 0 行开头的是 {:.3g}、{:.3g}、{:.3g}"},
                  level, flat.at(0, 0), flat.at(0, 2), flat.at(0, 4)),
             shape_text(problem)}};
    }
}

void hold_sum(Attempt& attempt, const Problem& problem) {
    const Sums sums = taken_by_sum(attempt, problem);
    if (sums.maxima) {
        throw Finding{"sum-is-a-maximum",
                      both({"my_quad_sum gives the largest of the lanes' sums, not what they add up to.",
                            "my_quad_sum 得到的是各 lane 的和中最大的一个，而不是它们的总和。"}),
                      {both({"row 0: its four lanes have the sums 8, 1, 1 and 1; O was divided by {:.3g}, not by 11",
                             "第 0 行：四个 lane 的和是 8、1、1、1；O 却除以了 {:.3g}，而不是 11"},
                            sums.sum[0][0]),
                       shape_text(problem)}};
    }
    if (!sums.linear) {
        throw Finding{
            "sum-wrong",
            both({"my_quad_sum does not add up the lanes of a quad.", "my_quad_sum 得到的不是 quad 中各 lane 之和。"}),
            {both({"row 0: its four lanes have the sums 8, 1, 1 and 1; O was divided by {:.3g}, {:.3g}, {:.3g} and "
                   "{:.3g} in them, and has to be by 11",
                   "第 0 行：四个 lane 的和是 8、1、1、1；它们除 O 时分别用了 {:.3g}、{:.3g}、{:.3g}、{:.3g}，应为 11"},
                  sums.sum[0][0], sums.sum[1][0], sums.sum[2][0], sums.sum[3][0]),
             shape_text(problem)}};
    }
    hold_quad(judged(sums.taken), "sum", both({"my_quad_sum", "my_quad_sum"}), problem);
}

/// Two for each of a warp's 16-row halves: for each key block in the maximum, once in the sum.
void hold_two_shuffles(Attempt& attempt) {
    const Problem problem = one_head(64, 192, false);
    const Output output = attempt.run(problem, random_inputs(problem));
    if (!output.report) {
        return;
    }
    const std::uint64_t of_max = output.report->step("softmax_rescale_o").shuffles / (4 * 2 * 3);
    const std::uint64_t of_sum = output.report->step("epilogue").shuffles / (4 * 2);
    if (of_max > 2 || of_sum > 2) {
        throw Finding{"too-many-shuffles",
                      both({"It is right, but it takes more than two shuffles. After the first one each lane knows two "
                            "lanes' values, so that the second one can bring two more at once.",
                            "结果正确，但用了不止两次 shuffle。第一次之后，每个 lane 已经知道两个 lane "
                            "的值，所以第二次可以一下子再带来两个。"}),
                      {both({"shuffles counted for one call: {} in my_quad_max, {} in my_quad_sum",
                             "数出每次调用的 shuffle：my_quad_max {} 次，my_quad_sum {} 次"},
                            of_max, of_sum),
                       shape_text(problem)}};
    }
    attempt.held(both({"two shuffles each, counted by the CPU machine", "各用两次 shuffle，由 CPU 模拟机数出"}));
}

}  // namespace

void check_quad_reduction(Attempt& attempt) {
    const Problem problem = one_head(lanes * 8, seqlen, false);
    hold_maximum(attempt, problem);
    attempt.held(both({"my_quad_max: each of 32 lanes has the maximum of its quad, and of nobody else",
                       "my_quad_max：32 个 lane 各自得到自己 quad 的最大值，没有混入别人的"}));
    hold_sum(attempt, problem);
    attempt.held(both({"my_quad_sum: each of 32 lanes has the sum of its quad, every lane once",
                       "my_quad_sum：32 个 lane 各自得到自己 quad 的和，每个 lane 只加一次"}));
    hold_two_shuffles(attempt);
    hold_error_check(attempt, usual_problems());
}

}  // namespace flashlens::practice
