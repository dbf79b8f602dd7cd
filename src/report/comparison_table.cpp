#include "report/comparison_table.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "report/facts.h"
#include "report/numbers.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

std::string title_of(const std::string& name) {
    if (name == "v1") {
        return "v1 FlashAttention-1";
    }
    return name == "v2" ? "v2 FlashAttention-2" : name;
}

std::vector<Cell> heading(const Comparison& comparison, const std::vector<std::size_t>& indices) {
    std::vector<Cell> cells{{""}};
    for (const std::size_t i : indices) {
        cells.push_back({title_of(comparison.variants[i].name), Style::bold});
    }
    return cells;
}

/// Fills a table row by row.
class Builder {
public:
    Builder(const Comparison& comparison, const std::vector<std::size_t>& indices, std::vector<Cell> heading,
            Language language)
        : comparison_(comparison), language_(language), table_(std::move(heading)) {
        for (const std::size_t i : indices) {
            variants_.push_back(&comparison.variants[i]);
        }
    }

    void launch();
    void occupancy();
    void memory(bool with_plain);
    void synchronisation();
    void arithmetic();
    void gpu_time();
    void simulation_time();
    void error();
    void reference();
    void plain_traffic();
    Table take() && { return std::move(table_); }

private:
    using MakeCell = std::function<Cell(const VariantFacts&)>;
    using MakeText = std::function<std::string(const VariantFacts&)>;
    using Count = std::function<std::string(const simt::Counters&, const VariantFacts&)>;

    template <typename... Values>
    std::string say(Text name, const Values&... values) const {
        return fill(language_, name, values...);
    }
    Cell nothing() const { return {say(Text::not_available), Style::dim}; }

    std::vector<Cell> per_variant(const MakeCell& cell) const {
        std::vector<Cell> row;
        for (const VariantFacts* variant : variants_) {
            row.push_back(cell(*variant));
        }
        return row;
    }
    /// A cell for each variant that runs, and a dash for the others.
    void cells(Text label, const MakeCell& cell) {
        table_.row(say(label), per_variant([&](const VariantFacts& v) { return runs(v) ? cell(v) : nothing(); }));
    }
    void row(Text label, const MakeText& text) {
        cells(label, [&](const VariantFacts& variant) { return Cell{text(variant)}; });
    }
    void counted(Text label, const Count& text) {
        cells(label, [&](const VariantFacts& variant) {
            return variant.counted ? Cell{text(variant.counted->report.total, variant)} : nothing();
        });
    }
    void errors(Text label, const std::function<std::string(const ErrorReport&)>& text) {
        cells(label,
              [&](const VariantFacts& variant) { return variant.error ? Cell{text(*variant.error)} : nothing(); });
    }

    bool any(const std::function<bool(const VariantFacts&)>& has) const {
        return std::any_of(variants_.begin(), variants_.end(),
                           [&](const VariantFacts* v) { return runs(*v) && has(*v); });
    }
    bool any_counted() const {
        return any([](const VariantFacts& variant) { return variant.counted.has_value(); });
    }
    std::string how_counted() const {
        const bool sampled =
            any([](const VariantFacts& variant) { return variant.counted && variant.counted->sampled; });
        return say(sampled ? Text::counted_sampled : Text::counted_all);
    }

    void refusals();
    std::string owns(const VariantFacts& variant) const;
    std::string warps(const VariantFacts& variant) const;
    std::string ctas_per_sm(const VariantFacts& variant) const;

    const Comparison& comparison_;
    Language language_;
    std::vector<const VariantFacts*> variants_;
    Table table_;
};

std::string Builder::owns(const VariantFacts& variant) const {
    const LaunchFacts& launch = variant.launch;
    const std::int64_t rows = launch.query_rows > 0 ? launch.query_rows : launch.tile.block_m;
    if (!launch.splits) {
        return say(launch.heaviest_first ? Text::owns_heavy_first : Text::owns_query_block, rows);
    }
    return *launch.splits == 1 ? say(Text::owns_all_tiles, rows) : say(Text::owns_every_split, rows, *launch.splits);
}

std::string Builder::warps(const VariantFacts& variant) const {
    const LaunchFacts& launch = variant.launch;
    return say(launch.warps_split_keys ? Text::warps_over_keys : Text::warps_over_rows, launch.threads / 32);
}

std::string Builder::ctas_per_sm(const VariantFacts& variant) const {
    const hardware::Occupancy& occupancy = variant.launch.occupancy;
    switch (occupancy.limiter) {
        case hardware::Limiter::threads:
            return say(Text::ctas_per_sm_limited, occupancy.ctas_per_sm, say(Text::limiter_threads));
        case hardware::Limiter::registers:
            return say(Text::ctas_per_sm_limited, occupancy.ctas_per_sm, say(Text::limiter_registers));
        case hardware::Limiter::shared_memory:
            return say(Text::ctas_per_sm_limited, occupancy.ctas_per_sm, say(Text::limiter_shared_memory));
        case hardware::Limiter::ctas:
            return say(Text::ctas_per_sm_limited, occupancy.ctas_per_sm, say(Text::limiter_ctas));
        case hardware::Limiter::does_not_fit:
            return say(Text::does_not_fit);
        case hardware::Limiter::none:
            break;
    }
    return whole(occupancy.ctas_per_sm);
}

void Builder::refusals() {
    if (std::all_of(variants_.begin(), variants_.end(), [](const VariantFacts* v) { return runs(*v); })) {
        return;
    }
    table_.row(say(Text::can_run), per_variant([&](const VariantFacts& v) {
                   return runs(v) ? Cell{say(Text::can_run_yes)}
                                  : Cell{say(Text::can_run_no, printable(v.refusal.in(language_))), Style::bad};
               }));
}

void Builder::launch() {
    table_.group(say(Text::group_launch));
    refusals();
    row(Text::grid, [&](const VariantFacts& v) {
        return say(Text::grid_ctas, v.launch.grid.x, v.launch.grid.y, v.launch.grid.z, whole(v.launch.ctas));
    });
    row(Text::axes, [&](const VariantFacts& v) { return v.launch.axes.in(language_); });
    row(Text::ctas_with_work, [](const VariantFacts& v) { return whole(v.launch.ctas_with_work); });
    if (any([](const VariantFacts& v) { return v.launch.splits.has_value(); })) {
        row(Text::splits,
            [&](const VariantFacts& v) { return v.launch.splits ? whole(*v.launch.splits) : say(Text::splits_none); });
    }
    row(Text::owns, [&](const VariantFacts& v) { return owns(v); });
    row(Text::tile, [&](const VariantFacts& v) {
        return say(Text::tile_is, v.launch.tile.block_m, v.launch.tile.block_n, v.launch.tile.head_dim);
    });
    row(Text::threads, [&](const VariantFacts& v) { return say(Text::threads_are, v.launch.threads, warps(v)); });
}

void Builder::occupancy() {
    table_.group(say(Text::group_occupancy));
    row(Text::shared_memory, [](const VariantFacts& v) { return memory_size(v.launch.smem_bytes); });
    row(Text::registers, [](const VariantFacts& v) { return whole(v.launch.registers); });
    table_.row(say(Text::ctas_per_sm), per_variant([&](const VariantFacts& v) {
                   const bool does_not_fit = v.launch.occupancy.limiter == hardware::Limiter::does_not_fit;
                   return runs(v) || does_not_fit ? Cell{ctas_per_sm(v)} : nothing();
               }));
    row(Text::occupancy, [](const VariantFacts& v) { return percent(v.launch.occupancy.fraction); });
    row(Text::sm_fill, [&](const VariantFacts& v) {
        return say(Text::sm_fill_is, whole(v.launch.waves.sms_with_work), whole(comparison_.card.sm_count),
                   percent(v.launch.waves.sm_fill));
    });
    // A kernel that doesn't fit, or has nothing to do, makes no waves.
    cells(Text::waves, [&](const VariantFacts& v) {
        const hardware::Waves& waves = v.launch.waves;
        return waves.waves > 0.0 && v.launch.occupancy.ctas_per_sm > 0
                   ? Cell{say(Text::waves_tail, decimal(waves.waves), percent(last_wave(waves)))}
                   : nothing();
    });
}

void Builder::plain_traffic() {
    table_.span(say(Text::plain_attention),
                {say(Text::plain_traffic, traffic(static_cast<double>(comparison_.plain_read_bytes)),
                     traffic(static_cast<double>(comparison_.plain_write_bytes)))});
}

void Builder::memory(bool with_plain) {
    if (!any_counted()) {
        if (with_plain) {
            table_.group(say(Text::group_memory_computed));
            plain_traffic();
        }
        return;
    }
    table_.group(say(Text::group_memory, how_counted()));
    const auto global = [&](std::uint64_t asked, std::uint64_t distinct, const VariantFacts& v) {
        const std::string amount = traffic(static_cast<double>(asked));
        const bool distinct_known = v.counted->report.unique_read_bytes > 0;
        return distinct_known ? say(Text::global_unique, amount, traffic(static_cast<double>(distinct))) : amount;
    };
    counted(Text::global_read, [&](const simt::Counters& c, const VariantFacts& v) {
        return global(c.global_read_bytes, v.counted->report.unique_read_bytes, v);
    });
    counted(Text::global_write, [&](const simt::Counters& c, const VariantFacts& v) {
        return global(c.global_write_bytes, v.counted->report.unique_write_bytes, v);
    });
    if (with_plain) {
        plain_traffic();
    }
    counted(Text::shared_traffic, [](const simt::Counters& c, const VariantFacts&) {
        return traffic(static_cast<double>(c.shared_bytes()));
    });
    counted(Text::bank_conflicts, [](const simt::Counters& c, const VariantFacts&) {
        return magnitude(static_cast<double>(c.bank_conflicts));
    });
}

void Builder::synchronisation() {
    if (!any_counted()) {
        return;
    }
    table_.group(say(Text::group_synchronisation, how_counted()));
    counted(Text::barriers,
            [](const simt::Counters& c, const VariantFacts&) { return magnitude(static_cast<double>(c.barriers)); });
    counted(Text::barriers_per_cta, [&](const simt::Counters& c, const VariantFacts& v) {
        return v.launch.ctas_with_work > 0
                   ? decimal(static_cast<double>(c.barriers) / static_cast<double>(v.launch.ctas_with_work))
                   : say(Text::not_available);
    });
    const auto warp_barriers = [](const VariantFacts& v) {
        return v.counted && v.counted->report.total.warp_barriers > 0;
    };
    if (any(warp_barriers)) {
        counted(Text::warp_barriers, [](const simt::Counters& c, const VariantFacts&) {
            return magnitude(static_cast<double>(c.warp_barriers));
        });
    }
    counted(Text::shuffles,
            [](const simt::Counters& c, const VariantFacts&) { return magnitude(static_cast<double>(c.shuffles)); });
}

void Builder::arithmetic() {
    if (!any_counted()) {
        return;
    }
    table_.group(say(Text::group_arithmetic, how_counted()));
    const auto needed = static_cast<double>(flops(comparison_.problem));
    counted(Text::mma_flops, [&](const simt::Counters& c, const VariantFacts&) {
        const double executed = mma_flops(c);
        return needed > 0 ? say(Text::mma_flops_are, work(executed), ratio(executed / needed)) : work(executed);
    });
    counted(Text::exponentials,
            [](const simt::Counters& c, const VariantFacts&) { return magnitude(static_cast<double>(c.exp2)); });
    counted(Text::fp32_ops,
            [](const simt::Counters& c, const VariantFacts&) { return magnitude(static_cast<double>(c.fp32_ops())); });
    counted(Text::fp32_per_kiloflop, [&](const simt::Counters& c, const VariantFacts&) {
        return c.mma > 0 ? decimal(fp32_per_kiloflop(c)) : say(Text::not_available);
    });
    counted(Text::divisions,
            [](const simt::Counters& c, const VariantFacts&) { return magnitude(static_cast<double>(c.fp32_div)); });
}

void Builder::gpu_time() {
    if (!any([](const VariantFacts& v) { return v.timed.has_value(); })) {
        return;
    }
    table_.group(say(Text::group_time_gpu));
    const auto timed = [&](Text label, const std::function<std::string(const TimedFacts&)>& text) {
        cells(label, [&](const VariantFacts& v) { return v.timed ? Cell{text(*v.timed)} : nothing(); });
    };
    timed(Text::time_median, [&](const TimedFacts& t) {
        return say(Text::time_is, duration(t.median_us), duration(t.min_us), duration(t.max_us), t.runs);
    });
    timed(Text::tflops, [&](const TimedFacts& t) { return decimal(tflops(comparison_.problem, t.median_us)); });
    const auto base = std::find_if(comparison_.variants.begin(), comparison_.variants.end(),
                                   [](const VariantFacts& v) { return runs(v) && v.timed; });
    if (comparison_.variants.size() > 1) {
        table_.row(say(Text::ratio, base->name), per_variant([&](const VariantFacts& v) {
                       if (!runs(v) || !v.timed) {
                           return nothing();
                       }
                       const double faster = base->timed->median_us / v.timed->median_us;
                       return &v == &*base ? Cell{say(Text::ratio_base)}
                                           : Cell{say(Text::ratio_is, ratio(faster)), Style::bold};
                   }));
    }
}

void Builder::simulation_time() {
    if (comparison_.machine != Machine::cpu ||
        !any([](const VariantFacts& v) { return v.simulation_us.has_value(); })) {
        return;
    }
    table_.group(say(Text::group_time_cpu));
    cells(Text::simulation, [&](const VariantFacts& v) {
        return v.simulation_us ? Cell{duration(*v.simulation_us), Style::dim} : nothing();
    });
}

void Builder::error() {
    table_.group(say(Text::group_error, dtype_name(comparison_.problem.dtype)));
    errors(Text::error_max, [&](const ErrorReport& e) {
        return say(Text::with_allowed, report::error(e.max_abs_error), report::error(e.allowed_max_abs_error));
    });
    errors(Text::error_rms, [](const ErrorReport& e) { return report::error(e.rms_error); });
    errors(Text::error_lse, [&](const ErrorReport& e) {
        return say(Text::with_allowed, report::error(e.lse_max_abs_error), report::error(e.lse_allowed));
    });
    cells(Text::verdict, [&](const VariantFacts& v) {
        const Verdict verdict = v.error ? v.error->verdict : Verdict::not_run;
        return verdict == Verdict::pass   ? Cell{say(Text::verdict_ok), Style::good}
               : verdict == Verdict::fail ? Cell{say(Text::verdict_fail), Style::bad}
                                          : Cell{say(Text::verdict_not_run), Style::dim};
    });
}

void Builder::reference() {
    if (!comparison_.reference) {
        return;
    }
    const ReferenceFacts& facts = *comparison_.reference;
    table_.group(say(Text::group_reference));
    table_.span(say(Text::reference_time), {duration(facts.time_us)});
    table_.span(say(Text::rows_checked),
                {facts.rows_checked == facts.rows_total
                     ? say(Text::rows_all, whole(facts.rows_total))
                     : say(Text::rows_sampled, whole(facts.rows_checked), whole(facts.rows_total))});
    const auto checked = std::find_if(comparison_.variants.begin(), comparison_.variants.end(),
                                      [](const VariantFacts& v) { return v.error.has_value(); });
    if (checked != comparison_.variants.end()) {
        table_.span(say(Text::baseline_error),
                    {say(Text::baseline_error_is, report::error(checked->error->baseline_max_abs_error),
                         report::error(checked->error->baseline_rms_error), dtype_name(comparison_.problem.dtype))});
    }
}

}  // namespace

Table comparison_table(const Comparison& comparison, const std::vector<std::size_t>& indices, bool with_common,
                       Detail detail, Language language) {
    Builder builder(comparison, indices, heading(comparison, indices), language);
    builder.launch();
    builder.occupancy();
    builder.memory(with_common);
    builder.synchronisation();
    builder.arithmetic();
    builder.gpu_time();
    builder.simulation_time();
    if (detail == Detail::compared) {
        builder.error();
        if (with_common) {
            builder.reference();
        }
    }
    return std::move(builder).take();
}

Table reference_table(const Comparison& comparison, Detail detail, Language language) {
    Builder builder(comparison, {}, {{""}, {fill(language, Text::beside), Style::bold}}, language);
    builder.plain_traffic();
    if (detail == Detail::compared) {
        builder.reference();
    }
    return std::move(builder).take();
}

}  // namespace flashlens::report
