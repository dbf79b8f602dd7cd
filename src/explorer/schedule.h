// CTAs on SMs over time: who runs where, from when to when.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flashlens {

/// Where and when a CTA ran. An SM has places for so many CTAs at once: slots.
struct CtaSpan {
    int sm = 0;
    int slot = 0;
    double start_us = 0.0;
    double end_us = 0.0;

    friend bool operator==(const CtaSpan&, const CtaSpan&) = default;
};

/// When CTAs that cost so much (each an index of `costs_us`, in launch order) run, on SMs with `slots` places each: every CTA goes,
/// as soon as there is one, to the SM with the most free places; of several to the one with the lowest number. A cost is the
/// time that it takes alone on an SM; those that share one run more slowly (speed_of_each).
std::vector<CtaSpan> schedule(std::span<const std::uint32_t> ctas, const std::vector<double>& costs_us, int sm_count,
                              int slots);

/// Gives CTAs whose SM and times are known the lowest place of the SM that is free when they start. Returns how many places
/// that takes.
int take_slots(std::vector<CtaSpan>& spans);

}  // namespace flashlens
