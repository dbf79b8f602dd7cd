// What an exercise and `flashlens practice` tell each other: plain data, and the types of the functions to write.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/attention.h"

namespace flashlens::exercise {

/// 02-num-splits: how many CTAs v1 launches for each batch and head.
using NumSplits = int(std::int64_t batch_heads, int sm_count, int ctas_per_sm, std::int64_t seqlen_q);

/// 03-splits-merge-nothing: what a kernel wrote. O is 16-bit words, lse is fp32; see AttentionParams for layouts.
struct Outputs {
    std::vector<std::uint16_t> o;
    std::vector<float> lse;
};
/// A kernel and one problem to run it on. The same question always has the same answer.
struct Laboratory {
    /// Runs it with num_splits CTAs for each batch and head, 1 to most_splits. Each run takes time: no more than most_runs.
    std::function<Outputs(int num_splits)> run;
    int most_splits = 30;
    int most_runs = 40;
};
/// Whether the number of splits makes no difference to what comes out, in any bit.
using SplitsMergeNothing = bool(const Laboratory& laboratory);

/// One run of a kernel, of tensors in the memory of the CPU; see AttentionParams for layouts.
struct GpuRun {
    AttentionParams params;
    bool causal = false;
};

}  // namespace flashlens::exercise
