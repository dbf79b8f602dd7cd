#include "explorer/schedule.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "explorer/cta_cost.h"

namespace flashlens {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Times that differ by less are one: sums of many costs are not exact.
constexpr double same = 1e-9;

/// An SM and the CTAs on it, which all make progress alike: `progress` counts what each has done, as time it would have taken
/// alone.
class Sm {
public:
    explicit Sm(int slots) : taken_(static_cast<std::size_t>(slots), false) {}

    int running() const { return static_cast<int>(running_.size()); }
    bool has_room() const { return running_.size() < taken_.size(); }

    /// Returns the place that it takes.
    int start(std::uint32_t cta, double cost_us, double now) {
        advance(now);
        const auto slot = static_cast<std::size_t>(std::find(taken_.begin(), taken_.end(), false) - taken_.begin());
        taken_[slot] = true;
        running_.push_back({cta, slot, progress_ + cost_us});
        return static_cast<int>(slot);
    }

    /// The CTAs that are done by now.
    std::vector<std::uint32_t> finish(double now) {
        advance(now);
        std::vector<std::uint32_t> done;
        const double reached = progress_ + same * std::max(progress_, 1.0);
        std::erase_if(running_, [&](const Running& one) {
            if (one.done_at > reached) {
                return false;
            }
            done.push_back(one.cta);
            taken_[one.slot] = false;
            return true;
        });
        return done;
    }

    double next_end() const {
        double first = never;
        for (const Running& one : running_) {
            first = std::min(first, now_ + std::max(one.done_at - progress_, 0.0) / speed_of_each(running()));
        }
        return first;
    }

private:
    struct Running {
        std::uint32_t cta;
        std::size_t slot;
        double done_at;  ///< in progress
    };

    void advance(double now) {
        progress_ += (now - now_) * speed_of_each(std::max(running(), 1));
        now_ = now;
    }

    std::vector<Running> running_;
    std::vector<bool> taken_;
    double now_ = 0.0;
    double progress_ = 0.0;
};

}  // namespace

std::vector<CtaSpan> schedule(std::span<const std::uint32_t> ctas, const std::vector<double>& costs_us, int sm_count,
                              int slots) {
    std::vector<CtaSpan> spans(ctas.size());
    std::vector<Sm> sms(static_cast<std::size_t>(sm_count), Sm(slots));
    std::set<std::pair<int, int>> with_room;  // how many CTAs run, which SM
    for (int sm = 0; sm < sm_count; ++sm) {
        with_room.emplace(0, sm);
    }
    // When something ends on which SM; an entry that the SM has outlived, by a start or an end, is passed over.
    using End = std::tuple<double, int, int>;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends;
    std::vector<int> changes(sms.size(), 0);
    std::set<int> changed;
    std::size_t next = 0;
    double now = 0.0;
    while (true) {
        while (next < ctas.size() && !with_room.empty()) {
            const int number = with_room.begin()->second;
            Sm& sm = sms[static_cast<std::size_t>(number)];
            with_room.erase(with_room.begin());
            const int slot = sm.start(static_cast<std::uint32_t>(next), costs_us[ctas[next]], now);
            spans[next] = {number, slot, now, now};
            if (sm.has_room()) {
                with_room.emplace(sm.running(), number);
            }
            changed.insert(number);
            ++next;
        }
        for (const int number : changed) {
            const auto at = static_cast<std::size_t>(number);
            if (sms[at].running() > 0) {
                ends.emplace(sms[at].next_end(), number, ++changes[at]);
            }
        }
        changed.clear();
        if (ends.empty()) {
            return spans;
        }
        now = std::get<0>(ends.top());
        while (!ends.empty() && std::get<0>(ends.top()) <= now + same * std::max(now, 1.0)) {
            const auto [time, number, change] = ends.top();
            ends.pop();
            if (change != changes[static_cast<std::size_t>(number)]) {
                continue;
            }
            Sm& sm = sms[static_cast<std::size_t>(number)];
            with_room.erase({sm.running(), number});  // if it was there
            for (const std::uint32_t cta : sm.finish(now)) {
                spans[cta].end_us = now;
            }
            if (sm.has_room()) {
                with_room.emplace(sm.running(), number);
            }
            changed.insert(number);
        }
    }
}

int take_slots(std::vector<CtaSpan>& spans) {
    std::vector<std::size_t> order(spans.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::tuple(spans[a].sm, spans[a].start_us, a) < std::tuple(spans[b].sm, spans[b].start_us, b);
    });
    std::vector<double> free_from;  // of the SM's places
    std::size_t most = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        CtaSpan& span = spans[order[i]];
        if (i == 0 || spans[order[i - 1]].sm != span.sm) {
            free_from.clear();
        }
        const auto place =
            std::find_if(free_from.begin(), free_from.end(), [&](double from) { return from <= span.start_us; });
        span.slot = static_cast<int>(place - free_from.begin());
        if (place == free_from.end()) {
            free_from.push_back(span.end_us);
        } else {
            *place = span.end_us;
        }
        most = std::max(most, free_from.size());
    }
    return static_cast<int>(most);
}

}  // namespace flashlens
