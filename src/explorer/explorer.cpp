#include "explorer/explorer.h"

#include <algorithm>

#include "explorer/npy.h"
#include "explorer/progress.h"
#include "explorer/variant.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens {
namespace {

hardware::Card to_card(const gpu::Device& device) {
    hardware::Card card;
    if (const hardware::Card* known = hardware::look_up_card(device.name)) {
        card = *known;  // the data sheet's rates
    }
    card.name = device.name;
    card.chip = device.chip;
    card.kernels_of = device.kernels_of != device.chip ? std::optional(device.kernels_of) : std::nullopt;
    card.sm_count = device.sm_count;
    card.max_threads_per_sm = device.max_threads_per_sm;
    card.max_ctas_per_sm = device.max_ctas_per_sm;
    card.registers_per_sm = device.registers_per_sm;
    card.registers_per_cta = device.registers_per_cta;
    card.shared_bytes_per_sm = device.shared_bytes_per_sm;
    card.max_shared_bytes_per_cta = device.max_shared_bytes_per_cta;
    card.reserved_shared_bytes_per_cta = device.reserved_shared_bytes_per_cta;
    card.source = say("the driver");
    return card;
}

/// The card to plan for, and where to run.
void choose_machine(const Request& request, Comparison& comparison) {
    Message why;
    std::optional<hardware::Card> here;
    if (request.machine == MachineChoice::gpu || request.card.empty()) {
        here = card_here(&why);
    }
    if (request.machine == MachineChoice::gpu) {
        if (!here) {
            throw UsageError(say("--machine gpu: {}", why));
        }
        if (!request.card.empty()) {
            throw UsageError(
                say("--machine gpu with --gpu {}: the card here, {}, is the one that runs; leave "
                    "--gpu out, or plan for another card with --machine cpu",
                    request.card, here->name));
        }
    }
    comparison.card_is_here = here.has_value();
    comparison.card = here ? *here : hardware::find_card(request.card.empty() ? "A100" : request.card);
    comparison.machine = here && request.machine != MachineChoice::cpu ? Machine::gpu : Machine::cpu;
}

void count_plain_attention(Comparison& comparison) {
    const Problem& p = comparison.problem;
    const std::int64_t q = 2 * p.batch * p.heads * p.seqlen_q * p.head_dim;
    const std::int64_t kv = 2 * 2 * p.batch * p.kv_heads * p.seqlen_k * p.head_dim;
    const std::int64_t s = 2 * p.batch * p.heads * p.seqlen_q * p.seqlen_k;
    comparison.plain_read_bytes = q + kv + 2 * s;
    comparison.plain_write_bytes = q + 2 * s;
}

struct Outputs {
    std::vector<std::uint16_t> o;
    std::vector<float> lse;
};

ProgressOf progress_on_cpu(const Request& request, const Problem& problem, const VariantFacts& variant) {
    return {request, problem, say("{} on the CPU machine", variant.name)};
}

Outputs run_and_count_on_cpu(VariantFacts& variant, const Request& request, const Problem& problem,
                             const Inputs& inputs) {
    CpuRun run = run_on_cpu(variant, problem, inputs, progress_on_cpu(request, problem, variant));
    variant.counted = std::move(run.counted);
    return {std::move(run.o), std::move(run.lse)};
}

std::vector<Outputs> run_and_time_on_gpu(std::vector<VariantFacts*>& variants, const Problem& problem,
                                         const Inputs& inputs) {
    std::vector<Outputs> outputs;
    std::vector<gpu::Run> runs = run_on_gpu({variants.begin(), variants.end()}, problem, inputs, timing_samples);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        variants[i]->timed = timed_facts(runs[i].samples_us);
        outputs.push_back({std::move(runs[i].o), std::move(runs[i].lse)});
    }
    return outputs;
}

/// The reference's rows: all where they are asked for or written to files, none with --verify off.
std::optional<ReferenceRun> reference_for(const Request& request, const Problem& problem, const Inputs& inputs) {
    if (request.verify == Verify::off && request.output_folder.empty()) {
        return std::nullopt;
    }
    const bool all = request.verify == Verify::full || !request.output_folder.empty();
    return run_reference(problem, inputs, all ? reference::all_rows(reference_sizes(problem)) : choose_rows(problem));
}

}  // namespace

std::vector<std::string> variant_names() {
    return all_variants();
}

std::vector<gpu::Run> run_on_gpu(const std::vector<const VariantFacts*>& planned, const Problem& problem,
                                 const Inputs& inputs, int samples) {
    std::vector<gpu::Call> calls;
    calls.reserve(planned.size());
    for (const VariantFacts* variant : planned) {
        calls.push_back(gpu_call(*variant, problem));
    }
    return gpu::run(calls, inputs.q, inputs.k, inputs.v, samples);
}

TimedFacts timed_facts(std::span<const double> sorted_us) {
    const std::size_t size = sorted_us.size();
    TimedFacts facts;
    facts.median_us = (sorted_us[size / 2] + sorted_us[(size - 1) / 2]) / 2;
    facts.min_us = sorted_us.front();
    facts.max_us = sorted_us.back();
    facts.runs = static_cast<int>(size);
    facts.lower_quartile_us = sorted_us[size / 4];
    facts.upper_quartile_us = sorted_us[size - 1 - size / 4];
    return facts;
}

std::optional<hardware::Card> card_here(Message* why) {
    const std::optional<gpu::Device> device = gpu::device(why);
    return device ? std::optional(to_card(*device)) : std::nullopt;
}

Comparison explain(const Request& request) {
    Comparison comparison;
    comparison.problem = request.problem;
    if (!request.input_folder.empty()) {
        read_shape(request.input_folder, comparison.problem);
        comparison.input_folder = request.input_folder;
    }
    validate(comparison.problem);
    choose_machine(request, comparison);
    count_plain_attention(comparison);
    const std::vector<std::string> names = request.variants.empty() ? default_variants() : request.variants;
    Message refusals;
    for (const std::string& name : names) {
        comparison.variants.push_back(
            plan(name, comparison.problem, comparison.card, comparison.card_is_here, request.splits));
        add_reason(refusals, say("{}: {}", name, comparison.variants.back().refusal));
    }
    if (std::none_of(comparison.variants.begin(), comparison.variants.end(),
                     [](const VariantFacts& variant) { return variant.refusal.empty(); })) {
        throw UsageError(say("nothing can run this on {}: {}", comparison.card.name, refusals));
    }
    return comparison;
}

Comparison compare(const Request& request) {
    Comparison comparison = explain(request);
    Problem& problem = comparison.problem;
    const Inputs inputs =
        comparison.input_folder.empty() ? random_inputs(problem) : read_inputs(comparison.input_folder, problem);

    std::vector<VariantFacts*> running;
    for (VariantFacts& variant : comparison.variants) {
        if (variant.refusal.empty()) {
            running.push_back(&variant);
        }
    }
    std::vector<Outputs> outputs;
    if (comparison.machine == Machine::gpu && running.front()->launch.ctas > 0) {
        outputs = run_and_time_on_gpu(running, problem, inputs);
        for (VariantFacts* variant : running) {
            variant->counted = count_on_cpu(*variant, problem, progress_on_cpu(request, problem, *variant));
        }
    } else {
        for (VariantFacts* variant : running) {
            outputs.push_back(run_and_count_on_cpu(*variant, request, problem, inputs));
            variant->simulation_us = variant->counted->report.wall_us;
        }
    }

    const std::optional<ReferenceRun> reference = reference_for(request, problem, inputs);
    if (reference) {
        comparison.reference = ReferenceFacts{reference->exact_us, static_cast<std::int64_t>(reference->rows.size()),
                                              problem.batch * problem.heads * problem.seqlen_q};
    }
    for (std::size_t i = 0; i < running.size(); ++i) {
        if (reference && request.verify != Verify::off) {
            running[i]->error = check(problem, inputs, outputs[i].o, outputs[i].lse, *reference);
        }
        if (!request.output_folder.empty()) {
            write_outputs(request.output_folder + "/" + running[i]->name, problem, outputs[i].o, outputs[i].lse);
        }
    }
    if (reference && !request.output_folder.empty()) {
        write_reference(request.output_folder + "/reference", problem, reference->exact.o, reference->exact.lse);
    }
    return comparison;
}

}  // namespace flashlens
