#include "report/chart.h"

#include <cmath>

namespace flashlens::report {
namespace {

bool at_equal_distances(const std::vector<double>& places) {
    for (std::size_t i = 2; i < places.size(); ++i) {
        const double here = places[i] - places[i - 1];
        const double before = places[i - 1] - places[i - 2];
        if (std::abs(here - before) > 0.1 * (here + before) / 2.0 + 1.0) {  // places may be rounded
            return false;
        }
    }
    return true;
}

}  // namespace

std::vector<std::size_t> thinned(const std::vector<double>& places, const std::vector<double>& widths, double gap) {
    const auto collide = [&](std::size_t left, std::size_t right) {
        return places[right] - widths[right] / 2.0 < places[left] + widths[left] / 2.0 + gap;
    };
    std::vector<std::size_t> kept;
    if (at_equal_distances(places)) {
        for (std::size_t every = 1;; ++every) {
            kept.clear();
            bool room = true;
            for (std::size_t i = 0; i < places.size() && room; i += every) {
                room = kept.empty() || !collide(kept.back(), i);
                kept.push_back(i);
            }
            if (room) {
                return kept;
            }
        }
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        const bool last = i + 1 == places.size();
        while (last && kept.size() > 1 && collide(kept.back(), i)) {
            kept.pop_back();
        }
        if (kept.empty() || !collide(kept.back(), i)) {
            kept.push_back(i);
        }
    }
    return kept;
}

}  // namespace flashlens::report
