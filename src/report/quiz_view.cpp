#include "report/quiz_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "report/code_cell.h"
#include "report/numbers.h"
#include "report/table.h"
#include "report/width.h"
#include "teaching/quiz_answer.h"

namespace flashlens::report {
namespace {

using teaching::QuizKind;
using teaching::QuizQuestion;
using teaching::QuizUnit;

constexpr int widest = 100;  // lines of prose are not longer, however wide the terminal is

std::string lesson_command(int lesson) {
    return fmt::format("flashlens lesson {}", lesson);
}

int columns_of(const Terminal& terminal) {
    return std::min(terminal.columns, widest);
}

/// `text` in lines: `first` before the first one, blanks as wide before the others. Blank lines between paragraphs stay.
std::string in_lines(std::string_view text, const std::string& first, const Terminal& terminal) {
    const int indent = display_width(first);
    std::string result;
    std::string before = first;
    for (const std::string& line : wrap(text, std::max(columns_of(terminal) - indent, 10))) {
        result += (line.empty() ? "" : before + line) + "\n";
        before = std::string(static_cast<std::size_t>(indent), ' ');
    }
    return result;
}

std::string styled_lines(std::string_view text, Style style, const Terminal& terminal) {
    std::string result;
    for (const std::string& line : wrap(text, columns_of(terminal))) {
        result += styled(line, style, terminal) + "\n";
    }
    return result;
}

void replace_all(std::string& text, std::string_view old, std::string_view by) {
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + by.size())) {
        text.replace(at, old.size(), by);
    }
}

/// Marks of emphasis are for where a page is shown as Markdown; an ellipsis is for where it can be shown.
std::string plain(std::string text, const Terminal& terminal) {
    replace_all(text, "**", "");
    if (!terminal.utf8) {
        replace_all(text, "…", "...");
    }
    return text;
}

std::string code_of(const QuizQuestion& q, const Terminal& terminal) {
    std::string result;
    const bool numbered = q.kind == QuizKind::line;
    const Margins margins{numbered ? 4 : 2, 0};
    for (std::size_t i = 0; i < q.code.size(); ++i) {
        const CodeCell cell{numbered ? std::to_string(i + 1) : "", "", q.code[i], "", colour::step};
        for (std::string line : code_lines(cell, margins, std::max(terminal.columns, 20), terminal)) {
            line.erase(line.find_last_not_of(' ') + 1);
            result += line + "\n";
        }
    }
    return result + "\n";
}

/// What is right, as people read it.
std::string right_of(const QuizQuestion& q) {
    if (!q.options.empty() || q.kind == QuizKind::line) {
        return teaching::right_answer(q);
    }
    const auto rounded = static_cast<std::int64_t>(std::llround(q.value));
    const bool is_whole = std::abs(q.value) < 9e15 && static_cast<double>(rounded) == q.value;
    std::string number = is_whole ? whole(rounded) : fmt::format("{:.4g}", q.value);
    switch (q.unit) {
        case QuizUnit::bytes:
            return q.value < 1024 ? number + " B" : fmt::format("{} B ({})", number, memory_size(rounded));
        case QuizUnit::percent:
            return decimal(q.value) + " %";
        case QuizUnit::flop:
            return fmt::format("{} ({})", number, work(q.value));
        case QuizUnit::tflops:
            return decimal(q.value) + " TFLOP/s";
        case QuizUnit::count:
        case QuizUnit::real:
            break;
    }
    return number;
}

std::string references(const QuizQuestion& q, Language language, const Terminal& terminal) {
    std::string result = in_lines(q.show, "  " + std::string(text(language, Text::quiz_show)), terminal);
    for (const int lesson : q.read) {
        result += in_lines(lesson_command(lesson), "  " + std::string(text(language, Text::quiz_read)), terminal);
    }
    return result;
}

double points_of(const QuizRun& run) {
    double points = 0.0;
    for (const QuizOutcome& outcome : run.asked) {
        points += outcome.points;
    }
    return points;
}

/// "7", "6.5", "6.33".
std::string points_text(double points) {
    return fmt::format("{:.3g}", points);
}

}  // namespace

std::string quiz_lines(const std::string& text, const std::string& first, const Terminal& terminal) {
    return in_lines(plain(text, terminal), first, terminal);
}

std::string quiz_head(const QuizRun& run, Language language, const Terminal& terminal) {
    const Text name = run.mock ? Text::quiz_mock_title : Text::quiz_title;
    return in_lines(fill(language, name, run.planned, run.seed), "", terminal) +
           in_lines(text(language, Text::quiz_keys), "", terminal);
}

std::string quiz_question(const QuizQuestion& q, std::size_t number, std::size_t count, Language language,
                          const Terminal& terminal) {
    const std::string place = fill(language, Text::quiz_number, number, count);
    const std::string is = fill(language, Text::quiz_is, q.id, q.level);
    const bool one_line = display_width(place) + 2 + display_width(is) <= columns_of(terminal);
    std::string result = "\n" + styled(place, Style::bold, terminal) + (one_line ? "  " : "\n");
    result += styled(is, Style::dim, terminal) + "\n\n";
    result += in_lines(plain(q.text, terminal), "", terminal) + "\n";
    if (!q.code.empty()) {
        result += code_of(q, terminal);
    }
    for (std::size_t i = 0; i < q.options.size(); ++i) {
        result +=
            in_lines(plain(q.options[i].text, terminal), fmt::format("  {}  ", static_cast<char>('a' + i)), terminal);
    }
    return result + (q.options.empty() ? "" : "\n");
}

std::string quiz_prompt(const QuizQuestion& q, Language language) {
    if (!q.options.empty()) {
        return fill(language, Text::quiz_prompt_choice, static_cast<char>('a' + q.options.size() - 1));
    }
    switch (q.kind) {
        case QuizKind::line:
            return fill(language, Text::quiz_prompt_line, q.code.size());
        case QuizKind::open:
            return std::string(text(language, Text::quiz_prompt_open));
        default:
            break;
    }
    switch (q.unit) {
        case QuizUnit::bytes:
            return std::string(text(language, Text::quiz_prompt_bytes));
        case QuizUnit::percent:
            return std::string(text(language, Text::quiz_prompt_percent));
        case QuizUnit::flop:
            return std::string(text(language, Text::quiz_prompt_flop));
        case QuizUnit::tflops:
            return std::string(text(language, Text::quiz_prompt_tflops));
        case QuizUnit::count:
        case QuizUnit::real:
            break;
    }
    return std::string(text(language, Text::quiz_prompt_number));
}

std::string quiz_verdict(const QuizOutcome& outcome, Language language, const Terminal& terminal) {
    const QuizQuestion& q = outcome.question;
    if (q.kind == QuizKind::open) {
        const std::string points =
            fill(language, Text::quiz_own_points, points_text(outcome.points * static_cast<double>(q.grades.size())),
                 q.grades.size());
        return "\n" + in_lines(points, "", terminal) + references(q, language, terminal);
    }
    const bool right = outcome.points >= 1.0;
    const Text verdict = right                   ? Text::quiz_right
                         : outcome.given.empty() ? Text::quiz_skipped
                         : !outcome.understood   ? Text::quiz_not_understood
                                                 : Text::quiz_wrong;
    std::string result =
        "\n" + styled_lines(fill(language, verdict, right_of(q)), right ? Style::good : Style::bad, terminal);
    if (!right && !q.options.empty()) {
        const auto option = std::find_if(q.options.begin(), q.options.end(), [](const auto& o) { return o.right; });
        result += in_lines(plain(option->text, terminal), "  ", terminal);
    }
    return result + in_lines(plain(q.why, terminal), "  ", terminal) + references(q, language, terminal);
}

std::string quiz_model(const QuizQuestion& q, Language language, const Terminal& terminal) {
    std::string result = "\n" + styled(std::string(text(language, Text::quiz_model)), Style::bold, terminal) + "\n" +
                         in_lines(plain(q.model, terminal), "  ", terminal) + "\n" +
                         styled(std::string(text(language, Text::quiz_grades)), Style::bold, terminal) + "\n";
    for (std::size_t i = 0; i < q.grades.size(); ++i) {
        result += in_lines(plain(q.grades[i], terminal), fmt::format("  {}  ", i + 1), terminal);
    }
    return result + "\n";
}

std::string quiz_summary(const QuizRun& run, Language language, const Terminal& terminal) {
    std::string result = "\n";
    if (run.asked.size() < run.planned) {
        result += in_lines(fill(language, Text::quiz_ended, run.asked.size(), run.planned), "", terminal);
    }
    if (run.asked.empty()) {
        return result;
    }
    const double points = points_of(run);
    result += styled_lines(fill(language, Text::quiz_score, points_text(points), run.asked.size(),
                                percent(points / static_cast<double>(run.asked.size()))),
                           Style::bold, terminal);
    std::map<int, std::vector<std::string>> to_read;
    std::string missed;
    for (const QuizOutcome& outcome : run.asked) {
        if (outcome.points < 1.0) {
            missed += fmt::format("{}{}",
                                  missed.empty()             ? ""
                                  : language == Language::zh ? "、"
                                                             : ", ",
                                  outcome.question.id);
            for (const int lesson : outcome.question.read) {
                to_read[lesson].push_back(outcome.question.id);
            }
        }
    }
    if (missed.empty()) {
        return result;
    }
    result += in_lines(fill(language, Text::quiz_missed, missed), "", terminal);
    result += in_lines(text(language, Text::quiz_to_read), "", terminal);
    for (const auto& [lesson, ids] : to_read) {
        std::string of;
        for (const std::string& id : ids) {
            of += (of.empty() ? "" : language == Language::zh ? "、" : ", ") + id;
        }
        result += in_lines(fill(language, Text::quiz_read_of, lesson_command(lesson), of), "  ", terminal);
    }
    return result + in_lines(text(language, Text::quiz_review), "", terminal);
}

}  // namespace flashlens::report
