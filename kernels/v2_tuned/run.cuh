// Running v2_tuned: from numbers known at run time to the template instance.
#pragma once

#include "kernels/primitives/launcher.cuh"
#include "kernels/primitives/math.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2_tuned {

/// One head dim's instances; each is compiled in a file of its own (kernels/instance.in). False: there is no such tile.
template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, const CtaOrder& order, Launcher& launcher);

template <class Element>
bool run_element(const AttentionParams& p, bool causal, const Tile& tile, const CtaOrder& order, Launcher& launcher) {
    switch (tile.head_dim) {
        case 32: return run_head_dim<Element, 32>(p, causal, tile, order, launcher);
        case 64: return run_head_dim<Element, 64>(p, causal, tile, order, launcher);
        case 128: return run_head_dim<Element, 128>(p, causal, tile, order, launcher);
        case 256: return run_head_dim<Element, 256>(p, causal, tile, order, launcher);
        default: return false;
    }
}

/// Launches v2_tuned with this tile and order (of plan.h). False: it has no such instance.
inline bool run(const AttentionParams& p, DType dtype, bool causal, const Tile& tile, const CtaOrder& order,
                Launcher& launcher) {
    return dtype == DType::fp16 ? run_element<fp16>(p, causal, tile, order, launcher)
                                : run_element<bf16>(p, causal, tile, order, launcher);
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2_tuned
