#include "report/timeline_words.h"

#include <algorithm>
#include <cmath>

#include "report/chart.h"
#include "report/facts.h"
#include "report/numbers.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

/// A tail that is shorter, as a share of the whole, is none that anybody sees.
constexpr double no_tail = 0.005;

std::string as_one(const std::vector<std::string>& sentences, Language language) {
    std::string result;
    for (const std::string& sentence : sentences) {
        result += (result.empty() || language == Language::zh ? "" : " ") + sentence;
    }
    return result;
}

std::string names_of_interpolated(const Timelines& timelines, Language language) {
    std::string names;
    for (const ShownTimeline& one : shown(timelines)) {
        if (one.timeline->interpolated) {
            names = names.empty() ? one.variant->name : fill(language, Text::comma, names, one.variant->name);
        }
    }
    return names;
}

}  // namespace

std::vector<ShownTimeline> shown(const Timelines& timelines) {
    std::vector<ShownTimeline> result;
    for (std::size_t i = 0; i < timelines.of_variants.size(); ++i) {
        if (const auto& timeline = timelines.of_variants[i]) {
            result.push_back({&timelines.comparison.variants[i], &*timeline, facts_of(*timeline), i % hues});
        }
    }
    return result;
}

double end_of_all(const std::vector<ShownTimeline>& all) {
    double end = 0.0;
    for (const ShownTimeline& one : all) {
        end = std::max(end, one.facts.end_us);
    }
    return end > 0.0 ? end : 1.0;
}

std::string times_words(const Timelines& timelines, Language language) {
    if (timelines.comparison.machine == Machine::gpu) {
        double tick = 0.0;
        double uncertainty = 0.0;
        for (const ShownTimeline& one : shown(timelines)) {
            tick = std::max(tick, one.timeline->recorded->tick_us);
            uncertainty = std::max(uncertainty, one.timeline->recorded->uncertainty_us);
        }
        return fill(language, Text::timeline_recorded, duration(tick), duration(uncertainty));
    }
    return timelines.why_simulated.empty()
               ? std::string(text(language, Text::timeline_simulated))
               : fill(language, Text::timeline_simulated_as, printable(timelines.why_simulated.in(language)));
}

std::string heading_words(const ShownTimeline& shown, Language language) {
    const auto ctas = static_cast<std::int64_t>(shown.timeline->spans.size());
    const double places = static_cast<double>(shown.timeline->sm_count) * shown.timeline->slots;
    return fill(language, Text::timeline_heading, shown.variant->name, whole(ctas), shown.timeline->sm_count,
                shown.timeline->slots, decimal(static_cast<double>(ctas) / places));
}

std::string use_words(const ShownTimeline& shown, Language language) {
    const TimelineFacts& facts = shown.facts;
    const Timeline& timeline = *shown.timeline;
    std::vector<std::string> sentences;
    sentences.push_back(facts.idle_sms > 0 ? fill(language, Text::timeline_idle, facts.idle_sms, timeline.sm_count)
                                           : fill(language, Text::timeline_all_sms, timeline.sm_count));
    const double tail = facts.end_us > 0.0 ? facts.tail_us / facts.end_us : 0.0;
    sentences.push_back(tail < no_tail ? fill(language, Text::timeline_no_tail, duration(facts.end_us))
                                       : fill(language, Text::timeline_tail, duration(facts.first_dry_us),
                                              duration(facts.end_us), percent(tail)));
    const std::string shortest = duration(facts.shortest_us), longest = duration(facts.longest_us);
    sentences.push_back(shortest == longest ? fill(language, Text::timeline_one_length, longest)
                                            : fill(language, Text::timeline_lengths, shortest, longest));
    sentences.push_back(fill(language, Text::timeline_use, percent(facts.sm_busy), percent(facts.place_busy)));
    if (timeline.recorded) {
        sentences.push_back(fill(language, Text::timeline_kernel, duration(timeline.recorded->kernel_us),
                                 duration(timeline.recorded->ordinary.median_us)));
        const int ordinary = shown.variant->launch.occupancy.ctas_per_sm;
        if (timeline.slots != ordinary) {
            sentences.push_back(
                fill(language, Text::timeline_fewer, timeline.recorded->registers, timeline.slots, ordinary));
        }
    }
    return as_one(sentences, language);
}

std::string model_words(const Timelines& timelines, Language language) {
    if (timelines.comparison.machine == Machine::gpu) {
        return "";
    }
    const SmRates& rates = timelines.rates;
    const double cycles = rates.clock_ghz * 1e3;  // in a microsecond
    const auto a_cycle = [cycles](double per_us) { return whole(std::llround(per_us / cycles)); };
    std::vector<std::string> sentences{fill(language, Text::timeline_model, a_cycle(rates.matmul_flops),
                                            a_cycle(rates.fp32), a_cycle(rates.special), a_cycle(rates.wavefronts),
                                            decimal(rates.clock_ghz), percent(overlapped_share),
                                            whole(std::llround(cycles_per_barrier)), percent(crowding))};
    if (timelines.rates_of != timelines.comparison.card.name) {
        sentences.push_back(fill(language, Text::timeline_rates_of, timelines.rates_of));
    }
    const std::string interpolated = names_of_interpolated(timelines, language);
    if (!interpolated.empty()) {
        sentences.push_back(fill(language, Text::timeline_interpolated, interpolated));
    }
    return as_one(sentences, language);
}

UseGrid use_grid(const Timeline& timeline, int sms_per_row, int columns, double until_us) {
    UseGrid grid;
    grid.rows = (timeline.sm_count + sms_per_row - 1) / sms_per_row;
    grid.columns = columns;
    grid.shares.assign(static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(columns), 0.0);
    const double step = until_us / columns;
    for (const CtaSpan& span : timeline.spans) {
        const int row = span.sm / sms_per_row;
        const int sms = std::min(sms_per_row, timeline.sm_count - row * sms_per_row);
        const int first = std::clamp(static_cast<int>(span.start_us / step), 0, columns - 1);
        for (int column = first; column < columns && column * step < span.end_us; ++column) {
            const double within = std::min(span.end_us, (column + 1) * step) - std::max(span.start_us, column * step);
            grid.shares[grid.index(row, column)] += std::max(within, 0.0) / (step * sms * timeline.slots);
        }
    }
    return grid;
}

}  // namespace flashlens::report
