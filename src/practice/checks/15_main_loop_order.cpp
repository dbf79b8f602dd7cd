#include "practice/checks/15_main_loop_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "practice/broken_rule.h"
#include "practice/rows.h"
#include "practice/softmax_model.h"
#include "practice/weights.h"

namespace flashlens::practice::main_loop {
namespace {

constexpr std::uint64_t block_bytes = 64 * 64 * 2;

/// Runs it without the checks of order: what is used too early is NaN there, and shows in O and in lse.
Output run_unchecked(Attempt& attempt, const Problem& problem, const Inputs& inputs) {
    simt::LaunchOptions options;
    options.checks = false;
    return attempt.run(problem, inputs, options);
}

// --- what is there at all -------------------------------------------------------------------------------------------

void hold_steps(const simt::LaunchReport& report, const Problem& problem) {
    const std::uint64_t products = report.step("gemm_qk").mma + report.step("gemm_pv").mma;
    if (products == 0 && report.step("softmax_rescale_o").exp2 == 0) {
        throw Finding{
            "no-loop",
            both({"The main loop is missing: no key block has been multiplied by anything. acc_o and l are still "
                  "0, and O = acc_o / l is NaN.",
                  "缺少主循环：没有任何 key block 参与过乘法。acc_o 和 l 仍是 0，O = acc_o / l 是 NaN。"}),
            {both({"0 mma instructions, where a CTA needs {}", "执行了 0 条 mma，而一个 CTA 需要 {} 条"},
                  2 * 128 * blocks_of(problem.seqlen_k)),
             shape_text(problem)}};
    }
    struct Needed {
        const char* step;
        const char* id;
        std::uint64_t count;
        Message without;
    };
    const std::array needed{
        Needed{"gemm_qk", "gemm-qk-missing", report.step("gemm_qk").mma, both({"S is never computed", "S 从未被计算"})},
        Needed{"softmax_rescale_o", "softmax-missing", report.step("softmax_rescale_o").exp2,
               both({"S never becomes P, and l stays 0", "S 从未变成 P，l 一直是 0"})},
        Needed{
            "convert", "convert-missing", report.step("convert").converts,
            both({"P never gets into frag_p, of which gemm_pv makes its product", "P 从未进入 gemm_pv 要用的 frag_p"})},
        Needed{"gemm_pv", "gemm-pv-missing", report.step("gemm_pv").mma,
               both({"acc_o never gets P V", "acc_o 从未加上 P V"})},
    };
    for (const Needed& step : needed) {
        if (step.count == 0) {
            throw Finding{
                step.id,
                both({"{} has not been called: {}.", "没有调用 {}：{}。"}, std::string(step.step), step.without),
                {shape_text(problem)}};
        }
    }
}

// --- in what order --------------------------------------------------------------------------------------------------

/// What came out wrong when nothing was checked: S, if lse is wrong, or else only P V; and whether it is NaN, as what has
/// not arrived reads here.
struct Damage {
    bool of_s = false;
    bool nan = false;
    std::vector<std::int64_t> rows;
};

bool differs(double seen, double right) {
    return std::isnan(seen) || std::fabs(seen - right) > 1e-3 * (1.0 + std::fabs(right));
}

/// Of inputs made by see_keys_from(0).
Damage damage_of(const Problem& problem, const Inputs& inputs, const Output& output) {
    const Weights seen = weights_of(problem, output);
    const Weights right = run_model(right_model(problem), problem, inputs);
    Damage of_s{true, false, {}};
    Damage of_pv;
    for (std::int64_t i = 0; i < problem.seqlen_q; ++i) {
        const auto row = static_cast<std::size_t>(i);
        if (differs(seen.lse[row], right.lse[row])) {
            of_s.rows.push_back(i);
            of_s.nan |= std::isnan(seen.lse[row]);
        }
        bool same = true;
        for (std::int64_t j = 0; j < std::min(block, problem.seqlen_k); ++j) {
            same &= !differs(seen.at(i, j), right.at(i, j));
            of_pv.nan |= std::isnan(seen.at(i, j));
        }
        if (!same) {
            of_pv.rows.push_back(i);
        }
    }
    return of_s.rows.empty() ? of_pv : of_s;
}

/// By bytes: are all blocks of K and V copied? Only of problems with whole blocks.
void hold_loads(const simt::LaunchReport& report, const Problem& problem, const Damage& damage, bool v_is_there) {
    const auto blocks = static_cast<std::uint64_t>(blocks_of(problem.seqlen_k));
    const std::uint64_t copied = report.total.cp_async_read_bytes / block_bytes - 1;  // but for Q
    const std::vector<Message> evidence{
        both({"blocks of K and V copied: {}; needed: {}", "拷贝了的 K 和 V 的 block：{} 个；需要：{} 个"}, copied,
             2 * blocks),
        shape_text(problem)};
    if (copied == blocks && !v_is_there) {
        throw Finding{"v-never-loaded",
                      both({"V is never copied: gemm_pv reads a tile that nobody has written.",
                            "V 从未被拷贝：gemm_pv 读的 tile 没有任何人写过。"}),
                      evidence};
    }
    if (copied < 2 * blocks) {
        throw Finding{
            damage.of_s ? "k-not-loaded-again" : "v-not-loaded-again",
            both({"The {} of another key block is multiplied in {} of {} key blocks: the tile is not loaded again "
                  "for them.",
                  "{2} 个 key block 中有 {1} 个乘的是别的 key block 的 {0}：没有为它们重新装载 tile。"},
                 std::string(damage.of_s ? "K" : "V"), 2 * blocks - copied, blocks),
            evidence};
    }
}

Message barriers_text(std::uint64_t found, std::uint64_t needed) {
    return both({"{} barriers counted; with one before and one after S = Q K^T in each key block, and the one before "
                 "store, there are {}",
                 "数到 {} 个 barrier；每个 key block 在 S = Q K^T 前后各一个，再加 store 之前的一个，应为 {} 个"},
                found, needed);
}

Message damage_text(const Damage& damage) {
    return damage.nan ? both({"what has not arrived reads as NaN on the CPU machine: {} is NaN in {}",
                              "CPU 模拟机上，没有到达的数据读出来是 NaN：{} 在{}成了 NaN"},
                             damage.of_s ? as_it_is("S") : as_it_is("P V"), rows_text(damage.rows))
                      : both({"run without that check, {} comes out wrong in {}", "关掉检查再运行，{} 在{}是错的"},
                             damage.of_s ? as_it_is("S") : as_it_is("P V"), rows_text(damage.rows));
}

/// One that comes of waits and barriers. What other threads have yet to ask for has never been written.
bool of_order(const Finding& finding) {
    return finding.id == "race" || finding.id == "unfinished-copy" || finding.id == "unwritten-read";
}

/// With one key block nothing is overwritten: what is read has not arrived.
Finding named_of_first_block(const Finding& finding, const Problem& problem, const Damage& damage,
                             std::uint64_t barriers) {
    if (!of_order(finding) || damage.rows.empty()) {
        return finding;
    }
    const Message tile = damage.of_s ? both({"K (or Q)", "K 或 Q"}) : both({"V", "V"});
    const std::string step = damage.of_s ? "gemm_qk" : "gemm_pv";
    const char* letter = damage.of_s ? "k" : "v";
    const std::vector<Message> evidence{damage_text(damage), barriers_text(barriers, 3)};
    if (std::ssize(damage.rows) == problem.seqlen_q) {  // a thread's own part, too
        return renamed(
            finding, std::string(letter) + "-not-waited-for",
            both({"{} reads {} before it has arrived: no wait in between covers these copies. Either "
                  "cp_async_wait<0> is missing or too late, or the copies are in no group yet (cp_async_commit).",
                  "{} 在 {} 到达之前就读它：中间没有覆盖这些拷贝的 wait。要么缺了 cp_async_wait<0> 或放得太晚，"
                  "要么这些拷贝还没有归入任何一组（cp_async_commit）。"},
                 step, tile),
            evidence);
    }
    if (barriers < 3) {
        return renamed(
            finding, std::string(letter) + "-barrier-missing",
            both({"{} reads rows of {} that other threads copy, and they may not have got that far: "
                  "cp_async_wait<0> waits for the thread's own copies only. A barrier is missing between the "
                  "wait and {}.",
                  "{} 要读其他线程拷贝的 {} 的行，而那些线程可能还没走到那里：cp_async_wait<0> "
                  "只等本线程自己的拷贝。wait 与 {} 之间缺一个 barrier。"},
                 step, tile, step),
            evidence);
    }
    return renamed(
        finding, std::string(letter) + "-barrier-before-wait",
        both({"The barriers are there, but none between the wait for {} and {}: first each thread waits for its "
              "own copies, then the barrier tells that all have. The other way round it tells nothing.",
              "barrier 不缺，但等待 {} 与 {} 之间没有：先由每个线程等到自己的拷贝，"
              "再由 barrier 保证所有线程都等到了。反过来就什么也保证不了。"},
             tile, step),
        evidence);
}

/// A single key block is right: so what is read is overwritten, or a later block is treated in another way.
Finding named_of_later_blocks(const Finding& finding, const Problem& problem, const Damage& damage,
                              std::uint64_t barriers) {
    if (!of_order(finding) || damage.rows.empty()) {
        return finding;
    }
    const auto needed = static_cast<std::uint64_t>(2 * blocks_of(problem.seqlen_k) + 1);
    const std::vector<Message> evidence{
        both({"a single key block is right, {} are not", "只有一个 key block 时正确，{} 个时不对"},
             blocks_of(problem.seqlen_k)),
        damage_text(damage), barriers_text(barriers, needed)};
    const std::string letter = damage.of_s ? "K" : "V";
    const std::string step = damage.of_s ? "gemm_qk" : "gemm_pv";
    if (barriers < needed) {
        return renamed(finding, "later-barrier-missing",
                       both({"Not every key block has its two barriers. So a warp copies over what others still read, "
                             "or reads what "
                             "others have yet to copy.",
                             "不是每个 key block 都有它的两个 barrier。于是一个 warp "
                             "会覆盖别人还在读的数据，或者读到别人还没有拷贝的数据。"}),
                       evidence);
    }
    if (finding.id == "race") {  // a warp overwrites what it has read itself: others may not have
        return renamed(
            finding, damage.of_s ? "k-too-early" : "v-too-early",
            damage.of_s
                ? both({"K of the next block sets out too early: its copies overwrite the tile while other warps still "
                        "read it in gemm_qk. A barrier has to stand between gemm_qk and load_k, and it is there for V "
                        "anyway: load_k belongs behind it.",
                        "下一个 block 的 K 出发太早：其他 warp 还在 gemm_qk 里读这个 tile，它的拷贝就把 tile 覆盖了。"
                        "gemm_qk 与 load_k 之间必须有一个 barrier；为 V 设的那个正好可用，load_k 应放在它后面。"})
                : both({"V sets out too early: its copies overwrite the tile while other warps still read the V before "
                        "in gemm_pv. The barrier that K needs, at the head of the loop, also says that all have "
                        "finished with V: load_v belongs behind it.",
                        "V 出发太早：其他 warp 还在 gemm_pv 里读前一个 V，它的拷贝就把 tile 覆盖了。"
                        "循环开头为 K 设的那个 barrier，也表明所有 warp 都用完了 V：load_v 应放在它后面。"}),
            evidence);
    }
    return renamed(
        finding, damage.of_s ? "k-in-flight" : "v-in-flight",
        both({"From the second key block on, {} reads {} while a copy to it is under way: either the next "
              "block's load stands before {} in the loop, or what holds for the first block (wait, then barrier) "
              "is not done for the later ones.",
              "从第二个 key block 起，{} 读 {} 时，往那里的拷贝还在途中：要么循环里下一个 block 的装载放在了 {} "
              "前面，要么第一个 block 做对的事（先 wait，再 barrier）后面的 block 没有做。"},
             step, letter, step),
        evidence);
}

/// Holds steps, loads and order of a problem of whole blocks, before its weights are looked at.
template <class Named>
void hold_order(Attempt& attempt, const Problem& problem, Inputs inputs, const Named& named) {
    if (attempt.machine() == Machine::gpu) {
        return;
    }
    see_keys_from(0, problem, inputs);
    const Output unchecked = run_unchecked(attempt, problem, inputs);
    hold_steps(*unchecked.report, problem);
    const Damage damage = damage_of(problem, inputs, unchecked);
    try {
        attempt.run(problem, inputs);
    } catch (const BrokenRule& rule) {
        hold_loads(*unchecked.report, problem, damage, !rule.read_unwritten);
        throw named(rule, problem, damage, unchecked.report->total.barriers);
    }
    hold_loads(*unchecked.report, problem, damage, true);
}

}  // namespace

std::int64_t blocks_of(std::int64_t keys) {
    return (keys + block - 1) / block;
}

void hold_order_of_first_block(Attempt& attempt, const Problem& problem, const Inputs& inputs) {
    hold_order(attempt, problem, inputs, named_of_first_block);
}

void hold_order_of_later_blocks(Attempt& attempt, const Problem& problem, const Inputs& inputs) {
    hold_order(attempt, problem, inputs, named_of_later_blocks);
}

std::uint64_t barriers_of(Attempt& attempt, const Problem& problem, const Inputs& inputs) {
    return run_unchecked(attempt, problem, inputs).report->total.barriers;
}

Finding renamed(const Finding& finding, std::string id, Message what, std::vector<Message> evidence) {
    evidence.push_back(finding.what);
    evidence.insert(evidence.end(), finding.evidence.begin(), finding.evidence.end());
    return {std::move(id), std::move(what), std::move(evidence)};
}

}  // namespace flashlens::practice::main_loop
