#include "report/source_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "report/comparison_view.h"
#include "report/source_article.h"
#include "report/source_cells.h"
#include "report/source_columns.h"
#include "report/source_legend.h"
#include "report/source_words.h"
#include "report/width.h"
#include "teaching/alignment.h"

namespace flashlens::report {
namespace {

using teaching::CodeLine;
using teaching::Excerpt;
using teaching::Part;
using teaching::Side;

constexpr int narrowest_column = 74;  // two of these, with what stands between, are 150 columns or less

bool fits_beside(std::size_t columns, const Terminal& terminal) {
    return columns > 1 && terminal.columns >= narrowest_column * static_cast<int>(columns) + 2;
}

std::vector<std::string> cell_lines(const Side& side, const std::optional<teaching::Place>& place,
                                    const Margins& margins, int width, const Terminal& terminal) {
    if (!place) {
        return {};
    }
    const Excerpt& excerpt = side.excerpts[place->excerpt];
    if (!place->line) {
        return {place_line(excerpt, width, terminal)};
    }
    const CodeLine& line = excerpt.lines[*place->line];
    return code_lines(cell_of(excerpt, line, letters(line)), margins, width, terminal);
}

/// What there is to say of a variant, in lines of `width` columns.
std::vector<std::string> note_lines(teaching::Topic topic, const std::string& variant, int width, Language language) {
    std::vector<std::string> lines =
        wrap(fill(language, Text::said_of, variant, topic_note(topic, variant, language)), width);
    std::transform(lines.begin(), lines.end(), lines.begin(),
                   [&](const std::string& line) { return pad(line, width); });
    return lines;
}

std::string show_beside(const Part& part, const std::vector<int>& widths, Language language, const Terminal& terminal) {
    const Margins margins = margins_of(part.sides);
    std::string result = titled(topic_title(part.topic, language), widths, terminal);
    std::vector<std::vector<std::string>> cells;
    for (std::size_t i = 0; i < part.sides.size(); ++i) {
        cells.push_back(note_lines(part.topic, part.sides[i].variant, widths[i], language));
    }
    result += beside_each_other(cells, widths, terminal);
    cells.assign(cells.size(), {});
    for (const teaching::Row& row : teaching::rows_of(part)) {
        const bool any = std::any_of(cells.begin(), cells.end(), [](const auto& cell) { return !cell.empty(); });
        if (row.together && any) {
            result += beside_each_other(cells, widths, terminal);
            cells.assign(cells.size(), {});
        }
        for (std::size_t i = 0; i < part.sides.size(); ++i) {
            const std::vector<std::string> lines =
                cell_lines(part.sides[i], row.places[i], margins, widths[i], terminal);
            cells[i].insert(cells[i].end(), lines.begin(), lines.end());
        }
    }
    result += beside_each_other(cells, widths, terminal);
    return result + bottom_rule(widths, terminal);
}

std::string show_below(const Part& part, Language language, const Terminal& terminal) {
    const Margins margins = margins_of(part.sides);
    std::string result = titled(topic_title(part.topic, language), {}, terminal);
    for (const Side& side : part.sides) {
        result += "\n" + alone(note_lines(part.topic, side.variant, terminal.columns, language));
        for (const Excerpt& excerpt : side.excerpts) {
            result += (&excerpt == &side.excerpts.front() ? "" : "\n") +
                      alone(place_line(excerpt, terminal.columns, terminal));
            for (const CodeLine& line : excerpt.lines) {
                const CodeCell cell = cell_of(excerpt, line, letters(line));
                result += alone(code_lines(cell, margins, terminal.columns, terminal));
            }
        }
    }
    return result;
}

std::string show_stage(teaching::Stage stage, const SourceQuestion& question, Language language,
                       const Terminal& terminal) {
    const std::vector<Part> parts = teaching::parts_of(stage, question.variants);
    std::vector<int> widths(question.variants.size());
    for (const Part& part : parts) {
        for (std::size_t i = 0; i < part.sides.size(); ++i) {
            widths[i] = std::max(widths[i], natural_width(part.sides[i], margins_of(part.sides)));
        }
    }
    widths = shared_out(widths, terminal.columns);
    const bool side_by_side = fits_beside(question.variants.size(), terminal);
    const std::string title =
        fill(language, Text::source_stage, teaching::name_of(stage), stage_title(stage, language));
    std::string result = "\n" + labelled("", 0, title, terminal, Style::bold);
    for (const Part& part : parts) {
        result += side_by_side ? show_beside(part, widths, language, terminal) : show_below(part, language, terminal);
    }
    return result;
}

}  // namespace

std::string show_source(const SourceQuestion& question, Language language, const Terminal& terminal) {
    std::string result = labelled("", 0, std::string(text(language, Text::title_source)), terminal);
    if (question.article) {
        result += labelled("", 0, std::string(text(language, Text::source_article_note)), terminal);
        for (const std::string& variant : question.variants) {
            result += show_article(variant, language, terminal);
        }
    } else {
        for (const teaching::Stage stage : question.stages) {
            result += show_stage(stage, question, language, terminal);
        }
    }
    result += source_legend(question.variants, language, terminal);
    return result + labelled("", 0, std::string(text(language, Text::source_more)), terminal);
}

}  // namespace flashlens::report
