#include "report/map_words.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "report/facts.h"
#include "report/numbers.h"
#include "teaching/cta_traffic.h"

namespace flashlens::report {
namespace {

using teaching::Dealing;
using teaching::Fate;
using teaching::Fates;
using teaching::Ownership;
using teaching::Span;
using teaching::Wave;

/// An area is judged by at most so many of its query units, at equal distances: they change slowly.
constexpr std::int64_t most_units = 64;

/// "5, 18, 31", or "0, 13, 26, ... 247 (20)" where they are many.
std::string units_owned(const Ownership& ownership, std::int64_t share) {
    const std::int64_t count = ownership.unit_count(share);
    std::vector<std::int64_t> units;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(count, 5); ++i) {
        units.push_back(ownership.first_unit(share) + i * ownership.unit_step());
    }
    if (count <= 5) {
        return fmt::format("{}", fmt::join(units, ", "));
    }
    units.resize(3);
    return fmt::format("{}, ... {} ({})", fmt::join(units, ", "),
                       ownership.first_unit(share) + (count - 1) * ownership.unit_step(), whole(count));
}

std::int64_t overlap(const Span& a, const Span& b) {
    return std::max<std::int64_t>(std::min(a.end, b.end) - std::max(a.begin, b.begin), 0);
}

}  // namespace

std::vector<Shown> shown(const Comparison& comparison) {
    std::vector<Shown> result;
    for (const VariantFacts& variant : comparison.variants) {
        if (runs(variant)) {
            const Ownership ownership(variant, comparison.problem);
            const std::size_t hue = variant.name == "v1" ? 0 : variant.name == "v2" ? 1 : 2;
            result.push_back({&variant, ownership, ownership.owner(ownership.units() - 1), hue});
        }
    }
    return result;
}

Fate fate_of(const Ownership& ownership, const Span& rows, const Span& keys) {
    // A unit's fates lie in this order along the keys, so that each has a span of them.
    constexpr std::array order{Fate::plain, Fate::vain, Fate::hidden, Fate::skipped};
    std::array<std::int64_t, order.size()> area{};
    const std::int64_t first = rows.begin / ownership.unit_rows();
    const std::int64_t last = (rows.end - 1) / ownership.unit_rows();
    const std::int64_t stride = (last - first) / most_units + 1;
    for (std::int64_t unit = first; unit <= last; unit += stride) {
        const Fates fates = ownership.fates(unit);
        const std::array counts{fates.plain, fates.vain, fates.hidden, fates.skipped};
        std::int64_t block = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const Span span{block * ownership.block_keys(), (block + counts[i]) * ownership.block_keys()};
            area[i] += overlap(span, keys) * overlap(ownership.rows(unit), rows);
            block += counts[i];
        }
    }
    return order[static_cast<std::size_t>(std::max_element(area.begin(), area.end()) - area.begin())];
}

std::string cut_words(const Shown& shown, Language language) {
    const Ownership& o = shown.ownership;
    return fill(language, Text::map_cut, shown.variant->name, whole(o.units()), whole(o.key_blocks()), o.unit_rows(),
                o.block_keys());
}

std::string owns_words(const Shown& shown, Language language) {
    const Ownership& o = shown.ownership;
    if (o.is_v1()) {
        return fill(language, Text::map_owns_tiles, shown.share, o.shares(), units_owned(o, shown.share));
    }
    const bool own_order = shown.variant->name == "v2-tuned";  // its x is no query block
    return fill(language,
                !own_order                             ? Text::map_owns_block
                : shown.variant->launch.heaviest_first ? Text::map_owns_tuned
                                                       : Text::map_owns_tuned_plain,
                shown.share, o.shares());
}

std::string order_words(const Shown& shown, Language language) {
    return fill(language, shown.ownership.is_v1() ? Text::map_order_tiles : Text::map_order_blocks,
                whole(shown.ownership.visits(shown.share)));
}

std::string fates_words(const Shown& shown, Language language) {
    const Fates fates = shown.ownership.fates();
    return fill(language, Text::map_fates, whole(fates.all()), whole(fates.skipped), whole(fates.hidden),
                whole(fates.vain), whole(fates.plain));
}

std::vector<std::string> traffic_words(const Shown& shown, const Problem& problem, Language language) {
    const teaching::CtaTraffic t = traffic_of(shown.ownership, shown.share, problem);
    const auto size = [](std::int64_t bytes) {
        std::string amount = traffic(static_cast<double>(bytes));
        amount.replace(amount.find(' '), 1, "\u00a0");  // a figure stays with its unit
        return amount;
    };
    if (shown.ownership.is_v1()) {
        return {fill(language, Text::map_v1_kv, t.key_blocks, size(t.kv_read)),
                fill(language, Text::map_v1_q, t.q_loads, size(t.q_read)),
                t.o_tmp_written == 0
                    ? fill(language, Text::map_v1_o_single, size(t.o_written))
                    : fill(language, Text::map_v1_o, size(t.o_tmp_written), size(t.o_tmp_read), size(t.o_written))};
    }
    return {fill(language, Text::map_v2_kv, t.key_blocks, size(t.kv_read)),
            fill(language, Text::map_v2_q, size(t.q_read)), fill(language, Text::map_v2_o, size(t.o_written))};
}

std::string split_words(const Shown& shown, Language language) {
    return fill(language, shown.ownership.is_v1() ? Text::map_split_keys : Text::map_split_rows, shown.variant->name,
                shown.ownership.warps());
}

std::string step_words(const Shown& shown, Language language) {
    const Ownership& o = shown.ownership;
    return fill(language, o.is_v1() ? Text::map_step_keys : Text::map_step_rows, o.unit_rows(), o.block_keys(),
                16 * o.warps());
}

std::string statistics_words(const Shown& shown, Language language) {
    return fill(language, shown.ownership.is_v1() ? Text::map_row_statistics_keys : Text::map_row_statistics_rows,
                shown.ownership.warps());
}

std::string dealing_words(const Shown& shown, const Dealing& dealing, Language language) {
    return fill(language, Text::map_sm_summary, shown.variant->name, whole(shown.variant->launch.ctas_with_work),
                dealing.sms(), dealing.ctas_per_sm(), dealing.sms() - shown.variant->launch.waves.sms_with_work);
}

std::string wave_words(const Dealing& dealing, const Wave& wave, Language language) {
    const auto ctas =
        std::count_if(wave.places.begin(), wave.places.end(), [](const auto& cta) { return cta.has_value(); });
    return fill(language, Text::map_sm_wave, whole(wave.index + 1), whole(dealing.waves()), ctas,
                percent(static_cast<double>(ctas) / static_cast<double>(dealing.wave_size())));
}

std::string number_words(const Shown& shown, const Wave& wave, Language language) {
    const auto last =
        std::find_if(wave.places.rbegin(), wave.places.rend(), [](const auto& cta) { return cta.has_value(); });
    if (last == wave.places.rend()) {
        return {};
    }
    const teaching::DealtCta& cta = **last;
    std::string words = fill(
        language, Text::map_sm_number, cta.number, cta.place.x, cta.place.y, cta.place.z, cta.work.batch, cta.work.head,
        text(language, shown.ownership.is_v1() ? Text::map_split : Text::map_query_block), cta.work.share);
    // v2-tuned has an order of its own
    const Grid& grid = shown.variant->launch.grid;
    const bool v1 = shown.ownership.is_v1();
    if ((v1 && grid.x * grid.y > 1) || (shown.variant->name == "v2" && grid.x > 1)) {
        words += language == Language::zh ? "" : " ";
        words += std::string(text(language, v1 ? Text::map_sm_neighbours_v1 : Text::map_sm_neighbours_v2));
    }
    return words;
}

std::vector<std::int64_t> waves_drawn(const Dealing& dealing) {
    constexpr std::int64_t all_of = 4;
    std::vector<std::int64_t> drawn;
    const std::int64_t waves = dealing.waves();
    for (std::int64_t i = 0; i < (waves <= all_of ? waves : 2); ++i) {
        drawn.push_back(i);
    }
    if (waves > all_of) {
        drawn.push_back(waves - 1);
    }
    return drawn;
}

std::int64_t every_that_fits(double label, double piece) {
    std::int64_t every = 1;
    while (static_cast<double>(every) * piece < label) {
        every *= 2;
    }
    return every;
}

Text lanes_title(const Comparison& comparison) {
    return comparison.card.takes_sm75() ? Text::map_lanes_title_sm75 : Text::map_lanes_title;
}

}  // namespace flashlens::report
