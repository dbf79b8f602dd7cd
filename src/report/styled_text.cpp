#include "report/styled_text.h"

#include <algorithm>
#include <cstddef>

#include "report/width.h"

namespace flashlens::report {
namespace {

struct Flat {
    std::string text;
    std::vector<const std::string*> styles;  ///< of each byte
};

bool is_wide_punctuation(const Glyph& glyph) {
    constexpr std::u32string_view all = U"，。、；：？！）】》」』（【《「『";
    return all.find(glyph.character) != std::u32string_view::npos;
}

/// Whether a blank stands for the end of a line in the source between these two.
bool blank_between(std::string_view before, std::string_view after) {
    const std::vector<Glyph> left = glyphs(before);
    const std::vector<Glyph> right = glyphs(after);
    if (left.empty() || right.empty()) {
        return true;
    }
    return !(left.back().width == 2 && right.front().width == 2) && !is_wide_punctuation(left.back()) &&
           !is_wide_punctuation(right.front());
}

/// One text, its newlines resolved.
Flat flat(const StyledText& text) {
    std::string joined;
    std::vector<const std::string*> styles;
    for (const StyledPart& part : text) {
        joined += part.text;
        styles.insert(styles.end(), part.text.size(), &part.style);
    }
    Flat result;
    for (std::size_t i = 0; i < joined.size(); ++i) {
        if (joined[i] != '\n') {
            result.text += joined[i];
            result.styles.push_back(styles[i]);
        } else if (blank_between(result.text, std::string_view(joined).substr(i + 1))) {
            result.text += ' ';
            result.styles.push_back(styles[i]);
        }
    }
    return result;
}

}  // namespace

std::string with_style(std::string_view text, std::string_view style, const Terminal& terminal) {
    if (!terminal.colour || style.empty() || text.empty()) {
        return std::string(text);
    }
    return "\x1b[" + std::string(style) + "m" + std::string(text) + "\x1b[0m";
}

std::vector<StyledLine> wrap_styled(const StyledText& text, int width, const Terminal& terminal) {
    const Flat all = flat(text);
    std::vector<StyledLine> lines;
    std::size_t at = 0;  // in all.text: wrap() left out blanks at the ends of lines, and made no-break spaces plain
    constexpr std::string_view no_break_space = "\u00a0";
    for (const std::string& line : wrap(all.text, width)) {
        while (!line.empty() && line.front() != ' ' && at < all.text.size() && all.text[at] == ' ') {
            ++at;
        }
        StyledLine styled{.width = display_width(line)};
        std::string piece;
        const std::string* style = nullptr;
        const auto flush = [&] {
            styled.text += style == nullptr ? piece : with_style(piece, *style, terminal);
            piece.clear();
        };
        for (const char c : line) {
            if (all.styles[at] != style) {
                flush();
                style = all.styles[at];
            }
            piece += c;
            at += c == ' ' && std::string_view(all.text).substr(at).starts_with(no_break_space) ? no_break_space.size()
                                                                                                : 1;
        }
        flush();
        lines.push_back(std::move(styled));
    }
    return lines;
}

int width_of(const StyledText& text) {
    return display_width(flat(text).text);
}

int widest_word(const StyledText& text) {
    int widest = 0;
    int word = 0;
    for (const Glyph& glyph : glyphs(flat(text).text)) {
        // Between Chinese characters a line may end, but closing punctuation stays with what is before it.
        const bool stays = glyph.width < 2 || is_wide_punctuation(glyph);
        word = glyph.character == ' ' ? 0 : stays ? word + glyph.width : glyph.width;
        widest = std::max(widest, word);
    }
    return widest;
}

}  // namespace flashlens::report
