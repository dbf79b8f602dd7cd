// What the pictures of `map` have in common, in a terminal and on a slide: what is shown of each variant, and its sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "explorer/comparison.h"
#include "report/language.h"
#include "teaching/dealing.h"
#include "teaching/ownership.h"

namespace flashlens::report {

/// A variant that runs, and the CTA of a head that is shown: the one that owns the last query rows.
struct Shown {
    const VariantFacts* variant;
    teaching::Ownership ownership;
    std::int64_t share;
    std::size_t hue;  ///< of this variant, in all pictures
};

std::vector<Shown> shown(const Comparison& comparison);

/// Of what stands in an area of S most are this.
teaching::Fate fate_of(const teaching::Ownership& ownership, const teaching::Span& rows, const teaching::Span& keys);

std::string cut_words(const Shown& shown, Language language);
std::string owns_words(const Shown& shown, Language language);
std::string order_words(const Shown& shown, Language language);
std::string fates_words(const Shown& shown, Language language);
/// What happens to K and V, to Q, and to O of the CTA that is shown: three sentences, in this order.
std::vector<std::string> traffic_words(const Shown& shown, const Problem& problem, Language language);
/// "v1: 4 warps split the keys", and what a step is and which of it a warp has.
std::string split_words(const Shown& shown, Language language);
std::string step_words(const Shown& shown, Language language);
std::string statistics_words(const Shown& shown, Language language);
std::string dealing_words(const Shown& shown, const teaching::Dealing& dealing, Language language);
std::string wave_words(const teaching::Dealing& dealing, const teaching::Wave& wave, Language language);
/// What the number of the wave's last CTA means, and who its neighbours are.
std::string number_words(const Shown& shown, const teaching::Wave& wave, Language language);

/// The waves that are drawn: all of up to four, else the first two and the last.
std::vector<std::int64_t> waves_drawn(const teaching::Dealing& dealing);

/// Of pieces side by side, `piece` wide each: every first, second, fourth, ... has room for a label.
std::int64_t every_that_fits(double label, double piece);

/// What the lanes' view shows: one mma, or on sm_75 the two that are as much.
Text lanes_title(const Comparison& comparison);

}  // namespace flashlens::report
