// Every word that the commands print, by name, in each language.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace flashlens::report {

enum class Language { en, zh };

/// "en" or "zh"; nothing for another name.
std::optional<Language> find_language(std::string_view name);
/// zh for a locale that starts with "zh", else en.
Language language_of_locale(std::string_view locale);

/// The catalogues (catalogue_en.cpp, catalogue_zh.cpp) hold each of these exactly once, or they don't compile. Places
/// to fill are {0}, {1}, ...; a test holds that both languages use the same ones.
enum class Text {
    // header
    title_compare,
    title_explain,
    full_mask,
    causal_bottom_right,
    causal_top_left,
    inputs,
    inputs_random,
    inputs_files,
    work,
    work_figures,
    card,
    card_here,
    card_not_here,
    card_source,
    machine,
    machine_cpu,
    machine_gpu,
    all_zero,
    // groups
    group_launch,
    group_occupancy,
    group_memory,
    group_memory_computed,
    group_synchronisation,
    group_arithmetic,
    group_time_gpu,
    group_time_cpu,
    group_error,
    group_reference,
    beside,
    counted_all,
    counted_sampled,
    // rows
    can_run,
    can_run_yes,
    can_run_no,
    grid,
    grid_ctas,
    axes,
    ctas_with_work,
    owns,
    owns_every_split,
    owns_all_tiles,
    owns_query_block,
    tile,
    tile_is,
    splits,
    splits_none,
    threads,
    threads_are,
    warps_over_keys,
    warps_over_rows,
    shared_memory,
    registers,
    ctas_per_sm,
    ctas_per_sm_limited,
    does_not_fit,
    occupancy,
    sm_fill,
    sm_fill_is,
    waves,
    waves_tail,
    global_read,
    global_write,
    global_unique,
    plain_attention,
    plain_traffic,
    shared_traffic,
    bank_conflicts,
    barriers,
    barriers_per_cta,
    warp_barriers,
    shuffles,
    mma_flops,
    mma_flops_are,
    exponentials,
    fp32_ops,
    fp32_per_kiloflop,
    divisions,
    time_median,
    time_is,
    tflops,
    ratio,
    ratio_is,
    ratio_base,
    simulation,
    error_max,
    error_rms,
    error_lse,
    with_allowed,
    verdict,
    verdict_ok,
    verdict_fail,
    verdict_not_run,
    reference_time,
    rows_checked,
    rows_all,
    rows_sampled,
    baseline_error,
    baseline_error_is,
    not_available,
    // limiters
    limiter_threads,
    limiter_registers,
    limiter_shared_memory,
    limiter_ctas,
    // notes
    note_launch_overhead,
    note_failed,
    note_requests,
    why,
    // the why: sentences
    n_ctas,
    one_cta,
    why_faster,
    why_same_time,
    why_launch_overhead,
    why_unexplained,
    why_fill_differs,
    why_fill_full,
    why_fill_same,
    why_one_query_block,
    why_splits,
    why_tail,
    why_occupancy_same,
    why_occupancy_differs,
    why_o_tmp,
    why_o_tmp_uncounted,
    why_one_key_block,
    why_merging,
    why_barriers,
    why_shared,
    why_fp32,
    why_fp32_card,
    why_padding,
    why_reads,
    why_plain_saves,
    why_plain_does_not_save,
    why_single_fill,
    why_single_full,
    why_single_occupancy,
    why_single_plain_saves,
    why_single_plain_does_not_save,
    // devices
    devices_here,
    devices_none_here,
    devices_known,
    device_name,
    device_sms,
    device_shared_per_sm,
    device_shared_per_cta,
    device_matmul,
    device_fp32,
    device_memory,
    device_summary,
    device_unit_note,
    // bench
    title_bench,
    bench_card,
    bench_inputs,
    bench_timing,
    bench_rates,
    bench_limit_measured,
    bench_limit_nominal,
    bench_limit_unknown,
    bench_limit_why,
    bench_checked_sample,
    bench_checked_all,
    bench_unchecked,
    bench_causal,
    bench_causal_bottom_right,
    bench_causal_top_left,
    bench_variant,
    bench_of_limit,
    bench_time,
    bench_spread,
    bench_times_base,
    bench_line,
    bench_summary,
    bench_failed,
    bench_brief,
    bench_wide,
    count_,
};

inline constexpr std::size_t text_count = static_cast<std::size_t>(Text::count_);

std::string_view text(Language language, Text name);

/// The text with its places filled.
template <typename... Values>
std::string fill(Language language, Text name, const Values&... values) {
    return fmt::format(fmt::runtime(text(language, name)), values...);
}

}  // namespace flashlens::report
