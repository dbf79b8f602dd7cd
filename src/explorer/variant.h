// The kernels as the explorer sees them: one entry each, planned and run the same way.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explorer/comparison.h"
#include "explorer/cta_work.h"
#include "explorer/explorer.h"
#include "explorer/inputs.h"
#include "gpu/gpu.h"

namespace flashlens {

/// Every kernel, in the order shown.
std::vector<std::string> all_variants();
/// The ladder from v1 to v2: both, and the kernels between them, one change from each to the next.
std::vector<std::string> ladder_variants();
/// Those that run unless others are asked for: v1 and v2.
std::vector<std::string> default_variants();

/// How `variant` would cut and launch the problem on the card, or why it can't (refusal set, launch as far as it is known).
/// On the card of this machine registers are the driver's; else those of the table in src/hardware.
VariantFacts plan(std::string_view variant, const Problem& problem, const hardware::Card& card, bool card_is_here,
                  std::optional<int> splits);

/// Sizes, diagonal and scale as the kernels take them; pointers null.
AttentionParams kernel_params(const Problem& problem);

/// The launch that a plan describes, for the GPU.
gpu::Call gpu_call(const VariantFacts& planned, const Problem& problem);

/// gpu::run of these plans, which all run.
std::vector<gpu::Run> run_on_gpu(const std::vector<const VariantFacts*>& planned, const Problem& problem,
                                 const Inputs& inputs, int samples);

/// Of samples in ascending order, at least one.
TimedFacts timed_facts(std::span<const double> sorted_us);

struct CpuRun {
    std::vector<std::uint16_t> o;  ///< layouts of kernels/attention.h
    std::vector<float> lse;
    CountedFacts counted;
};

/// Executes every CTA of a planned launch on the CPU machine, outputs and scratch poisoned. Throws simt::KernelError for a
/// kernel that breaks CUDA's rules. progress gets the share of CTAs done.
CpuRun run_on_cpu(const VariantFacts& planned, const Problem& problem, const Inputs& inputs,
                  const std::function<void(double)>& progress);

/// The counters alone, of one CTA for all that do the same work, without computing values: it needs no inputs, and no more
/// memory for a large problem than for a small one.
CountedFacts count_on_cpu(const VariantFacts& planned, const Problem& problem,
                          const std::function<void(double)>& progress);

/// The counters of these CTAs, one after the other, each as count_on_cpu counts. progress gets the share done.
std::vector<simt::Counters> count_ctas(const VariantFacts& planned, const Problem& problem,
                                       std::span<const GridPlace> ctas, const std::function<void(double)>& progress);

/// About how many of the problem's FLOPs count_on_cpu has to execute, for estimates of how long it takes.
double counting_flops(const VariantFacts& planned, const Problem& problem);

}  // namespace flashlens
