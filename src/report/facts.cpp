#include "report/facts.h"

#include <algorithm>
#include <cmath>

namespace flashlens::report {

bool runs(const VariantFacts& variant) {
    return variant.refusal.empty();
}

double mma_flops(const simt::Counters& counters) {
    return static_cast<double>(counters.mma_flops());
}

double fp32_per_kiloflop(const simt::Counters& counters) {
    return 1000.0 * static_cast<double>(counters.fp32_ops()) / mma_flops(counters);
}

double global_bytes(const simt::Counters& counters) {
    return static_cast<double>(counters.global_read_bytes) + static_cast<double>(counters.global_write_bytes);
}

double last_wave(const hardware::Waves& waves) {
    return waves.waves > 0.0 ? waves.waves - std::ceil(waves.waves) + 1.0 : 0.0;
}

std::int64_t visible_keys(const Problem& problem) {
    if (!problem.causal) {
        return problem.seqlen_k;
    }
    return std::clamp<std::int64_t>(problem.seqlen_q + problem.diagonal(), 0, problem.seqlen_k);
}

std::int64_t key_blocks(const Problem& problem, const Tile& tile) {
    return tile.block_n > 0 ? (visible_keys(problem) + tile.block_n - 1) / tile.block_n : 0;
}

double tflops(const Problem& problem, double microseconds) {
    return static_cast<double>(flops(problem)) / microseconds / 1e6;
}

}  // namespace flashlens::report
