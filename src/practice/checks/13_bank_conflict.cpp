#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "practice/broken_rule.h"
#include "practice/checks/checks.h"
#include "practice/passing.h"
#include "practice/rows.h"
#include "practice/weights.h"

namespace flashlens::practice {
namespace {

using Details = simt::KernelError::Details;
using Kind = simt::KernelError::Kind;

constexpr std::int64_t rows = 64;       // of each tile
constexpr unsigned matrices = 4;        // of an ldmatrix_x4: a wavefront each, without conflicts
constexpr std::int64_t in_a_chunk = 8;  // elements

/// With padding of 16 bytes a row.
constexpr std::size_t most_shared_bytes(std::int64_t head_dim) {
    return static_cast<std::size_t>(head_dim == 64 ? 28 : 15) * 1024;
}

/// Of the rows that the threads copy at a time, each a chunk: the one whose chunk this lane has.
std::int64_t row_of(const simt::Place& place, std::int64_t head_dim) {
    const std::int64_t thread = std::int64_t{place.warp} * 32 + std::countr_zero(place.lanes);
    return thread / (head_dim / in_a_chunk);
}

/// A rule that is broken because a chunk's place is none.
Finding named(const BrokenRule& rule, std::int64_t head_dim) {
    const Details& details = rule.error.details();
    const bool two_writes = rule.error.kind() == Kind::race && details.earlier->writes && details.access->writes;
    const bool reads =
        details.access && (!details.access->writes || (rule.error.kind() == Kind::race && !details.earlier->writes));
    const bool outside = rule.error.kind() == Kind::out_of_bounds && details.memory == "shared memory";
    Finding finding = rule;
    if (rule.error.kind() == Kind::misaligned) {
        finding.id = "chunks-misaligned";
        finding.what =
            both({"A chunk begins at {}, which is no multiple of 16: {}. It is moved by one access of 16 bytes, so "
                  "every row has to begin at a multiple of 16, padded or not.",
                  "有一个 chunk 从 {} 开始，不是 16 的倍数：{}。它由一次 16 字节的访问搬运，所以每一行都必须从 16 "
                  "的倍数开始，加不加 padding 都一样。"},
                 details.address, place_text(*details.access));
    } else if (details.memory == "shared memory" && reads) {
        // Barriers are as they have to be: only a wrong place can make a read meet anything.
        finding.id = "read-past-the-row";
        finding.what =
            both({"A chunk is looked for outside of its tile: {}. To add a column to a lane's address is right only "
                  "while a row's chunks stand side by side; and a column counts elements, of which a chunk has {}.",
                  "到 tile 之外去找 chunk 了：{}。只有一行的 chunk 依次排列时，才能在 lane "
                  "的地址上直接加列的偏移；而且列数的是元素，一个 chunk 有 {} 个。"},
                 place_text(details.access->writes ? *details.earlier : *details.access), in_a_chunk);
    } else if (two_writes && row_of(*details.access, head_dim) == row_of(*details.earlier, head_dim)) {
        finding.id = "places-not-distinct";
        finding.what = both(
            {"At D {}, two chunks of one row are kept in one place ({}): the {} chunks of a row need {} places. XOR "
             "with a number of the row takes different chunks to different places; not every operation does.",
             "D {} 时，同一行的两个 chunk 存到了同一处（{}）：一行的 {} 个 chunk 要有 {} 个不同的位置。与行的某个数做 "
             "XOR，不同的 chunk 得到不同的位置；别的运算未必如此。"},
            head_dim, conflict_text(details), head_dim / in_a_chunk, head_dim / in_a_chunk);
    } else if (two_writes || outside) {
        finding.id = head_dim == 64 ? "two-in-one-place" : "past-the-row";
        const Message how =
            two_writes
                ? both({"two chunks are kept in one place ({})", "两个 chunk 存到了同一处（{}）"},
                       conflict_text(details))
                : both({"a chunk is kept outside of shared memory ({})", "一个 chunk 存到了 shared memory 之外（{}）"},
                       place_text(*details.access));
        finding.what = both({"At D {}, {}: a row has {} chunks there, so a place of {} or more is in the next row.",
                             "D {} 时，{}：这时一行只有 {} 个 chunk，位置到了 {} 或更大就进入下一行。"},
                            head_dim, how, head_dim / in_a_chunk, head_dim / in_a_chunk);
    }
    finding.evidence.push_back(
        both({"D {}: a row of a tile is {} bytes", "D {}：tile 的一行是 {} 字节"}, head_dim, head_dim * 2));
    return finding;
}

Output run_named(Attempt& attempt, const Problem& problem, const Inputs& inputs) {
    try {
        return attempt.run(problem, inputs);
    } catch (const BrokenRule& rule) {
        throw named(rule, problem.head_dim);
    }
}

/// Where V's elements come from, as each query sees them: query i looks at key i alone, and each element of V says one
/// number of its own. Chunks of a row may be exchanged without changing who looks at whom: they are alike in Q and K.
struct Seen {
    std::vector<std::int64_t> row, column;  ///< by (row, column) of O; -1: of no single element
};

Inputs one_to_one(const Problem& problem, bool number_rows) {
    constexpr double loud = 8.0;
    Inputs inputs = inputs_of(
        problem, [](std::int64_t) { return 0.0; }, [](std::int64_t) { return 0.0; });
    for (std::int64_t i = 0; i < rows; ++i) {
        const auto bits = static_cast<unsigned>(i);
        // Seven bits and their parity: any two numbers differ in two signs at least.
        const unsigned word = bits | (static_cast<unsigned>(__builtin_popcount(bits)) & 1U) << 7;
        for (std::int64_t d = 0; d < problem.head_dim; ++d) {
            const double sign = (word >> (d % in_a_chunk) & 1U) != 0 ? -1.0 : 1.0;
            inputs.q[at_q(problem, 0, i, 0, d)] = round_to(loud * sign, problem.dtype);
            inputs.k[at_k(problem, 0, i, 0, d)] = round_to(sign, problem.dtype);
            inputs.v[at_k(problem, 0, i, 0, d)] = round_to(static_cast<double>(number_rows ? i : d), problem.dtype);
        }
    }
    return inputs;
}

Seen see_places(Attempt& attempt, const Problem& problem) {
    Seen seen;
    for (std::vector<std::int64_t>* numbers : {&seen.row, &seen.column}) {
        const Output output = run_named(attempt, problem, one_to_one(problem, numbers == &seen.row));
        all_rows_written(problem, output);
        for (const std::uint16_t bits : output.o) {
            const double value = widen(bits, problem.dtype);
            const bool whole = std::isfinite(value) && std::fabs(value - std::round(value)) < 1e-3;
            numbers->push_back(whole ? static_cast<std::int64_t>(std::lround(value)) : -1);
        }
    }
    return seen;
}

/// "1 0 3 2 5 4 7 6": whose chunks are read as the chunks of this row; empty where they aren't whole.
std::string chunk_order(const Seen& seen, const Problem& problem, std::int64_t row) {
    std::string text;
    for (std::int64_t d = 0; d < problem.head_dim; ++d) {
        const std::int64_t from = seen.column[at_q(problem, 0, row, 0, d)];
        if (from < 0 || from % in_a_chunk != d % in_a_chunk) {
            return "";
        }
        if (d % in_a_chunk == 0) {
            text += (d == 0 ? "" : " ") + std::to_string(from / in_a_chunk);
        }
    }
    return text;
}

void hold_places(Attempt& attempt, const Problem& problem) {
    const Seen seen = see_places(attempt, problem);
    std::vector<std::int64_t> of_other_rows;
    std::vector<std::int64_t> of_other_columns;
    for (std::int64_t i = 0; i < rows; ++i) {
        bool right_row = true;
        bool right_columns = true;
        for (std::int64_t d = 0; d < problem.head_dim; ++d) {
            right_row &= seen.row[at_q(problem, 0, i, 0, d)] == i;
            right_columns &= seen.column[at_q(problem, 0, i, 0, d)] == d;
        }
        if (!right_row) {
            of_other_rows.push_back(i);
        } else if (!right_columns) {
            of_other_columns.push_back(i);
        }
    }
    if (!of_other_rows.empty()) {
        Finding finding{
            "wrong-rows",
            both({"What is read as {} of V was not written there.", "当作 V 的{}读出来的，并不是写在那里的内容。"},
                 rows_text(of_other_rows)),
            {}};
        const std::int64_t i = of_other_rows.front();
        for (std::int64_t d = 0; d < problem.head_dim && finding.evidence.size() < 3; ++d) {
            const std::size_t at = at_q(problem, 0, i, 0, d);
            if (seen.row[at] < 0 || seen.column[at] < 0) {
                finding.evidence.push_back(
                    both({"row {}, column {}: a mixture", "第 {} 行第 {} 列：几个元素的混合"}, i, d));
            } else if (seen.row[at] != i || seen.column[at] != d) {
                finding.evidence.push_back(both({"row {}, column {}: the element of row {}, column {}",
                                                 "第 {} 行第 {} 列：读到的是第 {} 行第 {} 列"},
                                                i, d, seen.row[at], seen.column[at]));
            }
        }
        finding.evidence.push_back(shape_text(problem));
        throw finding;
    }
    if (!of_other_columns.empty()) {
        Finding finding{"sides-disagree",
                        both({"Chunks are read by another rule than they are written by: in {} of V their columns are "
                              "exchanged.",
                              "读 chunk 的规则与写的规则不一致：V 的{}里，各列的位置被调换了。"},
                             rows_text(of_other_columns)),
                        {}};
        for (const std::int64_t i : of_other_columns) {
            const std::string order = chunk_order(seen, problem, i);
            if (!order.empty() && finding.evidence.size() < 3) {
                finding.evidence.push_back(both(
                    {"row {}: as chunks 0, 1, 2 ... are read {}", "第 {} 行：当作 chunk 0、1、2…… 读到的依次是 {}"}, i,
                    order));
            }
        }
        finding.evidence.push_back(shape_text(problem));
        throw finding;
    }
}

/// Wavefronts of a step's ldmatrix, each.
double wavefronts_each(const simt::Counters& counters) {
    return static_cast<double>(counters.ldmatrix_wavefronts) / static_cast<double>(counters.ldmatrix);
}

void hold_conflicts(Attempt& attempt, const Problem& problem) {
    const Output output = run_named(attempt, problem, random_inputs(problem));
    const simt::LaunchReport& report = *output.report;
    const std::int64_t d = problem.head_dim;
    std::vector<Message> evidence;
    for (const simt::StepCounters& step : report.steps) {
        if (step.counters.ldmatrix > 0) {
            evidence.push_back(
                both({"{}: {:.4g} wavefronts an ldmatrix, where {} do", "{}：每条 ldmatrix {:.4g} 趟，本来 {} 趟"},
                     step.name, wavefronts_each(step.counters), matrices));
        }
    }
    evidence.push_back(both({"bank conflicts in all: {}", "bank conflict 总数：{}"}, report.total.bank_conflicts));
    evidence.push_back(shape_text(problem));
    const double ways = wavefronts_each(report.total) / matrices;
    if (ways > 1.0 && d != 64) {
        throw Finding{
            "conflicts-at-d-32",
            both({"At D 64 it is right; at D {} an ldmatrix still takes {:.4g} times the wavefronts. A row is {} "
                  "bytes there, so two rows go once around the banks: rows r and r + 2 collide.",
                  "D 64 时是对的；D {} 时每条 ldmatrix 的趟数仍是 {:.4g} 倍。这时一行是 {} 字节，两行才绕 bank 一圈："
                  "第 r 行与第 r + 2 行相撞。"},
                 d, ways, d * 2),
            evidence};
    }
    if (ways >= 8.0) {
        throw Finding{
            "same-banks",
            both({"The 8 chunks that an ldmatrix reads at once are all in the same 4 banks: 8 passes instead of 1. "
                  "Their rows follow each other; a chunk's place has to differ between row r and row r + 1 (row / "
                  "8 and constants are the same for all eight).",
                  "ldmatrix 一次读的 8 个 chunk 全在同样的 4 个 bank 里：8 趟，而不是 1 趟。这 8 行是相邻的；第 r "
                  "行与第 r + 1 行的 chunk 位置必须不同（row / 8 和常数对这 8 行都一样）。"}),
            evidence};
    }
    if (ways > 1.0) {
        throw Finding{
            "some-banks-shared",
            both({"Better, and not enough: of the 8 chunks that an ldmatrix reads at once, {:.4g} are still in "
                  "the same banks. 8 rows need 8 places, and {} chunks are there for it.",
                  "好一些，但还不够：ldmatrix 一次读的 8 个 chunk 中，仍有 {:.4g} 个在同样的 bank 里。8 行需要 8 "
                  "个不同的位置，而一行正好有 {} 个 chunk。"},
                 ways, d / in_a_chunk),
            evidence};
    }
    if (d == 64 && report.total.bank_conflicts != 0) {
        throw Finding{
            "other-conflicts",
            both({"ldmatrix is free of conflicts now, but other accesses of shared memory are not: {} bank "
                  "conflicts in storing tiles and O.",
                  "ldmatrix 已经没有冲突，但其他 shared memory 访问有：写入 tile 和 O 时有 {} 次 bank conflict。"},
                 report.total.bank_conflicts),
            evidence};
    }
    if (report.shared_bytes > most_shared_bytes(d)) {
        throw Finding{"too-much-padding",
                      both({"No conflicts, but {} bytes of shared memory at D {}, where {} have to be enough.",
                            "没有冲突，但 D {1} 时用了 {0} 字节 shared memory，上限是 {2} 字节。"},
                           report.shared_bytes, d, most_shared_bytes(d)),
                      evidence};
    }
    attempt.held(
        both({"D {}: {:.4g} wavefronts an ldmatrix (stored plainly: {}), {} bank conflicts in all, {} bytes of "
              "shared memory",
              "D {}：每条 ldmatrix {:.4g} 趟（直接存放时 {} 趟），bank conflict 总数 {}，shared memory {} 字节"},
             d, wavefronts_each(report.total), matrices * (d == 64 ? 8 : 4), report.total.bank_conflicts,
             report.shared_bytes));
}

}  // namespace

void check_bank_conflict(Attempt& attempt) {
    const bool counted = attempt.machine() == Machine::cpu;
    for (const std::int64_t head_dim : {64, 32}) {
        hold_places(attempt, one_head(rows, rows, false, head_dim));
        attempt.held(both(
            {"D {}: every chunk of V is read where it was written", "D {}：V 的每个 chunk 都从写入处读出"}, head_dim));
        if (counted) {
            hold_conflicts(attempt, one_head(rows, 3 * rows, false, head_dim));
        }
    }
    if (!counted) {
        attempt.held(both({"results only: bank conflicts are not counted on a GPU; the CPU machine counts them",
                           "只检查了结果：GPU 上不统计 bank conflict，CPU 模拟机会统计"}));
    }
    std::vector<Problem> problems = usual_problems({.full = true, .causal = false, .head_dim = 32});
    for (const Problem& problem : usual_problems()) {
        problems.push_back(problem);
    }
    hold_error_check(attempt, problems);
}

}  // namespace flashlens::practice
