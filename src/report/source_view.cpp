#include "report/source_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "report/code_cell.h"
#include "report/comparison_view.h"
#include "report/table.h"
#include "report/width.h"
#include "teaching/alignment.h"
#include "teaching/article.h"

namespace flashlens::report {
namespace {

using teaching::CodeLine;
using teaching::Excerpt;
using teaching::Part;
using teaching::Side;
using teaching::Step;

constexpr int narrowest_column = 74;  // two of these, with what stands between, are 150 columns or less
constexpr int legend_column = 24;
constexpr int narrowest_with_article = 110;  // the article's lines are short

std::string say(Language language, Text name) {
    return std::string(text(language, name));
}

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

/// Columns that the code of a side would like to have.
int natural_width(const Side& side, const Margins& margins) {
    int widest = 0;
    for (const Excerpt& excerpt : side.excerpts) {
        for (const CodeLine& line : excerpt.lines) {
            widest = std::max(widest, display_width(cell_of(excerpt, line, "").text));
        }
    }
    return widest + margins.width();
}

std::string repeated(std::string_view text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) {
        result += text;
    }
    return result;
}

std::string_view dash(const Terminal& terminal) {
    return terminal.utf8 ? "─" : "-";
}

/// The heading of an excerpt: where it stands.
std::string heading(const Excerpt& excerpt, int width, const Terminal& terminal) {
    const bool one = excerpt.first() == excerpt.last();
    const std::string lines =
        one ? fmt::format("{}", excerpt.first()) : fmt::format("{}-{}", excerpt.first(), excerpt.last());
    const std::string place = fmt::format("{}:{}", excerpt.path, lines);
    const std::string shown = display_width(place) > width ? wrap(place, width).front() : place;
    return styled(shown, Style::bold, terminal) + pad("", width - display_width(shown));
}

/// A title with a rule after it, across the screen; the rule has the junctions of the columns below. Without room for a
/// rule, the title alone.
std::string titled(const std::string& title, const std::vector<int>& widths, const Terminal& terminal) {
    const int start = 3 + display_width(title) + 1;
    if (start > terminal.columns) {
        return "\n" + labelled("", 0, title, terminal, Style::bold);
    }
    std::vector<int> junctions;
    int at = 0;
    for (const int width : widths) {
        at += width + 3;
        junctions.push_back(at - 2);
    }
    std::string result = "\n" + repeated(dash(terminal), 2) + " " + styled(title, Style::bold, terminal) + " ";
    for (int column = start; column < terminal.columns; ++column) {
        const bool junction = std::find(junctions.begin(), junctions.end(), column) != junctions.end();
        result += junction ? (terminal.utf8 ? "┬" : "+") : dash(terminal);
    }
    return result + "\n";
}

/// Cells side by side, the lower ones filled up with blanks.
std::string beside_each_other(const std::vector<std::vector<std::string>>& cells, const std::vector<int>& widths,
                              const Terminal& terminal) {
    std::size_t height = 1;
    for (const auto& cell : cells) {
        height = std::max(height, cell.size());
    }
    const std::string between = terminal.utf8 ? " │ " : " | ";
    std::string result;
    for (std::size_t line = 0; line < height; ++line) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            result += (i == 0 ? "" : between) + (line < cells[i].size() ? cells[i][line] : pad("", widths[i]));
        }
        result += "\n";
    }
    return result;
}

/// Below the last row.
std::string bottom_rule(const std::vector<int>& widths, const Terminal& terminal) {
    std::string result;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        result += i == 0 ? "" : terminal.utf8 ? "─┴─" : "-+-";
        result += repeated(dash(terminal), widths[i]);
    }
    return result + "\n";
}

/// A line that nothing stands beside.
std::string alone(const std::string& line) {
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string alone(const std::vector<std::string>& lines) {
    std::string result;
    for (const std::string& line : lines) {
        result += alone(line);
    }
    return result;
}

/// Widths for columns that would like to have `natural`: all of the terminal's, the widest gives way.
std::vector<int> shared_out(std::vector<int> natural, int columns) {
    const int room = columns - 3 * (static_cast<int>(natural.size()) - 1);
    int over = std::accumulate(natural.begin(), natural.end(), -room);
    for (; over > 0; --over) {
        --*std::max_element(natural.begin(), natural.end());
    }
    for (; over < 0; ++over) {
        ++*std::min_element(natural.begin(), natural.end());
    }
    return natural;
}

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
        return {heading(excerpt, width, terminal)};
    }
    const CodeLine& line = excerpt.lines[*place->line];
    return code_lines(cell_of(excerpt, line, letters(line)), margins, width, terminal);
}

/// What there is to say of a variant, in lines of `width` columns.
std::vector<std::string> note_lines(teaching::Topic topic, const std::string& variant, int width, Language language) {
    std::vector<std::string> lines = wrap(variant + ": " + topic_note(topic, variant, language), width);
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
            result +=
                (&excerpt == &side.excerpts.front() ? "" : "\n") + alone(heading(excerpt, terminal.columns, terminal));
            for (const CodeLine& line : excerpt.lines) {
                const CodeCell cell = cell_of(excerpt, line, letters(line));
                result += alone(code_lines(cell, margins, terminal.columns, terminal));
            }
        }
    }
    return result;
}

/// By which names a kernel takes a step.
std::string names_of(Step step, const std::string& variant) {
    std::vector<std::string> names;
    for (const teaching::StepName& name : teaching::step_names(variant)) {
        if (std::find(name.steps.begin(), name.steps.end(), step) != name.steps.end()) {
            names.push_back(std::string(name.name) + (step == Step::loop ? " ..." : ""));
        }
    }
    return names.empty() ? "-" : fmt::format("{}", fmt::join(names, ", "));
}

/// The letters, and what they mean in each kernel: a table, or where that is too wide a paragraph for each.
std::string legend(const std::vector<std::string>& variants, Language language, const Terminal& terminal) {
    std::vector<Cell> heading{{say(language, Text::source_letters), Style::bold}};
    for (const std::string& variant : variants) {
        heading.push_back({variant, Style::bold});
    }
    Table table(std::move(heading));
    std::string paragraphs;
    for (const Step step : teaching::all_steps()) {
        const std::string letter(1, teaching::letter_of(step));
        std::vector<Cell> names;
        std::string sentence = step_title(step, language);
        for (const std::string& variant : variants) {
            names.push_back({names_of(step, variant)});
            sentence += fmt::format("; {} {}", variant, names.back().text);
        }
        table.row(letter + "  " + step_title(step, language), std::move(names));
        paragraphs += labelled(letter, 3, sentence, terminal);
    }
    return "\n" + (table.fits(terminal, legend_column) ? table.render(terminal) : paragraphs);
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

/// The first line of ours that a line of the article's stands for, or null.
const CodeLine* first_of_ours(const teaching::ArticleBeside& beside, std::size_t article) {
    for (const Excerpt& excerpt : beside.ours) {
        for (const CodeLine& line : excerpt.lines) {
            const auto& numbers = beside.stands_for[article];
            if (!numbers.empty() && line.number == numbers.front()) {
                return &line;
            }
        }
    }
    return nullptr;
}

/// What names the step in a line of the article's: the function called, "for", or all of its words.
std::string_view name_in(std::string_view line) {
    const std::size_t end = std::min(line.find_first_of("(;"), line.size());
    const bool call = end < line.size() && line[end] == '(' && line[end - 1] != ' ';
    const std::size_t start = std::min(line.find_first_not_of(' '), end);
    const std::size_t blank = line.rfind(' ', end);
    const std::size_t begin = call && blank != std::string_view::npos ? std::max(blank + 1, start) : start;
    return line.substr(begin, line.substr(begin, end - begin).find_last_not_of(' ') + 1);
}

CodeCell article_cell(const teaching::ArticleBeside& beside, std::size_t a) {
    const std::string_view line = teaching::article_loop(beside.variant)[a].text;
    const CodeLine* ours = first_of_ours(beside, a);
    if (ours == nullptr || ours->steps.empty() || line.substr(0, 2) == "//") {
        return {"", ours == nullptr ? "" : letters(*ours), line, {}, colour::step};
    }
    return {"", letters(*ours), line, name_in(line), colour_of(*ours)};
}

bool is_left_out(const teaching::ArticleBeside& beside, int number) {
    return std::any_of(beside.left_out.begin(), beside.left_out.end(), [&](const auto& group) {
        return std::find(group.lines.begin(), group.lines.end(), number) != group.lines.end();
    });
}

/// "84-91, 93": numbers in ascending order.
std::string ranges(const std::vector<int>& numbers) {
    std::string result;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t end = i + 1;
        while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) {
            ++end;
        }
        result += result.empty() ? "" : ", ";
        result += end == i + 1 ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[end - 1]);
        i = end;
    }
    return result;
}

std::string left_out_list(const teaching::ArticleBeside& beside, Language language, const Terminal& terminal) {
    std::string result =
        "\n" + labelled("", 0, fill(language, Text::source_left_out, beside.ours.front().path), terminal);
    for (const teaching::ArticleBeside::LeftOut& group : beside.left_out) {
        const std::string label = group.step ? std::string(1, teaching::letter_of(*group.step)) : "";
        const std::string what =
            group.step ? step_title(*group.step, language) : say(language, Text::source_left_out_other);
        result += labelled("+" + label, 4, fmt::format("{}: {}", what, ranges(group.lines)), terminal);
    }
    return result;
}

/// The article's loop of a variant, and ours.
class ArticleView {
public:
    ArticleView(const std::string& variant, Language language, const Terminal& terminal)
        : beside_(teaching::article_beside(variant)),
          article_(teaching::article_loop(variant)),
          title_(fill(language, Text::source_article, variant)),
          heading_(say(language, Text::source_article_heading)),
          terminal_(terminal) {
        std::vector<const Excerpt*> excerpts;
        for (const Excerpt& excerpt : beside_.ours) {
            excerpts.push_back(&excerpt);
        }
        ours_ = margins_of(excerpts);
        theirs_.marks = ours_.marks;
        ++ours_.marks;  // for "+"
    }

    const teaching::ArticleBeside& beside() const { return beside_; }

    std::string side_by_side() const {
        int natural = display_width(heading_);
        for (const teaching::ArticleLine& line : article_) {
            natural = std::max(natural, theirs_.width() + display_width(line.text));
        }
        const std::vector<int> widths{natural, terminal_.columns - 3 - natural};
        std::string result = titled(title_, widths, terminal_);
        std::vector<std::string> left{styled(heading_, Style::bold, terminal_) +
                                      pad("", widths[0] - display_width(heading_))};
        std::optional<std::size_t> excerpt;
        for (const teaching::ArticleBeside::Row& row : beside_.rows) {
            if (row.ours && row.ours->excerpt != excerpt) {
                excerpt = row.ours->excerpt;
                result += beside_each_other({left, {heading(beside_.ours[*excerpt], widths[1], terminal_)}}, widths,
                                            terminal_);
                left.clear();
            }
            result +=
                beside_each_other({row.article ? article_lines(*row.article, widths[0]) : std::vector<std::string>{},
                                   row.ours ? our_lines(*row.ours, widths[1]) : std::vector<std::string>{}},
                                  widths, terminal_);
        }
        return result + bottom_rule(widths, terminal_);
    }

    std::string below() const {
        std::string result = titled(title_, {}, terminal_);
        result += labelled("", 0, heading_, terminal_, Style::bold);
        for (std::size_t a = 0; a < article_.size(); ++a) {
            result += alone(article_lines(a, terminal_.columns));
        }
        for (std::size_t e = 0; e < beside_.ours.size(); ++e) {
            result += "\n" + alone(heading(beside_.ours[e], terminal_.columns, terminal_));
            for (std::size_t l = 0; l < beside_.ours[e].lines.size(); ++l) {
                result += alone(our_lines({e, l}, terminal_.columns));
            }
        }
        return result;
    }

private:
    std::vector<std::string> article_lines(std::size_t a, int width) const {
        return code_lines(article_cell(beside_, a), theirs_, width, terminal_);
    }

    std::vector<std::string> our_lines(const teaching::Place& place, int width) const {
        const Excerpt& excerpt = beside_.ours[place.excerpt];
        const CodeLine& line = excerpt.lines[*place.line];
        const std::string sign = is_left_out(beside_, line.number) ? "+" : line.steps.empty() ? "" : " ";
        return code_lines(cell_of(excerpt, line, sign + letters(line)), ours_, width, terminal_);
    }

    teaching::ArticleBeside beside_;
    std::span<const teaching::ArticleLine> article_;
    std::string title_, heading_;
    const Terminal& terminal_;
    Margins ours_, theirs_;
};

std::string show_article(const std::string& variant, Language language, const Terminal& terminal) {
    const ArticleView view(variant, language, terminal);
    std::string result = terminal.columns >= narrowest_with_article ? view.side_by_side() : view.below();
    result += left_out_list(view.beside(), language, terminal);
    for (const teaching::ArticleLine& line : teaching::article_loop(variant)) {
        if (line.nothing_to_do) {
            const std::string_view code = line.text.substr(line.text.find_first_not_of(' '));
            const std::string why = fill(language, Text::source_nothing_to_do, variant);
            result += labelled("", 0, fmt::format("{} {}", code, why), terminal);
        }
    }
    return result;
}

}  // namespace

std::string step_title(Step step, Language language) {
    constexpr std::array names{Text::source_step_load,  Text::source_step_loop,    Text::source_step_scores,
                               Text::source_step_mask,  Text::source_step_maximum, Text::source_step_exponentials,
                               Text::source_step_sum,   Text::source_step_convert, Text::source_step_output,
                               Text::source_step_merge, Text::source_step_rescale, Text::source_step_lse,
                               Text::source_step_write, Text::source_step_barrier};
    return say(language, names[static_cast<std::size_t>(step)]);
}

std::string stage_title(teaching::Stage stage, Language language) {
    constexpr std::array names{Text::source_stage_launch, Text::source_stage_mainloop, Text::source_stage_warps,
                               Text::source_stage_epilogue};
    return say(language, names[static_cast<std::size_t>(stage)]);
}

namespace {

struct TopicTexts {
    Text title, of_v1, of_v2, of_v2_tuned;  ///< where v2-tuned does as v2, of v2-tuned is v2's
};

constexpr std::array topic_texts{
    TopicTexts{Text::source_grid, Text::source_grid_v1, Text::source_grid_v2, Text::source_grid_tuned},
    TopicTexts{Text::source_splits, Text::source_splits_v1, Text::source_splits_v2, Text::source_splits_tuned},
    TopicTexts{Text::source_tiles, Text::source_tiles_v1, Text::source_tiles_v2, Text::source_tiles_tuned},
    TopicTexts{Text::source_before_loop, Text::source_before_loop_v1, Text::source_before_loop_v2,
               Text::source_before_loop_v2},
    TopicTexts{Text::source_loops, Text::source_loops_v1, Text::source_loops_v2, Text::source_loops_tuned},
    TopicTexts{Text::source_traits, Text::source_traits_v1, Text::source_traits_v2, Text::source_traits_v2},
    TopicTexts{Text::source_rows_and_keys, Text::source_rows_and_keys_v1, Text::source_rows_and_keys_v2,
               Text::source_rows_and_keys_v2},
    TopicTexts{Text::source_row_maximum, Text::source_row_maximum_v1, Text::source_row_maximum_v2,
               Text::source_row_maximum_tuned},
    TopicTexts{Text::source_row_sum, Text::source_row_sum_v1, Text::source_row_sum_v2, Text::source_row_sum_v2},
    TopicTexts{Text::source_warp_output, Text::source_warp_output_v1, Text::source_warp_output_v2,
               Text::source_warp_output_v2},
    TopicTexts{Text::source_quad_shuffles, Text::source_quad_shuffles_v1, Text::source_quad_shuffles_v2,
               Text::source_quad_shuffles_v2},
    TopicTexts{Text::source_last_steps, Text::source_last_steps_v1, Text::source_last_steps_v2,
               Text::source_last_steps_v2},
    TopicTexts{Text::source_normalisation, Text::source_normalisation_v1, Text::source_normalisation_v2,
               Text::source_normalisation_v2},
    TopicTexts{Text::source_log_sum_exp, Text::source_log_sum_exp_v1, Text::source_log_sum_exp_v2,
               Text::source_log_sum_exp_v2},
    TopicTexts{Text::source_write_out, Text::source_write_out_v1, Text::source_write_out_v2, Text::source_write_out_v2},
    TopicTexts{Text::source_between_passes, Text::source_between_passes_v1, Text::source_between_passes_v2,
               Text::source_between_passes_v2},
};

}  // namespace

std::string topic_title(teaching::Topic topic, Language language) {
    return say(language, topic_texts[static_cast<std::size_t>(topic)].title);
}

std::string topic_note(teaching::Topic topic, std::string_view variant, Language language) {
    const TopicTexts& texts = topic_texts[static_cast<std::size_t>(topic)];
    return say(language, variant == "v1" ? texts.of_v1 : variant == "v2" ? texts.of_v2 : texts.of_v2_tuned);
}

std::string show_source(const SourceQuestion& question, Language language, const Terminal& terminal) {
    std::string result = labelled("", 0, say(language, Text::title_source), terminal);
    if (question.article) {
        result += labelled("", 0, say(language, Text::source_article_note), terminal);
        for (const std::string& variant : question.variants) {
            result += show_article(variant, language, terminal);
        }
    } else {
        for (const teaching::Stage stage : question.stages) {
            result += show_stage(stage, question, language, terminal);
        }
    }
    result += legend(question.variants, language, terminal);
    return result + labelled("", 0, say(language, Text::source_more), terminal);
}

}  // namespace flashlens::report
