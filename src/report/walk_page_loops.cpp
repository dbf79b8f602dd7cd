// Where a step stands in the order's two loops, and a map of S, block by block: what is done, what is at hand.
#include <fmt/format.h>

#include <algorithm>

#include "report/walk_page.h"

namespace flashlens::report {
namespace {

using teaching::Walk;
using teaching::WalkOrder;
using teaching::WalkStep;
using Kind = WalkStep::Kind;

constexpr int map_room = 35;  ///< columns that the map is given where that many are there

bool meets_keys(const WalkStep& step) {
    return step.kind == Kind::pass || step.kind == Kind::block;
}

/// "0 [1] 2", last to first if so.
std::string counter(const WalkPage& page, std::int64_t count, std::int64_t now, bool backwards) {
    std::string text;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t n = backwards ? count - 1 - i : i;
        text += " " + (n == now ? page.bold(fmt::format("[{}]", n)) : fmt::format("{}", n));
    }
    return text;
}

/// The outer loop and the inner one.
std::vector<std::string> loop_lines(const WalkPage& page, const Walk& walk, const WalkStep& step) {
    const std::int64_t query_blocks = page.problem().query_blocks();
    const std::int64_t key_blocks = page.problem().key_blocks();
    const std::int64_t key_block = meets_keys(step) ? step.key_block : -1;
    if (walk.order == WalkOrder::v1) {
        return {page.say(Text::walk_loop_keys) + counter(page, key_blocks, key_block, false),
                "  " + page.say(Text::walk_loop_tiles) + counter(page, query_blocks, step.query_block, false)};
    }
    return {page.say(Text::walk_loop_blocks) + counter(page, query_blocks, step.query_block, false),
            "  " + page.say(Text::walk_loop_keys) + counter(page, key_blocks, key_block, true)};
}

/// Which query blocks and key blocks have met, as far as this step.
std::vector<std::string> map_lines(const WalkPage& page, const Walk& walk, std::size_t now) {
    const std::int64_t rows = page.problem().query_blocks();
    const std::int64_t columns = page.problem().key_blocks();
    std::vector<std::string> marks(rows * columns, "-");
    for (std::size_t i = 0; i < walk.steps.size(); ++i) {
        const WalkStep& step = walk.steps[i];
        if (meets_keys(step)) {
            marks[step.query_block * columns + step.key_block] = i < now ? "#" : i == now ? page.bold("@") : ".";
        }
    }
    std::string head = "    ";
    for (std::int64_t n = 0; n < columns; ++n) {
        head += fmt::format("{:>3}", fmt::format("n{}", n));
    }
    std::vector<std::string> lines{page.dim(head)};
    const char letter = walk.order == WalkOrder::v1 ? 't' : 'b';
    for (std::int64_t t = 0; t < rows; ++t) {
        std::string text = page.dim(fmt::format("{:>4}", fmt::format("{}{}", letter, t)));
        for (std::int64_t n = 0; n < columns; ++n) {
            text += std::string(n < 10 ? 2 : 3, ' ') + marks[t * columns + n];
        }
        lines.push_back(std::move(text));
    }
    return lines;
}

std::string legend(const WalkPage& page, const std::vector<std::string>& map) {
    const bool skips = std::any_of(map.begin(), map.end(),
                                   [](const std::string& line) { return line.find(" -") != std::string::npos; });
    return page.say(page.terminal().colour ? Text::walk_legend : Text::walk_legend_mark) +
           (skips ? "  " + page.say(Text::walk_legend_skipped) : "");
}

}  // namespace

void loops_on_page(WalkPage& page, const Walk& walk, std::size_t step) {
    const std::vector<std::string> map = map_lines(page, walk, step);
    std::vector<std::string> left = loop_lines(page, walk, walk.steps[step]);
    left.push_back(page.dim(legend(page, map)));
    int width = 0;
    for (const std::string& each : left) {
        width = std::max(width, visible_width(each));
    }
    const int columns = page.terminal().columns;
    const int column = std::max(width + 3, std::min(WalkPage::label_width + 10, columns - map_room));
    if (column + visible_width(map.front()) > columns) {
        for (const std::string& each : left) {  // no room for the map
            page.paragraph(each);
        }
        return;
    }
    for (std::size_t i = 0; i < std::max(left.size(), map.size()); ++i) {
        std::string text = i < left.size() ? left[i] : "";
        if (i < map.size()) {
            text += std::string(column - visible_width(text), ' ') + map[i];
        }
        page.line(text);
    }
}

}  // namespace flashlens::report
