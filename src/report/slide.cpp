#include "report/slide.h"

#include <fmt/format.h>

#include "report/chart.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

/// Of the sentences on a slide, which are long enough for narrow letters and wide ones to even out.
constexpr double width_per_column = 0.53;

}  // namespace

Slide::Slide(const std::string& title, const std::string& of_what) : title_(title), of_what_(of_what) {
    double y = svg::margin / 2;
    y = paragraph(svg::margin, y, svg::page_width - 2 * svg::margin, svg::title_size, "ink", title, true);
    top_ = paragraph(svg::margin, y + 2.0, svg::page_width - 2 * svg::margin, svg::small_size, "faint", of_what) + 12.0;
}

double Slide::paragraph(double x, double y, double width, double size, std::string_view ink, const std::string& words,
                        bool bold) {
    for (const std::string& one : wrap(words, static_cast<int>(width / (width_per_column * size)))) {
        text(x, y + size, size, "start", ink, one, bold);
        y += 1.3 * size;
    }
    return y;
}

std::string Slide::document() const {
    return svg::document(title_, of_what_, height_, body_, svg::Classes::slide);
}

std::string full(std::size_t hue) {
    return fmt::format("full{}", hue % hues);
}

std::string stroke(std::size_t hue) {
    return fmt::format("line{}", hue % hues);
}

}  // namespace flashlens::report
