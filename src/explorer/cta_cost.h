// What a CTA costs an SM: a model, made of what the CPU machine counts of the CTA and of what an SM does in a microsecond.
//
// Each unit of an SM (tensor cores, special function units, fp32 lanes, shared memory) needs some time at its full rate for the
// CTA's operations. Alone on an SM the CTA takes a share of the sum of these times, as its units overlap in part, and some
// time for each of its barriers, where what waits for memory and for long instructions comes together. CTAs that share an SM
// slow each other down.
//
// The three constants are fitted to 52 times of the original v1 and v2 kernels on an H200 (fp16; head dims 32 to 256, lengths
// 512 to 16384, with and without a causal mask, from 29 CTAs to 16384): most come out within 20 %, the worst 44 % off. Left
// out: caches and bandwidth, whether a copy is waited for or not (cp.async), spilled registers, clocks that change, and
// whatever else differs between cards.
#pragma once

#include <cstddef>
#include <vector>

#include "explorer/cta_classes.h"
#include "simt/counters.h"

namespace flashlens {

/// Of the sum of its units' times.
inline constexpr double overlapped_share = 0.65;
inline constexpr double cycles_per_barrier = 700.0;
/// What each other CTA on the SM adds to a CTA's time, as a share of it.
inline constexpr double crowding = 0.5;

/// What an SM does in a microsecond.
struct SmRates {
    double clock_ghz = 0.0;     ///< that the data sheet's rates are at
    double matmul_flops = 0.0;  ///< of mma.sync
    double fp32 = 0.0;          ///< operations, a fused multiply-add counted as one
    double special = 0.0;       ///< exponentials and logarithms
    double wavefronts = 0.0;    ///< of shared memory, 128 bytes each
};

/// Of a card whose data sheet is known (its rates are not 0).
SmRates sm_rates(const hardware::Card& card);

/// Microseconds that a CTA takes alone on an SM.
double cta_cost(const simt::Counters& counters, const SmRates& rates);

/// The speed of each of so many CTAs on an SM; that of one alone is 1.
double speed_of_each(int ctas);

/// The classes whose CTAs are counted: all; or, where that would be more than `flops_allowed`, some along the query rows,
/// among them the first and the last two of each alignment.
std::vector<std::size_t> classes_counted(const std::vector<CtaClasses::Class>& classes, double flops_of_all,
                                         double flops_allowed);

/// The cost of each class, from those of the classes that were counted: between them by its place.
std::vector<double> costs_of_all(const std::vector<CtaClasses::Class>& classes, const std::vector<std::size_t>& counted,
                                 const std::vector<double>& costs);

}  // namespace flashlens
