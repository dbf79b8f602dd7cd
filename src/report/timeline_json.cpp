#include "report/timeline_json.h"

#include "report/json_parts.h"
#include "report/timeline_words.h"

namespace flashlens::report {
namespace {

/// Of each CTA, in launch order: [SM, place on it, start, end].
Json ctas(const Timeline& timeline) {
    Json json = Json::array();
    for (const CtaSpan& span : timeline.spans) {
        json.push_back({span.sm, span.slot, number(span.start_us), number(span.end_us)});
    }
    return json;
}

Json json_of(const ShownTimeline& shown) {
    const Timeline& timeline = *shown.timeline;
    const TimelineFacts& facts = shown.facts;
    Json json;
    json["simulated"] = !timeline.recorded.has_value();
    json["sms"] = timeline.sm_count;
    json["ctas_per_sm"] = timeline.slots;
    json["end_us"] = number(facts.end_us);
    json["idle_sms"] = facts.idle_sms;
    json["first_sm_dry_us"] = number(facts.first_dry_us);
    json["tail_us"] = number(facts.tail_us);
    json["sm_busy"] = number(facts.sm_busy);
    json["places_taken"] = number(facts.place_busy);
    json["shortest_cta_us"] = number(facts.shortest_us);
    json["longest_cta_us"] = number(facts.longest_us);
    if (timeline.recorded) {
        json["kernel_us"] = number(timeline.recorded->kernel_us);
        json["kernel_without_clocks_us"] = number(timeline.recorded->ordinary.median_us);
        json["registers_with_clocks"] = timeline.recorded->registers;
        json["timer_tick_us"] = number(timeline.recorded->tick_us);
        json["uncertainty_us"] = number(timeline.recorded->uncertainty_us);
        json["clock_ghz"] = number(timeline.recorded->clock_ghz);
    } else {
        json["interpolated"] = timeline.interpolated;
    }
    json["busy_of_sm"] = Json::array();
    for (const double busy : facts.busy_of_sm) {
        json["busy_of_sm"].push_back(number(busy));
    }
    json["ctas"] = ctas(timeline);
    return json;
}

}  // namespace

std::string timelines_to_json(const Timelines& timelines) {
    Json json;
    const Comparison& comparison = timelines.comparison;
    json["problem"] = report::json_of(comparison.problem);
    json["card"] = report::json_of(comparison.card);
    json["card"]["here"] = comparison.card_is_here;
    if (comparison.machine == Machine::cpu) {
        const SmRates& rates = timelines.rates;
        json["model"] = {{"rates_of", timelines.rates_of},
                         {"clock_ghz", number(rates.clock_ghz)},
                         {"matmul_flops_per_sm_us", number(rates.matmul_flops)},
                         {"fp32_per_sm_us", number(rates.fp32)},
                         {"exponentials_per_sm_us", number(rates.special)},
                         {"shared_wavefronts_per_sm_us", number(rates.wavefronts)},
                         {"share_of_the_units_times", overlapped_share},
                         {"cycles_per_barrier", cycles_per_barrier},
                         {"added_by_each_cta_beside", crowding}};
    }
    const std::vector<ShownTimeline> all = shown(timelines);
    json["variants"] = Json::array();
    for (const VariantFacts& variant : comparison.variants) {
        Json one = json_of(variant, comparison, Detail::explained);
        for (const ShownTimeline& shown : all) {
            if (shown.variant == &variant) {
                one["timeline"] = json_of(shown);
            }
        }
        json["variants"].push_back(std::move(one));
    }
    return json_text(json);
}

}  // namespace flashlens::report
