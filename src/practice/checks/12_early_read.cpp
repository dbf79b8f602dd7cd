#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "practice/broken_rule.h"
#include "practice/checks/checks.h"
#include "practice/overlap.h"
#include "practice/passing.h"
#include "practice/rows.h"
#include "practice/weights.h"

namespace flashlens::practice {
namespace {

using Details = simt::KernelError::Details;
using Kind = simt::KernelError::Kind;

constexpr std::int64_t block_n = 64;
constexpr std::int64_t tile_bytes = 64 * 64 * 2;  // shared memory: Q's tile, two of K, V's

/// Q comes with the first K.
std::string data_of(const Details& details) {
    const std::int64_t tile = details.address / tile_bytes;
    return tile == 0 ? "Q" : tile < 3 ? "K" : "V";
}

bool is_copy(const std::optional<simt::Place>& place) {
    return place && place->what == "cp_async_16";
}

/// Its copy has not arrived, and no lane's order can change that: where a lane reads what a lane of its own warp copied.
/// Nothing: it has for the warp that copied, but another one reads it before that warp's wait.
std::optional<BrokenRule> within_a_warp(Attempt& attempt, const Problem& problem, const BrokenRule& first) {
    constexpr std::uint64_t orders = 16;
    for (std::uint64_t seed = 1; seed <= orders; ++seed) {
        simt::LaunchOptions options;
        options.lane_order_seed = seed;
        try {
            attempt.run(problem, random_inputs(problem), options);
        } catch (const BrokenRule& rule) {
            const Details& details = rule.error.details();
            if (is_copy(details.earlier) && details.access->warp == details.earlier->warp &&
                data_of(details) == data_of(first.error.details())) {
                return rule;
            }
        }
    }
    return std::nullopt;
}

/// Throws what it means for this loop that a copy is used before it has arrived.
[[noreturn]] void throw_early(const BrokenRule& rule, const Problem& problem) {
    const Details& details = rule.error.details();
    const std::string data = data_of(details);
    const Message conflict = conflict_text(details);
    Finding finding;
    if (details.waits_since_copy == 0) {
        finding = {
            "no-wait",
            both({"{} is read before it has arrived: {}, and no cp_async_wait comes between the two.",
                  "{} 还没有到就被读取：{}，两者之间没有任何 cp_async_wait。"},
                 data, conflict),
            {both({"either a wait is missing, or this is the copy of the next key block already, into a buffer that "
                   "is still read",
                   "要么少了一个 wait，要么这已经是下一个 key block 的拷贝，写进了还在被读的 buffer"})}};
    } else if (details.copy_group > details.committed_at_wait) {
        finding = {
            "commit-missing",
            both({"{} is read before it has arrived: {}, and that copy was in no committed group when its lane waited.",
                  "{} 还没有到就被读取：{}，而它的 lane 等待时，这次拷贝还不属于任何已 commit 的组。"},
                 data, conflict),
            {both({"groups committed at the last wait: {}; the copy is in a later one, which that wait knew nothing "
                   "of",
                   "最后一次 wait 时已 commit {} 组；这次拷贝在下一组，那个 wait 不知道它"},
                  details.committed_at_wait)}};
    } else {
        const std::uint32_t newer = details.committed_at_wait - details.copy_group;
        finding = {data == "V" ? "v-read-early" : "k-read-early",
                   both({"{} is read before it has arrived: {}. The wait before it lets {} be on its way.",
                         "{} 还没有到就被读取：{}。之前的 wait 允许{}仍在途中。"},
                        data, conflict,
                        newer == 0 ? both({"the newest group, which is this one,", "最新的一组（正是这一组）"})
                                   : both({"the newest groups, this one among them,", "最新的几组（这一组在内）"})),
                   {both({"groups committed at the last wait: {}; the copy is in group {}, so only {} waits for it",
                          "最后一次 wait 时已 commit {} 组，这次拷贝在第 {} 组：只有 {} 才会等它"},
                         details.committed_at_wait, details.copy_group,
                         newer == 0 ? both({"cp_async_wait<0>", "cp_async_wait<0>"})
                                    : both({"cp_async_wait<N> with N at most {}", "N 不大于 {} 的 cp_async_wait<N>"},
                                           newer))}};
    }
    if (problem.seqlen_k <= block_n) {
        finding.evidence.push_back(both(
            {"it is the last key block: there is no next K to copy", "这是最后一个 key block：没有下一个 K 要拷贝"}));
    }
    if (data == "Q") {
        finding.evidence.push_back(
            both({"Q and the first K are one group: neither has arrived", "Q 与第一个 K 同属一组：两者都没有到"}));
    }
    finding.evidence.insert(finding.evidence.end(), rule.evidence.begin(), rule.evidence.end());
    finding.evidence.push_back(shape_text(problem));
    throw finding;
}

/// It has arrived, but its own lane alone knows.
[[noreturn]] void throw_unseen(const BrokenRule& rule, const Problem& problem) {
    const Details& details = rule.error.details();
    Finding finding{
        "wait-without-barrier",
        both({"{} may not be there yet for every thread: {}. A wait tells a thread of its own copies; only a "
              "barrier after the wait tells it of the others'.",
              "{} 不一定对每个线程都已到达：{}。wait 只保证本线程自己的拷贝；要等到 wait 之后的 "
              "barrier，才能保证其他线程的。"},
             data_of(details), conflict_text(details)),
        {}};
    finding.evidence.push_back(
        both({"the copy had been waited for where it was made, but no barrier stands between that "
              "wait and this read",
              "拷贝它的线程已经等到了，但那个 wait 与这次读取之间没有 barrier"}));
    finding.evidence.insert(finding.evidence.end(), rule.evidence.begin(), rule.evidence.end());
    finding.evidence.push_back(shape_text(problem));
    throw finding;
}

void run_named(Attempt& attempt, const Problem& problem) {
    try {
        attempt.run(problem, random_inputs(problem));
    } catch (const BrokenRule& rule) {
        const Details& details = rule.error.details();
        const bool early = rule.error.kind() == Kind::unfinished_copy && !details.access->writes;
        const bool unseen = rule.error.kind() == Kind::race && is_copy(details.earlier) && !details.access->writes;
        if (!early && !unseen) {
            throw;
        }
        const std::optional<BrokenRule> closer = within_a_warp(attempt, problem, rule);
        const BrokenRule& known = closer ? *closer : rule;
        if (known.error.kind() == Kind::unfinished_copy) {
            throw_early(known, problem);
        }
        throw_unseen(known, problem);
    }
}

/// The copies of V have S = Q K^T to arrive in, those of the next K that and P V.
void hold_overlap(Attempt& attempt) {
    constexpr std::int64_t blocks = 5;
    const Problem problem = one_head(block_n, blocks * block_n, false);
    const auto [of_qk, of_pv, counted] = overlap_of(attempt, problem, blocks);
    if (of_qk == blocks && of_pv == blocks - 1) {
        attempt.held(counted);
        return;
    }
    const std::vector<Message> evidence{counted,
                                        both({"possible are {} and {}: in the last key block there is no next K",
                                              "可以做到 {} 和 {}：最后一个 key "
                                              "block 没有下一个 K"},
                                             blocks, blocks - 1)};
    if (of_qk == 0.0 && of_pv == 0.0) {
        throw Finding{
            "nothing-overlaps",
            both({"The results are right, but every copy is waited for before the next product begins: none "
                  "overlaps any, and cp.async gains nothing over plain loads.",
                  "结果正确，但每次都等拷贝到了才开始下一个乘法：没有任何重叠，cp.async 与普通装载相比毫无收益。"}),
            evidence};
    }
    if (of_pv == 0.0) {
        throw Finding{
            "next-k-waited-for",
            both({"The results are right, but P V does not begin before the next K has arrived, which it does "
                  "not need: that copy may stay on its way.",
                  "结果正确，但 P V 要等下一个 K 到了才开始，而它并不需要下一个 K：那次拷贝可以继续在途中。"}),
            evidence};
    }
    throw Finding{"waits-too-early",
                  both({"The results are right, but copies are waited for earlier than they have to be.",
                        "结果正确，但有的拷贝等得过早。"}),
                  evidence};
}

}  // namespace

void check_early_read(Attempt& attempt) {
    const bool counted = attempt.machine() == Machine::cpu;
    if (counted) {
        run_named(attempt, one_head(64, block_n, false));
        attempt.held(both({"one key block: all data have arrived when they are read, for every thread",
                           "一个 key block：读取时数据都已到达，对每个线程都是"}));
        run_named(attempt, one_head(64, 5 * block_n, false));
        attempt.held(both({"five key blocks: the same, of each of them", "五个 key block：每一个都如此"}));
    }
    hold_error_check(attempt, usual_problems());
    if (counted) {
        hold_overlap(attempt);
    } else {
        attempt.held(
            both({"results only: on a GPU data mostly arrive in time by luck, and nothing is counted; the CPU "
                  "machine delivers no copy before its wait",
                  "只检查了结果：GPU 上数据往往碰巧及时到达，也没有计数；CPU 模拟机在 wait 之前不会交付任何拷贝"}));
    }
}

}  // namespace flashlens::practice
