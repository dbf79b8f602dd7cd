#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "practice/broken_rule.h"
#include "practice/checks/checks.h"
#include "practice/key_counts.h"
#include "practice/passing.h"
#include "practice/rows.h"
#include "practice/softmax_model.h"

namespace flashlens::practice {
namespace {

constexpr std::int64_t block = 64;      // query rows of a CTA, and keys of a key block
constexpr std::int64_t warps = 4;       // of which each has ...
constexpr std::int64_t warp_rows = 16;  // ... so many rows, or so many keys
constexpr std::int64_t head_dim = 64;
constexpr std::int64_t fp32_bytes = 4;

/// What the CPU machine caught, in this exercise's words.
Finding explained(const BrokenRule& rule) {
    constexpr std::int64_t tiles = 3 * block * head_dim * 2;  // Q, K and V lie first
    const simt::KernelError::Details& details = rule.error.details();
    Finding finding = rule;
    const auto is_of = [&](std::initializer_list<std::string_view> names, std::string simt::Place::*of) {
        for (const std::optional<simt::Place>& place : {details.access, details.earlier}) {
            if (place && std::find(names.begin(), names.end(), (*place).*of) != names.end()) {
                return true;
            }
        }
        return false;
    };
    const bool of_exchange = is_of({"load_shared", "store_shared"}, &simt::Place::what);
    const bool of_products = is_of({"gemm_qk", "gemm_pv"}, &simt::Place::step);
    const bool never_written = rule.read_unwritten;
    if (of_exchange && never_written) {
        finding.id = "others-asked";
        finding.what = both(
            {"A row's maximum, sum or O is asked of four warps, and not all of them have left something for it. If "
             "the row is one warp's alone now, it need not ask the others (if they still share it, a barrier has to "
             "come first).",
             "向四个 warp 要一行的最大值、行和或 O，但并非每个 warp 都为它留下了东西。如果这一行现在只归一个 "
             "warp，就不必问别人（如果仍是共有的，之前必须有 barrier）。"});
    } else if (of_exchange && finding.id == "race") {
        finding.id = "exchange-unordered";
        finding.what =
            both({"Something is still exchanged through shared memory, but without the barrier between those "
                  "who leave it there and those who fetch it. Where no row is shared, nothing needs to be left.",
                  "仍有东西经 shared memory 交换，放的一方和取的一方之间却没有了 "
                  "barrier。既然没有哪一行是共有的，就什么都不必放。"});
    } else if (finding.id == "race" && !never_written && details.access->what == "cp_async_16") {
        finding.id = "block-overwritten";
        finding.what =
            both({"A barrier too few, before the copies: rows no longer meet, but K and V are still everybody's. "
                  "A warp copies the next key block over the one that another is still reading.",
                  "拷贝之前少了一个 barrier：行不再汇合，但 K 和 V 仍是大家共用的。一个 warp 拷入下一个 key "
                  "block 时，另一个 warp 还在读当前这个。"});
    } else if (of_products && (finding.id == "race" || (never_written && details.address < tiles))) {
        finding.id = "block-not-awaited";
        finding.what =
            both({"A barrier too few, after the copies: rows no longer meet, but K and V are still everybody's. "
                  "Each thread has waited for its own copies only, and reads what others have copied.",
                  "拷贝之后少了一个 barrier：行不再汇合，但 K 和 V "
                  "仍是大家共用的。每个线程只等了自己的拷贝，读的却是别人拷入的数据。"});
    } else if (of_products && (never_written || finding.id == "out-of-bounds")) {
        finding.id = "keys-past-the-block";
        finding.what = both(
            {"A warp reads past the end of the key block: with all {} keys in its piece, the first of them is key 0 "
             "for every warp.",
             "有 warp 读过了 key block 的末尾：它那块 S 已有全部 {} 个 key，那么对每个 warp，第一个都是 key 0。"},
            block);
    }
    if (finding.id != rule.id) {
        finding.evidence.insert(finding.evidence.begin(), rule.what);
    }
    return finding;
}

Weights see(Attempt& attempt, const Problem& p, const Inputs& inputs) {
    try {
        return see_weights(attempt, p, inputs);
    } catch (const BrokenRule& rule) {
        Finding finding = explained(rule);
        finding.evidence.push_back(shape_text(p));
        throw Finding(finding);
    }
}

/// Each row has the weights and lse of `row_of` it.
template <class RowOf>
bool rows_are(const Weights& seen, const Weights& right, const RowOf& row_of) {
    Weights expected = right;
    for (std::int64_t i = 0; i < right.queries; ++i) {
        const std::int64_t from = row_of(i);
        std::copy_n(right.weight.begin() + from * right.keys, right.keys, expected.weight.begin() + i * right.keys);
        expected.lse[static_cast<std::size_t>(i)] = right.lse[static_cast<std::size_t>(from)];
    }
    return same_weights(seen, expected);
}

/// The rows of O are those of the right warps.
void hold_rows(const Weights& seen, const Problem& p, const Inputs& inputs) {
    const Weights right = run_model(right_model(p), p, inputs);
    if (same_weights(seen, right)) {
        return;
    }
    for (std::int64_t warp = 0; warp < warps; ++warp) {
        if (rows_are(seen, right,
                     [&](std::int64_t i) { return i / block * block + warp * warp_rows + i % warp_rows; })) {
            throw Finding{
                "same-rows",
                both({"Every warp takes the same rows: O and lse of all four warps' rows are those of rows {} "
                      "to {} of the query block.",
                      "每个 warp 取的是同样的行：四个 warp 的 O 和 lse 都是该 query block 第 {} 到 {} 行的。"},
                     warp * warp_rows, warp * warp_rows + warp_rows - 1),
                {both({"row {} of O is what row {} should be", "O 的第 {} 行等于第 {} 行应有的值"},
                      warp == 0 ? warp_rows : 0, warp * warp_rows),
                 shape_text(p)}};
        }
    }
}

/// Every row has all keys, once.
void hold_keys(const Weights& seen, const Problem& p) {
    const std::optional<KeyCounts> counts = count_keys(seen);
    if (!counts) {
        return;
    }
    const auto every = [&](const auto& is) {
        for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
            for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
                if (!is(i, j)) {
                    return false;
                }
            }
        }
        return true;
    };
    const auto warp_of = [](std::int64_t row_or_key) { return row_or_key % block / warp_rows; };
    const Message lse =
        both({"row 0: lse is {:.4f}, and ln {} is {:.4f}", "第 0 行：lse 是 {:.4f}，而 ln {} 是 {:.4f}"}, seen.lse[0],
             p.seqlen_k, std::log(static_cast<double>(p.seqlen_k)));
    const Message weight = both({"row 0, key 0: its weight in O is {:.3g}, of {} keys that weigh the same",
                                 "第 0 行、key 0：在 O 中的权重是 {:.3g}，共 {} 个权重相同的 key"},
                                seen.at(0, 0), p.seqlen_k);
    if (every([&](auto i, auto j) { return counts->at(i, j) == (warp_of(i) == warp_of(j) ? 1 : 0); })) {
        std::vector<std::int64_t> missing;
        for (std::int64_t j = warp_rows; j < block; ++j) {
            missing.push_back(j);
        }
        throw Finding{
            "keys-still-split",
            both({"The rows are split, and the keys still are, too: each warp gives its rows only its own {} "
                  "keys of every {}, and nobody the others.",
                  "行分开了，key 却也还分着：每个 warp 只让自己的行看到每 {1} 个 key 中属于它的 {0} "
                  "个，其余的没有人算。"},
                 warp_rows, block),
            {both({"row 0 (warp 0): of key block 0, {} are missing", "第 0 行（warp 0）：key block 0 中缺少 {}"},
                  keys_text(missing)),
             lse, shape_text(p)}};
    }
    if (every([&](auto i, auto j) { return counts->at(i, j) == warps; })) {
        throw Finding{
            "counted-four-times",
            both({"Every key counts four times in l and in acc_o: four warps have done the same work, and it was "
                  "added up. O hides it, as both are too large by the same factor; lse shows it.",
                  "每个 key 在 l 和 acc_o 里都算了四次：四个 warp 做了同样的工作，又加在一起。O "
                  "里看不出来，因为两者大了同样的倍数；lse 会露出来。"}),
            {lse, shape_text(p)}};
    }
    if (every([&](auto i, auto j) { return counts->at(i, j) == 1; }) &&
        std::all_of(counts->past_end.begin(), counts->past_end.end(),
                    [&](std::int64_t past) { return past == (warps - 1) * p.seqlen_k; })) {
        throw Finding{
            "sum-four-times",
            both({"Half-way: l is four times too large, acc_o is right. A sum that is one warp's alone, with the "
                  "four lanes of each quad added up by reduce_sum, must not be added up again.",
                  "只改了一半：l 大了四倍，acc_o 是对的。行和已归一个 warp 独有，quad 的四个 lane 也由 "
                  "reduce_sum 加好了，不能再加一遍。"}),
            {weight, lse, shape_text(p)}};
    }
}

std::vector<Mistake> mistakes_of(const Problem& p) {
    const auto nothing = [](double, double) { return 1.0; };
    const auto inverse = [](double m_old, double m) { return std::exp(m - m_old); };
    SoftmaxModel upside_down = right_model(p);
    upside_down.rescale_o = upside_down.rescale_l = inverse;
    SoftmaxModel late_l = right_model(p);
    late_l.rescales_l_late = true;
    SoftmaxModel late = late_l;
    late.rescales_o_late = true;
    SoftmaxModel late_o = late;
    late_o.rescales_l_late = false;
    const auto of_this_block = [](const Message& what) {
        return both(
            {"{} rescaled when this key block is in already: its P has been taken from the new m, and must not "
             "follow. With the first key block, where m_old is -infinity, all of it is lost.",
             "{}在加上本 key block 之后才 rescale：它的 P 已按新的 m 计算，不该再跟着变。在第一个 key block，m_old "
             "是 -infinity，于是全部丢失。"},
            what);
    };
    SoftmaxModel none = right_model(p);
    none.rescale_o = none.rescale_l = nothing;
    SoftmaxModel not_o = right_model(p);
    not_o.rescale_o = nothing;
    SoftmaxModel not_l = right_model(p);
    not_l.rescale_l = nothing;
    return {
        {"rescale-missing",
         both(
             {"What earlier key blocks have put into l and acc_o does not follow the new maximum: m_old has to be kept "
              "before reduce_max changes m.",
              "之前各 key block 累加到 l 和 acc_o 里的值没有跟上新的最大值：必须在 reduce_max 改变 m 之前保存 "
              "m_old。"}),
         none},
        {"rescale-of-o-missing",
         both({"l follows the new maximum, acc_o does not: it was rescaled after this key block was added, or not at "
               "all.",
               "l 跟上了新的最大值，acc_o 没有：可能是在加上本 key block 之后才 rescale，或者根本没做。"}),
         not_o},
        {"rescale-of-l-missing",
         both({"acc_o follows the new maximum, l does not.", "acc_o 跟上了新的最大值，l 没有。"}), not_l},
        {"rescale-inverse",
         both({"The factor is upside down: rescale gets m_old first and then m, for exp(m_old - m), at most 1.",
               "因子颠倒了：rescale 的参数先是 m_old，后是 m，得到不大于 1 的 exp(m_old - m)。"}),
         upside_down},
        {"rescale-late", of_this_block(both({"l and acc_o are", "l 和 acc_o "})), late},
        {"rescale-late", of_this_block(both({"l is", "l "})), late_l},
        {"rescale-late", of_this_block(both({"acc_o is", "acc_o "})), late_o},
    };
}

/// Logits far below 0, and the block that comes first has the maximum by far: what m begins with, and whether it stays.
void hold_maximum(Attempt& attempt) {
    constexpr double first_block = -120.0;
    constexpr double later_blocks = -300.0;
    const Problem p = one_head(block, 3 * block, false);
    const Inputs inputs = inputs_of(
        p, [](std::int64_t) { return 8.0; },
        [](std::int64_t j) { return j >= 2 * block ? first_block : later_blocks; });
    const Weights seen = see(attempt, p, inputs);
    const Message logits = both({"logits: {} in key block 2, which comes first, {} in the others",
                                 "logit：最先走到的 key block 2 里是 {}，其余的里是 {}"},
                                first_block, later_blocks);
    const Message of_row =
        both({"row 0: its weights add up to {:.3g}, lse is {:.5g}", "第 0 行：权重之和是 {:.3g}，lse 是 {:.5g}"},
             std::accumulate(seen.weight.begin(), seen.weight.begin() + seen.keys, 0.0), seen.lse[0]);
    if (std::all_of(seen.lse.begin(), seen.lse.end(), [](double lse) { return std::isinf(lse) && lse < 0.0; })) {
        throw Finding{"maximum-begins-at-0",
                      both({"Where all logits are far below 0, every row looks as if it saw no key: m is not below "
                            "them in the beginning, so that exp(scale (S - m)) is 0 for all keys. It has to begin at "
                            "-infinity.",
                            "logit 都远小于 0 时，每一行都像是看不到任何 key：m 开始时不比它们小，于是所有 key 的 "
                            "exp(scale (S - m)) 都是 0。m 的初值必须是 -infinity。"}),
                      {logits, of_row, shape_text(p)}};
    }
    if (std::any_of(seen.weight.begin(), seen.weight.end(), [](double weight) { return !std::isfinite(weight); })) {
        throw Finding{
            "maximum-forgotten",
            both({"m falls: it is this key block's maximum, not the largest so far. Where a later block's is much "
                  "smaller the factor exp(scale (m_old - m)) overflows.",
                  "m 下降了：它只是本 key block 的最大值，而不是到目前为止的最大值。后面的 block 最大值小得多时，因子 "
                  "exp(scale (m_old - m)) 会溢出。"}),
            {logits, of_row, shape_text(p)}};
    }
    hold_weights(seen, p, inputs, mistakes_of(p));
    attempt.held(both({"logits far below 0, and maxima that fall steeply", "logit 远小于 0，最大值陡降"}));
}

/// What a key block costs: the difference between runs with two and with four of them.
struct Cost {
    std::int64_t barriers = 0;
    std::int64_t stored = 0;  ///< bytes by st.shared
    std::int64_t loaded = 0;  ///< bytes by ld.shared
};

Cost cost_of(Attempt& attempt) {
    const auto counted = [&](std::int64_t keys) {
        const Problem p = one_head(block, keys, false);
        const simt::Counters c = attempt.run(p, random_inputs(p)).report->total;
        constexpr std::uint64_t bytes_of_warp = 32 * 16;  // an ldmatrix.x4, or a cp.async of 16 bytes a lane
        return Cost{static_cast<std::int64_t>(c.barriers),
                    static_cast<std::int64_t>(c.shared_write_bytes - c.cp_async * bytes_of_warp),
                    static_cast<std::int64_t>(c.shared_read_bytes - c.ldmatrix * bytes_of_warp)};
    };
    const Cost two = counted(2 * block);
    const Cost four = counted(4 * block);
    return {(four.barriers - two.barriers) / 2, (four.stored - two.stored) / 2, (four.loaded - two.loaded) / 2};
}

/// Nothing crosses from warp to warp any more.
void hold_exchange(Attempt& attempt) {
    if (attempt.machine() == Machine::gpu) {
        attempt.held(
            both({"on a GPU the results only: what the warps exchange, and whether a barrier is missing, the CPU "
                  "machine sees (without --machine gpu)",
                  "在 GPU 上只看结果：warp 之间交换了什么、是否缺 barrier，由 CPU 模拟机来看（去掉 --machine "
                  "gpu）"}));
        return;
    }
    constexpr std::int64_t barriers = 2;  // a key block is there; all have read it
    const Cost cost = cost_of(attempt);
    const std::vector<Message> evidence{
        both({"barriers per key block: {}, wanted {}", "每个 key block 的 barrier：{} 个，应为 {} 个"}, cost.barriers,
             barriers),
        both({"st.shared per key block: {} bytes, wanted 0", "每个 key block 的 st.shared：{} 字节，应为 0"},
             cost.stored),
        both({"ld.shared per key block: {} bytes, wanted 0", "每个 key block 的 ld.shared：{} 字节，应为 0"},
             cost.loaded),
        both({"(copies of Q, K, V by cp.async, and ldmatrix, are not among them)",
              "（用 cp.async 拷贝 Q、K、V 以及 ldmatrix 不计在内）"})};
    if (cost.stored >= warps * block * head_dim * fp32_bytes) {
        throw Finding{
            "warps-over-keys",
            both({"It is right, as v1 is: each warp has a quarter of the keys, so that in every key block each "
                  "row's maximum, sum and O are put together from four warps, through shared memory.",
                  "结果正确，但和 v1 一样：每个 warp 分到四分之一的 key，所以在每个 key block，每行的最大值、行和与 "
                  "O 都要由四个 warp 经 shared memory 拼起来。"}),
            evidence};
    }
    if (cost.stored > 0 || cost.loaded > 0) {
        throw Finding{"exchange-kept",
                      both({"The results are right, but something still goes through shared memory in every key block, "
                            "though no warp needs another's: it can stay in registers.",
                            "结果正确，但每个 key block 仍有东西经过 shared memory，而没有哪个 warp "
                            "需要别人的：它可以留在寄存器里。"}),
                      evidence};
    }
    if (cost.barriers > barriers) {
        throw Finding{
            "barriers-kept",
            both({"The results are right and nothing is exchanged, but warps still wait for each other's rows: "
                  "two barriers per key block are enough, both for K and V.",
                  "结果正确，也不再交换什么，但 warp 仍在互相等待：每个 key block 两个 barrier 就够了，都是为了 K "
                  "和 V。"}),
            evidence};
    }
    attempt.held(both({"per key block {} barriers, and nothing that crosses from warp to warp",
                       "每个 key block {} 个 barrier，没有任何东西跨 warp"},
                      cost.barriers));
}

}  // namespace

void check_warps_over_rows(Attempt& attempt) {
    const Problem blank = one_head(block, 4 * block, false);
    const Inputs zeros = blank_inputs(blank);
    const Weights counted = see(attempt, blank, zeros);
    hold_keys(counted, blank);
    hold_weights(counted, blank, zeros, mistakes_of(blank));
    attempt.held(both({"every row has all keys, each once", "每一行都有全部 key，各一次"}));
    for (const bool causal : {false, true}) {
        const Problem rising = causal ? one_head(150, 100, true) : one_head(70, 300, false);
        const Inputs inputs = rising_inputs(rising);
        const Weights seen = see(attempt, rising, inputs);
        hold_rows(seen, rising, inputs);
        hold_weights(seen, rising, inputs, mistakes_of(rising));
    }
    attempt.held(both({"the right rows, with maxima that rise from block to block, with and without a causal mask",
                       "行都对，最大值逐 block 上升，有无 causal mask 都对"}));
    hold_maximum(attempt);
    hold_exchange(attempt);
    hold_error_check(attempt, usual_problems());
}

}  // namespace flashlens::practice
