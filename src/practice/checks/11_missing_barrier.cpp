#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "practice/barriers.h"
#include "practice/broken_rule.h"
#include "practice/checks/checks.h"
#include "practice/passing.h"
#include "practice/rows.h"
#include "practice/weights.h"

namespace flashlens::practice {
namespace {

constexpr std::int64_t block_n = 64;
constexpr std::int64_t tile_bytes = 64 * 64 * 2;  // shared memory is Q's tile, K's, V's; in the end Q's is O's

std::string tile_of(const simt::KernelError::Details& details) {
    const std::int64_t tile = details.address / tile_bytes;
    return tile == 0 ? "Q" : tile == 1 ? "K" : "V";
}

/// What a race between warps means for the loop. With one key block nothing is written twice, but for O over Q: what is
/// read there is read too early. With several, what comes on top is that it is overwritten too early.
Finding named(const BrokenRule& rule, bool one_block) {
    const simt::KernelError::Details& details = rule.error.details();
    if (rule.error.kind() != simt::KernelError::Kind::race || details.memory != "shared memory") {
        return rule;
    }
    const auto epilogue = [](const simt::Place& place) { return place.step == "epilogue"; };
    const int in_epilogue = (epilogue(*details.access) ? 1 : 0) + (epilogue(*details.earlier) ? 1 : 0);
    const bool of_q = tile_of(details) == "Q";
    Finding finding;
    const auto not_complete = [&](const char* id, const std::string& tile, const Message& why) {
        finding.id = id;
        finding.what = both({"{} is read before it is complete: {}, and no barrier stands between the two.",
                             "{} 还没有写完就被读取：{}，两者之间没有 barrier。"},
                            tile, conflict_text(details));
        finding.evidence.push_back(why);
    };
    const bool of_k = tile_of(details) == "K";
    if (of_q && in_epilogue == 2) {
        not_complete("o-not-complete", "O",
                     both({"a lane stores 16 bytes of a row of O that four lanes have made",
                           "一个 lane 写出的 16 字节 O，由四个 lane 各算出一部分"}));
    } else if (of_q && in_epilogue == 1) {
        finding.id = "q-overwritten";
        finding.what =
            both({"O is written into Q's tile while Q may still be read: {}, and no barrier stands between the "
                  "two.",
                  "Q 可能还在被读取，O 就写进了 Q 的 tile：{}，两者之间没有 barrier。"},
                 conflict_text(details));
    } else if (of_q) {
        not_complete("q-not-complete", "Q",
                     both({"a warp reads rows of Q that threads of other warps may have copied",
                           "一个 warp 读取的 Q 的行，可能是其他 warp 的线程拷贝的"}));
    } else if (one_block) {
        not_complete(of_k ? "k-not-complete" : "v-not-complete", tile_of(details),
                     both({"every warp reads all of {}, and each has copied a quarter of it",
                           "每个 warp 都要读整块 {}，而每个 warp 只拷贝了四分之一"},
                          tile_of(details)));
    } else {
        finding.id = of_k ? "k-overwritten" : "v-overwritten";
        finding.what =
            both({"{} of the next key block is written while other warps may still be reading this one's: {}, "
                  "and no barrier stands between the two.",
                  "其他 warp 可能还在读本 key block 的 {}，下一个 key block 的就已写入：{}，两者之间没有 "
                  "barrier。"},
                 tile_of(details), conflict_text(details));
        finding.evidence.push_back(
            both({"with one key block nothing is wrong: it takes a second one to overwrite the "
                  "first",
                  "只有一个 key block 时没有问题：要有第二个，才会覆盖第一个"}));
    }
    if (details.access->warp == details.earlier->warp) {
        finding.evidence.push_back(
            both({"these two lanes are of one warp, but other warps read and write there as well: a __syncwarp is not "
                  "enough",
                  "这两个 lane 属于同一个 warp，但别的 warp 也读写同一块数据：只用 __syncwarp 不够"}));
    }
    finding.evidence.insert(finding.evidence.end(), rule.evidence.begin(), rule.evidence.end());
    return finding;
}

/// What is wrong with the loop without the barriers in these lines: with one key block, then with several. What is wrong
/// behind the loop comes last.
std::optional<Finding> broken_without(Attempt& attempt, const std::vector<unsigned>& lines) {
    std::optional<Finding> first;
    for (const std::int64_t keys : {block_n, 5 * block_n - 7}) {
        const Problem problem = one_head(64, keys, false);
        try {
            run_without_barriers(attempt, problem, lines);
        } catch (const BrokenRule& rule) {
            Finding finding = named(rule, keys <= block_n);
            finding.evidence.push_back(shape_text(problem));
            if (finding.id != "q-overwritten") {
                return finding;
            }
            first = first.value_or(finding);
        }
    }
    return first;
}

Message lines_text(const std::vector<unsigned>& lines) {
    Message text;
    for (const unsigned line : lines) {
        text = text.empty() ? both({"{}", "{}"}, line) : both({"{}, {}", "{}、{}"}, text, line);
    }
    return lines.size() == 1 ? both({"the barrier in line {}", "代码第 {} 行的 barrier"}, text)
                             : both({"those in lines {}", "代码第 {} 行的 barrier"}, text);
}

/// Barriers that order nothing which others do not order too, as many as can go at once; and what the rest are for.
void hold_barriers(Attempt& attempt) {
    constexpr std::int64_t few = 2;
    constexpr std::int64_t many = 5;
    const auto barriers = [&](std::int64_t blocks) {
        return barrier_lines(attempt, one_head(block_n, blocks * block_n, false));
    };
    const std::vector<BarrierLine> lines = barriers(many);
    std::uint64_t of_many = 0;
    std::uint64_t of_few = 0;
    for (const BarrierLine& line : lines) {
        of_many += line.passed;
    }
    for (const BarrierLine& line : barriers(few)) {
        of_few += line.passed;
    }
    const double per_block = static_cast<double>(of_many - of_few) / (many - few);
    const double beside = static_cast<double>(of_few) - per_block * few;
    std::vector<unsigned> idle;
    std::vector<Message> reasons;
    for (const BarrierLine& line : lines) {
        std::vector<unsigned> without = idle;
        without.push_back(line.line);
        if (const std::optional<Finding> wrong = broken_without(attempt, without)) {
            reasons.push_back(both({"{} is needed. What comes first without it: {}", "{} 是必需的。没有它，首先：{}"},
                                   lines_text({line.line}), wrong->what));
        } else {
            idle = without;
        }
    }
    if (!idle.empty()) {
        Finding finding{"too-many-barriers", both({"The results are right, with more barriers than it takes: {} a key "
                                                   "block and {} beside them, where 2 and "
                                                   "1 do. Without {} still nothing races.",
                                                   "结果正确，但 barrier 多于所需：每个 key block {} 个，此外 {} 个；2 "
                                                   "个和 1 个就够。去掉{}，仍然没有任何竞争。"},
                                                  per_block, beside, lines_text(idle))};
        finding.evidence.push_back(both({"counted: {} barriers with {} key blocks, {} with {}",
                                         "计数：{1} 个 key block 时 {0} 个 barrier，{3} 个时 {2} 个"},
                                        of_many, many, of_few, few));
        for (const BarrierLine& line : lines) {
            finding.evidence.push_back(
                both({"line {}: {} of them with {} key blocks", "其中代码第 {0} 行：{2} 个 key block 时 {1} 个"},
                     line.line, line.passed, many));
        }
        throw finding;
    }
    attempt.held(both({"{} barriers a key block, and {} beside them", "每个 key block {} 个 barrier，此外 {} 个"},
                      per_block, beside));
    for (Message& reason : reasons) {
        attempt.held(std::move(reason));
    }
}

}  // namespace

void check_missing_barrier(Attempt& attempt) {
    const bool counted = attempt.machine() == Machine::cpu;
    if (counted) {
        if (const std::optional<Finding> wrong = broken_without(attempt, {})) {
            throw Finding(*wrong);
        }
        attempt.held(
            both({"one key block: nothing is read before it is complete", "一个 key block：没有数据在写完之前被读取"}));
        attempt.held(both({"five key blocks: nothing is overwritten before all have read it",
                           "五个 key block：没有数据在大家读完之前被覆盖"}));
    }
    hold_error_check(attempt, usual_problems());
    if (counted) {
        hold_barriers(attempt);
    } else {
        attempt.held(
            both({"results only: a GPU says nothing of a race, and right results may be luck; the CPU machine "
                  "names every one",
                  "只检查了结果：GPU 不会报告竞争，这次结果正确也可能只是运气；CPU 模拟机会报告"}));
    }
}

}  // namespace flashlens::practice
