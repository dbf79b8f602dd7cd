#include "report/source_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "report/width.h"

namespace flashlens::report {

namespace {

using teaching::CodeLine;
using teaching::Excerpt;
using teaching::Side;
using teaching::Step;

/// Blanks that all lines of code start with.
std::size_t shared_indent(const Excerpt& excerpt) {
    std::size_t indent = std::string_view::npos;
    for (const CodeLine& line : excerpt.lines) {
        const std::size_t own = line.text.find_first_not_of(' ');
        if (own != std::string_view::npos && line.text[own] != '#') {
            indent = std::min(indent, own);
        }
    }
    return indent == std::string_view::npos ? 0 : indent;
}

}  // namespace

std::string letters(const CodeLine& line) {
    std::string result;
    std::transform(line.steps.begin(), line.steps.end(), std::back_inserter(result), teaching::letter_of);
    std::sort(result.begin(), result.end());
    return result;
}

int colour_of(const CodeLine& line) {
    const std::optional<Step> step = line.steps.empty() ? std::nullopt : std::optional(line.steps.front());
    return step == Step::barrier ? colour::barrier : step == Step::load ? colour::load : colour::step;
}

CodeCell cell_of(const Excerpt& excerpt, const CodeLine& line, std::string marks) {
    const std::size_t own = std::min(line.text.find_first_not_of(' '), line.text.size());
    return {fmt::format("{}", line.number), std::move(marks), line.text.substr(std::min(shared_indent(excerpt), own)),
            line.step_name, colour_of(line)};
}

Margins margins_of(const std::vector<const Excerpt*>& excerpts) {
    Margins margins;
    for (const Excerpt* excerpt : excerpts) {
        margins.number = std::max(margins.number, display_width(fmt::format("{}", excerpt->last())));
        for (const CodeLine& line : excerpt->lines) {
            margins.marks = std::max(margins.marks, static_cast<int>(line.steps.size()));
        }
    }
    return margins;
}

Margins margins_of(const std::vector<Side>& sides) {
    std::vector<const Excerpt*> all;
    for (const Side& side : sides) {
        for (const Excerpt& excerpt : side.excerpts) {
            all.push_back(&excerpt);
        }
    }
    return margins_of(all);
}

int natural_width(const Side& side, const Margins& margins) {
    int widest = 0;
    for (const Excerpt& excerpt : side.excerpts) {
        for (const CodeLine& line : excerpt.lines) {
            widest = std::max(widest, display_width(cell_of(excerpt, line, "").text));
        }
    }
    return widest + margins.width();
}

}  // namespace flashlens::report
