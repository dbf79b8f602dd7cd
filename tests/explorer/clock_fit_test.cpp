// Clocks of SMs made one time: made-up records of CTAs whose true times are known.
#include "explorer/clock_fit.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "message.h"

namespace flashlens {
namespace {

/// A card whose SMs count from origins of their own, at their own rates, and whose timer ticks.
struct MadeUpCard {
    double tick_ns = 32.0;
    double ghz = 1.7;
    std::vector<double> own_rates = {};  ///< of SMs, as factors of ghz; 1 for those beyond
    std::uint64_t timer_origin = 1'700'000'000'123'456'789ULL;

    CtaTime::Reading read(int sm, double ns) const {
        const auto at = static_cast<std::size_t>(sm);
        const double rate = ghz * (at < own_rates.size() ? own_rates[at] : 1.0);
        const std::uint64_t cycle_origin = 0x7fff'0000'0000ULL + static_cast<std::uint64_t>(sm) * 98'765'432'109ULL;
        const double since_tick = std::fmod(ns + 11.0, tick_ns);
        return {cycle_origin + static_cast<std::uint64_t>(std::llround(ns * rate)),
                timer_origin + static_cast<std::uint64_t>(std::llround(ns + 11.0 - since_tick))};
    }
    CtaTime record(int sm, double start_ns, double end_ns) const {
        return {read(sm, start_ns), read(sm, end_ns), static_cast<std::uint32_t>(sm)};
    }
};

struct True {
    int sm;
    double start_ns;
    double end_ns;
};

/// CTAs one after the other on each SM, of lengths and with gaps drawn anew.
std::vector<True> some_ctas(int sms, int each, double length_ns, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> share(0.0, 1.0);
    std::vector<True> ctas;
    for (int sm = 0; sm < sms; ++sm) {
        double now = 400.0 * share(random);
        for (int i = 0; i < each; ++i) {
            const double end = now + length_ns * (0.5 + share(random));
            ctas.push_back({sm, now, end});
            now = end + 300.0 * share(random);
        }
    }
    return ctas;
}

FittedTimes fit(const MadeUpCard& card, const std::vector<True>& ctas) {
    std::vector<CtaTime> records;
    for (const True& cta : ctas) {
        records.push_back(card.record(cta.sm, cta.start_ns, cta.end_ns));
    }
    return fit_times(records);
}

/// The largest difference between fitted and true times, after the origin that fits best, microseconds.
double worst(const FittedTimes& fitted, const std::vector<True>& ctas) {
    double low = 1e300;
    double high = -1e300;
    REQUIRE(fitted.spans.size() == ctas.size());
    for (std::size_t i = 0; i < ctas.size(); ++i) {
        CHECK(fitted.spans[i].sm == ctas[i].sm);
        for (const double off :
             {fitted.spans[i].start_us - ctas[i].start_ns * 1e-3, fitted.spans[i].end_us - ctas[i].end_ns * 1e-3}) {
            low = std::min(low, off);
            high = std::max(high, off);
        }
    }
    return (high - low) / 2;
}

}  // namespace

TEST_CASE("clocks: origins and ticks of any kind come out within what is said to be uncertain") {
    for (const double tick : {32.0, 1000.0, 1024.0}) {
        for (const int each : {1, 3, 40}) {
            for (std::uint64_t seed = 0; seed < 5; ++seed) {
                CAPTURE(tick);
                CAPTURE(each);
                CAPTURE(seed);
                const MadeUpCard card{.tick_ns = tick};
                const std::vector<True> ctas = some_ctas(132, each, 60'000.0, seed);
                const FittedTimes fitted = fit(card, ctas);
                CHECK(fitted.tick_us == doctest::Approx(tick * 1e-3));
                CHECK(fitted.clock_ghz == doctest::Approx(1.7).epsilon(0.01));
                CHECK(fitted.uncertainty_us <= 1.1 * tick * 1e-3);
                CHECK(worst(fitted, ctas) <= fitted.uncertainty_us + 0.002);
                CHECK(fitted.slots == 1);
            }
        }
    }
}

TEST_CASE("clocks: many readings say more than one tick") {
    const MadeUpCard card{.tick_ns = 1000.0};
    const std::vector<True> ctas = some_ctas(16, 200, 3'700.0, 1);
    const FittedTimes fitted = fit(card, ctas);
    CHECK(fitted.uncertainty_us < 0.25);
    CHECK(worst(fitted, ctas) < 0.25);
}

TEST_CASE("clocks: an SM that runs at a rate of its own keeps it") {
    const MadeUpCard card{.tick_ns = 32.0, .own_rates = {1.0, 0.97, 1.0, 1.04}};
    const std::vector<True> ctas = some_ctas(8, 20, 50'000.0, 2);
    CHECK(worst(fit(card, ctas), ctas) < 0.05);
}

TEST_CASE("clocks: the first start is 0, and lengths are those of the cycles") {
    const MadeUpCard card{.tick_ns = 1000.0};
    const FittedTimes fitted = fit(card, {{3, 100.0, 50'100.0}, {5, 20'100.0, 90'100.0}});
    CHECK(std::min(fitted.spans[0].start_us, fitted.spans[1].start_us) == 0.0);
    CHECK(fitted.spans[0].end_us - fitted.spans[0].start_us == doctest::Approx(50.0).epsilon(0.02));
    CHECK(fitted.spans[1].end_us - fitted.spans[1].start_us == doctest::Approx(70.0).epsilon(0.02));
}

TEST_CASE("clocks: one CTA, and one that was done within a tick") {
    const MadeUpCard card{.tick_ns = 1000.0};
    const FittedTimes one = fit(card, {{7, 5.0, 30'005.0}});
    REQUIRE(one.spans.size() == 1);
    CHECK(one.spans[0].start_us == 0.0);
    CHECK(one.spans[0].end_us == doctest::Approx(30.0).epsilon(0.05));
    const FittedTimes brief = fit(card, {{7, 5.0, 30.0}});
    CHECK(brief.spans[0].end_us <= 1.0);
    CHECK(fit_times({}).spans.empty());
}

TEST_CASE("clocks: places on an SM are taken as CTAs overlap") {
    const MadeUpCard card;
    const FittedTimes fitted =
        fit(card, {{0, 0.0, 10e3}, {0, 1e3, 5e3}, {0, 6e3, 12e3}, {1, 0.0, 9e3}, {0, 11e3, 13e3}});
    CHECK(fitted.slots == 2);
    CHECK(fitted.spans[0].slot == 0);
    CHECK(fitted.spans[1].slot == 1);
    CHECK(fitted.spans[2].slot == 1);
    CHECK(fitted.spans[3].slot == 0);
    CHECK(fitted.spans[4].slot == 0);
}

TEST_CASE("clocks: records that no CTA wrote are no times") {
    const MadeUpCard card;
    std::vector<CtaTime> records{card.record(0, 0.0, 1e3), card.record(1, 0.0, 1e3)};
    records[1].sm = 0xffffffff;
    CHECK_THROWS_AS(fit_times(records), Failure);
    records[1] = card.record(1, 0.0, 1e3);
    records[1].end.cycles = 0xffffffffffffffff;  // started, and never ended
    records[1].end.nanoseconds = 0xffffffffffffffff;
    CHECK_THROWS_AS(fit_times(records), Failure);
    records[1] = card.record(1, 2e3, 1e3);
    CHECK_THROWS_AS(fit_times(records), Failure);
}

}  // namespace flashlens
