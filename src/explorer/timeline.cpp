#include "explorer/timeline.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "explorer/clock_fit.h"
#include "explorer/inputs.h"
#include "explorer/progress.h"
#include "explorer/variant.h"
#include "kernels/between/rungs.h"
#include "say.h"
#include "usage_error.h"
#include "whole.h"

namespace flashlens {
namespace {

/// Samples of the kernel without clocks: only their median is shown.
constexpr int ordinary_samples = 5;

/// What the CPU machine counts for one variant before it leaves out classes: a few seconds on two cores.
constexpr double flops_allowed = 1.5e10;

void refuse_what_nobody_runs(const Problem& problem) {
    for (const auto& [option, size] :
         {std::pair{"--batch", problem.batch}, {"--heads", problem.heads}, {"--seqlen-q", problem.seqlen_q}}) {
        if (size == 0) {
            throw UsageError(say("{} 0: no CTA runs; try {} 1", option, option));
        }
    }
}

void refuse_large_grids(Comparison& comparison) {
    for (VariantFacts& variant : comparison.variants) {
        if (variant.refusal.empty() && variant.launch.ctas > most_timed_ctas) {
            variant.refusal = say("its grid has {} CTAs; a timeline shows at most {}", whole(variant.launch.ctas),
                                  whole(most_timed_ctas));
        }
    }
}

void refuse_if_none_is_left(const Comparison& comparison) {
    Message refusals;
    for (const VariantFacts& variant : comparison.variants) {
        if (variant.refusal.empty()) {
            return;
        }
        add_reason(refusals, say("{}: {}", variant.name, variant.refusal));
    }
    throw UsageError(say("nothing can run this on {}: {}", comparison.card.name, refusals));
}

/// Only some kernels can note the time. A card that runs none of them gives way to the model, unless it is asked for.
void choose_what_records(const Request& request, Timelines& timelines) {
    Comparison& comparison = timelines.comparison;
    if (comparison.machine != Machine::gpu) {
        return;
    }
    if (comparison.card.takes_sm75()) {
        const Message why = say("kernels that note the time are for sm_80 and newer, and on {} those of sm_75 run",
                                comparison.card.name);
        if (request.machine == MachineChoice::gpu) {
            throw UsageError(say("--machine gpu: {}; --machine cpu simulates", why));
        }
        comparison.machine = Machine::cpu;
        timelines.why_simulated = why;
        return;
    }
    for (VariantFacts& variant : comparison.variants) {
        if (variant.refusal.empty() && between::is_between(variant.name)) {
            variant.refusal = say("there is no build of it that notes the time; --machine cpu simulates");
        }
    }
}

Timeline recorded(const VariantFacts& variant, const Problem& problem, const hardware::Card& card, const Inputs& inputs,
                  const TimedFacts& ordinary) {
    const gpu::Recording recording =
        gpu::record(gpu_call(variant, problem), variant.launch.ctas, inputs.q, inputs.k, inputs.v);
    FittedTimes fitted = fit_times(recording.ctas);
    Timeline timeline;
    timeline.sm_count = card.sm_count;
    for (const CtaSpan& span : fitted.spans) {
        timeline.sm_count = std::max(timeline.sm_count, span.sm + 1);
    }
    timeline.slots = std::max(recording.instance.ctas_per_sm, fitted.slots);
    timeline.spans = std::move(fitted.spans);
    timeline.recorded =
        RecordingFacts{recording.kernel_us,   ordinary,        recording.instance.registers, fitted.tick_us,
                       fitted.uncertainty_us, fitted.clock_ghz};
    return timeline;
}

Timeline simulated(const VariantFacts& variant, const Problem& problem, const hardware::Card& card,
                   const SmRates& rates, const std::function<void(double)>& progress) {
    const CtaClasses classes(variant, problem);
    const std::vector<std::size_t> counted =
        classes_counted(classes.all(), counting_flops(variant, problem), flops_allowed);
    std::vector<GridPlace> places;
    std::transform(counted.begin(), counted.end(), std::back_inserter(places),
                   [&](std::size_t i) { return classes.all()[i].first; });
    const std::vector<simt::Counters> counters = count_ctas(variant, problem, places, progress);
    std::vector<double> costs_us;
    std::transform(counters.begin(), counters.end(), std::back_inserter(costs_us),
                   [&](const simt::Counters& of_cta) { return cta_cost(of_cta, rates); });
    std::vector<std::uint32_t> ctas;
    ctas.reserve(static_cast<std::size_t>(variant.launch.ctas));
    for (std::int64_t number = 0; number < variant.launch.ctas; ++number) {
        ctas.push_back(static_cast<std::uint32_t>(classes.class_of(place_of(variant.launch.grid, number))));
    }
    Timeline timeline;
    timeline.sm_count = card.sm_count;
    timeline.slots = variant.launch.occupancy.ctas_per_sm;
    timeline.spans = schedule(ctas, costs_of_all(classes.all(), counted, costs_us), timeline.sm_count, timeline.slots);
    timeline.interpolated = counted.size() < classes.all().size();
    return timeline;
}

void record_all(Timelines& timelines) {
    const Comparison& comparison = timelines.comparison;
    const Inputs inputs = random_inputs(comparison.problem);
    std::vector<const VariantFacts*> running;
    for (const VariantFacts& variant : comparison.variants) {
        if (variant.refusal.empty()) {
            running.push_back(&variant);
        }
    }
    const std::vector<gpu::Run> runs = run_on_gpu(running, comparison.problem, inputs, ordinary_samples);
    auto run = runs.begin();
    for (const VariantFacts& variant : comparison.variants) {
        timelines.of_variants.emplace_back();
        if (variant.refusal.empty()) {
            timelines.of_variants.back() =
                recorded(variant, comparison.problem, comparison.card, inputs, timed_facts((run++)->samples_us));
        }
    }
}

void simulate_all(Timelines& timelines, const Request& request) {
    const Comparison& comparison = timelines.comparison;
    const bool known = comparison.card.matmul_tflops > 0.0 && comparison.card.fp32_tflops > 0.0;
    const hardware::Card& like = known ? comparison.card : hardware::find_card("A100");
    timelines.rates = sm_rates(like);
    timelines.rates_of = like.name;
    for (const VariantFacts& variant : comparison.variants) {
        timelines.of_variants.emplace_back();
        if (!variant.refusal.empty()) {
            continue;
        }
        const ProgressOf progress(request, comparison.problem, say("{}: counting a CTA of each kind", variant.name));
        timelines.of_variants.back() =
            simulated(variant, comparison.problem, comparison.card, timelines.rates, progress);
    }
}

}  // namespace

TimelineFacts facts_of(const Timeline& timeline) {
    TimelineFacts facts;
    const auto sms = static_cast<std::size_t>(timeline.sm_count);
    std::vector<double> last_end(sms, -1.0);
    std::vector<std::size_t> order(timeline.spans.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return timeline.spans[a].start_us < timeline.spans[b].start_us; });
    facts.busy_of_sm.assign(sms, 0.0);
    double in_places = 0.0;
    for (const std::size_t i : order) {
        const CtaSpan& span = timeline.spans[i];
        const auto sm = static_cast<std::size_t>(span.sm);
        const double length = span.end_us - span.start_us;
        const double from = std::max(span.start_us, last_end[sm]);  // what came before has been added
        facts.busy_of_sm[sm] += std::max(span.end_us - from, 0.0);
        last_end[sm] = std::max(last_end[sm], span.end_us);
        facts.end_us = std::max(facts.end_us, span.end_us);
        facts.longest_us = std::max(facts.longest_us, length);
        facts.shortest_us = i == order.front() ? length : std::min(facts.shortest_us, length);
        in_places += length;
    }
    facts.first_dry_us = facts.end_us;
    for (std::size_t sm = 0; sm < sms; ++sm) {
        facts.idle_sms += last_end[sm] < 0.0 ? 1 : 0;
        facts.first_dry_us = last_end[sm] < 0.0 ? facts.first_dry_us : std::min(facts.first_dry_us, last_end[sm]);
        facts.busy_of_sm[sm] /= facts.end_us > 0.0 ? facts.end_us : 1.0;
        facts.sm_busy += facts.busy_of_sm[sm] / static_cast<double>(sms);
    }
    facts.tail_us = facts.end_us - facts.first_dry_us;
    const double places = facts.end_us * static_cast<double>(sms) * timeline.slots;
    facts.place_busy = places > 0.0 ? in_places / places : 0.0;
    return facts;
}

Timelines timeline(const Request& request) {
    Timelines timelines;
    timelines.comparison = explain(request);
    refuse_what_nobody_runs(timelines.comparison.problem);
    refuse_large_grids(timelines.comparison);
    choose_what_records(request, timelines);
    refuse_if_none_is_left(timelines.comparison);
    if (timelines.comparison.machine == Machine::gpu) {
        record_all(timelines);
    } else {
        simulate_all(timelines, request);
    }
    return timelines;
}

}  // namespace flashlens
