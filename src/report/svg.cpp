#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "report/svg_parts.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

using namespace svg;

constexpr double inset = 18.0;   ///< of the first and last point of a line, so that markers stay off the axis
constexpr double bar_gap = 4.0;  ///< between the bars of a group
constexpr double group_gap = 16.0;

/// Dashes of each form.
constexpr std::array<std::string_view, forms> dashes{"10 7", "none", "3 6"};

using Outline = std::vector<std::array<double, 2>>;

/// Circle (no outline), square, triangle, diamond, triangle downwards, hexagon. Full in the second form; in the others
/// a larger outline, so that both are seen where they coincide.
std::string marker(const Series& series, double x, double y, double r) {
    static const std::array<Outline, hues> outlines{{{},
                                                     {{-.9, -.9}, {.9, -.9}, {.9, .9}, {-.9, .9}},
                                                     {{0, -1.15}, {1.1, .85}, {-1.1, .85}},
                                                     {{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}},
                                                     {{0, 1.15}, {1.1, -.85}, {-1.1, -.85}},
                                                     {{-1, 0}, {-.5, -.9}, {.5, -.9}, {1, 0}, {.5, .9}, {-.5, .9}}}};
    const std::size_t hue = series.hue % hues;
    const bool full = series.form % forms == 1;
    const std::string look =
        fmt::format("class=\"marker line{0} {1}\"", hue, full ? fmt::format("full{}", hue) : "hollow");
    r *= full ? 0.85 : 1.2;
    if (outlines[hue].empty()) {
        return fmt::format("<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>\n", look, x, y, r);
    }
    std::string points;
    for (const auto& [right, down] : outlines[hue]) {
        points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x + r * right, y + r * down);
    }
    return fmt::format("<polygon {} points=\"{}\"/>\n", look, points);
}

class Page {
public:
    explicit Page(const Chart& chart) : chart_(chart) {}

    std::string whole() {
        heading();
        legend();
        std::vector<std::string> caption;
        for (const std::string& paragraph : chart_.caption) {
            for (std::string& one : wrap(paragraph, columns_of(page_width - 2 * margin, small_size))) {
                caption.push_back(std::move(one));
            }
        }
        const double below = 24.0 + 1.4 * small_size * static_cast<double>(caption.size());
        if (chart_.categories.empty()) {
            lines(below);
        } else {
            bars(below);
        }
        double y = height_ - below + 12.0 + small_size;
        for (const std::string& one : caption) {
            body_ += text(margin, y, small_size, "start", "faint", one);
            y += 1.4 * small_size;
        }
        std::string description;
        for (const std::string& paragraph : chart_.caption) {
            description += (description.empty() ? "" : " ") + paragraph;
        }
        return document(chart_.title, description, height_, body_, Classes::chart);
    }

private:
    void heading() {
        for (const std::string& one : wrap(chart_.title, columns_of(page_width - 2 * margin, title_size))) {
            top_ += 1.2 * title_size;
            body_ += text(margin, top_, title_size, "start", "ink", one, true);
        }
        top_ += 16.0;
    }

    /// A sample of each line with its name, row after row.
    void legend() {
        constexpr double sample = 56.0;
        double x = margin;
        double y = top_ + text_size;
        for (const Series& series : chart_.series) {
            const double width = sample + 12.0 + width_of(series.name, text_size);
            if (x > margin && x + width > page_width - margin) {
                x = margin;
                y += 1.5 * text_size;
            }
            const double middle = y - 0.35 * text_size;
            if (chart_.categories.empty()) {
                body_ += stroke(series, fmt::format("M{:.1f} {:.1f}H{:.1f}", x, middle, x + sample));
                body_ += marker(series, x + sample / 2, middle, 7.0);
            } else {
                body_ += rectangle(series, x, middle - 9.0, sample, 18.0);
            }
            body_ += text(x + sample + 12.0, y, text_size, "start", "ink", series.name);
            x += width + 36.0;
        }
        top_ = y + 0.8 * text_size;
    }

    static std::string stroke(const Series& series, const std::string& path) {
        return fmt::format("<path class=\"series line{}\" stroke-dasharray=\"{}\" d=\"{}\"/>\n", series.hue % hues,
                           dashes[series.form % forms], path);
    }

    /// Full in the second form, pale in the others, so that kernels differ without colour too.
    static std::string rectangle(const Series& series, double x, double y, double width, double height) {
        return fmt::format(
            "<rect class=\"line{0} full{0}\" fill-opacity=\"{1}\" stroke-width=\"2\" x=\"{2:.1f}\" y=\"{3:.1f}\" "
            "width=\"{4:.1f}\" height=\"{5:.1f}\"/>\n",
            series.hue % hues, series.form % forms == 1 ? "1" : "0.25", x, y, width, height);
    }

    double widest_label(const std::vector<Tick>& ticks) const {
        double widest = 0.0;
        for (const Tick& tick : ticks) {
            widest = std::max(widest, width_of(tick.label, text_size));
        }
        return widest;
    }

    void place(double left, double right, double bottom) {
        left_ = left;
        right_ = right;
        bottom_ = bottom;
    }
    double across(double place) const {
        const double in = chart_.categories.empty() ? inset : 0.0;
        return left_ + in + (right_ - left_ - 2 * in) * std::clamp(place, 0.0, 1.0);
    }
    double down(double place) const { return bottom_ - (bottom_ - top_) * std::clamp(place, 0.0, 1.0); }

    void value_axis_upwards() {
        for (const Tick& tick : chart_.value.ticks) {
            const double y = down(chart_.value.scale.at(tick.value));
            body_ += line("grid", left_, y, right_, y);
            body_ += text(left_ - 12.0, y + 0.35 * text_size, text_size, "end", "ink", tick.label);
        }
        body_ += line("axis", left_, top_, left_, bottom_);
        body_ += line("axis", left_, bottom_, right_, bottom_);
    }

    void along_axis() {
        std::vector<double> places;
        std::vector<double> widths;
        for (const Tick& tick : chart_.along.ticks) {
            places.push_back(across(chart_.along.scale.at(tick.value)));
            widths.push_back(width_of(tick.label, text_size));
        }
        for (const std::size_t i : thinned(places, widths, 14.0)) {
            body_ += line("axis", places[i], bottom_, places[i], bottom_ + 8.0);
            body_ +=
                text(places[i], bottom_ + 12.0 + text_size, text_size, "middle", "ink", chart_.along.ticks[i].label);
        }
        body_ += text((left_ + right_) / 2, bottom_ + 20.0 + 2.2 * text_size, text_size, "middle", "faint",
                      chart_.along.title);
    }

    void lines(double below) {
        body_ += text(margin, top_ + text_size, text_size, "start", "faint", chart_.value.title);
        top_ += 1.4 * text_size + 14.0;
        place(margin + widest_label(chart_.value.ticks) + 14.0, page_width - margin - 30.0,
              height_ - below - 3.1 * text_size);
        value_axis_upwards();
        along_axis();
        if (chart_.level) {
            const double y = down(chart_.value.scale.at(*chart_.level));
            body_ += line("axis level", left_, y, right_, y);
        }
        // The first lie on top: their dashes let the others be seen.
        for (auto series = chart_.series.rbegin(); series != chart_.series.rend(); ++series) {
            body_ += stroke(*series, path(*series));
        }
        constexpr std::size_t markers_have_room = 40;
        for (auto series = chart_.series.rbegin(); series != chart_.series.rend(); ++series) {
            const std::size_t every = (series->points.size() + markers_have_room - 1) / markers_have_room;
            for (std::size_t i = 0; i < series->points.size(); i += std::max<std::size_t>(every, 1)) {
                const ChartPoint& point = series->points[i];
                if (point.value) {
                    body_ += marker(*series, across(chart_.along.scale.at(point.x)),
                                    down(chart_.value.scale.at(*point.value)), every > 1 ? 5.0 : 8.0);
                }
            }
        }
    }

    std::string path(const Series& series) const {
        std::string result;
        bool down_on_paper = false;
        for (const ChartPoint& point : series.points) {
            if (point.value) {
                result +=
                    fmt::format("{}{:.1f} {:.1f}", down_on_paper ? "L" : "M", across(chart_.along.scale.at(point.x)),
                                down(chart_.value.scale.at(*point.value)));
            }
            down_on_paper = point.value.has_value();
        }
        return result;
    }

    void bars(double below) {
        double names = 0.0;
        for (const std::string& category : chart_.categories) {
            names = std::max(names, width_of(category, text_size));
        }
        double values = 0.0;
        for (const Series& series : chart_.series) {
            for (const ChartPoint& point : series.points) {
                values = std::max(values, width_of(point.label, small_size));
            }
        }
        // As high as the page has room for, within what looks like a bar; a higher page where that is too little.
        const auto in_group = static_cast<double>(std::max<std::size_t>(chart_.series.size(), 1));
        const auto groups = static_cast<double>(chart_.categories.size());
        const double room = (height_ - below - 3.1 * text_size - top_) / groups - group_gap;
        const double bar_height = std::clamp(room / in_group - bar_gap, 16.0, 44.0);
        const double group = in_group * (bar_height + bar_gap) + group_gap;
        height_ = std::max(page_height, top_ + group * groups + 3.1 * text_size + below);
        place(margin + std::min(names, page_width / 3.0) + 14.0, page_width - margin - values - 10.0,
              top_ + group * groups);
        for (const Tick& tick : chart_.value.ticks) {
            const double x = across(chart_.value.scale.at(tick.value));
            body_ += line("grid", x, top_, x, bottom_);
            body_ += text(x, bottom_ + 10.0 + text_size, text_size, "middle", "ink", tick.label);
        }
        body_ += line("axis", left_, top_, left_, bottom_);
        body_ += text((left_ + right_) / 2, bottom_ + 16.0 + 2.2 * text_size, text_size, "middle", "faint",
                      chart_.value.title);
        if (chart_.level) {
            const double x = across(chart_.value.scale.at(*chart_.level));
            body_ += line("axis level", x, top_, x, bottom_);
        }
        for (std::size_t i = 0; i < chart_.categories.size(); ++i) {
            const double y = top_ + group * static_cast<double>(i) + group_gap / 2;
            body_ += text(left_ - 12.0, y + (group - group_gap) / 2 + 0.3 * text_size, text_size, "end", "ink",
                          chart_.categories[i]);
        }
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            for (const ChartPoint& point : chart_.series[s].points) {
                const double y =
                    top_ + group * point.x + group_gap / 2 + (bar_height + bar_gap) * static_cast<double>(s);
                const double end = point.value ? across(chart_.value.scale.at(*point.value)) : left_;
                if (point.value) {
                    body_ += rectangle(chart_.series[s], left_, y, end - left_, bar_height);
                }
                body_ +=
                    text(end + 8.0, y + 0.5 * bar_height + 0.35 * small_size, small_size, "start", "ink", point.label);
            }
        }
    }

    const Chart& chart_;
    std::string body_;
    double height_ = page_height;
    double top_ = margin / 2;  ///< what is above is full
    double left_ = 0.0;        ///< of the plot
    double right_ = 0.0;
    double bottom_ = 0.0;
};

}  // namespace

std::string to_svg(const Chart& chart) {
    return Page(chart).whole();
}

}  // namespace flashlens::report
