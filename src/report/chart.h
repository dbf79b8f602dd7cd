// A chart as data: lines over an axis, or bars beside names. chart_text draws it in a terminal, svg for a page.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/scale.h"

namespace flashlens::report {

struct Tick {
    double value = 0.0;
    std::string label;
};

struct Axis {
    std::string title;  ///< with its unit
    Scale scale = Scale::linear(0.0, 1.0);
    std::vector<Tick> ticks;  ///< where there is no room for all of them, some are left out
};

struct ChartPoint {
    double x = 0.0;               ///< with bars: the index of the category
    std::optional<double> value;  ///< nothing there: a gap in the line, no bar
    std::string label;            ///< of the value: stands beside a bar
};

/// Lines of one hue have one colour and shape of marker; lines of one form are drawn alike (dashed and hollow, solid and
/// full, dotted). So two things can be told apart at once: heads by hue, kernels by form.
struct Series {
    std::string name;
    std::size_t hue = 0;
    std::size_t form = 0;
    std::vector<ChartPoint> points;  ///< ascending in x
};

struct Chart {
    std::string title;
    std::vector<std::string> caption;     ///< what the figures are of and where they come from
    Axis value;                           ///< upwards for lines, to the right for bars
    Axis along;                           ///< to the right; of lines alone
    std::vector<std::string> categories;  ///< not empty: bars, a group for each of these, one bar for each series
    std::vector<Series> series;
    std::string several;          ///< what the legend calls markers that share a place
    std::optional<double> level;  ///< a figure to hold the others against, drawn across
};

inline constexpr std::size_t hues = 6;
inline constexpr std::size_t forms = 3;
/// The hues in a terminal (SGR codes).
inline constexpr std::array<const char*, hues> hue_codes{"36", "33", "35", "32", "34", "31"};

/// Which ticks have room: their labels, `widths` wide and centred at `places` (ascending), keep `gap` between them. Of
/// ticks at equal distances every one, or every second, ... counted from the first; of others as many as fit from the
/// left on, and the last one. Returns their indices.
std::vector<std::size_t> thinned(const std::vector<double>& places, const std::vector<double>& widths, double gap);

}  // namespace flashlens::report
