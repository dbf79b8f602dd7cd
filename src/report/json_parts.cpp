#include "report/json_parts.h"

#include <cmath>

#include "report/facts.h"

namespace flashlens::report {
namespace {

const char* limiter(hardware::Limiter limiter) {
    switch (limiter) {
        case hardware::Limiter::threads:
            return "threads";
        case hardware::Limiter::registers:
            return "registers";
        case hardware::Limiter::shared_memory:
            return "shared_memory";
        case hardware::Limiter::ctas:
            return "ctas";
        case hardware::Limiter::does_not_fit:
            return "does_not_fit";
        case hardware::Limiter::none:
            break;
    }
    return "none";
}

Json counters(const simt::Counters& c) {
    Json json;
    json["global_read_bytes"] = c.global_read_bytes;
    json["global_write_bytes"] = c.global_write_bytes;
    json["global_read_sectors"] = c.global_read_sectors;
    json["global_write_sectors"] = c.global_write_sectors;
    json["global_read_instructions"] = c.global_read_instructions;
    json["global_write_instructions"] = c.global_write_instructions;
    json["cp_async_read_bytes"] = c.cp_async_read_bytes;
    json["cp_async_read_sectors"] = c.cp_async_read_sectors;
    json["shared_bytes"] = c.shared_bytes();
    json["shared_read_bytes"] = c.shared_read_bytes;
    json["shared_write_bytes"] = c.shared_write_bytes;
    json["shared_wavefronts"] = c.shared_wavefronts();
    json["load_wavefronts"] = c.load_wavefronts;
    json["store_wavefronts"] = c.store_wavefronts;
    json["ldmatrix_wavefronts"] = c.ldmatrix_wavefronts;
    json["cp_async_wavefronts"] = c.cp_async_wavefronts;
    json["bank_conflicts"] = c.bank_conflicts;
    json["barriers"] = c.barriers;
    json["warp_barriers"] = c.warp_barriers;
    json["shuffles"] = c.shuffles;
    json["votes"] = c.votes;
    json["ldmatrix"] = c.ldmatrix;
    json["mma"] = c.mma;
    json["mma_k8"] = c.mma_k8;
    json["mma_flops"] = c.mma_flops();
    json["cp_async"] = c.cp_async;
    json["exp2"] = c.exp2;
    json["log2"] = c.log2;
    json["fp32_ops"] = c.fp32_ops();
    json["fp32_add"] = c.fp32_add;
    json["fp32_mul"] = c.fp32_mul;
    json["fp32_fma"] = c.fp32_fma;
    json["fp32_max"] = c.fp32_max;
    json["fp32_compare"] = c.fp32_compare;
    json["fp32_select"] = c.fp32_select;
    json["fp32_div"] = c.fp32_div;
    json["converts"] = c.converts;
    return json;
}

void add_launch(Json& json, const LaunchFacts& launch) {
    json["grid"] = {launch.grid.x, launch.grid.y, launch.grid.z};
    json["axes"] = launch.axes.en;
    json["owns"] = launch.owns;
    json["tile"] = {{"block_m", launch.tile.block_m},
                    {"block_n", launch.tile.block_n},
                    {"head_dim", launch.tile.head_dim},
                    {"warps", launch.tile.warps}};
    json["ctas"] = launch.ctas;
    json["ctas_with_work"] = launch.ctas_with_work;
    json["threads"] = launch.threads;
    json["warps"] = launch.warps;
    json["smem_bytes"] = launch.smem_bytes;
    json["registers"] = launch.registers;
    json["ctas_per_sm"] = launch.occupancy.ctas_per_sm;
    json["limiter"] = limiter(launch.occupancy.limiter);
    json["occupancy"] = number(launch.occupancy.fraction);
    json["sms_with_work"] = launch.waves.sms_with_work;
    json["sm_fill"] = number(launch.waves.sm_fill);
    json["waves"] = number(launch.waves.waves);
    if (launch.splits) {
        json["splits"] = *launch.splits;
    }
}

/// The keys of the launch, all null: a variant that can't run has the same shape as one that can.
void add_no_launch(Json& json) {
    for (const char* key : {"grid", "axes", "owns", "tile", "ctas", "ctas_with_work", "threads", "warps", "smem_bytes",
                            "registers", "ctas_per_sm", "limiter", "occupancy", "sms_with_work", "sm_fill", "waves"}) {
        json[key] = nullptr;
    }
}

void add_counted(Json& json, const std::optional<CountedFacts>& counted) {
    if (!counted) {
        json["counters"] = nullptr;
        return;
    }
    const simt::LaunchReport& report = counted->report;
    json["counters"] = counters(report.total);
    json["counters"]["unique_read_bytes"] = report.unique_read_bytes > 0 ? Json(report.unique_read_bytes) : Json();
    json["counters"]["unique_write_bytes"] = report.unique_read_bytes > 0 ? Json(report.unique_write_bytes) : Json();
    json["counters"]["sampled"] = counted->sampled;
    json["counters"]["raises_assumed"] = counted->raises_assumed;
    json["counters"]["ctas_run"] = report.ctas_run;
    Json steps = Json::array();
    for (const simt::StepCounters& step : report.steps) {
        Json one;
        one["name"] = step.name;
        one.update(counters(step.counters));
        steps.push_back(std::move(one));
    }
    json["steps"] = std::move(steps);
}

void add_times(Json& json, const VariantFacts& variant, const Comparison& comparison) {
    const bool timed = variant.timed.has_value();
    json["time_us"] = timed ? number(variant.timed->median_us) : Json();
    json["time_min_us"] = timed ? number(variant.timed->min_us) : Json();
    json["time_max_us"] = timed ? number(variant.timed->max_us) : Json();
    json["time_runs"] = timed ? Json(variant.timed->runs) : Json();
    json["tflops"] = timed ? number(tflops(comparison.problem, variant.timed->median_us)) : Json();
    json["simulation_us"] = variant.simulation_us ? number(*variant.simulation_us) : Json();
}

void add_error(Json& json, const VariantFacts& variant) {
    const bool checked = variant.error.has_value();
    const ErrorReport e = variant.error.value_or(ErrorReport{});
    const auto known = [&](double value) { return checked ? number(value) : Json(); };
    json["max_abs_error"] = known(e.max_abs_error);
    json["rms_error"] = known(e.rms_error);
    json["allowed_max_abs_error"] = known(e.allowed_max_abs_error);
    json["baseline_max_abs_error"] = known(e.baseline_max_abs_error);
    json["baseline_rms_error"] = known(e.baseline_rms_error);
    json["lse_max_abs_error"] = known(e.lse_max_abs_error);
    json["lse_allowed"] = known(e.lse_allowed);
    json["elements_checked"] = checked ? Json(e.elements_checked) : Json();
    json["verdict"] = e.verdict == Verdict::pass ? "pass" : e.verdict == Verdict::fail ? "fail" : "not run";
}

}  // namespace

Json number(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    return value;
}

Json json_of(const Problem& problem) {
    Json json;
    json["batch"] = problem.batch;
    json["heads"] = problem.heads;
    json["kv_heads"] = problem.kv_heads;
    json["seqlen_q"] = problem.seqlen_q;
    json["seqlen_k"] = problem.seqlen_k;
    json["head_dim"] = problem.head_dim;
    json["causal"] = problem.causal;
    json["align"] = align_name(problem.align);
    json["dtype"] = dtype_name(problem.dtype);
    json["scale"] = number(problem.scale);
    json["seed"] = problem.seed;
    json["dist"] = distribution_name(problem.dist);
    json["visible_pairs"] = visible_pairs(problem);
    json["flops"] = flops(problem);
    return json;
}

Json json_of(const hardware::Card& card) {
    Json json;
    json["name"] = card.name;
    json["sm_count"] = card.sm_count;
    json["sm"] = card.chip;
    json["kernels_sm"] = card.kernels_of.value_or(card.chip);
    json["max_threads_per_sm"] = card.max_threads_per_sm;
    json["max_ctas_per_sm"] = card.max_ctas_per_sm;
    json["registers_per_sm"] = card.registers_per_sm;
    json["shared_bytes_per_sm"] = card.shared_bytes_per_sm;
    json["max_shared_bytes_per_cta"] = card.max_shared_bytes_per_cta;
    json["reserved_shared_bytes_per_cta"] = card.reserved_shared_bytes_per_cta;
    json["matmul_tflops"] = number(card.matmul_tflops);
    json["fp32_tflops"] = number(card.fp32_tflops);
    json["memory_gb_per_s"] = number(card.memory_gb_per_s);
    json["source"] = card.source.en;
    return json;
}

Json json_of(const VariantFacts& variant, const Comparison& comparison, Detail detail) {
    Json json;
    json["name"] = variant.name;
    json["runs"] = runs(variant);
    if (runs(variant)) {
        add_launch(json, variant.launch);
    } else {
        add_no_launch(json);
        if (variant.launch.occupancy.limiter == hardware::Limiter::does_not_fit) {
            json["ctas_per_sm"] = 0;
            json["limiter"] = limiter(variant.launch.occupancy.limiter);
        }
    }
    // No figure of a run for a kernel that did not run, whatever the facts hold.
    const VariantFacts ran = runs(variant) ? variant : VariantFacts{};
    if (detail == Detail::compared) {
        add_counted(json, ran.counted);
        add_times(json, ran, comparison);
        add_error(json, ran);
    }
    json["reason"] = !runs(variant) ? variant.refusal.en : ran.error ? ran.error->reason.en : "";
    return json;
}

std::string json_text(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace flashlens::report
