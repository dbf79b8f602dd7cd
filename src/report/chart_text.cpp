#include "report/chart_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "report/comparison_view.h"
#include "report/table.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

constexpr int widest_plot = 120;
constexpr int plot_rows = 16;
constexpr int narrowest_plot = 8;
constexpr int narrowest_bars = 4;
constexpr int dots_across = 2;  ///< of a Braille character
constexpr int dots_down = 4;

constexpr std::array<std::array<std::string_view, forms>, hues> markers{
    {{"○", "●", "◎"}, {"□", "■", "▣"}, {"△", "▲", "◬"}, {"◇", "◆", "◈"}, {"▽", "▼", "◪"}, {"☆", "★", "◩"}}};
constexpr std::array<std::array<std::string_view, forms>, hues> letters{
    {{"a", "A", "1"}, {"b", "B", "2"}, {"c", "C", "3"}, {"d", "D", "4"}, {"e", "E", "5"}, {"f", "F", "6"}}};

std::string_view marker(const Series& series, const Terminal& terminal) {
    return (terminal.utf8 ? markers : letters)[series.hue % hues][series.form % forms];
}

std::string_view several_markers(const Terminal& terminal) {
    return terminal.utf8 ? "✱" : "*";
}

std::string coloured(std::string_view text, std::size_t hue, const Terminal& terminal) {
    if (!terminal.colour || text.empty()) {
        return std::string(text);
    }
    return std::string("\x1b[") + hue_codes[hue % hues] + "m" + std::string(text) + "\x1b[0m";
}

/// Is the dot drawn that is this many steps along its line?
bool drawn(std::size_t form, int step) {
    switch (form % forms) {
        case 0:
            return step % 6 < 4;  // dashes
        case 1:
            return true;
        default:
            return step % 3 == 0;
    }
}

/// The characters of a plot: dots of lines, and markers over them.
class Canvas {
public:
    Canvas(int columns, int rows, const Terminal& terminal)
        : columns_(columns),
          rows_(rows),
          terminal_(terminal),
          cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

    /// In dots from the left and from the top. In ASCII a character is a single dot.
    int width() const { return columns_ * (terminal_.utf8 ? dots_across : 1); }
    int height() const { return rows_ * (terminal_.utf8 ? dots_down : 1); }

    void dot(int x, int y, std::size_t hue) {
        Cell& cell = at(x, y);
        // Braille's dots are numbered down the left column, then the right one; the lowest row came later.
        constexpr unsigned bits[dots_down][dots_across] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
        cell.dots |= terminal_.utf8 ? bits[y % dots_down][x % dots_across] : 1U;
        cell.hue = hue;
    }
    void mark(int x, int y, const Series& series) {
        Cell& cell = at(x, y);
        const bool taken = cell.hue < hues && !cell.text.empty();
        several_ = several_ || taken;
        cell.text = taken ? several_markers(terminal_) : marker(series, terminal_);
        cell.hue = series.hue % hues;
    }
    /// Do markers of several lines share a character?
    bool several() const { return several_; }
    void level(int y) {
        for (int x = 0; x < width(); ++x) {
            Cell& cell = at(x, y);
            if (cell.dots == 0 && cell.text.empty()) {
                cell.text = terminal_.utf8 ? "┈" : "-";
                cell.hue = hues;
            }
        }
    }

    std::string row(int row) const {
        std::string line;
        for (int column = 0; column < columns_; ++column) {
            const Cell& cell = cells_[index(column, row)];
            if (!cell.text.empty()) {
                line += cell.hue < hues ? coloured(cell.text, cell.hue, terminal_)
                                        : styled(std::string(cell.text), Style::dim, terminal_);
            } else if (cell.dots != 0) {
                line += coloured(terminal_.utf8 ? braille(cell.dots) : ".", cell.hue, terminal_);
            } else {
                line += ' ';
            }
        }
        return line;
    }

private:
    struct Cell {
        unsigned dots = 0;
        std::string_view text;
        std::size_t hue = 0;
    };

    Cell& at(int x, int y) {
        const int column = std::clamp(x / (terminal_.utf8 ? dots_across : 1), 0, columns_ - 1);
        const int row = std::clamp(y / (terminal_.utf8 ? dots_down : 1), 0, rows_ - 1);
        return cells_[index(column, row)];
    }

    std::size_t index(int column, int row) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column);
    }

    /// U+2800 and the dots, in UTF-8.
    static std::string braille(unsigned dots) {
        return {'\xe2', static_cast<char>(0xa0U | dots >> 6U), static_cast<char>(0x80U | (dots & 0x3fU))};
    }

    int columns_;
    int rows_;
    const Terminal& terminal_;
    std::vector<Cell> cells_;
    bool several_ = false;
};

struct Dot {
    int x = 0;
    int y = 0;
};

class LinePlot {
public:
    LinePlot(const Chart& chart, const Terminal& terminal)
        : chart_(chart),
          terminal_(terminal),
          gutter_(gutter()),
          columns_(std::max(std::min(terminal.columns - gutter_ - 2 - right_margin(), widest_plot), narrowest_plot)),
          canvas_(columns_, plot_rows, terminal) {}

    std::string text() {
        for (const Series& series : chart_.series) {
            lines(series);
        }
        if (chart_.level) {
            canvas_.level(down(chart_.value.scale.at(*chart_.level)));
        }
        for (const Series& series : chart_.series) {
            points(series);
        }
        return rows() + x_axis();
    }
    /// After text().
    bool several() const { return canvas_.several(); }

private:
    int gutter() const {
        int widest = 1;
        for (const Tick& tick : chart_.value.ticks) {
            widest = std::max(widest, display_width(tick.label));
        }
        return widest;
    }
    int right_margin() const {
        return chart_.along.ticks.empty() ? 0 : display_width(chart_.along.ticks.back().label) / 2;
    }
    int down(double place) const {
        return static_cast<int>(std::lround((1.0 - std::clamp(place, 0.0, 1.0)) * (canvas_.height() - 1)));
    }
    int across(double place) const {
        return static_cast<int>(std::lround(std::clamp(place, 0.0, 1.0) * (canvas_.width() - 1)));
    }
    Dot dot(const ChartPoint& point) const {
        return {across(chart_.along.scale.at(point.x)), down(chart_.value.scale.at(*point.value))};
    }

    void lines(const Series& series) {
        int step = 0;
        for (std::size_t i = 0; i < series.points.size(); ++i) {
            if (!series.points[i].value) {
                continue;
            }
            const Dot to = dot(series.points[i]);
            const bool joined = i > 0 && series.points[i - 1].value;
            const Dot from = joined ? dot(series.points[i - 1]) : to;
            const int steps = std::max({std::abs(to.x - from.x), std::abs(to.y - from.y), 1});
            for (int s = 0; s <= steps; ++s, ++step) {
                if (drawn(series.form, step)) {
                    canvas_.dot(from.x + (to.x - from.x) * s / steps, from.y + (to.y - from.y) * s / steps, series.hue);
                }
            }
        }
    }

    /// A marker on each point; where they are many, on some, so that the line stays visible.
    void points(const Series& series) {
        const auto room = static_cast<std::size_t>(std::max(columns_ / 5, 2));
        const std::size_t every = (series.points.size() + room - 1) / room;
        for (std::size_t i = 0; i < series.points.size(); i += std::max<std::size_t>(every, 1)) {
            if (series.points[i].value) {
                const Dot at = dot(series.points[i]);
                canvas_.mark(at.x, at.y, series);
            }
        }
    }

    std::string rows() const {
        std::vector<std::string> labels(plot_rows);
        for (const Tick& tick : chart_.value.ticks) {
            const int row = down(chart_.value.scale.at(tick.value)) * plot_rows / canvas_.height();
            labels[static_cast<std::size_t>(row)] = tick.label;
        }
        std::string result;
        for (int row = 0; row < plot_rows; ++row) {
            const std::string& label = labels[static_cast<std::size_t>(row)];
            std::string line = repeated(" ", gutter_ - display_width(label)) + label + " ";
            line += terminal_.utf8 ? (label.empty() ? "│" : "┤") : (label.empty() ? "|" : "+");
            result += without_blanks_at_end(line + canvas_.row(row)) + "\n";
        }
        return result;
    }

    std::string x_axis() const {
        std::vector<double> places;
        std::vector<double> widths;
        for (const Tick& tick : chart_.along.ticks) {
            const int column = across(chart_.along.scale.at(tick.value)) * columns_ / canvas_.width();
            places.push_back(column);
            widths.push_back(display_width(tick.label));
        }
        std::vector<std::string_view> line(static_cast<std::size_t>(columns_), terminal_.utf8 ? "─" : "-");
        std::string labels;
        const int begin = gutter_ + 2;  // column of the plot's left edge
        for (const std::size_t i : thinned(places, widths, 1.0)) {
            const auto place = static_cast<int>(places[i]);
            line[static_cast<std::size_t>(place)] = terminal_.utf8 ? "┬" : "+";
            const int first = std::max(begin + place - static_cast<int>(widths[i]) / 2, 0);
            labels += repeated(" ", first - display_width(labels)) + chart_.along.ticks[i].label;
        }
        std::string result = repeated(" ", gutter_ + 1) + (terminal_.utf8 ? "└" : "+");
        for (const std::string_view character : line) {
            result += character;
        }
        const std::string title = wrap(chart_.along.title, terminal_.columns).front();
        const int before = std::max(
            std::min(begin + (columns_ - display_width(title)) / 2, terminal_.columns - display_width(title)), 0);
        return result + "\n" + labels + "\n" + repeated(" ", before) + title + "\n";
    }

    const Chart& chart_;
    const Terminal& terminal_;
    int gutter_;
    int columns_;
    Canvas canvas_;
};

/// A bar of this many eighths of a character.
std::string bar(int eighths, const Terminal& terminal) {
    constexpr std::array<std::string_view, 8> parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!terminal.utf8) {
        return repeated("#", (eighths + 4) / 8);
    }
    return repeated("█", eighths / 8) + std::string(parts[static_cast<std::size_t>(eighths % 8)]);
}

std::string bars(const Chart& chart, const Terminal& terminal) {
    int names = 0;
    for (const std::string& category : chart.categories) {
        names = std::max(names, display_width(category));
    }
    names = std::min(names, terminal.columns / 3);
    int values = 1;
    for (const Series& series : chart.series) {
        for (const ChartPoint& point : series.points) {
            values = std::max(values, display_width(point.label));
        }
    }
    const int room = std::clamp(terminal.columns - names - values - 5, narrowest_bars, widest_plot);
    std::string result;
    for (std::size_t category = 0; category < chart.categories.size(); ++category) {
        std::string name = wrap(chart.categories[category], names).front();
        for (const Series& series : chart.series) {
            for (const ChartPoint& point : series.points) {
                if (static_cast<std::size_t>(point.x) != category) {
                    continue;
                }
                const double share = point.value ? std::clamp(chart.value.scale.at(*point.value), 0.0, 1.0) : 0.0;
                const std::string drawn_bar = bar(static_cast<int>(std::lround(8.0 * share * room)), terminal);
                result += pad(name, names) + "  " + coloured(marker(series, terminal), series.hue, terminal) + " ";
                result +=
                    coloured(drawn_bar, series.hue, terminal) + (drawn_bar.empty() ? "" : " ") + point.label + "\n";
                name.clear();
            }
        }
    }
    return result;
}

struct LegendEntry {
    std::string sample;  ///< one column wide
    std::string name;
};

std::string legend(const std::vector<LegendEntry>& entries, const Terminal& terminal) {
    std::string result;
    std::string line;
    int width = 0;
    for (const LegendEntry& entry : entries) {
        const std::string name = wrap(entry.name, terminal.columns - 2).front();
        const int more = 2 + display_width(name);
        if (width > 0 && width + 3 + more > terminal.columns) {
            result += line + "\n";
            line.clear();
            width = 0;
        }
        line += repeated(" ", width > 0 ? 3 : 0) + entry.sample + " " + name;
        width += (width > 0 ? 3 : 0) + more;
    }
    return line.empty() ? result : result + line + "\n";
}

}  // namespace

std::string draw(const Chart& chart, const Terminal& terminal) {
    std::string result = labelled("", 0, chart.title, terminal, Style::bold);
    result += labelled("", 0, chart.value.title, terminal, Style::dim);
    std::vector<LegendEntry> entries;
    for (const Series& series : chart.series) {
        entries.push_back({coloured(marker(series, terminal), series.hue, terminal), series.name});
    }
    if (!chart.categories.empty()) {
        result += bars(chart, terminal);
    } else if (!chart.along.ticks.empty()) {
        LinePlot plot(chart, terminal);
        result += plot.text();
        if (plot.several()) {
            entries.push_back({std::string(several_markers(terminal)), chart.several});
        }
    }
    result += legend(entries, terminal);
    for (const std::string& line : chart.caption) {
        result += labelled("", 0, line, terminal);
    }
    return result;
}

}  // namespace flashlens::report
