// Figures that follow from a comparison's facts; the table, the why and the JSON all read them here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "explorer/comparison.h"

namespace flashlens::report {

/// Does the kernel run this shape on this card?
bool runs(const VariantFacts& variant);

/// FLOPs of the mma instructions that ran, masked and padded parts too: each m16n8k16 is 4096, each m16n8k8 2048.
double mma_flops(const simt::Counters& counters);
/// Of fp32_ops, per 1,000 FLOPs of mma.
double fp32_per_kiloflop(const simt::Counters& counters);
/// Bytes that a variant asks of global memory, both ways.
double global_bytes(const simt::Counters& counters);
/// How full the last wave is, 0..1; 0 without a wave.
double last_wave(const hardware::Waves& waves);
/// Keys that the last query, which sees the most, sees.
std::int64_t visible_keys(const Problem& problem);
/// Key blocks of the variant that hold them.
std::int64_t key_blocks(const Problem& problem, const Tile& tile);
/// By the FLOPs of the problem, not by those of the mma instructions.
double tflops(const Problem& problem, double microseconds);
/// Below this, launching a kernel takes much of its time.
inline constexpr double launch_overhead_us = 20.0;

}  // namespace flashlens::report
