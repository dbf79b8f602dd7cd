#include "report/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/facts.h"
#include "report/numbers.h"

namespace flashlens::report {
namespace {

using Value = std::optional<double>;

Value finite(double value) {
    return std::isfinite(value) ? Value(value) : std::nullopt;
}

template <auto Member>
Value of_launch(const VariantFacts& variant, const Comparison& /*comparison*/) {
    return runs(variant) ? finite(static_cast<double>(variant.launch.*Member)) : std::nullopt;
}

Value ctas_per_sm(const VariantFacts& variant, const Comparison& /*comparison*/) {
    return runs(variant) ? Value(variant.launch.occupancy.ctas_per_sm) : std::nullopt;
}

Value occupancy(const VariantFacts& variant, const Comparison& /*comparison*/) {
    return runs(variant) ? finite(variant.launch.occupancy.fraction) : std::nullopt;
}

Value sm_fill(const VariantFacts& variant, const Comparison& /*comparison*/) {
    return runs(variant) ? finite(variant.launch.waves.sm_fill) : std::nullopt;
}

Value waves(const VariantFacts& variant, const Comparison& /*comparison*/) {
    return runs(variant) ? finite(variant.launch.waves.waves) : std::nullopt;
}

Value splits(const VariantFacts& variant, const Comparison& /*comparison*/) {
    return runs(variant) && variant.launch.splits ? Value(*variant.launch.splits) : std::nullopt;
}

template <typename Figure>
Value of_counters(const VariantFacts& variant, const Figure& figure) {
    return runs(variant) && variant.counted ? finite(static_cast<double>(figure(variant.counted->report.total)))
                                            : std::nullopt;
}

template <auto Member>
Value counted(const VariantFacts& variant, const Comparison& /*comparison*/) {
    return of_counters(variant, [](const simt::Counters& c) { return c.*Member; });
}

template <auto Sum>
Value summed(const VariantFacts& variant, const Comparison& /*comparison*/) {
    return of_counters(variant, [](const simt::Counters& c) { return (c.*Sum)(); });
}

template <auto Function>
Value derived(const VariantFacts& variant, const Comparison& /*comparison*/) {
    return of_counters(variant, [](const simt::Counters& c) { return Function(c); });
}

bool timed(const VariantFacts& variant) {
    return runs(variant) && variant.timed && variant.timed->median_us > 0.0;
}

Value time(const VariantFacts& variant, const Comparison& /*comparison*/) {
    return timed(variant) ? finite(variant.timed->median_us) : std::nullopt;
}

Value rate(const VariantFacts& variant, const Comparison& comparison) {
    return timed(variant) ? finite(tflops(comparison.problem, variant.timed->median_us)) : std::nullopt;
}

Value speed_up(const VariantFacts& variant, const Comparison& comparison) {
    const VariantFacts* base = base_of_speed(comparison);
    if (base == nullptr || base == &variant || !timed(variant)) {
        return std::nullopt;
    }
    return finite(base->timed->median_us / variant.timed->median_us);
}

std::string count(double value) {
    return value == std::floor(value) && value < 1e7 ? whole(std::llround(value)) : magnitude(value);
}

std::string bytes(double value) {
    return memory_size(std::llround(value));
}

std::string times(double value) {
    return ratio(value) + "x";
}

using C = simt::Counters;

constexpr std::array table = std::to_array<Quantity>({
    {"time", "time_us", Origin::timed, Text::column_time, Text::axis_time, time, duration},
    {"tflops", "tflops", Origin::timed, Text::tflops, Text::axis_tflops, rate, decimal},
    {"speedup", "speedup", Origin::timed, Text::column_speedup, Text::axis_speedup, speed_up, times},
    {"sm-fill", "sm_fill", Origin::planned, Text::column_sm_fill, Text::axis_sm_fill, sm_fill, percent},
    {"ctas", "ctas_with_work", Origin::planned, Text::column_ctas, Text::axis_ctas,
     of_launch<&LaunchFacts::ctas_with_work>, count},
    {"waves", "waves", Origin::planned, Text::waves, Text::axis_waves, waves, decimal},
    {"splits", "splits", Origin::planned, Text::splits, Text::axis_splits, splits, count},
    {"occupancy", "occupancy", Origin::planned, Text::column_occupancy, Text::axis_occupancy, occupancy, percent},
    {"ctas-per-sm", "ctas_per_sm", Origin::planned, Text::ctas_per_sm, Text::axis_ctas_per_sm, ctas_per_sm, count},
    {"shared-memory", "smem_bytes", Origin::planned, Text::shared_memory, Text::axis_shared_memory,
     of_launch<&LaunchFacts::smem_bytes>, bytes},
    {"registers", "registers", Origin::planned, Text::registers, Text::axis_registers,
     of_launch<&LaunchFacts::registers>, count},
    {"global-read", "global_read_bytes", Origin::counted, Text::column_global_read, Text::axis_global_read,
     counted<&C::global_read_bytes>, traffic},
    {"global-write", "global_write_bytes", Origin::counted, Text::column_global_write, Text::axis_global_write,
     counted<&C::global_write_bytes>, traffic},
    {"barriers", "barriers", Origin::counted, Text::column_barriers, Text::axis_barriers, counted<&C::barriers>, count},
    {"shared-traffic", "shared_bytes", Origin::counted, Text::column_shared_traffic, Text::axis_shared_traffic,
     summed<&C::shared_bytes>, traffic},
    {"bank-conflicts", "bank_conflicts", Origin::counted, Text::bank_conflicts, Text::axis_bank_conflicts,
     counted<&C::bank_conflicts>, count},
    {"shuffles", "shuffles", Origin::counted, Text::column_shuffles, Text::axis_shuffles, counted<&C::shuffles>, count},
    {"mma-flops", "mma_flops", Origin::counted, Text::column_mma_flops, Text::axis_mma_flops, derived<mma_flops>, work},
    {"exponentials", "exp2", Origin::counted, Text::column_exponentials, Text::axis_exponentials, counted<&C::exp2>,
     count},
    {"fp32-ops", "fp32_ops", Origin::counted, Text::column_fp32_ops, Text::axis_fp32_ops, summed<&C::fp32_ops>, count},
    {"fp32-per-kflop", "fp32_per_kflop", Origin::counted, Text::column_fp32_per_kflop, Text::axis_fp32_per_kflop,
     derived<fp32_per_kiloflop>, decimal},
});

}  // namespace

std::span<const Quantity> quantities() {
    return table;
}

std::string print_tick(const Quantity& quantity, double value) {
    return quantity.print == times ? decimal(value) + "x" : quantity.print(value);
}

const Quantity* find_quantity(std::string_view name) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const Quantity& q) { return q.name == name; });
    return found == table.end() ? nullptr : &*found;
}

const VariantFacts* base_of_speed(const Comparison& comparison) {
    const auto& variants = comparison.variants;
    const auto v1 =
        std::find_if(variants.begin(), variants.end(), [](const VariantFacts& v) { return v.name == "v1"; });
    const auto base = v1 != variants.end() ? v1 : variants.begin();
    return base != variants.end() && timed(*base) ? &*base : nullptr;
}

}  // namespace flashlens::report
