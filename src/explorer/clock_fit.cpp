#include "explorer/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "message.h"
#include "say.h"

namespace flashlens {
namespace {

/// gpu::record fills records with ones, so that what nobody wrote shows.
bool is_written(const CtaTime& record) {
    return record.sm != ~std::uint32_t{0} && record.end.cycles != ~std::uint64_t{0} &&
           record.end.nanoseconds != ~std::uint64_t{0};
}

void check_written(std::span<const CtaTime> records) {
    for (const CtaTime& record : records) {
        if (!is_written(record) || record.end.cycles < record.start.cycles ||
            record.end.nanoseconds < record.start.nanoseconds) {
            throw Failure(say("the record of CTA {} makes no sense: the card ran another kernel than was launched",
                              &record - records.data()));
        }
    }
}

/// The timer's tick, nanoseconds: the least that two different readings are apart, and never more than timers tick.
double tick_of(std::span<const CtaTime> records) {
    std::vector<std::uint64_t> readings;
    for (const CtaTime& record : records) {
        readings.push_back(record.start.nanoseconds);
        readings.push_back(record.end.nanoseconds);
    }
    std::sort(readings.begin(), readings.end());
    std::uint64_t tick = 2000;
    for (std::size_t i = 1; i < readings.size(); ++i) {
        const std::uint64_t apart = readings[i] - readings[i - 1];
        tick = apart > 0 ? std::min(tick, apart) : tick;
    }
    return static_cast<double>(tick);
}

/// The readings of one SM.
struct SmReadings {
    std::uint64_t first_cycle = std::numeric_limits<std::uint64_t>::max();
    std::vector<CtaTime::Reading> readings;

    double cycles() const {  ///< from the first reading to the last
        std::uint64_t last = first_cycle;
        for (const CtaTime::Reading& reading : readings) {
            last = std::max(last, reading.cycles);
        }
        return static_cast<double>(last - first_cycle);
    }
    double nanoseconds() const {
        const auto [first, last] = std::minmax_element(
            readings.begin(), readings.end(), [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
        return static_cast<double>(last->nanoseconds - first->nanoseconds);
    }
};

/// Cycles and nanoseconds count from first readings on: a double holds those exactly.
struct SmClock {
    std::uint64_t first_cycle = 0;
    double ns_per_cycle = 0.0;
    double offset = 0.0;
    double uncertainty = 0.0;

    double at(std::uint64_t cycle) const { return offset + static_cast<double>(cycle - first_cycle) * ns_per_cycle; }
};

/// A reading is the time at the last tick: the time itself is less than a tick later.
SmClock fit(const SmReadings& sm, double common_rate, double tick, std::uint64_t origin) {
    SmClock clock;
    clock.first_cycle = sm.first_cycle;
    const double cycles = sm.cycles();
    clock.ns_per_cycle = common_rate;
    if (cycles > 0.0) {
        // The SM's own rate where its readings say that it has another.
        clock.ns_per_cycle = std::clamp(common_rate, std::max(sm.nanoseconds() - tick, 0.0) / cycles,
                                        (sm.nanoseconds() + tick) / cycles);
    }
    double earliest = -std::numeric_limits<double>::infinity();
    double latest = std::numeric_limits<double>::infinity();
    for (const CtaTime::Reading& reading : sm.readings) {
        const double since = static_cast<double>(reading.nanoseconds - origin) -
                             static_cast<double>(reading.cycles - sm.first_cycle) * clock.ns_per_cycle;
        earliest = std::max(earliest, since);
        latest = std::min(latest, since + tick);
    }
    clock.offset = (earliest + latest) / 2;
    clock.uncertainty = std::abs(latest - earliest) / 2;
    return clock;
}

}  // namespace

FittedTimes fit_times(std::span<const CtaTime> records) {
    FittedTimes fitted;
    if (records.empty()) {
        return fitted;
    }
    check_written(records);
    std::map<std::uint32_t, SmReadings> sms;
    std::uint64_t origin = std::numeric_limits<std::uint64_t>::max();
    for (const CtaTime& record : records) {
        SmReadings& sm = sms[record.sm];
        sm.first_cycle = std::min(sm.first_cycle, record.start.cycles);
        sm.readings.push_back(record.start);
        sm.readings.push_back(record.end);
        origin = std::min(origin, record.start.nanoseconds);
    }
    const double tick = tick_of(records);
    double cycles = 0.0;
    double nanoseconds = 0.0;
    for (const auto& [number, sm] : sms) {
        cycles += sm.cycles();
        nanoseconds += sm.nanoseconds();
    }
    // All SMs of a card have one clock; over all of them the ticks' errors even out.
    const double common_rate = cycles > 0.0 ? nanoseconds / cycles : 0.0;

    std::map<std::uint32_t, SmClock> clocks;
    double uncertainty = 0.0;
    for (const auto& [number, sm] : sms) {
        const SmClock& clock = clocks.emplace(number, fit(sm, common_rate, tick, origin)).first->second;
        uncertainty = std::max(uncertainty, clock.uncertainty);
    }
    double first = std::numeric_limits<double>::infinity();
    for (const CtaTime& record : records) {
        const SmClock& clock = clocks.at(record.sm);
        fitted.spans.push_back(
            {static_cast<int>(record.sm), 0, clock.at(record.start.cycles), clock.at(record.end.cycles)});
        first = std::min(first, fitted.spans.back().start_us);
    }
    for (CtaSpan& span : fitted.spans) {
        span.start_us = (span.start_us - first) * 1e-3;
        span.end_us = (span.end_us - first) * 1e-3;
    }
    fitted.slots = take_slots(fitted.spans);
    fitted.tick_us = tick * 1e-3;
    fitted.clock_ghz = nanoseconds > 0.0 ? cycles / nanoseconds : 0.0;
    fitted.uncertainty_us = 2 * uncertainty * 1e-3;
    return fitted;
}

}  // namespace flashlens
