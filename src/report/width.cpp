#include "report/width.h"

#include <algorithm>
#include <cstdint>

#include "report/width_table.h"

namespace flashlens::report {
namespace {

template <std::size_t Size>
bool contains(const std::array<CodePoints, Size>& ranges, char32_t point) {
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), point,
                                        [](char32_t p, const CodePoints& range) { return p < range.first; });
    return after != ranges.begin() && point <= std::prev(after)->last;
}

int width_of(char32_t point) {
    if (point < 0x20 || (point >= 0x7F && point < 0xA0)) {
        return 0;
    }
    if (contains(zero_width_code_points, point)) {
        return 0;
    }
    return contains(wide_code_points, point) ? 2 : 1;
}

struct Decoded {
    char32_t point = 0;
    std::size_t bytes = 0;  ///< 0: no UTF-8 starts here
};

/// Strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing past U+10FFFF.
Decoded decode(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) {
        return {lead, 1};
    }
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) {
        return {};
    }
    char32_t point = lead & (0x7FU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) {
            return {};
        }
        point = point << 6U | (byte(i) & 0x3FU);
    }
    const char32_t smallest = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    return point < smallest || surrogate || point > 0x10FFFF ? Decoded{} : Decoded{point, bytes};
}

constexpr std::u32string_view never_first = U"，。、；：？！）】》」』”’,.;:?!)]}%";
constexpr std::u32string_view never_last = U"（【《「『“‘([{";

bool may_break_between(const Glyph& left, const Glyph& right) {
    if (left.character == ' ') {
        return right.character != ' ' && right.character != '%';
    }
    const bool beside_wide = left.width == 2 || right.width == 2;
    return beside_wide && right.character != ' ' && never_first.find(right.character) == std::u32string_view::npos &&
           never_last.find(left.character) == std::u32string_view::npos;
}

constexpr std::string_view no_break_space = "\u00a0";

/// Without blanks at its end, and with no-break spaces as plain ones.
std::string finished(std::string line) {
    for (std::size_t at = line.find(no_break_space); at != std::string::npos; at = line.find(no_break_space, at)) {
        line.replace(at, no_break_space.size(), " ");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

void wrap_paragraph(std::string_view text, int width, std::vector<std::string>& lines) {
    const std::vector<Glyph> all = glyphs(text);
    std::size_t begin = 0;  // glyph that starts the line
    while (begin < all.size()) {
        int used = 0;
        std::size_t end = begin;         // one past the last glyph that fits
        std::size_t best_break = begin;  // last allowed break that fits
        for (; end < all.size(); ++end) {
            const bool blank = all[end].character == ' ';
            if (used + all[end].width > width && !blank) {
                break;
            }
            used += all[end].width;
            if (end + 1 < all.size() && may_break_between(all[end], all[end + 1])) {
                best_break = end + 1;
            }
        }
        if (end < all.size()) {
            end = best_break > begin ? best_break : std::max(end, begin + 1);
        }
        const char* first = all[begin].bytes.data();
        const char* last = all[end - 1].bytes.data() + all[end - 1].bytes.size();
        lines.push_back(finished(std::string(first, last)));
        begin = end;
    }
}

}  // namespace

std::vector<Glyph> glyphs(std::string_view text) {
    std::vector<Glyph> result;
    std::size_t at = 0;
    while (at < text.size()) {
        const Decoded decoded = decode(text.substr(at));
        const std::size_t bytes = std::max<std::size_t>(decoded.bytes, 1);
        const int width = decoded.bytes == 0 ? 1 : width_of(decoded.point);
        if (decoded.bytes > 1 && width == 0 && !result.empty()) {
            Glyph& base = result.back();
            base.bytes = {base.bytes.data(), base.bytes.size() + bytes};
        } else {
            result.push_back({text.substr(at, bytes), decoded.bytes == 0 ? U'\uFFFD' : decoded.point, width});
        }
        at += bytes;
    }
    return result;
}

int display_width(std::string_view text) {
    int width = 0;
    for (const Glyph& glyph : glyphs(text)) {
        width += glyph.width;
    }
    return width;
}

std::string repeated(std::string_view text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) {
        result += text;
    }
    return result;
}

std::string without_blanks_at_end(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

std::string pad(std::string_view text, int width) {
    const int missing = width - display_width(text);
    return std::string(text) + std::string(static_cast<std::size_t>(std::max(missing, 0)), ' ');
}

std::vector<std::string> wrap(std::string_view text, int width) {
    std::vector<std::string> lines;
    while (true) {
        const std::size_t newline = text.find('\n');
        const std::string_view paragraph = text.substr(0, newline);
        const std::size_t before = lines.size();
        wrap_paragraph(paragraph, std::max(width, 2), lines);
        if (lines.size() == before) {
            lines.emplace_back();
        }
        if (newline == std::string_view::npos) {
            return lines;
        }
        text.remove_prefix(newline + 1);
    }
}

int widest_word(std::string_view text) {
    const std::vector<Glyph> all = glyphs(text);
    int widest = 0;
    int width = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool blank = all[i].character == ' ' || all[i].character == '\n';
        width = blank ? 0 : width + all[i].width;
        widest = std::max(widest, width);
        if (i + 1 < all.size() && may_break_between(all[i], all[i + 1])) {
            width = 0;
        }
    }
    return widest;
}

std::string printable(std::string_view text) {
    std::string result;
    std::size_t at = 0;
    while (at < text.size()) {
        const Decoded decoded = decode(text.substr(at));
        const bool control = decoded.point < 0x20 || (decoded.point >= 0x7F && decoded.point < 0xA0);
        if (decoded.bytes == 0 || control) {
            result += '?';
        } else {
            result += text.substr(at, decoded.bytes);
        }
        at += std::max<std::size_t>(decoded.bytes, 1);
    }
    return result;
}

}  // namespace flashlens::report
