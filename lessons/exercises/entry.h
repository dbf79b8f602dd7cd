// What an exercise and `flashlens practice` tell each other: plain data, and the types of the functions to write.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/attention.h"

namespace flashlens::exercise {

/// 02-num-splits: how many CTAs v1 launches for each batch and head.
using NumSplits = int(std::int64_t batch_heads, int sm_count, int ctas_per_sm, std::int64_t seqlen_q);

/// One run of a kernel, of tensors in the memory of the CPU; see AttentionParams for layouts.
struct GpuRun {
    AttentionParams params;
    bool causal = false;
};

}  // namespace flashlens::exercise
