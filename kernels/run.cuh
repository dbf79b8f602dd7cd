// Running any of the kernels: from what is known at run time to the launch of one template instance.
#pragma once

#include <string_view>

#include "kernels/v1/run.cuh"
#include "kernels/v2/run.cuh"
#include "kernels/v2_tuned/run.cuh"

namespace flashlens {

/// Which instance of which kernel, and how its grid is cut: what the variants' plan.h choose.
struct KernelInstance {
    std::string_view variant;  ///< "v1", "v2", "v2-tuned"
    DType dtype = DType::fp16;
    bool causal = false;
    Tile tile;
    int num_splits = 1;  ///< v1
    CtaOrder order;      ///< v2-tuned
};

namespace FLASHLENS_MACHINE {

/// Launches it. False: it is not compiled.
inline bool run(const KernelInstance& i, const AttentionParams& p, Launcher& launcher) {
    if (i.variant == "v1") return v1::run(p, i.dtype, i.causal, i.tile, i.num_splits, launcher);
    if (i.variant == "v2") return v2::run(p, i.dtype, i.causal, i.tile, launcher);
    if (i.variant == "v2-tuned") return v2_tuned::run(p, i.dtype, i.causal, i.tile, i.order, launcher);
    return false;
}

}  // namespace FLASHLENS_MACHINE
}  // namespace flashlens
