// SMs over time: which CTA ran where, from when to when. On a card the kernels note it themselves; without one a model says.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explorer/cta_cost.h"
#include "explorer/explorer.h"
#include "explorer/schedule.h"

namespace flashlens {

/// More CTAs than this are not drawn one by one by anybody.
inline constexpr std::int64_t most_timed_ctas = 1'000'000;

/// What only a card knows.
struct RecordingFacts {
    double kernel_us = 0.0;       ///< of the recorded launch, by events around it
    TimedFacts ordinary;          ///< of the kernel without clocks
    int registers = 0;            ///< of the kernel with them
    double tick_us = 0.0;         ///< of the card's timer
    double uncertainty_us = 0.0;  ///< how far times of two SMs may be off against each other
    double clock_ghz = 0.0;       ///< of the SMs
};

struct Timeline {
    int sm_count = 0;
    int slots = 0;                             ///< CTAs that an SM takes at once
    std::vector<CtaSpan> spans{};              ///< in launch order; the first starts at 0
    std::optional<RecordingFacts> recorded{};  ///< none: simulated
    /// Simulated: only some of the CTA classes were counted, and costs between them are interpolated.
    bool interpolated = false;
};

/// What follows from a timeline.
struct TimelineFacts {
    double end_us = 0.0;  ///< the last CTA's end
    int idle_sms = 0;     ///< that get no CTA
    /// Of the SMs that get one: when the first has done its last.
    double first_dry_us = 0.0;
    double tail_us = 0.0;      ///< from there to the end
    double sm_busy = 0.0;      ///< share of all SMs' time in which at least one CTA runs
    double place_busy = 0.0;   ///< share of all places' time in which a CTA is there
    double shortest_us = 0.0;  ///< of the CTAs
    double longest_us = 0.0;
    std::vector<double> busy_of_sm;  ///< as sm_busy
};

TimelineFacts facts_of(const Timeline& timeline);

struct Timelines {
    Comparison comparison;  ///< as explain gives it; a variant with too large a grid is refused
    std::vector<std::optional<Timeline>> of_variants;
    /// Simulated: what an SM is taken to do in a microsecond, and whose rates these are.
    SmRates rates;
    std::string rates_of;
    Message why_simulated;  ///< where there is a card that could not be used; empty otherwise
};

/// Records on the card of this machine, or simulates. Throws UsageError as explain does, and where no CTA would run.
Timelines timeline(const Request& request);

}  // namespace flashlens
