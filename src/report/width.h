// How wide text is on a terminal, and how it is broken into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace flashlens::report {

/// One thing a terminal shows: a character with the combining marks that follow it.
struct Glyph {
    std::string_view bytes;  ///< UTF-8
    char32_t character = 0;  ///< its first code point
    int width = 0;           ///< in columns: 2 for East Asian wide characters (UAX #11), 0 for stray combining marks
};

/// The glyphs of `text`, in order. Bytes that are no UTF-8 are glyphs of width 1, one by one.
std::vector<Glyph> glyphs(std::string_view text);

/// Columns that `text` takes on a terminal. Ambiguous characters (box-drawing, Greek) count as 1.
int display_width(std::string_view text);

/// `text` with blanks after it up to `width` columns; unchanged when it is wider.
std::string pad(std::string_view text, int width);

std::string repeated(std::string_view text, int times);

std::string without_blanks_at_end(std::string text);

/// Lines of at most `width` columns: broken at blanks and between Chinese characters (never before closing punctuation
/// or after an opening bracket), inside a word only when the word alone is too wide. At least one line. A newline in
/// `text` always breaks; a no-break space (U+00A0) never does, and comes out as a blank. `width` below 2 counts as 2.
std::vector<std::string> wrap(std::string_view text, int width);

/// Columns of the widest part of `text` that wrap() keeps in one line where it can.
int widest_word(std::string_view text);

/// `text` from outside (a path, a driver's name) made fit to print: control characters and bytes that are no UTF-8
/// become '?', so that nothing from outside can steer the terminal.
std::string printable(std::string_view text);

}  // namespace flashlens::report
