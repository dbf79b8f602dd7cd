#include <algorithm>
#include <cmath>
#include <limits>

#include "practice/checks/checks.h"
#include "practice/laboratory.h"
#include "practice/rows.h"

namespace flashlens::practice {
namespace {

using Experiment = exercise::SplitsMergeNothing;

/// What a kernel that splits keys leaves with one split, changed in some way for some numbers of splits.
Kernel doctored(const Kernel& base, const std::function<void(int splits, Outputs&)>& change) {
    return [base, change](int splits) {
        Outputs outputs = base(1);
        change(splits, outputs);
        return outputs;
    };
}

/// Every word becomes another one, with each number of splits.
void change_words(int splits, std::vector<std::uint16_t>& words) {
    for (std::uint16_t& word : words) {
        word = static_cast<std::uint16_t>(word ^ (splits << 4));
    }
}

/// One word of O differs with 2 splits and more.
Kernel one_word(const Kernel& base, std::size_t index) {
    return doctored(base, [index](int splits, Outputs& outputs) {
        if (splits > 1) {
            outputs.o[index] ^= 0x0200U;
        }
    });
}
Kernel one_lse(const Kernel& base, std::size_t index) {
    return doctored(base, [index](int splits, Outputs& outputs) {
        if (splits > 1) {
            outputs.lse[index] += 1.0F;
        }
    });
}

/// Every element differs, for every number of splits.
void hold_that_it_can_fail(Experiment* experiment, const Kernel& base, const Inputs& inputs) {
    const Kernel all_differs = doctored(base, [](int splits, Outputs& outputs) {
        change_words(splits, outputs.o);
        std::for_each(outputs.lse.begin(), outputs.lse.end(), [&](float& lse) { lse += splits; });
    });
    const Said said = ask(experiment, all_differs);
    const auto one_number_only = [](const std::vector<int>& ran) {
        return std::all_of(ran.begin(), ran.end(), [&](int splits) { return splits == ran.front(); });
    };
    if (!said.same && one_number_only(said.ran)) {
        throw Finding{
            "different-anyway",
            both({"It says that outputs differ before it has two numbers of splits to compare: it would say so of any "
                  "kernel.",
                  "还没有两个 split 数可比，它就说输出不同：对任何 kernel 它都会这么说。"}),
            {both({"you {}, and say that something differs", "你{}，然后说有差别"}, ran_text(said.ran))}};
    }
    if (!said.same) {
        return;
    }
    const std::vector<Message> evidence{
        both({"a kernel with which O and lse differ in every element, for every number of splits: you {}, and say that "
              "nothing differs",
              "一个 O 和 lse 的每个元素都随 split 数而变的 kernel：你{}，然后说没有差别"},
             ran_text(said.ran))};
    if (one_number_only(said.ran)) {
        throw Finding{"nothing-compared",
                      both({"A proof that cannot fail proves nothing: no two runs with different numbers of splits are "
                            "compared.",
                            "不可能失败的证明什么也证明不了：没有拿不同 split 数的两次运行来比较。"}),
                      evidence};
    }
    if (!ask(experiment, v1_kernel(inputs)).same) {
        throw Finding{"upside-down",
                      both({"The answer is upside down: true means that all outputs are the same.",
                            "答案反了：true 表示所有输出都相同。"}),
                      {evidence.front(), both({"of the real v1, where nothing differs, you say that something does",
                                               "对真正的 v1，明明没有差别，你却说有"})}};
    }
    throw Finding{"differences-unseen",
                  both({"A proof that cannot fail proves nothing: runs are made, and yet no difference is seen.",
                        "不可能失败的证明什么也证明不了：跑是跑了，却看不到任何差别。"}),
                  evidence};
}

void hold_all_is_compared(Experiment* experiment, const Kernel& base) {
    const Said of_lse = ask(experiment, doctored(base, [](int splits, Outputs& outputs) {
                                for (float& lse : outputs.lse) {
                                    lse += splits;
                                }
                            }));
    if (of_lse.same) {
        throw Finding{
            "lse-not-compared",
            both({"lse is not compared. O alone may come out the same: lse is what a merge weighs the parts by.",
                  "没有比较 lse。只看 O 可能看不出来：合并正是靠 lse 给各部分加权的。"}),
            {both({"a kernel with which O is the same each time, and every lse differs: you say that nothing does",
                   "一个 O 每次都相同、lse 全都不同的 kernel：你说没有差别"})}};
    }
    const Said of_o =
        ask(experiment, doctored(base, [](int splits, Outputs& outputs) { change_words(splits, outputs.o); }));
    if (of_o.same) {
        throw Finding{
            "o-not-compared",
            both({"O is not compared, only lse.", "没有比较 O，只比较了 lse。"}),
            {both({"a kernel with which lse is the same each time, and every element of O differs: you say that "
                   "nothing does",
                   "一个 lse 每次都相同、O 的每个元素都不同的 kernel：你说没有差别"})}};
    }
}

/// With only one number of splits something comes out differently.
void hold_all_are_tried(Experiment* experiment, const Kernel& base) {
    constexpr int tiles = 6;  // of each head
    for (const int odd : {2, most_splits, 5, 1, 17, 29, 16}) {
        const Said said = ask(experiment, doctored(base, [odd](int splits, Outputs& outputs) {
                                  if (splits == odd) {
                                      change_words(splits, outputs.o);
                                  }
                              }));
        if (!said.same) {
            continue;
        }
        std::vector<Message> evidence{
            both({"a kernel of which O is another one with num_splits {} alone: you {}, and say that nothing differs",
                  "一个只有 num_splits {} 时 O 才不同的 kernel：你{}，然后说没有差别"},
                 odd, ran_text(said.ran))};
        if (std::find(said.ran.begin(), said.ran.end(), odd) != said.ran.end()) {
            throw Finding{"run-not-compared",
                          both({"It is run with num_splits {}, but what comes out is not compared with the others'.",
                                "用 num_splits {} 跑过，但它的输出没有和别的比较。"},
                               odd),
                          evidence};
        }
        if (odd > tiles) {
            evidence.push_back(both({"a head has {} query tiles here: with more splits than that, some CTAs have none",
                                     "这里一个 head 有 {} 个 query tile：split 比它多，有的 CTA 就分不到 tile"},
                                    tiles));
        } else if (tiles % odd != 0) {
            evidence.push_back(both({"a head has {} query tiles here: {} CTAs do not get equally many",
                                     "这里一个 head 有 {} 个 query tile：{} 个 CTA 分不均匀"},
                                    tiles, odd));
        }
        throw Finding{"splits-not-tried",
                      both({"num_splits {} is never tried. What some numbers show says nothing of the others.",
                            "从来没有试过 num_splits {}。试过几个数，说明不了其余的。"},
                           odd),
                      evidence};
    }
}

/// Only the last row of the last head differs; and of what sees it not, why.
void hold_to_the_end(Experiment* experiment, const Kernel& base) {
    const Problem p = laboratory_problem();
    const auto size = static_cast<std::size_t>(p.heads * p.seqlen_q);
    const auto throw_if_unseen = [&](const std::string& name, std::size_t elements, std::size_t element_bytes,
                                     const std::function<Kernel(std::size_t)>& kernel_of) {
        const auto is_seen = [&](std::size_t index) { return !ask(experiment, kernel_of(index)).same; };
        if (is_seen(elements - 1)) {
            return;
        }
        const std::vector<Message> evidence{
            both({"a kernel with which only the last of {} elements of {} differs, in row {} of head {}: you say that "
                  "nothing does",
                  "一个只有 {1} 的最后一个元素（共 {0} 个，第 {2} 行、head {3}）不同的 kernel：你说没有差别"},
                 elements, name, p.seqlen_q - 1, p.heads - 1)};
        const std::size_t in_bytes = elements / element_bytes;
        if (is_seen(in_bytes - 1) && !is_seen(in_bytes)) {
            throw Finding{
                "bytes-not-elements",
                both({"Only the first {} of {} elements of {} are compared: memcmp counts bytes, and an element "
                      "has {}.",
                      "{2} 的 {1} 个元素里只比较了前 {0} 个：memcmp 按字节计，而一个元素有 {3} 字节。"},
                     in_bytes, elements, name, element_bytes),
                evidence};
        }
        throw Finding{"part-not-compared", both({"{} is not compared to its end.", "{} 没有比较到最后。"}, name),
                      evidence};
    };
    throw_if_unseen("O", size * static_cast<std::size_t>(p.head_dim), sizeof(std::uint16_t),
                    [&](std::size_t index) { return one_word(base, index); });
    throw_if_unseen("lse", size, sizeof(float), [&](std::size_t index) { return one_lse(base, index); });
}

/// The first number of splits with which the kernel leaves another O (or lse) than with one, and how much of it differs.
template <class Element>
Message first_difference(const Kernel& kernel, std::vector<Element> Outputs::*part) {
    const std::vector<Element> one = kernel(1).*part;
    for (int splits = 2; splits <= most_splits; ++splits) {
        const std::vector<Element> many = kernel(splits).*part;
        std::size_t differ = 0;
        for (std::size_t i = 0; i < one.size(); ++i) {
            differ += one[i] == many[i] ? 0U : 1U;
        }
        if (differ > 0) {
            return both({"with {} splits {} of {} elements differ, in their last bits",
                         "{} 个 split 时，{} 个元素（共 {} 个）的末几位不同"},
                        splits, differ, one.size());
        }
    }
    return {};
}

/// Keys are split and merged, as well as fp32 allows it.
void hold_to_the_bit(Experiment* experiment, const Kernel& base) {
    const Message why = both(
        {"A merge that is done right differs in the last bits only. That is what there is to be found: two orders of "
         "additions round differently.",
         "合并做得对的话，只有末几位不同。要找的正是这个：相加的次序不同，舍入就不同。"});
    const Kernel of_o = [base](int splits) { return Outputs{base(splits).o, base(1).lse}; };
    if (ask(experiment, of_o).same) {
        throw Finding{"tolerance-in-o",
                      both({"O is compared with a tolerance, or only here and there. {}",
                            "比较 O 时带了误差范围，或者只抽查了几处。{}"},
                           why),
                      {both({"a kernel whose splits are of the keys: {}", "一个按 key 切分的 kernel：{}"},
                            first_difference(of_o, &Outputs::o))}};
    }
    const Kernel of_lse = [base](int splits) { return Outputs{base(1).o, base(splits).lse}; };
    if (ask(experiment, of_lse).same) {
        throw Finding{"tolerance-in-lse",
                      both({"lse is compared with a tolerance, or only here and there. {}",
                            "比较 lse 时带了误差范围，或者只抽查了几处。{}"},
                           why),
                      {both({"a kernel whose splits are of the keys: {}", "一个按 key 切分的 kernel：{}"},
                            first_difference(of_lse, &Outputs::lse))}};
    }
    const Kernel of_nan = doctored(base, [](int splits, Outputs& outputs) {
        if (splits > 1) {
            outputs.lse.back() = std::numeric_limits<float>::quiet_NaN();
        }
    });
    if (ask(experiment, of_nan).same) {
        throw Finding{
            "nan-unseen",
            both({"A NaN beside a number is not seen as a difference: comparisons with NaN, > as well as <, are "
                  "false. Compare bits.",
                  "一边是 NaN、一边是数，却没有看作差别：与 NaN 的比较，不论 > 还是 <，都是 false。请按位比较。"}),
            {both({"a kernel whose last lse is a number with 1 split, and NaN with more: you say that nothing differs",
                   "一个最后的 lse 在 1 个 split 时是数、更多时是 NaN 的 kernel：你说没有差别"})}};
    }
}

}  // namespace

void check_splits_merge_nothing(Attempt& attempt) {
    auto* experiment = attempt.function<Experiment>();
    const Problem problem = laboratory_problem();
    Inputs inputs = random_inputs(problem);
    const Kernel base = key_splitting_kernel();

    hold_that_it_can_fail(experiment, base, inputs);
    hold_all_is_compared(experiment, base);
    attempt.held(
        both({"it can fail: differences in O, and in lse, are seen", "它可能失败：O 的差别、lse 的差别都看得到"}));
    hold_all_are_tried(experiment, base);
    attempt.held(both({"all numbers of splits, 1 to {}, are tried", "1 到 {} 的 split 数都试了"}, most_splits));
    hold_to_the_end(experiment, base);
    hold_to_the_bit(experiment, base);
    attempt.held(
        both({"a difference in one element, and one in the last bit", "只差一个元素、只差最后一位，都看得到"}));

    if (!ask(experiment, v1_kernel(inputs)).same) {
        throw Finding{
            "same-called-different",
            both({"Of the real v1 it says that outputs differ, and they don't: what it compares is not, or not "
                  "only, O and lse.",
                  "对真正的 v1，它说输出不同，其实相同：它比较的不是（或不只是）O 和 lse。"}),
            {both({"v1 with 1 to {} splits: no word of O and no lse differs",
                   "v1，1 到 {} 个 split：O 没有一个字不同，lse 也没有一个不同"},
                  most_splits),
             shape_text(problem)}};
    }
    const std::int64_t row = 37;
    inputs.q[at_q(problem, 0, row, 1, 0)] = round_to(std::numeric_limits<double>::quiet_NaN(), problem.dtype);
    if (!ask(experiment, v1_kernel(inputs)).same) {
        throw Finding{
            "nan-is-not-equal",
            both({"Where lse is NaN it sees a difference between equal bits: NaN == NaN is false. Compare bits, "
                  "not floats.",
                  "lse 是 NaN 的地方，位完全相同，它却看成不同：NaN == NaN 是 false。请比较位，不要比较浮点数。"}),
            {both({"v1 with a NaN in {} of Q, head 1: its lse is NaN, the same bits for 1 to {} splits",
                   "v1，Q 的{}（head 1）中有一个 NaN：这一行的 lse 是 NaN，1 到 {} 个 split 每一位都相同"},
                  rows_text({row}), most_splits),
             shape_text(problem)}};
    }
    attempt.held(both({"the real v1, with 1 to {} splits: nothing differs, not with a NaN in Q either",
                       "真正的 v1，1 到 {} 个 split：没有任何差别，Q 里有 NaN 时也没有"},
                      most_splits));
}

}  // namespace flashlens::practice
