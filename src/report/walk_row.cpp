#include "report/walk_row.h"

#include <fmt/format.h>

#include <cmath>

#include "report/width.h"

namespace flashlens::report {
namespace {

using teaching::WalkRow;
using teaching::WalkStep;

void heading(WalkPage& page, const WalkRow& row, const std::vector<std::string>& columns) {
    const std::string left = page.say(Text::walk_query_sees, row.row, sees_words(page, row.row));
    const int width = display_width(left);
    std::string text = page.bold(left);
    if (!page.narrow() && !columns.empty() && width < WalkPage::label_width) {
        text += std::string(WalkPage::label_width - width, ' ');
        int used = WalkPage::label_width;
        for (std::size_t i = 0; i < columns.size() && used + walk_number_width <= page.terminal().columns; ++i) {
            text += (i > 0 ? " " : "") + page.dim(at_right(columns[i], walk_number_width));
            used += walk_number_width + (i > 0 ? 1 : 0);
        }
    }
    page.line(text);
}

}  // namespace

void row_heading(WalkPage& page, const WalkRow& row) {
    heading(page, row, {});
}

void row_heading(WalkPage& page, const WalkStep& step, const WalkRow& row) {
    std::vector<std::string> keys;
    for (std::int64_t j = 0; j < step.key_count; ++j) {
        keys.push_back(fmt::format("key {}", step.first_key + j));
    }
    heading(page, row, keys);
}

void instead_of_formulas(WalkPage& page, Text sentence) {
    page.lines(labelled("", 2, page.say(sentence), page.terminal()));
}

void scores_formula(WalkPage& page, const WalkRow& row) {
    std::vector<std::string> cells;
    bool any_masked = false;
    for (std::size_t j = 0; j < row.s.size(); ++j) {
        any_masked = any_masked || !row.visible[j];
        cells.push_back(row.visible[j] ? page.number(row.s[j])
                                       : page.dim(at_right(page.say(Text::walk_masked), walk_number_width)));
    }
    const bool typed = page.problem().scores_given();
    page.formula(page.say(typed ? Text::walk_scores_typed : Text::walk_scores_computed), cells, false,
                 any_masked ? Text::walk_why_masked : Text::walk_why_scores);
}

void maximum_formula(WalkPage& page, std::string_view label, const WalkRow& row) {
    const bool changed = row.m != row.m_before;
    const Text why = row.m_before == no_key ? Text::walk_why_first_maximum
                     : row.m > row.m_before ? Text::walk_why_raised
                                            : Text::walk_why_kept;
    page.formula(label,
                 {fmt::format("max({}, {}) = {}", page.number(row.m_before), page.number(row.row_max),
                              page.result(row.m, changed))},
                 changed, why);
}

void weight_formula(WalkPage& page, std::string_view label, const WalkRow& row, const WhyWeight& why) {
    const bool before = row.m_before != no_key;
    const bool changed = before && row.rescale != 1.0;
    page.formula(label,
                 {fmt::format("exp({} - {}) = {}", page.number(row.m_before), page.number(row.m),
                              page.result(row.rescale, changed))},
                 changed,
                 !before              ? why.nothing_before
                 : row.rescale == 1.0 ? why.one
                                      : why.less);
}

void lse_formula(WalkPage& page, const WalkRow& row, bool changed, Text comment) {
    page.formula(
        "lse = m + log l",
        {fmt::format("{} + {} = {}", page.number(row.m), page.number(std::log(row.l)), page.result(row.lse, changed))},
        changed, comment);
}

}  // namespace flashlens::report
