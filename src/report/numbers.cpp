#include "report/numbers.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace flashlens::report {
namespace {

std::string not_finite(double value) {
    return std::isnan(value) ? "NaN" : value > 0 ? "inf" : "-inf";
}

struct UnitOf {
    double size;
    std::string_view name;
};

/// In the largest unit of which there is at least one, as rounding to three digits has it (999.9 is "1,000" of the
/// smaller unit only when there is no larger one).
template <std::size_t Count>
std::string in_units(double value, const std::array<UnitOf, Count>& units) {
    if (!std::isfinite(value)) {
        return not_finite(value);
    }
    std::size_t unit = 0;
    while (unit + 1 < Count && std::abs(value) >= 0.9995 * units[unit + 1].size) {
        ++unit;
    }
    const std::string_view name = units[unit].name;
    return name.empty() ? decimal(value / units[unit].size)
                        : fmt::format("{} {}", decimal(value / units[unit].size), name);
}

}  // namespace

std::string signed_offset(std::int64_t value) {
    return fmt::format("{} {}", value < 0 ? '-' : '+', value < 0 ? -value : value);
}

std::string decimal(double value) {
    if (!std::isfinite(value)) {
        return not_finite(value);
    }
    if (value == 0.0) {
        return "0";
    }
    const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
    const double step = std::pow(10.0, exponent - 2);
    const double rounded = std::round(value / step) * step;
    const int after_point = std::abs(rounded) >= 99.95 ? 0 : std::max(0, 2 - exponent);
    std::string text = fmt::format("{:.{}f}", rounded, after_point);
    if (after_point == 0) {
        return with_thousands(text);
    }
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
        text.pop_back();
    }
    return text;
}

std::string memory_size(std::int64_t bytes) {
    constexpr std::array<UnitOf, 4> units{
        {{1, "B"}, {1024, "KiB"}, {1024.0 * 1024, "MiB"}, {1024.0 * 1024 * 1024, "GiB"}}};
    return in_units(static_cast<double>(bytes), units);
}

std::string traffic(double bytes) {
    constexpr std::array<UnitOf, 5> units{{{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}}};
    return in_units(bytes, units);
}

std::string duration(double microseconds) {
    constexpr std::array<UnitOf, 4> units{{{1e-3, "ns"}, {1, "us"}, {1e3, "ms"}, {1e6, "s"}}};
    return in_units(microseconds, units);
}

std::string magnitude(double value) {
    constexpr std::array<UnitOf, 5> units{{{1, ""}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}}};
    if (std::isfinite(value) && std::abs(value) < 999'500 && value == std::floor(value)) {
        return whole(static_cast<std::int64_t>(value));
    }
    return in_units(value, units);
}

std::string work(double flop) {
    constexpr std::array<UnitOf, 5> units{
        {{1, "FLOP"}, {1e6, "MFLOP"}, {1e9, "GFLOP"}, {1e12, "TFLOP"}, {1e15, "PFLOP"}}};
    return std::isfinite(flop) && std::abs(flop) < 999'500 ? whole(static_cast<std::int64_t>(flop)) + " FLOP"
                                                           : in_units(flop, units);
}

std::string ratio(double value) {
    return std::isfinite(value) && value > 0.0 && value < 99.95 ? fmt::format("{:.{}f}", value, value < 9.995 ? 2 : 1)
                                                                : decimal(value);
}

std::string percent(double fraction) {
    return std::isfinite(fraction) ? decimal(100.0 * fraction) + " %" : not_finite(fraction);
}

std::string error(double value) {
    if (!std::isfinite(value)) {
        return not_finite(value);
    }
    return value == 0.0 ? "0" : fmt::format("{:.2e}", value);
}

}  // namespace flashlens::report
