#include "teaching/dealing.h"

#include <algorithm>

#include "teaching/ownership.h"

namespace flashlens::teaching {

Dealing::Dealing(const VariantFacts& planned, const Problem& problem, const hardware::Card& card)
    : planned_(planned), problem_(problem), sms_(card.sm_count), ctas_per_sm_(planned.launch.occupancy.ctas_per_sm) {}

DealtCta Dealing::cta(std::int64_t number) const {
    const GridPlace place = place_of(planned_.launch.grid, number);
    return {number, place, work_of(planned_, problem_, place)};
}

std::vector<DealtCta> Dealing::dealt(std::int64_t first, std::int64_t count) const {
    const LaunchFacts& launch = planned_.launch;
    std::vector<DealtCta> result;
    if (launch.ctas_with_work == launch.ctas || launch.splits) {
        // all, or v1, whose CTAs without work are those of the last splits: launched last
        for (std::int64_t i = 0; i < count; ++i) {
            result.push_back(cta(first + i));
        }
        return result;
    }
    // Query blocks that see no key are passed over. From whichever end is nearer.
    const Ownership ownership(planned_, problem_);
    const auto has_work = [&](const DealtCta& cta) { return ownership.visited_end(cta.work.share) > 0; };
    if (first <= launch.ctas_with_work / 2) {
        std::int64_t before = 0;
        for (std::int64_t number = 0; static_cast<std::int64_t>(result.size()) < count; ++number) {
            const DealtCta candidate = cta(number);
            if (has_work(candidate) && before++ >= first) {
                result.push_back(candidate);
            }
        }
        return result;
    }
    std::int64_t after = launch.ctas_with_work - first - count;
    for (std::int64_t number = launch.ctas - 1; static_cast<std::int64_t>(result.size()) < count; --number) {
        const DealtCta candidate = cta(number);
        if (has_work(candidate) && after-- <= 0) {
            result.push_back(candidate);
        }
    }
    std::reverse(result.begin(), result.end());
    return result;
}

Wave Dealing::wave(std::int64_t index) const {
    const std::int64_t first = index * wave_size();
    const std::int64_t count = std::clamp<std::int64_t>(planned_.launch.ctas_with_work - first, 0, wave_size());
    Wave result{index, sms_, std::vector<std::optional<DealtCta>>(static_cast<std::size_t>(wave_size()))};
    std::size_t place = 0;
    for (const DealtCta& cta : dealt(first, count)) {
        result.places[place++] = cta;
    }
    return result;
}

}  // namespace flashlens::teaching
