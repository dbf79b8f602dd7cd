#include "report/scale.h"

#include <algorithm>
#include <cmath>

namespace flashlens::report {
namespace {

constexpr double hair = 1e-9;  ///< what rounding may add to a figure, as a share of it

/// 1, 2 or 5 times a power of ten, not below the value.
double round_up(double value) {
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (const double mantissa : {1.0, 2.0, 5.0}) {
        if (mantissa * power >= value * (1.0 - hair)) {
            return mantissa * power;
        }
    }
    return 10.0 * power;
}

/// The widest gap between neighbours as a share of the axis.
double widest_gap(const std::vector<double>& sorted, const Scale& scale) {
    double widest = 0.0;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        widest = std::max(widest, scale.at(sorted[i]) - scale.at(sorted[i - 1]));
    }
    return widest;
}

std::vector<double> multiples(double low, double high, double step) {
    std::vector<double> result;
    const double first = std::ceil(low / step - hair);
    const int count = std::max(static_cast<int>(std::floor(high / step + hair) - first) + 1, 0);
    result.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        result.push_back((first + i) * step);
    }
    return result;
}

/// Every `every`-th power of ten from low to high, each times the mantissas.
std::vector<double> powers(double low, double high, int every, const std::vector<double>& mantissas) {
    std::vector<double> result;
    for (int e = static_cast<int>(std::floor(std::log10(low))); e <= std::log10(high) + hair; ++e) {
        for (const double mantissa : e % every == 0 ? mantissas : std::vector<double>{}) {
            const double value = mantissa * std::pow(10.0, e);
            if (value >= low * (1.0 - hair) && value <= high * (1.0 + hair)) {
                result.push_back(value);
            }
        }
    }
    return result;
}

}  // namespace

double Scale::at(double value) const {
    if (low_ == high_) {
        return 0.5;
    }
    return logarithmic_ ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
}

Scale Scale::from_zero(const std::vector<double>& values) {
    const double largest = values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
    if (!(largest > 0.0)) {
        return linear(0.0, 1.0);
    }
    const double step = round_up(largest / 5.0);
    return linear(0.0, step * std::ceil(largest / step - hair));
}

Scale Scale::around(const std::vector<double>& values) {
    const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
    const double high = round_up(*largest);
    const double low = 1.0 / round_up(1.0 / *smallest);  // 1, 2 and 5 become 1, 5 and 2
    return logarithmic(low, low < high ? high : 10.0 * low);
}

Scale Scale::over(const std::vector<double>& values) {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const Scale evenly = linear(sorted.front(), sorted.back());
    if (!(sorted.front() > 0.0) || sorted.front() == sorted.back()) {
        return evenly;
    }
    const Scale by_factors = logarithmic(sorted.front(), sorted.back());
    return widest_gap(sorted, by_factors) < 0.95 * widest_gap(sorted, evenly) ? by_factors : evenly;
}

std::vector<double> Scale::ticks(int most) const {
    if (low_ == high_ || most < 1) {
        return {low_};
    }
    if (logarithmic_ && high_ / low_ >= 10.0) {
        for (const std::vector<double>& mantissas : {std::vector<double>{1, 2, 5}, {1, 3}, {1}}) {
            std::vector<double> all = powers(low_, high_, 1, mantissas);
            if (!all.empty() && static_cast<int>(all.size()) <= most) {
                return all;
            }
        }
        for (int every = 2; every < 400; ++every) {
            std::vector<double> all = powers(low_, high_, every, {1.0});
            if (static_cast<int>(all.size()) <= most) {
                return all;
            }
        }
    }
    for (double step = round_up((high_ - low_) / most);; step = round_up(1.5 * step)) {
        std::vector<double> all = multiples(low_, high_, step);
        if (static_cast<int>(all.size()) <= most) {
            return all;
        }
    }
}

}  // namespace flashlens::report
