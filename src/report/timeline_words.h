// What the pictures of `timeline` have in common, in a terminal and on a slide: what is shown of each variant, and its
// sentences.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "explorer/timeline.h"
#include "report/language.h"

namespace flashlens::report {

/// A variant that ran.
struct ShownTimeline {
    const VariantFacts* variant;
    const Timeline* timeline;
    TimelineFacts facts;
    std::size_t hue;
};

std::vector<ShownTimeline> shown(const Timelines& timelines);

/// When the last of them ends: all are drawn on one scale. Greater than 0.
double end_of_all(const std::vector<ShownTimeline>& all);

/// How the times were got.
std::string times_words(const Timelines& timelines, Language language);
/// "v1: 208 CTAs on 108 SMs ..."
std::string heading_words(const ShownTimeline& shown, Language language);
/// Idle SMs, the tail, how long CTAs take, how busy SMs are; of a recording also what the clocks cost.
std::string use_words(const ShownTimeline& shown, Language language);
/// What a simulation rests on and leaves out; empty for recordings.
std::string model_words(const Timelines& timelines, Language language);

/// How much of an SM's places is taken, over SMs and time.
struct UseGrid {
    int rows = 0;                ///< each of sms_per_row SMs; the last may have fewer
    int columns = 0;             ///< of equal times
    std::vector<double> shares;  ///< row after row; 0: no CTA, 1: all places all the time

    std::size_t index(int row, int column) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
    }
    double at(int row, int column) const { return shares[index(row, column)]; }
};
UseGrid use_grid(const Timeline& timeline, int sms_per_row, int columns, double until_us);

}  // namespace flashlens::report
