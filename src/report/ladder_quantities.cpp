#include "report/ladder_quantities.h"

#include <algorithm>
#include <string>

#include "report/facts.h"
#include "report/numbers.h"

namespace flashlens::report {
namespace {

using C = simt::Counters;
using Value = std::optional<double>;

const C* counters_of(const VariantFacts& variant) {
    return runs(variant) && variant.counted ? &variant.counted->report.total : nullptr;
}

template <auto Member>
Value counted(const VariantFacts& variant, const Comparison& /*comparison*/) {
    const C* counters = counters_of(variant);
    return counters != nullptr ? Value(static_cast<double>(counters->*Member)) : std::nullopt;
}

Value global_traffic(const VariantFacts& variant, const Comparison& /*comparison*/) {
    const C* counters = counters_of(variant);
    return counters != nullptr ? Value(global_bytes(*counters)) : std::nullopt;
}

/// What the steps move that have o_tmp in their name.
Value o_tmp(const VariantFacts& variant, const Comparison& /*comparison*/) {
    if (counters_of(variant) == nullptr) {
        return std::nullopt;
    }
    double bytes = 0.0;
    for (const simt::StepCounters& step : variant.counted->report.steps) {
        bytes += step.name.find("o_tmp") != std::string::npos ? global_bytes(step.counters) : 0.0;
    }
    return bytes;
}

/// What goes through shared memory in the steps in which warps meet: maxima, sums, partial outputs.
Value shared_exchange(const VariantFacts& variant, const Comparison& /*comparison*/) {
    if (counters_of(variant) == nullptr) {
        return std::nullopt;
    }
    double bytes = 0.0;
    for (const simt::StepCounters& step : variant.counted->report.steps) {
        const bool meets = step.name.starts_with("reduce_") || step.name.starts_with("smem_o.") || step.name == "merge";
        bytes += meets ? static_cast<double>(step.counters.shared_bytes()) : 0.0;
    }
    return bytes;
}

Value shared_per_pair(const VariantFacts& variant, const Comparison& comparison) {
    const C* counters = counters_of(variant);
    const Problem& problem = comparison.problem;
    const auto pairs = static_cast<double>(visible_pairs(problem) * problem.batch * problem.heads);
    return counters != nullptr && pairs > 0.0 ? Value(static_cast<double>(counters->shared_bytes()) / pairs)
                                              : std::nullopt;
}

Value mask_ops(const VariantFacts& variant, const Comparison& /*comparison*/) {
    const C* counters = counters_of(variant);
    return counters != nullptr ? Value(static_cast<double>(counters->fp32_compare + counters->fp32_select))
                               : std::nullopt;
}

Value mma_beside_copies(const VariantFacts& variant, const Comparison& /*comparison*/) {
    const C* counters = counters_of(variant);
    return counters != nullptr && counters->mma > 0
               ? Value(static_cast<double>(counters->mma_beside_copies) / static_cast<double>(counters->mma))
               : std::nullopt;
}

std::string count(double value) {
    return find_quantity("barriers")->print(value);
}

LadderQuantity usual(std::string_view name, Better better, bool on_its_own) {
    return {*find_quantity(name), better, on_its_own};
}

std::vector<LadderQuantity> table() {
    using enum Better;
    return {
        usual("sm-fill", higher, true),
        usual("waves", neither, false),
        usual("ctas", neither, false),
        usual("ctas-per-sm", higher, true),
        usual("occupancy", higher, false),
        usual("shared-memory", neither, true),
        usual("registers", neither, true),
        {{"global-traffic", "global_bytes", Origin::counted, Text::column_global_traffic, Text::axis_global_traffic,
          global_traffic, traffic},
         lower,
         false},
        usual("global-read", lower, true),
        usual("global-write", lower, true),
        {{"o-tmp", "o_tmp_bytes", Origin::counted, Text::column_o_tmp, Text::axis_o_tmp, o_tmp, traffic}, lower, true},
        usual("shared-traffic", lower, true),
        {{"shared-exchange", "shared_exchange_bytes", Origin::counted, Text::column_shared_exchange,
          Text::axis_shared_exchange, shared_exchange, traffic},
         lower,
         false},
        {{"shared-per-pair", "shared_bytes_per_pair", Origin::counted, Text::column_shared_per_pair,
          Text::axis_shared_per_pair, shared_per_pair, traffic},
         lower,
         false},
        usual("bank-conflicts", lower, true),
        usual("barriers", lower, true),
        usual("shuffles", lower, true),
        {{"ldmatrix", "ldmatrix", Origin::counted, Text::column_ldmatrix, Text::axis_ldmatrix, counted<&C::ldmatrix>,
          count},
         lower,
         true},
        usual("mma-flops", lower, true),
        usual("exponentials", lower, true),
        usual("fp32-ops", lower, true),
        usual("fp32-per-kflop", lower, false),
        {{"divisions", "fp32_div", Origin::counted, Text::column_divisions, Text::axis_divisions, counted<&C::fp32_div>,
          count},
         lower,
         true},
        {{"mask-ops", "mask_ops", Origin::counted, Text::column_mask_ops, Text::axis_mask_ops, mask_ops, count},
         lower,
         true},
        {{"cp-async", "cp_async", Origin::counted, Text::column_cp_async, Text::axis_cp_async, counted<&C::cp_async>,
          count},
         neither,
         true},
        {{"mma-beside-copies", "mma_beside_copies", Origin::counted, Text::column_mma_beside_copies,
          Text::axis_mma_beside_copies, mma_beside_copies, percent},
         higher,
         true},
    };
}

}  // namespace

std::span<const LadderQuantity> ladder_quantities() {
    static const std::vector<LadderQuantity> all = table();
    return all;
}

const LadderQuantity& ladder_time() {
    static const LadderQuantity time = usual("time", Better::lower, false);
    return time;
}

const LadderQuantity* find_ladder_quantity(std::string_view name) {
    if (name == ladder_time().quantity.name) {
        return &ladder_time();
    }
    const auto all = ladder_quantities();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& q) { return q.quantity.name == name; });
    return found == all.end() ? nullptr : &*found;
}

std::vector<std::string_view> waterfall_names() {
    std::vector<std::string_view> names{ladder_time().quantity.name};
    for (const LadderQuantity& one : ladder_quantities()) {
        if (one.better != Better::neither) {
            names.push_back(one.quantity.name);
        }
    }
    return names;
}

}  // namespace flashlens::report
