#include "explorer/cta_cost.h"

#include <algorithm>
#include <cmath>

namespace flashlens {
namespace {

/// Per SM and cycle, by the CUDA C++ programming guide's table of the throughput of native arithmetic instructions: 32-bit
/// floating-point add, multiply and multiply-add.
double fp32_per_cycle(Chip chip) {
    return chip <= 80 ? 64.0 : 128.0;
}
/// The same table: base-2 logarithm and base-2 exponential.
constexpr double special_per_cycle = 16.0;
/// 32 banks of 4 bytes in each cycle (the same guide, on shared memory).
constexpr double wavefronts_per_cycle = 1.0;
/// The most that mma.sync gives, per SM and cycle: 633 TFLOP/s on an H200, whose data sheet's rate only wgmma reaches. On newer
/// chips, too, data sheets speak of other instructions.
constexpr double most_mma_flops_per_cycle = 633e12 / 132 / 1.98e9;

}  // namespace

SmRates sm_rates(const hardware::Card& card) {
    const double sms = card.sm_count;
    SmRates rates;
    rates.fp32 = card.fp32_tflops * 1e6 / 2 / sms;
    const double cycles = rates.fp32 / fp32_per_cycle(card.chip);  // in a microsecond
    rates.clock_ghz = cycles * 1e-3;
    rates.matmul_flops = std::min(card.matmul_tflops * 1e6 / sms, most_mma_flops_per_cycle * cycles);
    rates.special = special_per_cycle * cycles;
    rates.wavefronts = wavefronts_per_cycle * cycles;
    return rates;
}

double cta_cost(const simt::Counters& counters, const SmRates& rates) {
    const auto us = [](std::uint64_t operations, double per_us) { return static_cast<double>(operations) / per_us; };
    return overlapped_share *
               (us(counters.mma_flops(), rates.matmul_flops) + us(counters.exp2 + counters.log2, rates.special) +
                us(counters.fp32_ops(), rates.fp32) + us(counters.shared_wavefronts(), rates.wavefronts)) +
           us(counters.barriers, rates.clock_ghz * 1e3 / cycles_per_barrier);
}

double speed_of_each(int ctas) {
    return 1.0 / (1.0 + crowding * (ctas - 1));
}

std::vector<std::size_t> classes_counted(const std::vector<CtaClasses::Class>& classes, double flops_of_all,
                                         double flops_allowed) {
    const auto every = static_cast<std::size_t>(std::max(std::ceil(flops_of_all / flops_allowed), 1.0));
    std::vector<std::size_t> counted;
    std::size_t first = 0;  // of its alignment
    for (std::size_t i = 0; i < classes.size(); ++i) {
        first = classes[i].alignment == classes[first].alignment ? first : i;
        const bool one_of_last_two = i + 2 >= classes.size() || classes[i + 2].alignment != classes[i].alignment;
        if ((i - first) % every == 0 || one_of_last_two) {
            counted.push_back(i);
        }
    }
    return counted;
}

std::vector<double> costs_of_all(const std::vector<CtaClasses::Class>& classes, const std::vector<std::size_t>& counted,
                                 const std::vector<double>& costs) {
    std::vector<double> all(classes.size());
    for (std::size_t n = 0; n < counted.size(); ++n) {
        all[counted[n]] = costs[n];
        if (n == 0) {
            continue;
        }
        // What lies between two that were counted is of their alignment: its first and last class were.
        const auto& before = classes[counted[n - 1]];
        const auto& after = classes[counted[n]];
        for (std::size_t i = counted[n - 1] + 1; i < counted[n]; ++i) {
            const double share =
                static_cast<double>(classes[i].place - before.place) / static_cast<double>(after.place - before.place);
            all[i] = costs[n - 1] + share * (costs[n] - costs[n - 1]);
        }
    }
    return all;
}

}  // namespace flashlens
