// What every picture in SVG is made of: paper, inks, letters, in light and dark.
#pragma once

#include <string>
#include <string_view>

namespace flashlens::report::svg {

// A slide of 16:9. Letters are large: they are read from the last row.
inline constexpr double page_width = 1280.0;
inline constexpr double page_height = 720.0;
inline constexpr double margin = 44.0;
inline constexpr double title_size = 34.0;
inline constexpr double text_size = 22.0;
inline constexpr double small_size = 18.0;

/// Text made fit for XML: what XML has signs of its own for, and no control characters.
std::string escaped(std::string_view text);

/// About how wide text is; no font is asked.
double width_of(std::string_view text, double size);
/// How many columns of a terminal's width have room.
int columns_of(double width, double size);

/// Words at a place: `anchor` is start, middle or end, `ink` a class.
std::string text(double x, double y, double size, std::string_view anchor, std::string_view ink, std::string_view words,
                 bool bold = false);
std::string line(std::string_view kind, double x1, double y1, double x2, double y2);
std::string rectangle(std::string_view kind, double x, double y, double width, double height);

/// What the style sheet of a document has: for a chart the fills paper, ink, faint, full0 .. full5 and the strokes grid,
/// axis, line0 .. line5; for a slide also the fill quiet (of what is not the subject), pale (which lightens a fill) and the
/// strokes outline (ink) and edge (paper).
enum class Classes { chart, slide };

/// A whole document, page_width wide.
std::string document(std::string_view title, std::string_view description, double height, std::string_view body,
                     Classes classes);

}  // namespace flashlens::report::svg
