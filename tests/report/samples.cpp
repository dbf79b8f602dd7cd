#include "samples.h"

#include <algorithm>
#include <cmath>

#include "say.h"

namespace flashlens::report::samples {
namespace {

hardware::Card a100() {
    hardware::Card card;
    card.name = "A100 40GB";
    card.chip = 80;
    card.sm_count = 108;
    card.max_threads_per_sm = 2048;
    card.max_ctas_per_sm = 32;
    card.shared_bytes_per_sm = 167936;
    card.max_shared_bytes_per_cta = 166912;
    card.reserved_shared_bytes_per_cta = 1024;
    card.matmul_tflops = 312;
    card.fp32_tflops = 19.5;
    card.memory_gb_per_s = 1555;
    card.source = {"NVIDIA A100 data sheet", "NVIDIA A100 data sheet"};
    return card;
}

VariantFacts v1() {
    VariantFacts facts;
    facts.name = "v1";
    facts.launch.tile = {64, 16, 256, 4};
    facts.launch.grid = {2, 16, 13};
    facts.launch.axes = say("batch, head, split");
    facts.launch.owns = "every 13th 16-row query tile";
    facts.launch.warps = "4 warps over keys";
    facts.launch.warps_split_keys = true;
    facts.launch.threads = 128;
    facts.launch.smem_bytes = 36992;
    facts.launch.registers = 255;
    facts.launch.occupancy = {2, hardware::Limiter::registers, 0.125, {}};
    facts.launch.waves = {416.0 / 216.0, 108, 1.0};
    facts.launch.ctas = 416;
    facts.launch.ctas_with_work = 416;
    facts.launch.splits = 13;
    CountedFacts counted;
    counted.report.total.global_read_bytes = 64'000'000;
    counted.report.total.global_write_bytes = 6'400'000;
    counted.report.total.shared_read_bytes = 200'000'000;
    counted.report.total.shared_write_bytes = 100'000'000;
    counted.report.total.barriers = 8'192;
    counted.report.total.shuffles = 1'000'000;
    counted.report.total.mma = 524'288;
    counted.report.total.exp2 = 9'000'000;
    counted.report.total.fp32_fma = 40'000'000;
    counted.report.total.fp32_div = 2'000'000;
    counted.report.ctas_run = 416;
    counted.report.steps = {{"gemm_q_k", counted.report.total}, {"", {}}};
    facts.counted = counted;
    ErrorReport error;
    error.max_abs_error = 1.1e-4;
    error.rms_error = 1.2e-5;
    error.baseline_max_abs_error = 1.3e-4;
    error.baseline_rms_error = 1.3e-5;
    error.allowed_max_abs_error = 2.7e-4;
    error.lse_max_abs_error = 4e-7;
    error.lse_allowed = 7e-5;
    error.elements_checked = 1'048'576;
    error.verdict = Verdict::pass;
    facts.error = error;
    facts.simulation_us = 612'345.0;
    return facts;
}

VariantFacts v2() {
    VariantFacts facts = v1();
    facts.name = "v2";
    facts.launch.tile = {64, 128, 128, 4};
    facts.launch.grid = {4, 2, 16};
    facts.launch.axes = say("query block, batch, head");
    facts.launch.owns = "one 128-row query block";
    facts.launch.warps = "4 warps over query rows";
    facts.launch.warps_split_keys = false;
    facts.launch.query_rows = 128;
    facts.launch.smem_bytes = 49152;
    facts.launch.waves = {128.0 / 216.0, 108, 1.0};
    facts.launch.ctas = 128;
    facts.launch.ctas_with_work = 128;
    facts.launch.splits.reset();
    facts.counted->report.total.global_read_bytes = 18'000'000;
    facts.counted->report.total.global_write_bytes = 2'200'000;
    facts.counted->report.total.shared_read_bytes = 50'000'000;
    facts.counted->report.total.shared_write_bytes = 20'000'000;
    facts.counted->report.total.barriers = 1'024;
    facts.counted->report.total.fp32_fma = 20'000'000;
    facts.counted->report.total.fp32_div = 65'536;
    facts.simulation_us = 498'000.0;
    return facts;
}

template <typename Value, std::size_t Count>
Value one_of(std::mt19937_64& generator, const Value (&values)[Count]) {
    return values[generator() % Count];
}

/// Of any magnitude up to 10^digits; small whole numbers, and so equal pairs, are common.
std::uint64_t amount(std::mt19937_64& generator, int digits) {
    const double scale = std::pow(10.0, static_cast<double>(generator() % static_cast<unsigned>(digits + 1)));
    return generator() % (static_cast<std::uint64_t>(scale) + 1);
}

simt::Counters counters(std::mt19937_64& generator) {
    simt::Counters c;
    for (std::uint64_t* count :
         {&c.global_read_bytes, &c.global_write_bytes, &c.shared_read_bytes, &c.shared_write_bytes, &c.barriers,
          &c.shuffles, &c.mma, &c.exp2, &c.fp32_fma, &c.fp32_mul, &c.fp32_div, &c.fp32_compare, &c.fp32_select}) {
        *count = amount(generator, 13);
    }
    return c;
}

/// v1's steps that v2 does without, each with a part of the whole, or none.
std::vector<simt::StepCounters> steps(std::mt19937_64& generator, const simt::Counters& total) {
    simt::Counters exchange;
    exchange.shared_read_bytes = total.shared_read_bytes / 8 * (generator() % 8);
    exchange.shared_write_bytes = total.shared_write_bytes / 8 * (generator() % 8);
    simt::Counters passed;
    passed.global_write_bytes = total.global_write_bytes / 8 * (generator() % 8);
    return {{"gemm_q_k", total}, {"reduce_max", exchange}, {"store o_tmp", passed}};
}

}  // namespace

Comparison explained() {
    Comparison result = simulated();
    for (VariantFacts& variant : result.variants) {
        variant.counted.reset();
        variant.error.reset();
        variant.simulation_us.reset();
    }
    result.reference.reset();
    return result;
}

Comparison simulated() {
    Comparison result;
    result.problem.batch = 2;
    result.problem.heads = 16;
    result.problem.kv_heads = 16;
    result.problem.seqlen_q = 512;
    result.problem.seqlen_k = 512;
    result.card = a100();
    result.variants = {v1(), v2()};
    result.reference = ReferenceFacts{150'000.0, 16'384, 16'384};
    result.plain_read_bytes = 39'845'888;
    result.plain_write_bytes = 35'651'584;
    return result;
}

Comparison timed() {
    Comparison result = simulated();
    result.machine = Machine::gpu;
    result.card_is_here = true;
    result.variants[0].timed = TimedFacts{161.2, 158.0, 170.9, 20};
    result.variants[1].timed = TimedFacts{115.4, 113.1, 118.8, 20};
    return result;
}

Comparison random(std::mt19937_64& generator) {
    Comparison result = simulated();
    Problem& problem = result.problem;
    problem.batch = static_cast<std::int64_t>(amount(generator, 2));
    problem.heads = static_cast<std::int64_t>(1 + amount(generator, 2));
    problem.kv_heads = problem.heads;
    problem.seqlen_q = static_cast<std::int64_t>(amount(generator, 5));
    problem.seqlen_k = static_cast<std::int64_t>(amount(generator, 5));
    problem.causal = generator() % 2 == 0;
    problem.align = generator() % 2 == 0 ? Align::bottom_right : Align::top_left;
    result.card.sm_count = one_of(generator, {1, 40, 82, 108, 132});
    result.card.fp32_tflops = one_of(generator, {0.0, 19.5, 82.6});
    result.plain_read_bytes = static_cast<std::int64_t>(amount(generator, 12));
    result.plain_write_bytes = static_cast<std::int64_t>(amount(generator, 12));
    const bool counted = generator() % 4 != 0;
    const bool timed = generator() % 2 == 0;
    const bool like = counted && generator() % 2 == 0;  // counters of about one size, as real ones are
    for (VariantFacts& variant : result.variants) {
        if (generator() % 10 == 0) {
            variant.refusal = {"head dim 256 is over v1's limit of 128", "head dim 256 is over v1's limit of 128"};
        }
        LaunchFacts& launch = variant.launch;
        launch.ctas_with_work = variant.name == "v2" && problem.seqlen_q <= 128 && generator() % 2 == 0
                                    ? problem.batch * problem.heads
                                    : static_cast<std::int64_t>(amount(generator, 4));
        launch.ctas = launch.ctas_with_work;
        launch.occupancy.ctas_per_sm = one_of(generator, {1, 2, 3});
        launch.occupancy.fraction = launch.occupancy.ctas_per_sm * launch.threads / 2048.0;
        launch.waves.sms_with_work =
            static_cast<int>(std::min<std::int64_t>(launch.ctas_with_work, result.card.sm_count));
        launch.waves.sm_fill = static_cast<double>(launch.waves.sms_with_work) / result.card.sm_count;
        launch.waves.waves =
            static_cast<double>(launch.ctas_with_work) / (result.card.sm_count * launch.occupancy.ctas_per_sm);
        if (launch.splits) {
            launch.splits = one_of(generator, {1, 2, 13, 29});
        }
        if (counted) {
            variant.counted->report.total = counters(generator);
            if (variant.name == "v1") {
                variant.counted->report.steps = steps(generator, variant.counted->report.total);
            }
        } else {
            variant.counted.reset();
        }
        if (timed) {
            const double us = 0.5 + static_cast<double>(amount(generator, 5));
            variant.timed = TimedFacts{us, us * 0.9, us * 1.2, 20};
        }
    }
    if (like) {
        simt::Counters& fast = result.variants[1].counted->report.total;
        fast = result.variants[0].counted->report.total;
        for (std::uint64_t* count : {&fast.global_read_bytes, &fast.shared_read_bytes, &fast.fp32_fma, &fast.fp32_div,
                                     &fast.fp32_compare, &fast.fp32_select}) {
            *count = *count / 8 * (generator() % 10);
        }
    }
    if (timed && generator() % 3 == 0) {
        result.variants[1].timed->median_us =
            result.variants[0].timed->median_us * one_of(generator, {1.0, 1.001, 1.02, 1.04});
    }
    return result;
}

}  // namespace flashlens::report::samples
