#include "fake.h"

#include <cmath>
#include <sstream>
#include <stdexcept>

#include "cli/program.h"
#include "explorer/ladder.h"
#include "explorer/models.h"
#include "explorer/variant.h"
#include "gpu/gpu.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens::cli::fake {
namespace {

VariantFacts variant(const std::string& name, Verdict verdict) {
    VariantFacts facts;
    facts.name = name;
    facts.launch.tile = {64, 128, 128, 4};
    facts.launch.grid = {4, 2, 16};
    facts.launch.axes = say("query block, batch, head");
    facts.launch.threads = 128;
    facts.launch.registers = 255;
    facts.launch.occupancy = {2, hardware::Limiter::registers, 0.125, {}};
    facts.launch.waves = {0.59, 108, 1.0};
    facts.launch.ctas = facts.launch.ctas_with_work = 128;
    ErrorReport error;
    error.verdict = verdict;
    error.max_abs_error = verdict == Verdict::fail ? std::nan("") : 1e-4;
    if (verdict == Verdict::fail) {
        error.reason = {"O(0, 0, 0, 0) is NaN, expected 0.5", "O(0, 0, 0, 0) 是 NaN，应为 0.5"};
    }
    facts.error = error;
    return facts;
}

Comparison comparison(const Request& request, const World& world) {
    Comparison result;
    result.problem = request.problem;
    result.card = hardware::find_card("A100");
    for (const std::string& name : request.variants.empty() ? std::vector<std::string>{"v1", "v2"} : request.variants) {
        result.variants.push_back(variant(name, name == "v2" ? world.verdict : Verdict::pass));
        if (name == "v1") {
            result.variants.back().launch.splits = 13;
        }
    }
    return result;
}

/// v1 takes 100 us and v2 50 us, whatever is asked; v1 refuses head dims over 128.
Bench bench_of(const BenchRequest& request, const World& world) {
    Bench result;
    result.card = hardware::find_card("H200");
    result.driver = "580.159.04";
    result.date = "2026-11-29 20:15 UTC";
    result.samples = request.samples;
    result.verify = request.verify;
    for (const Problem& problem : request.problems) {
        BenchRow row;
        row.problem = problem;
        for (const auto& [name, us] : {std::pair{"v1", 100.0}, std::pair{"v2", 50.0}}) {
            VariantFacts facts;
            facts.name = name;
            if (facts.name == "v1" && problem.head_dim > 128) {
                facts.refusal = {"takes multiples of 8 up to 128", "takes multiples of 8 up to 128"};
            } else {
                facts.timed = TimedFacts{us, us, us, request.samples, us, us};
                facts.error = ErrorReport{};
                facts.error->verdict = Verdict::pass;
            }
            row.variants.push_back(std::move(facts));
        }
        if (world.verdict == Verdict::fail) {
            row.variants[1] = variant("v2", Verdict::fail);
        }
        result.rows.push_back(std::move(row));
    }
    return result;
}

/// A sweep of real plans and counts, and of made-up times.
SweepSteps sweep_steps(const World& world) {
    SweepSteps steps = real_sweep_steps();
    steps.explain = [&world](Request request) {
        request.machine = MachineChoice::cpu;
        request.card = request.card.empty() ? "A100" : request.card;
        request.variants = request.variants.empty() ? std::vector<std::string>{"v1", "v2"} : request.variants;
        Comparison comparison = explain(request);
        comparison.card_is_here = world.has_card;
        comparison.machine = world.has_card ? Machine::gpu : Machine::cpu;
        return comparison;
    };
    steps.time = [&world](const std::vector<const VariantFacts*>& variants, const Problem& problem) {
        if (problem.seqlen_q == world.failing_seqlen) {
            throw gpu::Error({"the card ran out of memory", "显存不足"});
        }
        std::vector<TimedFacts> times;
        for (const VariantFacts* variant : variants) {
            const double us = static_cast<double>(problem.seqlen_q) / (variant->name == "v1" ? 1.0 : 2.0);
            times.push_back({us, us, us, 21, us, us});
        }
        return times;
    };
    return steps;
}

void fail_where_asked(const World& world) {
    if (!world.failure.empty()) {
        throw std::runtime_error(world.failure);
    }
    if (world.meets) {
        world.meets();
    }
}

void use_real_models(Explorer& explorer) {
    explorer.apply_model = [](std::string_view name, Problem& problem) { apply(find_model(name), problem); };
    explorer.variant_names = variant_names();
    explorer.ladder = ladder_variants();
    explorer.graph = graph_variants();
    explorer.model_names.clear();
    for (const ModelShape& model : models()) {
        explorer.model_names.emplace_back(model.name);
    }
}

}  // namespace

Result run(const std::vector<std::string>& arguments, const World& world) {
    Result result;
    Explorer explorer;
    explorer.compare = [&](const Request& request) {
        result.asked = request;
        result.command = "compare";
        fail_where_asked(world);
        if (world.reports_progress && request.progress) {
            request.progress(say("{} on the CPU machine", "v1"), 0.25, 8.0);
            request.progress(say("{} on the CPU machine", "v1"), 0.5, 8.0);
        }
        return comparison(request, world);
    };
    explorer.explain = [&](const Request& request) {
        result.asked = request;
        result.command = "explain";
        fail_where_asked(world);
        return comparison(request, world);
    };
    explorer.timeline = [&](const Request& request) {
        result.asked = request;
        result.command = "timeline";
        fail_where_asked(world);
        Timelines timelines;
        timelines.comparison = comparison(request, world);
        timelines.rates = sm_rates(timelines.comparison.card);
        timelines.rates_of = timelines.comparison.card.name;
        timelines.of_variants.assign(2, Timeline{.sm_count = 108, .slots = 2, .spans = {{0, 0, 0.0, 5.0}}});
        return timelines;
    };
    explorer.sweep = [&](const SweepRequest& request) {
        result.command = "sweep";
        fail_where_asked(world);
        return sweep(request, sweep_steps(world));
    };
    explorer.bench = [&](const BenchRequest& request) {
        result.asked_bench = request;
        result.command = "bench";
        fail_where_asked(world);
        if (world.reports_progress && request.progress) {
            request.progress(say("timing"), 0.25, 8.0);
        }
        return bench_of(request, world);
    };
    explorer.card_here = [&](Message* why) {
        if (world.has_card) {
            return std::optional(hardware::find_card("A100"));
        }
        *why = {"this build has no CUDA", "编译时没有 CUDA"};
        return std::optional<hardware::Card>();
    };
    explorer.ladder = explorer.graph = {"v1", "v2"};
    explorer.read_shape = [](const std::filesystem::path& folder, Problem& problem) {
        if (folder == "nowhere") {
            throw UsageError({"--input nowhere: no q.npy there", "--input nowhere：那里没有 q.npy"});
        }
        problem.batch = 1;
        problem.heads = 4;
        problem.kv_heads = 2;
        problem.seqlen_q = 10;
        problem.seqlen_k = 20;
        problem.head_dim = 16;
    };
    explorer.apply_model = [](std::string_view name, Problem& problem) {
        if (name != "small" && name != "large") {
            throw UsageError({"--model: no such model; try small", "--model：没有这个模型；可试 small"});
        }
        problem.heads = name == "small" ? 32 : 64;
        problem.kv_heads = 8;
        problem.head_dim = 128;
        problem.seqlen_q = problem.seqlen_k = 2048;
        problem.causal = true;
        problem.scale = 0.5;
    };
    explorer.variant_names = {"v1", "v2"};
    explorer.model_names = {"small", "large"};
    if (world.real_models) {
        use_real_models(explorer);
    }

    report::Surroundings surroundings;
    surroundings.variable = [&](const char* name) -> std::optional<std::string> {
        const auto found = world.variables.find(name);
        return found == world.variables.end() ? std::nullopt : std::optional(found->second);
    };
    std::istringstream input(world.input);
    surroundings.input = &input;
    surroundings.input_is_terminal = world.typed;
    if (world.real_explorer) {
        explorer = real_explorer();
    }
    surroundings.output_is_terminal = surroundings.errors_are_terminal = world.terminal;
    std::ostringstream out;
    std::ostringstream err;
    result.code = cli::run(arguments, explorer, surroundings, out, err);
    result.out = out.str();
    result.err = err.str();
    return result;
}

}  // namespace flashlens::cli::fake
