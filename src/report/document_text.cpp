#include "report/document_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bilingual.h"
#include "report/code_cell.h"
#include "report/document_table.h"
#include "report/styled_text.h"
#include "report/width.h"
#include "split.h"

namespace flashlens::report {
namespace {

using teaching::Block;
using teaching::Span;
using teaching::Spans;

constexpr int widest_prose = 100;
constexpr int narrowest = 8;  ///< of what stands in a list in a list

constexpr Bilingual figure_word{"figure", "图"};
constexpr Bilingual hidden_word{"o shows it", "按 o 显示"};

const std::string code_style = fmt::format("38;5;{}", colour::type);
const std::string command_style = fmt::format("1;38;5;{}", colour::string);

std::string style_of(const Span& span) {
    std::string style = span.strong ? "1" : "";
    style += span.emphasis ? (style.empty() ? "3" : ";3") : "";
    style += span.code ? (style.empty() ? "" : ";") + code_style : "";
    return style;
}

/// Without colours, backquotes tell code from words.
StyledPart part_of(const Span& span, const Terminal& terminal) {
    return {span.code && !terminal.colour ? fmt::format("`{}`", span.text) : span.text, style_of(span)};
}

/// Where a link of a page leads, from the project's root; addresses elsewhere as they are.
std::string target_of(const std::string& target, std::string_view folder) {
    const bool elsewhere = target.find("://") != std::string::npos || target.starts_with('#');
    return elsewhere ? target : (std::filesystem::path(folder) / target).lexically_normal().generic_string();
}

bool is_picture(const Block& block) {
    return block.kind == Block::Kind::paragraph && !block.spans.empty() &&
           std::all_of(block.spans.begin(), block.spans.end(),
                       [](const Span& s) { return s.image || s.text.find_first_not_of(" \n") == std::string::npos; });
}

class Renderer {
public:
    Renderer(const DocumentStyle& style, const Terminal& terminal)
        : style_(style), terminal_(terminal), columns_(std::max(terminal.columns, 2)) {}

    DocumentText take(const std::vector<Block>& page) {
        for (block_ = 0; block_ < page.size(); ++block_) {
            show(page[block_]);
        }
        list_links();
        return std::move(result_);
    }

private:
    int prose() const { return std::max(std::min(columns_, widest_prose) - indent_width(), narrowest); }
    int room() const { return std::max(columns_ - indent_width(), narrowest); }
    int indent_width() const { return display_width(indent_); }

    void line(const std::string& text) {
        if (gap_ && !result_.lines.empty()) {
            push(without_blanks_at_end(mark_.empty() ? indent_ : outer_indent_));
            result_.blocks.back() = result_.blocks[result_.blocks.size() - 2];  // it is below a block, not in the next
        }
        gap_ = false;
        push((mark_.empty() ? indent_ : outer_indent_ + mark_) + text);  // the first line of an item has its mark
        mark_.clear();
    }
    void push(std::string text) {
        result_.lines.push_back(std::move(text));
        result_.blocks.push_back(block_);
    }
    void lines(const std::vector<std::string>& all) {
        for (const std::string& text : all) {
            line(text);
        }
    }
    /// A blank line before the next one.
    void gap() { gap_ = gap_ || !tight_; }

    StyledText styled(const Spans& spans) {
        StyledText text;
        for (std::size_t i = 0; i < spans.size(); ++i) {
            const Span& span = spans[i];
            text.push_back(part_of(span, terminal_));
            if (span.image) {
                text.push_back({" (" + target_of(span.target, style_.folder) + ")", "2"});
            } else if (!span.target.empty() && (i + 1 == spans.size() || spans[i + 1].target != span.target)) {
                text.push_back({fmt::format("[{}]", number_of(target_of(span.target, style_.folder))), "2"});
            }
        }
        return text;
    }
    /// Of a link: each target has one number, from its first mention on.
    std::size_t number_of(const std::string& target) {
        const auto found = std::find(links_.begin(), links_.end(), target);
        const auto number = static_cast<std::size_t>(found - links_.begin()) + 1;
        if (found == links_.end()) {
            links_.push_back(target);
        }
        if (std::find(due_.begin(), due_.end(), number) == due_.end()) {
            due_.push_back(number);
        }
        return number;
    }

    void prose_lines(const StyledText& text) {
        for (const StyledLine& next : wrap_styled(text, prose(), terminal_)) {
            line(next.text);
        }
    }

    void show_all(const std::vector<Block>& blocks) {
        for (const Block& block : blocks) {
            show(block);
        }
    }

    void show(const Block& block) {
        switch (block.kind) {
            case Block::Kind::heading:
                show_heading(block);
                break;
            case Block::Kind::paragraph:
                show_paragraph(block);
                break;
            case Block::Kind::list:
                show_list(block);
                break;
            case Block::Kind::item:
                show_all(block.children);
                break;
            case Block::Kind::quote:
                show_indented(block.children, terminal_.utf8 ? "│ " : "| ");
                break;
            case Block::Kind::code:
                show_code(block);
                break;
            case Block::Kind::table:
                show_table(block);
                break;
            case Block::Kind::rule:
                line(with_style(repeated(terminal_.utf8 ? "─" : "-", prose()), "2", terminal_));
                gap();
                break;
            case Block::Kind::details:
                show_details(block);
                break;
        }
    }

    void show_heading(const Block& block) {
        if (block.level <= 2) {
            list_links();
        }
        if (block.level <= 3) {
            result_.sections.push_back(result_.lines.size() + (gap_ ? 1 : 0));
        }
        StyledText text;
        int width = 0;
        for (StyledPart part : styled(block.spans)) {
            part.style = "1";
            text.push_back(std::move(part));
        }
        for (const StyledLine& next : wrap_styled(text, prose(), terminal_)) {
            line(next.text);
            width = std::max(width, next.width);
        }
        if (block.level <= 2) {
            const std::string_view rule =
                block.level == 1 ? (terminal_.utf8 ? "═" : "=") : (terminal_.utf8 ? "─" : "-");
            line(with_style(repeated(rule, block.level == 1 ? prose() : width), "2", terminal_));
        }
        gap();
    }

    void show_paragraph(const Block& block) {
        if (is_picture(block)) {
            for (const Span& span : block.spans) {
                if (span.image) {
                    prose_lines(
                        {{fmt::format("{} {}: ", terminal_.utf8 ? "▧" : "#", figure_word.in(style_.language)), "1"},
                         {span.text + " ", ""},
                         {"(" + target_of(span.target, style_.folder) + ")", "2"}});
                }
            }
        } else {
            prose_lines(styled(block.spans));
        }
        gap();
    }

    /// Blocks behind `margin`; the first line behind `mark`, where one is given.
    void show_indented(const std::vector<Block>& blocks, const std::string& margin, const std::string& mark = "") {
        const std::string before = indent_;
        outer_indent_ = mark_.empty() ? indent_ : outer_indent_ + mark_;
        mark_ = mark;
        indent_ += margin;
        show_all(blocks);
        indent_ = before;
        mark_.clear();
    }

    void show_list(const Block& block) {
        const bool before = tight_;
        tight_ = block.tight;
        unsigned number = block.first;
        for (const Block& item : block.children) {
            const std::string mark = block.ordered ? fmt::format("{}. ", number++) : terminal_.utf8 ? "• " : "* ";
            show_indented(item.children, std::string(static_cast<std::size_t>(display_width(mark)), ' '), mark);
        }
        tight_ = before;
        gap();
    }

    void show_code(const Block& block) {
        std::string text = block.text;
        text.erase(text.find_last_not_of('\n') + 1);
        const bool code = block.language == "cpp" || block.language == "c++" || block.language == "cuda";
        for (const std::string& source : split(text, '\n')) {
            if (block.language == "sh") {
                show_command(source);
            } else if (code) {
                CodeCell cell;
                cell.text = source;
                for (const std::string& part : code_lines(cell, {}, room(), terminal_)) {
                    line(without_blanks_at_end(part));
                }
            } else {
                show_verbatim(source);
            }
        }
        gap();
    }

    /// Broken at blanks where it is too wide, so that it can still be pasted.
    void show_command(const std::string& command) {
        result_.commands.push_back({result_.lines.size() + (gap_ ? 1 : 0), command});
        const std::string prompt = "$ ";
        // An option and its value stay together.
        std::vector<std::string> words;
        for (const std::string& word : split(command, ' ')) {
            const bool is_value = words.size() > 1 && words.back().starts_with('-') && !word.starts_with('-');
            if (is_value) {
                words.back() += " " + word;
            } else {
                words.push_back(word);
            }
        }
        std::vector<std::string> parts{""};
        for (const std::string& word : words) {
            std::string& last = parts.back();
            const int width = display_width(last) + (last.empty() ? 0 : 1) + display_width(word);
            if (!last.empty() && width > room() - 4) {  // prompt, and " \"
                parts.push_back("  " + word);
            } else {
                last += (last.empty() ? "" : " ") + word;
            }
        }
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::string tail = i + 1 < parts.size() ? " \\" : "";
            bool first = true;
            for (const std::string& piece : cut(parts[i] + tail, room() - 2)) {
                line(with_style(i == 0 && first ? prompt : "  ", "2", terminal_) +
                     with_style(piece, command_style, terminal_));
                first = false;
            }
        }
    }

    /// What a program printed: never moved, and cut only where it is too wide.
    void show_verbatim(const std::string& source) {
        for (const std::string& piece : cut(source, room())) {
            line(without_blanks_at_end(piece));
        }
    }
    static std::vector<std::string> cut(std::string_view text, int width) {
        std::vector<std::string> pieces{""};
        int used = 0;
        for (const Glyph& glyph : glyphs(text)) {
            if (used + glyph.width > width && used > 0) {
                pieces.emplace_back();
                used = 0;
            }
            pieces.back() += glyph.bytes;
            used += glyph.width;
        }
        return pieces;
    }

    void show_table(const Block& block) {
        std::vector<std::vector<StyledText>> rows;
        for (const auto& row : block.rows) {
            rows.emplace_back();
            for (const Spans& cell : row) {
                rows.back().push_back(styled(cell));
                if (rows.size() == 1) {
                    for (StyledPart& part : rows.back().back()) {
                        part.style = "1";
                    }
                }
            }
            rows.back().resize(block.columns.size());
        }
        lines(document_table(rows, block.columns, room(), terminal_));
        gap();
    }

    void show_details(const Block& block) {
        result_.has_answers = true;
        const std::string summary = teaching::plain_text(block.spans);
        if (style_.show_answers) {
            prose_lines({{(terminal_.utf8 ? "▾ " : "v ") + summary, "1"}});
            gap();
            show_all(block.children);
        } else {
            prose_lines({{(terminal_.utf8 ? "▸ " : "> ") + summary, "1"},
                         {fmt::format(" ({})", hidden_word.in(style_.language)), "2"}});
            gap();
        }
    }

    void list_links() {
        const std::size_t next = std::exchange(block_, block_ > 0 ? block_ - 1 : 0);  // they belong to what is above
        for (const std::size_t number : due_) {
            const std::string mark = fmt::format("[{}] ", number);
            std::string margin = mark;
            for (const std::string& piece : cut(links_[number - 1], room() - display_width(mark))) {
                line(with_style(margin + piece, "2", terminal_));
                margin = std::string(mark.size(), ' ');
            }
        }
        gap_ = gap_ || !due_.empty();
        due_.clear();
        block_ = next;
    }

    const DocumentStyle& style_;
    const Terminal& terminal_;
    int columns_;
    DocumentText result_;
    std::size_t block_ = 0;
    bool gap_ = false;                ///< a blank line is due
    std::string indent_;              ///< before each line at hand
    std::string mark_;                ///< "1. ", where the next line is an item's first,
    std::string outer_indent_;        ///< and what is before that
    bool tight_ = false;              ///< in a list without blank lines
    std::vector<std::string> links_;  ///< targets, by number
    std::vector<std::size_t> due_;    ///< numbers that the section at hand has used
};

}  // namespace

DocumentText document_text(const std::vector<Block>& page, const DocumentStyle& style, const Terminal& terminal) {
    return Renderer(style, terminal).take(page);
}

std::vector<std::string> wrap_spans(const Spans& spans, int width, const Terminal& terminal) {
    StyledText text;
    for (const Span& span : spans) {
        text.push_back(part_of(span, terminal));
    }
    std::vector<std::string> result;
    for (const StyledLine& line : wrap_styled(text, width, terminal)) {
        result.push_back(line.text);
    }
    return result;
}

}  // namespace flashlens::report
