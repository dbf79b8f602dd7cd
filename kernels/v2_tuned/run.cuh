// Running v2_tuned: from numbers known at run time to the template instance.
#pragma once

#include "kernels/primitives/clock.cuh"
#include "kernels/primitives/launcher.cuh"
#include "kernels/primitives/math.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2_tuned {

/// One head dim's instances; each is compiled in a file of its own (kernels/instance.in). False: there is no such tile.
template <class Element, int HeadDim, template <class> class Build = Ordinary>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, const CtaOrder& order, Launcher& launcher);

/// Launches v2_tuned with this tile and order (of plan.h). False: it has no such instance.
template <class Element, template <class> class Build = Ordinary>
bool run(const AttentionParams& p, bool causal, const Tile& tile, const CtaOrder& order, Launcher& launcher) {
    switch (tile.head_dim) {
        case 32: return run_head_dim<Element, 32, Build>(p, causal, tile, order, launcher);
        case 64: return run_head_dim<Element, 64, Build>(p, causal, tile, order, launcher);
        case 128: return run_head_dim<Element, 128, Build>(p, causal, tile, order, launcher);
        case 256: return run_head_dim<Element, 256, Build>(p, causal, tile, order, launcher);
        default: return false;
    }
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2_tuned
