#include "report/sweep_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "report/numbers.h"
#include "report/sweep_words.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

constexpr std::size_t most_groups = 40;  ///< of bars
constexpr double wide_range = 50.0;      ///< values so far apart stand on a scale of equal factors
constexpr int most_value_ticks = 6;
constexpr int most_number_ticks = 10;

std::optional<double> number(const std::string& text) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool of_numbers(const SweptOption& option) {
    return std::all_of(option.values.begin(), option.values.end(),
                       [](const std::string& value) { return number(value).has_value(); });
}

/// Index of the option that runs along the chart.
std::size_t choose_along(const std::vector<SweptOption>& options) {
    constexpr std::size_t enough_for_a_line = 3;
    std::size_t best = 0;
    const auto worth = [&](std::size_t i) {
        const bool line = of_numbers(options[i]) && options[i].values.size() >= enough_for_a_line;
        return std::pair(line, options[i].values.size());
    };
    for (std::size_t i = 1; i < options.size(); ++i) {
        best = worth(i) >= worth(best) ? i : best;
    }
    return best;
}

/// At most `most` of 0 .. count - 1, evenly spread, both ends among them.
std::vector<std::size_t> spread(std::size_t count, std::size_t most) {
    std::vector<std::size_t> result;
    if (count <= most) {
        result.resize(count);
        std::iota(result.begin(), result.end(), std::size_t{0});
        return result;
    }
    for (std::size_t i = 0; i < most; ++i) {
        result.push_back(most > 1 ? i * (count - 1) / (most - 1) : 0);
    }
    return result;
}

class Maker {
public:
    Maker(const Sweep& sweep, const Quantity& quantity, Language language)
        : sweep_(sweep),
          quantity_(quantity),
          language_(language),
          along_(choose_along(sweep.options)),
          bars_(!of_numbers(sweep.options[along_])) {}

    Chart chart() {
        gather();
        Chart chart;
        const std::string& name = sweep_.options[along_].name;
        chart.title = say(bars_ ? Text::chart_title_bars : Text::chart_title, say(quantity_.heading), name);
        chart.several = say(Text::chart_several);
        add_series(chart);
        set_value_axis(chart);
        if (bars_) {
            for (const std::size_t i : groups_) {
                chart.categories.push_back(printable(sweep_.options[along_].values[i]));
            }
        } else {
            set_along_axis(chart);
        }
        if (quantity_.name == "speedup") {
            chart.level = 1.0;
        }
        add_caption(chart);
        return chart;
    }

private:
    template <typename... Values>
    std::string say(Text name, const Values&... values) const {
        return fill(language_, name, values...);
    }

    /// Points that differ in the option along the chart alone.
    using Combination = std::vector<std::size_t>;

    Combination others(const SweepPoint& point) const {
        Combination rest = point.at;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(along_));
        return rest;
    }

    void gather() {
        for (const SweepPoint& point : sweep_.points) {
            const Combination rest = others(point);
            if (std::find(combinations_.begin(), combinations_.end(), rest) == combinations_.end()) {
                combinations_.push_back(rest);
            }
            for (std::size_t v = 0; point.refusal.empty() && v < point.comparison.variants.size(); ++v) {
                const VariantFacts& variant = point.comparison.variants[v];
                if (std::find(variants_.begin(), variants_.end(), variant.name) == variants_.end()) {
                    variants_.push_back(variant.name);
                }
                if (const auto value = quantity_.of(variant, point.comparison)) {
                    values_[{rest, variant.name}][point.at[along_]] = *value;
                }
            }
        }
        groups_ = spread(sweep_.options[along_].values.size(), bars_ ? most_groups : sweep_.points.size());
    }

    std::string series_name(const std::string& variant, const Combination& combination) const {
        std::string name = variant;
        for (std::size_t i = 0, o = 0; o < sweep_.options.size(); ++o) {
            if (o != along_) {
                const SweptOption& option = sweep_.options[o];
                const std::string& value = option.values[combination[i++]];
                name += ", " + (number(value) ? option.name + " " + value : printable(value));
            }
        }
        return name;
    }

    void add_series(Chart& chart) {
        const std::vector<std::size_t> kept = spread(combinations_.size(), hues);
        std::size_t form = 0;
        for (std::size_t v = 0; v < variants_.size(); ++v) {
            std::size_t drawn = 0;
            for (std::size_t hue = 0; hue < kept.size(); ++hue) {
                const Combination& combination = combinations_[kept[hue]];
                const auto values = values_.find({combination, variants_[v]});
                if (values == values_.end()) {
                    continue;
                }
                Series series;
                series.name = series_name(variants_[v], combination);
                series.hue = combinations_.size() > 1 ? hue : v;
                series.form = v;
                series.points = points(values->second);
                chart.series.push_back(std::move(series));
                ++drawn;
            }
            form += drawn > 0 ? 1 : 0;
        }
        if (form == 1) {  // nothing to tell apart by form: all full
            for (Series& series : chart.series) {
                series.form = 1;
            }
        }
    }

    std::vector<ChartPoint> points(const std::map<std::size_t, double>& values) const {
        std::vector<ChartPoint> result;
        for (std::size_t place = 0; place < groups_.size(); ++place) {
            ChartPoint point;
            point.x = bars_ ? static_cast<double>(place) : *number(sweep_.options[along_].values[groups_[place]]);
            const auto value = values.find(groups_[place]);
            if (value != values.end()) {
                point.value = value->second;
            }
            point.label = point.value ? quantity_.print(*point.value) : say(Text::not_available);
            result.push_back(std::move(point));
        }
        std::stable_sort(result.begin(), result.end(),
                         [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
        return result;
    }

    void set_value_axis(Chart& chart) const {
        std::vector<double> all;
        for (const Series& series : chart.series) {
            for (const ChartPoint& point : series.points) {
                if (point.value) {
                    all.push_back(*point.value);
                }
            }
        }
        if (chart.level) {
            all.push_back(*chart.level);
        }
        const auto [smallest, largest] = std::minmax_element(all.begin(), all.end());
        // Bars are read by their lengths and shares against the whole: both mean something from zero on alone.
        const bool from_zero = bars_ || quantity_.print == percent;
        const bool factors = !from_zero && !all.empty() && *smallest > 0.0 && *largest / *smallest >= wide_range;
        chart.value.scale = factors ? Scale::around(all) : Scale::from_zero(all);
        const std::string title = say(quantity_.axis, variants_.empty() ? "v1" : variants_.front());
        chart.value.title = factors ? say(Text::axis_log, title) : title;
        for (const double tick : chart.value.scale.ticks(most_value_ticks)) {
            chart.value.ticks.push_back({tick, print_tick(quantity_, tick)});
        }
    }

    void set_along_axis(Chart& chart) const {
        const SweptOption& option = sweep_.options[along_];
        std::vector<double> all;
        for (const std::string& value : option.values) {
            all.push_back(*number(value));
        }
        std::sort(all.begin(), all.end());
        chart.along.scale = Scale::over(all);
        chart.along.title = chart.along.scale.is_logarithmic() ? say(Text::axis_log, option.name) : option.name;
        const bool few = all.size() <= 2 * most_number_ticks;
        for (const double tick : few ? all : chart.along.scale.ticks(most_number_ticks)) {
            chart.along.ticks.push_back({tick, fmt::format("{:.15g}", tick)});
        }
    }

    void add_caption(Chart& chart) const {
        chart.caption.push_back(cards(sweep_, language_));
        chart.caption.push_back(shared_shape(sweep_, language_));
        chart.caption.push_back(say(Text::sweep_figures_are, how_known(quantity_.origin, sweep_, language_)));
        const std::size_t drawn = std::min(combinations_.size(), hues);
        if (drawn < combinations_.size()) {
            const std::size_t each = chart.series.size() / drawn;
            chart.caption.push_back(say(Text::sweep_lines_left_out, drawn * each, combinations_.size() * each));
        }
        if (groups_.size() < sweep_.options[along_].values.size()) {
            chart.caption.push_back(
                say(Text::sweep_bars_left_out, groups_.size(), sweep_.options[along_].values.size()));
        }
    }

    const Sweep& sweep_;
    const Quantity& quantity_;
    Language language_;
    std::size_t along_;
    bool bars_;
    std::vector<std::size_t> groups_;  ///< values of the option along the chart that are drawn
    std::vector<Combination> combinations_;
    std::vector<std::string> variants_;
    std::map<std::pair<Combination, std::string>, std::map<std::size_t, double>> values_;
};

}  // namespace

Chart sweep_chart(const Sweep& sweep, const Quantity& quantity, Language language) {
    return Maker(sweep, quantity, language).chart();
}

}  // namespace flashlens::report
