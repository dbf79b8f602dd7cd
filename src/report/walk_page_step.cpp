// A step's page: which step, its loops, its rows, and what it reads and writes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/numbers.h"
#include "report/walk_page.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

using teaching::Transfer;
using teaching::Walk;
using teaching::WalkOrder;
using teaching::WalkRow;
using teaching::WalkStep;
using Kind = WalkStep::Kind;

std::string range(std::int64_t first, std::int64_t count) {
    return fmt::format("{}..{}", first, first + count - 1);
}

std::string step_words(const WalkPage& page, const Walk& walk, std::size_t index) {
    const WalkStep& step = walk.steps[index];
    const std::string queries = step.row_count == 1
                                    ? page.say(Text::walk_query, step.first_row)
                                    : page.say(Text::walk_queries, range(step.first_row, step.row_count));
    const std::string keys = step.key_count == 1
                                 ? page.say(Text::walk_key, step.first_key)
                                 : page.say(Text::walk_several_keys, range(step.first_key, step.key_count));
    const std::string which =
        page.say(Text::walk_step, walk.order == WalkOrder::v1 ? "v1" : "v2", index + 1, walk.steps.size());
    switch (step.kind) {
        case Kind::pass:
            return which + page.say(Text::walk_pass_title, step.key_block, keys, step.query_block, queries);
        case Kind::start:
            return which + page.say(Text::walk_start_title, step.query_block, queries);
        case Kind::block:
            return which + page.say(Text::walk_block_title, step.query_block, queries, step.key_block, keys);
        case Kind::finish:
            break;
    }
    return which + page.say(Text::walk_finish_title, step.query_block, queries);
}

/// A row that is not shown in detail.
std::string brief(const WalkPage& page, const Walk& walk, const WalkStep& step, const WalkRow& row) {
    const bool has_lse = walk.order == WalkOrder::v1 || step.kind == Kind::finish;
    return page.say(Text::walk_query, row.row) + ":  m " + walk_number(row.m) +
           (has_lse ? "  lse " + walk_number(row.lse) : "  l " + walk_number(row.l)) + "  " +
           page.say(Text::walk_not_in_detail);
}

std::string_view name_of(Transfer::Tensor tensor) {
    constexpr std::string_view names[] = {"Q", "K", "V", "o_tmp", "lse", "O"};
    return names[static_cast<int>(tensor)];
}

/// "K 16 + V 16 = 32".
std::string moved(const WalkStep& step, bool written) {
    std::vector<std::string> parts;
    for (const Transfer& transfer : step.transfers) {
        if (transfer.written == written) {
            parts.push_back(fmt::format("{} {}", name_of(transfer.tensor), transfer.bytes));
        }
    }
    if (parts.size() < 2) {
        return parts.empty() ? "0" : parts.front();
    }
    return fmt::format("{} = {}", fmt::join(parts, " + "), written ? step.written_bytes : step.read_bytes);
}

/// v1's keys stay in registers while its inner loop runs.
bool k_v_wait(const WalkStep& step) {
    return step.kind == Kind::pass &&
           std::none_of(step.transfers.begin(), step.transfers.end(),
                        [](const Transfer& transfer) { return transfer.tensor == Transfer::Tensor::k; });
}

Text state_text(const Walk& walk, const WalkStep& step) {
    if (walk.order == WalkOrder::v1) {
        return step.last_pass ? Text::walk_state_v1_last : Text::walk_state_v1;
    }
    return step.kind == Kind::finish ? Text::walk_state_v2_end : Text::walk_state_v2;
}

void traffic_on_page(WalkPage& page, const Walk& walk, const WalkStep& step) {
    const std::string reads = page.say(Text::walk_reads);
    const std::string writes = page.say(Text::walk_writes);
    const int width = std::max(display_width(reads), display_width(writes)) + 2;
    page.lines(labelled(reads, width,
                        page.say(Text::walk_moved, moved(step, false), whole(step.read_so_far)) +
                            (k_v_wait(step) ? page.say(Text::walk_k_v_wait) : ""),
                        page.terminal()));
    page.lines(labelled(writes, width, page.say(Text::walk_moved, moved(step, true), whole(step.written_so_far)),
                        page.terminal()));
    if (page.density() != Density::terse) {
        page.paragraph(page.say(state_text(walk, step)), Style::dim);
    }
}

}  // namespace

void step_on_page(WalkPage& page, const Walk& walk, std::size_t step) {
    const WalkStep& at_hand = walk.steps[step];
    page.title(step_words(page, walk, step));
    loops_on_page(page, walk, step);
    page.explain(true);
    for (const WalkRow& row : at_hand.rows) {
        page.gap();
        if (!in_detail(page, row.row)) {
            page.paragraph(brief(page, walk, at_hand, row));
            continue;
        }
        if (walk.order == WalkOrder::v1) {
            v1_row_on_page(page, at_hand, row);
        } else {
            v2_row_on_page(page, at_hand, row);
        }
        page.explain(false);  // the first row says it for all
    }
    page.gap();
    traffic_on_page(page, walk, at_hand);
}

}  // namespace flashlens::report
