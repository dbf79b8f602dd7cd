// From what a kernel's CTAs noted of their SMs' clocks to times that can be held against each other.
//
// Each SM counts cycles of its own, exactly, from an origin of its own; the card's timer is the same for all, but may tick
// coarsely (from 32 ns to 1 us, by card). So cycles tell how far apart things of one SM are, and the timer how far apart the
// SMs are: the time of cycle c is offset + c / rate, with an offset for each SM that contradicts no reading of the timer.
#pragma once

#include <span>
#include <vector>

#include "explorer/schedule.h"
#include "kernels/attention.h"

namespace flashlens {

struct FittedTimes {
    std::vector<CtaSpan> spans;  ///< in the order of the records, from the first start on; slots by take_slots
    int slots = 0;               ///< that they take
    double tick_us = 0.0;        ///< of the timer
    double clock_ghz = 0.0;      ///< of the SMs, the mean over them
    /// How far the times of two SMs may be off against each other: what the ticks leave open.
    double uncertainty_us = 0.0;
};

/// SMs are numbered as on the card. Throws Failure for a record that no CTA wrote, and for one that ends before it starts.
FittedTimes fit_times(std::span<const CtaTime> records);

}  // namespace flashlens
