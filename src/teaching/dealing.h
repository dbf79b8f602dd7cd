// Which CTA lands on which SM, and in which wave, by the usual model: CTAs that have work, in launch order, one to each SM,
// then a second to each, until all are full; then the next wave. (What the hardware really does is not documented, and it
// refills an SM as soon as one of its CTAs is done.)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explorer/comparison.h"
#include "explorer/cta_work.h"

namespace flashlens::teaching {

/// A CTA that has work.
struct DealtCta {
    std::int64_t number = 0;  ///< in launch order
    GridPlace place;
    CtaWork work;
};

/// One wave of CTAs.
struct Wave {
    std::int64_t index = 0;
    int sms = 0;
    std::vector<std::optional<DealtCta>> places;  ///< all SMs' first, then all SMs' second, ...; empty: stays free

    const std::optional<DealtCta>& at(int sm, int slot) const {
        return places[static_cast<std::size_t>(slot) * static_cast<std::size_t>(sms) + static_cast<std::size_t>(sm)];
    }
};

class Dealing {
public:
    /// Of a launch that runs.
    Dealing(const VariantFacts& planned, const Problem& problem, const hardware::Card& card);

    int sms() const { return sms_; }
    int ctas_per_sm() const { return ctas_per_sm_; }
    std::int64_t wave_size() const { return std::int64_t{1} * sms_ * ctas_per_sm_; }
    std::int64_t waves() const { return (planned_.launch.ctas_with_work + wave_size() - 1) / wave_size(); }
    Wave wave(std::int64_t index) const;

private:
    /// The CTAs with work after `first` others of their kind, in launch order.
    std::vector<DealtCta> dealt(std::int64_t first, std::int64_t count) const;
    DealtCta cta(std::int64_t number) const;

    const VariantFacts& planned_;
    const Problem& problem_;
    int sms_;
    int ctas_per_sm_;
};

}  // namespace flashlens::teaching
