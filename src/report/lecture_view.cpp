#include "report/lecture_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "bilingual.h"
#include "report/code_cell.h"
#include "report/document_text.h"
#include "report/styled_text.h"
#include "report/width.h"
#include "split.h"

namespace flashlens::report {
namespace {

using teaching::Block;

constexpr Bilingual notes_word{"say", "讲稿"};

std::string rule(int width, bool heavy, const Terminal& terminal) {
    const std::string_view unicode = heavy ? "━" : "─";
    return with_style(repeated(terminal.utf8 ? unicode : heavy ? "=" : "-", width), heavy ? "" : "2", terminal);
}

std::vector<std::string> document_lines(const std::vector<Block>& blocks, Language language, Terminal terminal,
                                        int margin) {
    terminal.columns = std::max(terminal.columns - margin, 2);
    return document_text(blocks, {language, "lessons/lecture", true}, terminal).lines;
}

/// The lines of a paragraph as the script has them.
std::vector<teaching::Spans> lines_of(const teaching::Spans& spans) {
    std::vector<teaching::Spans> lines(1);
    for (const teaching::Span& span : spans) {
        const std::vector<std::string> parts = split(span.text, '\n');
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (i > 0) {
                lines.emplace_back();
            }
            teaching::Span part = span;
            part.text = parts[i];
            lines.back().push_back(std::move(part));
        }
    }
    return lines;
}

/// What a step says, larger than the rest as far as a terminal can: in bold, and each line of the script on its own.
std::vector<std::string> spoken(const std::vector<Block>& text, Language language, const Terminal& terminal) {
    std::vector<std::string> lines;
    for (const Block& block : text) {
        if (block.kind != Block::Kind::paragraph) {
            const std::vector<std::string> more = document_lines({block}, language, terminal, 2);
            lines.insert(lines.end(), more.begin(), more.end());
            continue;
        }
        for (teaching::Spans& line : lines_of(block.spans)) {
            for (teaching::Span& span : line) {
                span.strong = true;
            }
            const std::vector<std::string> parts = wrap_spans(line, std::max(terminal.columns - 2, 2), terminal);
            lines.insert(lines.end(), parts.begin(), parts.end());
        }
    }
    return lines;
}

void add_indented(std::vector<std::string>& lines, const std::vector<std::string>& more, const std::string& margin) {
    for (const std::string& line : more) {
        lines.push_back(line.empty() ? "" : margin + line);
    }
}

}  // namespace

std::vector<std::string> lecture_screen(const teaching::Lecture& lecture, std::size_t step,
                                        const std::vector<Printed>& printed, bool notes, Language language,
                                        const Terminal& terminal) {
    const teaching::LectureStep& now = lecture.steps[step];
    const int columns = terminal.columns;
    std::vector<std::string> lines;
    // The title, and at the right the place.
    const std::string place = fmt::format("{}/{}", step + 1, lecture.steps.size());
    const int room = std::max(columns - display_width(place) - 2, 2);
    for (const std::string& part : wrap(now.title, room)) {
        const bool first = lines.empty();
        const std::string bold = with_style(part, fmt::format("1;38;5;{}", colour::step), terminal);
        const int blanks = columns - display_width(part) - display_width(place);
        lines.push_back(first ? bold + std::string(static_cast<std::size_t>(std::max(blanks, 1)), ' ') +
                                    with_style(place, "2", terminal)
                              : bold);
    }
    lines.push_back(rule(columns, true, terminal));
    add_indented(lines, spoken(now.text, language, terminal), "  ");
    for (const Printed& one : printed) {
        lines.emplace_back();
        // What only cuts the output to size steps back, to a line of its own where there is no room beside the command.
        const std::size_t pipe = std::min(one.command.find(" | "), one.command.size());
        const StyledPart command{"$ " + one.command.substr(0, pipe), fmt::format("38;5;{}", colour::string)};
        const StyledPart filters{one.command.substr(pipe), "2"};
        const bool beside = width_of({command, filters}) <= columns;
        for (const StyledText& text :
             beside ? std::vector<StyledText>{{command, filters}} : std::vector<StyledText>{{command}, {filters}}) {
            for (const StyledLine& part : wrap_styled(text, columns, terminal)) {
                lines.push_back(part.text);
            }
        }
        lines.insert(lines.end(), one.lines.begin(), one.lines.end());
    }
    if (!now.figures.empty()) {
        lines.emplace_back();
        add_indented(lines, document_lines(now.figures, language, terminal, 2), "  ");
    }
    if (notes) {
        lines.push_back(rule(columns, false, terminal));
        Terminal plain = terminal;
        plain.colour = false;  // dimmed as a whole
        const std::string said = fmt::format(fmt::runtime(language == Language::zh ? "{}（{} 秒）" : "{} ({} s)"),
                                             notes_word.in(language), now.seconds);
        lines.push_back(with_style(said, "2", terminal));
        for (const std::string& line : document_lines(now.notes, language, plain, 0)) {
            lines.push_back(with_style(line, "2", terminal));
        }
    }
    return lines;
}

}  // namespace flashlens::report
