#include "report/walk_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/width.h"

namespace flashlens::report {

std::string walk_number(double value) {
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    if (value == 0.0) {
        return "0";
    }
    if (std::abs(value) >= 0.0005) {
        for (int places = 4; places >= 0; --places) {
            std::string text = fmt::format("{:.{}f}", value, places);
            if (text.size() <= walk_number_width) {
                return text;
            }
        }
    }
    std::string text = fmt::format("{:.1e}", value);
    return text.size() <= walk_number_width ? text : fmt::format("{:.0e}", value);
}

std::string exact_walk_number(double value) {
    return std::isinf(value) ? walk_number(value) : fmt::format("{:.7f}", value);
}

std::string at_right(std::string_view text, int width) {
    return std::string(std::max(0, width - display_width(text)), ' ') + std::string(text);
}

}  // namespace flashlens::report
