// The waterfall as a slide.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/ladder_waterfall.h"
#include "report/scale.h"
#include "report/slide.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

using namespace svg;
using Kind = WaterfallBar::Kind;

constexpr double name_size = 20.0;
constexpr double what_size = 15.0;
constexpr double label_gap = 10.0;
constexpr double lowest_row = 40.0;
constexpr double highest_row = 66.0;
constexpr double legend_height = 30.0;

/// Better is pale and has an outline, worse is full: so they can be told apart without colour.
std::string bar(Kind kind, double x, double y, double width, double height) {
    const auto element = [&](const std::string& classes, std::string_view more) {
        return fmt::format("<rect class=\"{}\"{} x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                           classes, more, x, y, std::max(width, 2.0), height);
    };
    switch (kind) {
        case Kind::total:
            return element("quiet", "");
        case Kind::better:
            return element(full(0) + " " + stroke(0), " fill-opacity=\".3\" stroke-width=\"2.5\"");
        case Kind::worse:
            return element(full(1) + " " + stroke(1), " stroke-width=\"2.5\"");
        case Kind::same:
            break;
    }
    return element("faint", "");
}

std::string without_hard_blanks(std::string text) {
    for (std::size_t at = text.find("\u00a0"); at != std::string::npos; at = text.find("\u00a0")) {
        text.replace(at, 2, " ");
    }
    return text;
}

}  // namespace

std::string waterfall_to_svg(const Waterfall& waterfall, Language language) {
    std::string of_what;
    for (const std::string& one : waterfall.caption) {
        const std::string plain = without_hard_blanks(one);
        of_what = of_what.empty() ? plain : fill(language, Text::semicolon, of_what, plain);
    }
    Slide slide(waterfall.title, of_what);
    double names = 0.0;
    double labels = 0.0;
    for (const WaterfallBar& one : waterfall.bars) {
        names = std::max({names, width_of(one.name, name_size), width_of(one.what, what_size)});
        labels = std::max(labels, width_of(one.label, small_size));
    }
    const double left = margin + std::min(names, page_width / 3.0) + 18.0;
    const double right = page_width - margin - labels - label_gap;
    const auto count = static_cast<double>(std::max<std::size_t>(waterfall.bars.size(), 1));
    const double room = page_height - slide.top() - legend_height - margin / 2;
    const double row = std::clamp(room / count, lowest_row, highest_row);
    const double height = 0.66 * row;
    const Scale scale = Scale::linear(0.0, waterfall.highest > 0.0 ? waterfall.highest : 1.0);
    const auto across = [&](double value) { return left + (right - left) * scale.at(value); };
    double y = slide.top();
    for (std::size_t i = 0; i < waterfall.bars.size(); ++i) {
        const WaterfallBar& one = waterfall.bars[i];
        const bool is_total = one.kind == Kind::total;
        const double middle = y + 0.5 * height;
        const double name_y = one.what.empty() ? middle + 0.35 * name_size : middle - 0.05 * name_size;
        slide.text(margin, name_y, name_size, "start", "ink", one.name, is_total);
        if (!one.what.empty()) {
            const std::string what = wrap(one.what, columns_of(left - margin, what_size)).front();
            slide.text(margin, name_y + 1.25 * what_size, what_size, "start", "faint", what);
        }
        const double begin = across(std::min(one.from, one.to));
        const double end = across(std::max(one.from, one.to));
        slide.add(bar(one.kind, begin, y, end - begin, height));
        slide.text(end + label_gap, middle + 0.35 * small_size, small_size, "start", "ink", one.label, is_total);
        if (i + 1 < waterfall.bars.size()) {
            slide.add(line("grid", across(one.to), y + height, across(one.to), y + row));
        }
        y += row;
    }
    slide.add(line("axis", left, slide.top() - 4.0, left, y));
    double x = margin;
    y += 8.0;
    for (const auto& [kind, word] :
         {std::pair{Kind::total, Text::ladder_total}, std::pair{Kind::better, Text::ladder_better},
          std::pair{Kind::worse, Text::ladder_worse}, std::pair{Kind::same, Text::ladder_same}}) {
        const bool there = std::any_of(waterfall.bars.begin(), waterfall.bars.end(),
                                       [kind = kind](const WaterfallBar& one) { return one.kind == kind; });
        if (!there) {
            continue;
        }
        const std::string words = fill(language, word);
        const double width = kind == Kind::same ? 3.0 : 34.0;
        slide.add(bar(kind, x + 34.0 - width, y, width, 14.0));
        slide.text(x + 42.0, y + 13.0, small_size, "start", "faint", words);
        x += 42.0 + width_of(words, small_size) + 30.0;
    }
    slide.needs(y + legend_height);
    return slide.document();
}

}  // namespace flashlens::report
