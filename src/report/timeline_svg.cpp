#include "report/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "report/comparison_view.h"
#include "report/map_slide.h"
#include "report/numbers.h"
#include "report/scale.h"
#include "report/timeline_words.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

using svg::margin;
using svg::page_height;
using svg::page_width;
using svg::small_size;
using svg::text_size;

constexpr double number_size = 15.0;
constexpr double left = margin + 78.0;  ///< beside it the numbers of the SMs
constexpr double width = page_width - margin - left;
constexpr double words_height = 92.0;  ///< of a variant's heading and sentences
constexpr double lowest_panel = 140.0;

/// More bars than this, or narrower ones, are no longer bars to anybody.
constexpr std::size_t most_bars = 6000;
constexpr double narrowest_bar = 2.5;

/// Of shaded pictures: columns of the plot, and the shades.
constexpr int shaded_columns = 400;
constexpr std::array<double, 4> opacities{0.25, 0.5, 0.75, 1.0};

bool shows_bars(const Timeline& timeline, double until) {
    double longest = 0.0;
    double sum = 0.0;
    for (const CtaSpan& span : timeline.spans) {
        sum += span.end_us - span.start_us;
        longest = std::max(longest, span.end_us - span.start_us);
    }
    const double mean = timeline.spans.empty() ? 0.0 : sum / static_cast<double>(timeline.spans.size());
    return timeline.spans.size() <= most_bars && mean / until * width >= narrowest_bar;
}

std::string box(double x, double y, double w, double h) {
    return fmt::format("M{:.1f} {:.2f}h{:.1f}v{:.2f}h{:.1f}z", x, y, w, h, -w);
}

/// A bar for each CTA: a row of the panel is an SM, cut in its places.
std::string bars(const ShownTimeline& one, double top, double height, double until) {
    const Timeline& timeline = *one.timeline;
    const double row = height / timeline.sm_count;
    const double place = row / timeline.slots;
    std::string path;
    for (const CtaSpan& span : timeline.spans) {
        const double from = span.start_us / until * width;
        const double length = (span.end_us - span.start_us) / until * width;
        const double gap = std::min(1.2, 0.2 * length);  // so that neighbours are told apart
        path += box(left + from, top + span.sm * row + span.slot * place, std::max(length - gap, 0.2), 0.86 * place);
    }
    return fmt::format("<path class=\"{}\" d=\"{}\"/>\n", full(one.hue), path);
}

/// Each SM shaded by how many of its places are taken.
std::string shades(const ShownTimeline& one, double top, double height, double until) {
    const UseGrid grid = use_grid(*one.timeline, 1, shaded_columns, until);
    const double row = height / grid.rows;
    const double step = width / shaded_columns;
    std::array<std::string, opacities.size()> paths;
    const auto level = [&](int sm, int column) {  // 0: no CTA
        return std::min(static_cast<int>(std::ceil(grid.at(sm, column) * opacities.size() - 0.02)),
                        static_cast<int>(opacities.size()));
    };
    for (int sm = 0; sm < grid.rows; ++sm) {
        for (int column = 0, next = 0; column < grid.columns; column = next) {
            const int of_run = level(sm, column);
            for (next = column + 1; next < grid.columns && level(sm, next) == of_run;) {
                ++next;
            }
            if (of_run > 0) {
                paths[static_cast<std::size_t>(of_run - 1)] +=
                    box(left + column * step, top + sm * row, (next - column) * step, 0.92 * row);
            }
        }
    }
    std::string result;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (!paths[i].empty()) {
            result += fmt::format("<path class=\"{}\" fill-opacity=\"{}\" d=\"{}\"/>\n", full(one.hue), opacities[i],
                                  paths[i]);
        }
    }
    return result;
}

void panel_on_slide(Slide& slide, const ShownTimeline& one, double top, double height, double until, bool as_bars,
                    Language language) {
    const double end = one.facts.end_us / until * width;
    slide.rectangle("quiet pale", left, top, end, height);
    for (const double time : Scale::linear(0.0, until).ticks(8)) {
        const double x = left + time / until * width;
        slide.add(svg::line("grid", x, top, x, top + height));
    }
    slide.add(as_bars ? bars(one, top, height, until) : shades(one, top, height, until));
    const auto sm = [&](int number) { return fill(language, Text::timeline_row_one, number); };
    slide.text(left - 8.0, top + number_size - 2.0, number_size, "end", "faint", sm(0));
    slide.text(left - 8.0, top + height - 1.0, number_size, "end", "faint", sm(one.timeline->sm_count - 1));
}

void axis_on_slide(Slide& slide, double top, double until) {
    slide.add(svg::line("axis", left, top, left + width, top));
    for (const double time : Scale::linear(0.0, until).ticks(8)) {
        const double x = left + time / until * width;
        slide.add(svg::line("axis", x, top, x, top + 6.0));
        slide.text(x, top + 8.0 + small_size, small_size, "middle", "ink", time == 0.0 ? "0" : duration(time));
    }
}

}  // namespace

std::string timelines_to_svg(const Timelines& timelines, Language language) {
    const Comparison& comparison = timelines.comparison;
    const std::vector<ShownTimeline> all = shown(timelines);
    const double until = end_of_all(all);
    const bool as_bars =
        std::all_of(all.begin(), all.end(), [&](const ShownTimeline& one) { return shows_bars(*one.timeline, until); });
    Slide slide(std::string(text(language, Text::title_timeline)), shape_line(comparison.problem, language));
    const double room = page_width - 2 * margin;
    const bool recorded = comparison.machine == Machine::gpu;
    const std::string card = printable(comparison.card.name);
    const std::string how = (recorded ? fill(language, Text::timeline_svg_recorded, card)
                                      : fill(language, Text::timeline_svg_simulated, card)) +
                            (language == Language::zh ? "" : " ") +
                            std::string(text(language, as_bars ? Text::timeline_svg_bars : Text::timeline_svg_shades));
    double y = slide.paragraph(margin, slide.top() - 8.0, room, small_size, "faint", how) + 6.0;
    const double axis_height = 44.0;
    const auto count = static_cast<double>(std::max<std::size_t>(all.size(), 1));
    const double height = std::max((page_height - y - axis_height) / count - words_height, lowest_panel);
    for (const ShownTimeline& one : all) {
        y = slide.paragraph(margin, y, room, text_size, full(one.hue), heading_words(one, language), true) + 2.0;
        panel_on_slide(slide, one, y, height, until, as_bars, language);
        y += height;
        if (&one == &all.back()) {
            axis_on_slide(slide, y + 2.0, until);
            y += axis_height - 6.0;
        }
        y = slide.paragraph(margin, y + 2.0, room, small_size, "ink", use_words(one, language)) + 8.0;
    }
    slide.needs(y + 8.0);
    return slide.document();
}

}  // namespace flashlens::report
