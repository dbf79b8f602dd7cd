#include "report/code_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "report/code_lexer.h"
#include "report/table.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

int colour_of(Token token) {
    switch (token) {
        case Token::keyword:
            return colour::keyword;
        case Token::type:
            return colour::type;
        case Token::number:
            return colour::number;
        case Token::string:
            return colour::string;
        case Token::comment:
            return colour::comment;
        case Token::preprocessor:
            return colour::preprocessor;
        case Token::plain:
            break;
    }
    return -1;
}

/// Part of the text that makes a line.
struct Stretch {
    std::size_t begin, end;  ///< bytes
    int indent;
};

std::size_t without_blanks(std::string_view text, std::size_t end) {
    const std::size_t last = text.substr(0, end).find_last_not_of(' ');
    return last == std::string_view::npos ? 0 : last + 1;
}

/// How many bytes from `begin` on fit in `width` columns.
std::size_t fitting(std::string_view text, std::size_t begin, int width) {
    std::size_t end = begin;
    int used = 0;
    for (const Glyph& glyph : glyphs(text.substr(begin))) {
        if (used + glyph.width > width && end > begin) {
            break;
        }
        used += glyph.width;
        end += glyph.bytes.size();
    }
    return end;
}

/// The last comma or semicolon at or before `end` with a blank after it.
std::size_t last_pause(std::string_view text, std::size_t end) {
    const std::size_t comma = text.rfind(", ", end), semicolon = text.rfind("; ", end);
    if (comma == std::string_view::npos || semicolon == std::string_view::npos) {
        return std::min(comma, semicolon);
    }
    return std::max(comma, semicolon);
}

std::vector<Stretch> broken(std::string_view text, const std::vector<Token>& kinds, int width) {
    const std::size_t first_code = std::min(text.find_first_not_of(' '), text.size());
    const auto comment =
        static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), Token::comment) - kinds.begin());
    const int further = std::min(static_cast<int>(first_code) + 4, width / 2);
    std::vector<Stretch> stretches;
    std::size_t begin = 0;
    while (begin < text.size() || stretches.empty()) {
        const int indent = stretches.empty() ? 0 : further;
        std::size_t end = fitting(text, begin, width - indent);
        if (end < text.size()) {
            const std::size_t code = without_blanks(text, comment);
            const std::size_t start = std::max(begin, first_code);
            const std::size_t blank = text.rfind(' ', end);
            const std::size_t comma = last_pause(text, end);
            const std::size_t half = start + (end - start) / 2;
            if (comment > start && comment < text.size() && code > start && code <= end) {
                end = code;
            } else if (comma != std::string_view::npos && comma + 1 < comment && comma > half && comma < end) {
                end = comma + 1;
            } else if (blank != std::string_view::npos && blank > start) {
                end = blank;
            }
        }
        stretches.push_back({begin, std::max(without_blanks(text, end), begin), indent});
        begin = std::min(text.find_first_not_of(' ', end), text.size());
    }
    return stretches;
}

std::string painted(std::string_view text, const std::vector<Token>& kinds, const Stretch& stretch,
                    std::size_t mark_begin, std::size_t mark_end, int mark_colour, const Terminal& terminal) {
    const auto colour_at = [&](std::size_t i) {
        return i >= mark_begin && i < mark_end ? mark_colour : colour_of(kinds[i]);
    };
    std::string result(static_cast<std::size_t>(stretch.indent), ' ');
    for (std::size_t at = stretch.begin; at < stretch.end;) {
        const bool marked = at >= mark_begin && at < mark_end;
        std::size_t end = at + 1;
        while (end < stretch.end && colour_at(end) == colour_at(at) &&
               (end >= mark_begin && end < mark_end) == marked) {
            ++end;
        }
        const std::string_view piece = text.substr(at, end - at);
        result += colour_at(at) < 0 ? std::string(piece)
                                    : coloured(piece, colour_at(at), marked && mark_colour != colour::load, terminal);
        at = end;
    }
    return result;
}

}  // namespace

std::string coloured(std::string_view text, int colour, bool bold, const Terminal& terminal) {
    if (!terminal.colour || text.empty()) {
        return std::string(text);
    }
    return fmt::format("\x1b[{}38;5;{}m{}\x1b[0m", bold ? "1;" : "", colour, text);
}

std::vector<std::string> code_lines(const CodeCell& cell, const Margins& margins, int width, const Terminal& terminal) {
    const std::vector<Token> kinds = tokens(cell.text);
    const int room = std::max(width - margins.width(), 8);
    const bool marked = !cell.highlighted.empty();
    const auto mark_begin = marked ? static_cast<std::size_t>(cell.highlighted.data() - cell.text.data()) : 0;
    const std::size_t mark_end = mark_begin + cell.highlighted.size();
    std::vector<std::string> lines;
    for (const Stretch& stretch : broken(cell.text, kinds, room)) {
        const std::string number = lines.empty() ? cell.number : terminal.utf8 ? "↳" : "\\";
        const std::string marks = lines.empty() ? cell.marks : "";
        std::string line;
        if (margins.number > 0) {
            line += std::string(static_cast<std::size_t>(std::max(margins.number - display_width(number), 0)), ' ');
            line += styled(number, Style::dim, terminal) + " ";
        }
        if (margins.marks > 0) {
            line += coloured(marks, cell.mark_colour, cell.mark_colour != colour::load, terminal) +
                    pad("", margins.marks - display_width(marks)) + " ";
        }
        line += painted(cell.text, kinds, stretch, mark_begin, mark_end, cell.mark_colour, terminal);
        const int used = stretch.indent + display_width(cell.text.substr(stretch.begin, stretch.end - stretch.begin));
        lines.push_back(line + pad("", width - margins.width() - used));
    }
    return lines;
}

}  // namespace flashlens::report
