#include "report/picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/chart.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

std::string codes(const Ink& ink) {
    std::string result;
    const auto add = [&](std::string_view code) {
        result += result.empty() ? "" : ";";
        result += code;
    };
    if (ink.bold) {
        add("1");
    }
    if (ink.dim) {
        add("2");
    }
    if (ink.reverse) {
        add("7");
    }
    if (ink.hue != Ink::no_hue) {
        add(hue_codes[ink.hue % hues]);
    }
    return result;
}

}  // namespace

void Picture::put(int column, int line, std::string_view text, const Ink& ink) {
    if (lines() <= line) {
        rows_.resize(static_cast<std::size_t>(line) + 1);
    }
    Row& row = rows_[static_cast<std::size_t>(line)];
    auto at = static_cast<std::size_t>(std::max(column, 0));
    for (const Glyph& glyph : glyphs(text)) {
        const auto width = static_cast<std::size_t>(glyph.width);
        if (row.size() < at + width) {
            row.resize(at + width);
        }
        for (std::size_t i = 0; i < width; ++i) {
            row[at + i] = {i == 0 ? std::string(glyph.bytes) : "", ink};
        }
        at += width;
    }
}

int Picture::columns() const {
    std::size_t most = 0;
    for (const Row& row : rows_) {
        most = std::max(most, row.size());
    }
    return static_cast<int>(most);
}

std::string Picture::text(const Terminal& terminal) const {
    std::string result;
    for (const Row& row : rows_) {
        std::size_t end = row.size();
        while (end > 0 && row[end - 1].glyph == " ") {
            --end;
        }
        const auto columns = static_cast<std::size_t>(terminal.columns);
        const bool cut = end > columns;
        end = cut ? columns - 1 : end;
        for (std::size_t i = 0; i < end;) {
            std::size_t run = i;
            std::string same;
            for (; run < end && row[run].ink == row[i].ink; ++run) {
                same += row[run].glyph;
            }
            const std::string code = terminal.colour ? codes(row[i].ink) : "";
            result += code.empty() ? same : fmt::format("\x1b[{}m{}\x1b[0m", code, same);
            i = run;
        }
        result += cut ? (terminal.utf8 ? "\xe2\x80\xa6\n" : ">\n") : "\n";
    }
    return result;
}

}  // namespace flashlens::report
