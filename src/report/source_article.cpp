#include "report/source_article.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "report/comparison_view.h"
#include "report/source_cells.h"
#include "report/source_columns.h"
#include "report/source_words.h"
#include "report/width.h"
#include "teaching/article.h"

namespace flashlens::report {
namespace {

using teaching::CodeLine;
using teaching::Excerpt;

constexpr int narrowest_with_article = 110;  // the article's lines are short

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
            group.step ? step_title(*group.step, language) : std::string(text(language, Text::source_left_out_other));
        result += labelled("+" + label, 4, fill(language, Text::said_of, what, ranges(group.lines)), terminal);
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
          heading_(text(language, Text::source_article_heading)),
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
                result += beside_each_other({left, {place_line(beside_.ours[*excerpt], widths[1], terminal_)}}, widths,
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
            result += "\n" + alone(place_line(beside_.ours[e], terminal_.columns, terminal_));
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

}  // namespace

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

}  // namespace flashlens::report
