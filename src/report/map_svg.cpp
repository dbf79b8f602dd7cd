#include "report/map_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/comparison_view.h"
#include "report/map_slide.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

using teaching::Fate;

/// Lines of x + y = a multiple of `distance` (or x - y, falling) within a rectangle, as a path.
std::string hatch(double x, double y, double width, double height, double distance, bool falling) {
    std::string path;
    const double turn = falling ? -1.0 : 1.0;
    // sum = x + turn * y, from its least to its most at the corners
    const double least = falling ? x - y - height : x + y;
    const double most = falling ? x + width - y : x + width + y + height;
    const auto end = static_cast<int>(std::ceil(most / distance));
    for (int i = static_cast<int>(std::ceil(least / distance)); i < end; ++i) {
        const double sum = i * distance;
        // points of the line: x = sum - turn * y
        const double left = std::max(x, std::min(sum - turn * y, sum - turn * (y + height)));
        const double right = std::min(x + width, std::max(sum - turn * y, sum - turn * (y + height)));
        if (right > left) {
            path += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", left, turn * (sum - left), right, turn * (sum - right));
        }
    }
    return path;
}

}  // namespace

std::string fate_mark(Fate fate, std::string_view fill, double x, double y, double width, double height) {
    if (fate == Fate::skipped) {
        return "";
    }
    std::string mark = svg::rectangle(fill, x, y, width, height);
    if (fate != Fate::plain) {
        const bool hides = fate == Fate::hidden;
        mark += fmt::format("<path class=\"edge\" fill=\"none\" stroke-width=\"{}\" d=\"{}\"/>\n", hides ? 2.2 : 1.6,
                            hatch(x, y, width, height, hides ? 8.0 : 22.0, !hides));
    }
    return mark;
}

Panels panels(std::size_t count) {
    Panels result;
    result.gap = count > 2 ? 36.0 : 48.0;
    const auto n = static_cast<double>(std::max<std::size_t>(count, 1));
    result.width = (svg::page_width - 2 * svg::margin - (n - 1) * result.gap) / n;
    return result;
}

std::string map_to_svg(const Comparison& comparison, MapView view, Language language) {
    const std::vector<Shown> all = shown(comparison);
    const std::string of_what = shape_line(comparison.problem, language);
    const auto title = [&](Text name) { return std::string(text(language, name)); };
    switch (view) {
        case MapView::ctas: {
            Slide slide(title(Text::map_ctas_title), of_what);
            ctas_on_slide(slide, all, comparison.problem, language);
            return slide.document();
        }
        case MapView::warps: {
            Slide slide(title(Text::map_warps_title), of_what);
            warps_on_slide(slide, all, language);
            return slide.document();
        }
        case MapView::lanes: {
            Slide slide(title(lanes_title(comparison)), title(Text::map_lane_is));
            lanes_on_slide(slide, language);
            return slide.document();
        }
        case MapView::blocks: {
            Slide slide(title(Text::map_blocks_title), of_what);
            blocks_on_slide(slide, all, comparison.problem, language);
            return slide.document();
        }
        case MapView::sms:
            break;
    }
    Slide slide(fill(language, Text::map_sms_title, printable(comparison.card.name)), of_what);
    sms_on_slide(slide, all, comparison, language);
    return slide.document();
}

}  // namespace flashlens::report
