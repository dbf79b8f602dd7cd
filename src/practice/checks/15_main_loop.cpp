#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "practice/checks/15_main_loop_order.h"
#include "practice/checks/checks.h"
#include "practice/overlap.h"
#include "practice/passing.h"
#include "practice/rows.h"
#include "practice/softmax_model.h"
#include "practice/weights.h"

namespace flashlens::practice {
namespace {

using main_loop::block;
using main_loop::blocks_of;
using main_loop::renamed;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// O and lse of a kernel whose S is not right, in fp64: row by row, key block by key block from the last one; `score` may
/// look at the P of the block before (64 of them).
template <class Score>
Weights weights_with(const Problem& problem, const Score& score) {
    Weights result{problem.seqlen_q, problem.seqlen_k, {}, {}};
    result.weight.resize(static_cast<std::size_t>(result.queries * result.keys));
    for (std::int64_t i = 0; i < problem.seqlen_q; ++i) {
        const auto first = result.weight.begin() + i * result.keys;
        std::array<double, block> p_before{};
        double m = -infinity;
        double l = 0.0;
        for (std::int64_t n = blocks_of(problem.seqlen_k) - 1; n >= 0; --n) {
            std::array<double, block> s{};
            const double m_old = m;
            for (std::int64_t j = 0; j < block; ++j) {
                s[static_cast<std::size_t>(j)] = score(i, n * block + j, p_before[static_cast<std::size_t>(j)]);
                m = std::max(m, s[static_cast<std::size_t>(j)]);
            }
            const double rescale = std::exp(m_old - m);
            l *= rescale;
            std::for_each(first, first + result.keys, [&](double& weight) { weight *= rescale; });
            for (std::size_t j = 0; j < block; ++j) {
                p_before[j] = std::exp(s[j] - m);
                l += p_before[j];
                first[n * block + static_cast<std::int64_t>(j)] += p_before[j];
            }
        }
        std::for_each(first, first + result.keys, [&](double& weight) { weight /= l; });
        result.lse.push_back(m + std::log(l));
    }
    return result;
}

/// Of whole key blocks without a mask.
void hold_s_of_each_block(const Weights& seen, const Problem& problem, const Inputs& inputs) {
    const Weights not_cleared = weights_with(problem, [&](std::int64_t i, std::int64_t j, double p_before) {
        return logit(problem, inputs, i, j) + problem.scale * p_before;
    });
    if (same_weights(seen, not_cleared)) {
        throw Finding{
            "s-not-cleared",
            both({"acc_s is not 0 when a key block begins: gemm_qk adds to what is there, which is P of the block "
                  "before.",
                  "key block 开始时 acc_s 不是 0：gemm_qk 会加到已有的值上，而那是前一个 block 的 P。"}),
            {shape_text(problem)}};
    }
    const std::int64_t last = (blocks_of(problem.seqlen_k) - 1) * block;
    const Weights behind = weights_with(problem, [&](std::int64_t i, std::int64_t j, double) {
        return logit(problem, inputs, i, j < last ? j + block : j);
    });
    if (same_weights(seen, behind)) {
        throw Finding{
            "k-one-block-behind",
            both({"K is one block behind V: V of each key block is weighted by the S of the block walked before "
                  "it. Either K of the next block sets out too late, or the loop counts in the other direction "
                  "and leaves out the wrong load.",
                  "K 比 V 晚了一个 block：每个 key block 的 V 都用了前一个走到的 block 的 S 作权重。"
                  "要么下一个 block 的 K 出发太晚，要么循环朝反方向计数，漏掉的装载不对。"}),
            {shape_text(problem)}};
    }
}

/// Key blocks of which no row has anything, though rows see them.
void hold_no_block_missing(const Weights& seen, const Problem& problem, const Inputs& inputs) {
    SoftmaxModel without = right_model(problem);
    std::vector<std::int64_t> missing;
    for (std::int64_t n = 0; n < blocks_of(problem.seqlen_k); ++n) {
        bool any = false;
        for (std::int64_t i = 0; i < problem.seqlen_q; ++i) {
            for (std::int64_t j = n * block; j < std::min(problem.seqlen_k, (n + 1) * block); ++j) {
                any |= seen.at(i, j) != 0.0;
            }
        }
        if (!any) {
            missing.push_back(n);
        }
    }
    without.sees = [missing, sees = without.sees](std::int64_t i, std::int64_t j) {
        return sees(i, j) && std::find(missing.begin(), missing.end(), j / block) == missing.end();
    };
    if (!missing.empty() && same_weights(seen, run_model(without, problem, inputs))) {
        std::vector<Message> evidence;
        evidence.reserve(missing.size() + 1);
        for (const std::int64_t n : missing) {
            evidence.push_back(both({"key block {}, keys {} to {}: no row has given it any weight",
                                     "key block {}，key {} 到 {}：没有任何一行给过它权重"},
                                    n, n * block, std::min(problem.seqlen_k, (n + 1) * block) - 1));
        }
        evidence.push_back(shape_text(problem));
        throw Finding{"key-blocks-missing",
                      both({"Some key blocks are never walked, {} of {}; all is as if they were not there. n goes from "
                            "key_blocks - 1 to 0, both included, one block a step.",
                            "{1} 个 key block 中有 {0} 个从未走到，结果就像它们不存在一样。n 从 key_blocks - 1 走到 "
                            "0，两端都包括，每步一个 block。"},
                           missing.size(), blocks_of(problem.seqlen_k)),
                      evidence};
    }
}

Mistake exponents_without_log2_e(const Problem& problem) {
    SoftmaxModel model = right_model(problem);
    model.weight = [](double s, double m) { return std::exp2(s - m); };
    model.rescale_o = model.rescale_l = [](double m_old, double m) { return std::exp2(m_old - m); };
    return {"scale-without-log2e",
            both({"The softmax is one to base 2: its exponents are to be in units of log2, p.scale * log2_e.",
                  "softmax 以 2 为底了：它的指数要以 log2 为单位，即 p.scale * log2_e。"}),
            model};
}

/// What masks get wrong.
std::vector<Mistake> mask_mistakes(const Problem& problem) {
    const SoftmaxModel right = right_model(problem);
    const auto walked = [problem](std::int64_t i) {  // key blocks, by the row's CTA
        const std::int64_t last_row = i / block * block + block - 1;
        const std::int64_t keys = problem.causal ? last_row + problem.diagonal() + 1 : problem.seqlen_k;
        return std::max<std::int64_t>(0, blocks_of(std::min(keys, problem.seqlen_k)));
    };
    const auto with = [&](const auto& sees) {
        SoftmaxModel model = right;
        model.sees = sees;
        return model;
    };
    std::vector<Mistake> mistakes{
        {"mask-not-causal",
         both({"Only keys past Sk are masked: the causal diagonal is not.",
               "只遮住了超出 Sk 的 key，没有遮 causal 对角线以外的。"}),
         with([walked, problem](std::int64_t i, std::int64_t j) {
             return j < problem.seqlen_k && j / block < walked(i);
         })},
        {"mask-of-block-0-only",
         both(
             {"Only key block 0 is masked as it has to be. Either the others are not: it is the last cta.masked_blocks "
              "that need it, n >= cta.key_blocks - cta.masked_blocks, and they come first. Or the first key that "
              "apply_mask is told is not n * T::block_n.",
              "只有 key block 0 的 mask 是对的。要么其余的没有做：需要 mask 的是最后 cta.masked_blocks 个，即 n >= "
              "cta.key_blocks - cta.masked_blocks，它们最先走到。要么传给 apply_mask 的第一个 key 不是 n * "
              "T::block_n。"}),
         with([walked, right](std::int64_t i, std::int64_t j) {
             return j / block < walked(i) && (j >= block || right.sees(i, j));
         })},
        {"mask-missing",
         problem.causal ? both({"Nothing is masked: a row counts all keys of the blocks that its CTA walks, and those "
                                "past Sk as if "
                                "their score were 0.",
                                "没有做 mask：一行把它的 CTA 走到的 block 里所有的 key 都算了进去，超出 Sk 的也当作 "
                                "score 为 0 算了。"})
                        : both({"The last key block is not masked: a row counts what lies past Sk as keys whose score "
                                "is 0. Without a causal mask, too, that block needs apply_mask.",
                                "最后一个 key block 没有做 mask：超出 Sk 的部分被当作 score 为 0 的 key 算了进去。没有 "
                                "causal mask 时，这个 block 也要 apply_mask。"}),
         with([walked](std::int64_t i, std::int64_t j) { return j / block < walked(i); })},
        {"order-reversed",
         both({"The mask counts key blocks from the first, the loads from the last: each block is masked as if it "
               "stood at the other end. kv loads the last block first, so n has to begin at key_blocks - 1.",
               "mask 从第一个 key block 数起，装载却从最后一个开始：每个 block 都被当作另一端的那个来遮。kv "
               "最先装载最后一个 block，所以 n 必须从 key_blocks - 1 开始。"}),
         with([walked, right](std::int64_t i, std::int64_t j) {
             const std::int64_t n = walked(i) - 1 - j / block;
             return n >= 0 && right.sees(i, n * block + j % block);
         })},
    };
    if (problem.causal) {
        mistakes.push_back(
            {"too-few-blocks-masked",
             both({"Only the last key block is masked, and the diagonal reaches into the one before: where Sq or Sk "
                   "is no multiple of 64 it does not run through the corners of the tiles. cta.masked_blocks says how "
                   "many need it.",
                   "只有最后一个 key block 做了 mask，而对角线还伸进了它前面那个：Sq 或 Sk 不是 64 的倍数时，"
                   "对角线不会正好穿过 tile 的角。cta.masked_blocks 说明有几个需要。"}),
             with([walked, right](std::int64_t i, std::int64_t j) {
                 return j / block < walked(i) - 1 || right.sees(i, j);
             })});
    }
    return mistakes;
}

/// The first key that a row has counted and does not see.
std::optional<Message> key_that_is_not_seen(const Weights& seen, const Problem& problem) {
    const SoftmaxModel right = right_model(problem);
    for (std::int64_t i = 0; i < seen.queries; ++i) {
        for (std::int64_t j = 0; j < seen.keys; ++j) {
            if (!right.sees(i, j) && seen.at(i, j) > 0.0) {
                return both({"row {} has counted key {} (weight {:.3g}); the last key it sees is {}",
                             "第 {} 行算进了 key {}（权重 {:.3g}）；它看得见的最后一个 key 是 {}"},
                            i, j, seen.at(i, j), i + problem.diagonal());
            }
        }
    }
    return std::nullopt;
}

/// K of the block before the last, loaded as if it ended where the last one does.
void hold_rows_of_k(const Weights& seen, const Problem& problem, const Inputs& inputs) {
    const std::int64_t last = (blocks_of(problem.seqlen_k) - 1) * block;
    if (problem.causal || last == 0 || problem.seqlen_k % block == 0) {
        return;
    }
    Inputs short_of = inputs;
    const std::int64_t first_missing = problem.seqlen_k - block;
    for (std::int64_t j = first_missing; j < last; ++j) {
        for (std::int64_t d = 0; d < problem.head_dim; ++d) {
            short_of.k[at_k(problem, 0, j, 0, d)] = round_to(0.0, problem.dtype);
        }
    }
    if (same_weights(seen, run_model(right_model(problem), problem, short_of))) {
        throw Finding{
            "k-rows-of-this-block",
            both({"The next K is loaded with the number of rows that this key block has: p.seqlen_k - n * T::block_n "
                  "is this block's, and the next one, n - 1, is always whole. Leave the number out.",
                  "装载下一个 K 时用了本 key block 的行数：p.seqlen_k - n * T::block_n 是本 block 的，而下一个，即 n - "
                  "1，总是完整的。省去这个数即可。"}),
            {both({"keys {} to {} have score 0 in every row", "key {} 到 {} 在每一行的 score 都是 0"}, first_missing,
                  last - 1),
             shape_text(problem)}};
    }
}

void hold_masked(const Weights& seen, const Problem& problem, const Inputs& inputs) {
    std::vector<Mistake> mistakes = mask_mistakes(problem);
    const bool broken = std::any_of(seen.weight.begin(), seen.weight.end(), [](double w) { return !std::isfinite(w); });
    for (Mistake& mistake : mistakes) {
        Weights made = run_model(mistake.model, problem, inputs);
        made.weight = seen.weight;
        if (broken && mistake.id == "mask-missing" && same_weights(seen, made)) {
            throw Finding{
                "mask-after-softmax",
                both({"The mask comes after the softmax: l has counted the keys that are masked, and P gets "
                      "-infinity where it should be 0. S is what is masked, before its maximum is looked for.",
                      "mask 做在 softmax 之后：l 已经算进了要遮的 key，而 P 在该为 0 的地方成了 -infinity。"
                      "要遮的是 S，在求最大值之前。"}),
                {shape_text(problem)}};
        }
        if (const std::optional<Message> key = key_that_is_not_seen(seen, problem)) {
            mistake.evidence.push_back(*key);
        } else if (problem.seqlen_k % block != 0) {
            mistake.evidence.push_back(
                both({"Sk {} ends within its last key block: {} of the block's 64 keys are not there",
                      "Sk {} 在最后一个 key block 中间结束：该 block 的 64 个 key 中有 {} 个不存在"},
                     problem.seqlen_k, block - problem.seqlen_k % block));
        }
    }
    hold_rows_of_k(seen, problem, inputs);
    hold_weights(seen, problem, inputs, mistakes);
}

void hold_first_block(Attempt& attempt) {
    const Problem problem = one_head(block, block, false);
    const Inputs inputs = rising_inputs(problem, 0.5);
    Weights seen;
    try {
        main_loop::hold_order_of_first_block(attempt, problem, inputs);
        seen = see_weights(attempt, problem, inputs);
    } catch (const Finding& finding) {
        if (finding.id != "out-of-bounds") {
            throw;
        }
        throw renamed(finding, "k-before-the-first",
                      both({"With one single key block something is copied from outside its tensor. There is no block "
                            "before block 0: K of a next block sets out only if n > 0.",
                            "只有一个 key block 时，从张量之外拷贝了数据。block 0 之前没有 block：只有 n > 0 时，"
                            "下一个 block 的 K 才出发。"}),
                      {shape_text(problem)});
    }
    if (std::all_of(seen.lse.begin(), seen.lse.end(), [](double lse) { return lse == -infinity; })) {  // on a GPU
        throw Finding{"no-loop",
                      both({"No key block has been through the softmax: l is 0 in every row.",
                            "没有任何 key block 经过 softmax：每一行的 l 都是 0。"}),
                      {shape_text(problem)}};
    }
    const Weights right = run_model(right_model(problem), problem, inputs);
    Weights of_o = seen;
    of_o.weight = right.weight;
    if (same_weights(of_o, right) && !same_weights(seen, right)) {
        throw Finding{
            "p-not-of-this-block",
            both({"S, its mask and the softmax are right (lse is), but acc_o is not P V of the block: convert has to "
                  "stand between softmax_rescale_o, which makes P, and gemm_pv, which gets frag_p and smem_v.",
                  "S、mask 和 softmax 都对（lse 正确），但 acc_o 不是这个 block 的 P V：convert 要放在产生 P 的 "
                  "softmax_rescale_o 与用到 frag_p 和 smem_v 的 gemm_pv 之间。"}),
            {both({"row 0, key 0: its weight in O is {:.3g}, and should be {:.3g}",
                   "第 0 行、key 0：它在 O 中的权重是 {:.3g}，应为 {:.3g}"},
                  seen.at(0, 0), right.at(0, 0)),
             shape_text(problem)}};
    }
    hold_weights(seen, problem, inputs, std::vector{exponents_without_log2_e(problem)});
    attempt.held(both({"one key block: K, Q and V have arrived for every thread before they are read",
                       "一个 key block：K、Q、V 在被读之前，对每个线程都已到达"}));
}

void hold_later_blocks(Attempt& attempt) {
    const Problem problem = one_head(block, 4 * block, false);
    const Inputs inputs = rising_inputs(problem, 0.5);
    try {
        main_loop::hold_order_of_later_blocks(attempt, problem, inputs);
    } catch (const Finding& finding) {
        if (finding.id.ends_with("-not-loaded-again")) {
            // Missing loads of blocks that are not walked are not what is wrong.
            std::optional<Weights> walked;
            try {
                walked = see_weights(attempt, problem, inputs);
            } catch (const Finding&) {  // something else is wrong as well, and comes later
                throw Finding(finding);
            }
            hold_no_block_missing(*walked, problem, inputs);
        }
        throw;
    }
    const Weights seen = see_weights(attempt, problem, inputs);
    hold_no_block_missing(seen, problem, inputs);
    hold_s_of_each_block(seen, problem, inputs);
    hold_weights(seen, problem, inputs, std::vector{exponents_without_log2_e(problem)});
    if (attempt.machine() == Machine::gpu) {
        attempt.held(both({"four key blocks, last to first", "四个 key block，从后往前"}));
        return;
    }
    const std::uint64_t barriers = (main_loop::barriers_of(attempt, problem, inputs) - 1) / 4;
    attempt.held(both({"four key blocks, last to first: nothing is overwritten that somebody still reads",
                       "四个 key block，从后往前：没有覆盖任何还有人在读的数据"}));
    attempt.held(
        barriers == 2
            ? both({"two barriers for each key block, as v2 has", "每个 key block 两个 barrier，与 v2 相同"})
            : both({"{} barriers for each key block: right, but v2 needs two. The first says that K has arrived and "
                    "the V before is read; the second that V has arrived and K is read",
                    "每个 key block {} 个 barrier：结果正确，但 v2 只要两个。第一个表明 K 已到达、前一个 V 已读完；"
                    "第二个表明 V 已到达、K 已读完"},
                   barriers));
}

void hold_masks(Attempt& attempt) {
    const auto hold = [&](const Problem& problem) {
        const Inputs inputs = rising_inputs(problem, 0.5);
        try {
            hold_masked(see_weights(attempt, problem, inputs), problem, inputs);
        } catch (const Finding& finding) {
            if (finding.id != "out-of-bounds" || problem.seqlen_k % block == 0) {
                throw;
            }
            throw renamed(
                finding, "rows-past-sk",
                both({"The last key block ends past Sk, and rows behind the end are copied: tell the load how many "
                      "keys there are, p.seqlen_k - n * T::block_n; what lies past them becomes zero.",
                      "最后一个 key block 超出 Sk，而末尾之后的行也被拷贝了：请告诉装载函数有多少个 key，即 "
                      "p.seqlen_k - n * T::block_n；超出部分会填零。"}),
                {shape_text(problem)});
        }
    };
    hold(one_head(block, 50, false));
    hold(one_head(3 * block, 3 * block, true));
    attempt.held(both({"a causal mask through the corners of the tiles", "对角线穿过 tile 角的 causal mask"}));
    hold(one_head(70, 300, false));
    attempt.held(both({"a last key block that ends past Sk", "最后一个 key block 超出 Sk"}));
    hold(one_head(70, 200, true));
    hold(one_head(130, 190, true));
    attempt.held(both({"diagonals across tiles", "对角线横穿 tile"}));
}

void hold_no_key_blocks(Attempt& attempt) {
    const Problem problem = one_head(200, 10, true);  // rows 0 to 189 see nothing, nor do the first two CTAs
    const Inputs inputs = rising_inputs(problem, 0.5);
    try {
        hold_masked(see_weights(attempt, problem, inputs), problem, inputs);
    } catch (const Finding& finding) {
        throw renamed(
            finding, "runs-without-key-blocks",
            both({"Wrong where a CTA has no key block at all, since no row of its query block sees a key: n is -1 "
                  "then, nothing is on its way, and the loop must not run.",
                  "当一个 CTA 没有任何 key block（它的 query block 里没有一行看得见 key）时出错：此时 n 是 "
                  "-1，没有任何数据在途，循环一次也不能执行。"}),
            {});
    }
    attempt.held(both({"query blocks that see no key", "看不到任何 key 的 query block"}));
}

/// What v2's order of copies and waits is for. A loop without it is right all the same.
void hold_overlap(Attempt& attempt) {
    constexpr std::int64_t blocks = 4;
    const Problem problem = one_head(block, blocks * block, false);
    const auto [of_qk, of_pv, counted] = overlap_of(attempt, problem, blocks);
    const std::vector<Message> evidence{counted,
                                        both({"v2 has {} and {}: in the last key block there is no next K",
                                              "v2 是 {} 和 {}：最后一个 key block 没有下一个 K"},
                                             blocks, blocks - 1),
                                        shape_text(problem)};
    if (of_qk == 0.0 && of_pv == 0.0) {
        throw Finding{
            "nothing-overlaps",
            both({"The results are right, but every copy is waited for before the next product begins: nothing "
                  "overlaps, and cp.async gains nothing over plain loads. In v2, V is on its way during S = Q K^T, the "
                  "next K during the softmax and P V.",
                  "结果正确，但每次都等拷贝到了才开始下一个乘法：没有任何重叠，cp.async 与普通装载相比毫无收益。在 v2 "
                  "里，S = Q K^T 期间 V 在路上，softmax 和 P V 期间下一个 K 在路上。"}),
            evidence};
    }
    if (of_qk < blocks) {
        throw Finding{
            "v-without-overlap",
            both(
                {"The results are right, but V is not on its way while S = Q K^T runs: either load_v stands behind "
                 "gemm_qk, or a wait stands between the two.",
                 "结果正确，但 S = Q K^T 期间 V 不在路上：要么 load_v 放在了 gemm_qk 后面，要么两者之间有一个 wait。"}),
            evidence};
    }
    if (of_pv < blocks - 1) {
        throw Finding{
            "k-without-overlap",
            both({"The results are right, but the next K is not on its way while P V runs: either load_k stands behind "
                  "gemm_pv, or a wait stands between the two. The wait for K belongs to the head of the next round.",
                  "结果正确，但 P V 期间下一个 K 不在路上：要么 load_k 放在了 gemm_pv 后面，要么两者之间有一个 "
                  "wait。等 K 的 wait 应放在下一轮的开头。"}),
            evidence};
    }
    attempt.held(counted);
}

}  // namespace

void check_main_loop(Attempt& attempt) {
    hold_first_block(attempt);
    hold_later_blocks(attempt);
    hold_masks(attempt);
    hold_no_key_blocks(attempt);
    hold_error_check(attempt, usual_problems());
    if (attempt.machine() == Machine::cpu) {
        hold_overlap(attempt);
    }
}

}  // namespace flashlens::practice
