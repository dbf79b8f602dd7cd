// Which tiles v2_tuned is compiled for: those that plan.h can choose. Only for the files that compile them
// (kernels/instance.in); who runs them includes run.cuh.
#pragma once

#include "kernels/v2_tuned/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2_tuned {

template <class Element, int HeadDim, int BlockM, int BlockN, int Warps, template <class> class Build>
bool run_if(const AttentionParams& p, bool causal, const Tile& tile, const CtaOrder& order, Launcher& launcher) {
    if (!(tile == Tile{HeadDim, BlockM, BlockN, Warps})) {
        return false;
    }
    using T = Build<Traits<Element, HeadDim, BlockM, BlockN, Warps>>;
    causal ? launch<T, true>(p, order, launcher) : launch<T, false>(p, order, launcher);
    return true;
}

template <class Element, int HeadDim, template <class> class Build>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, const CtaOrder& order, Launcher& launcher) {
    if constexpr (HeadDim <= 64) {
        return run_if<Element, HeadDim, 128, 64, 4, Build>(p, causal, tile, order, launcher) ||
               run_if<Element, HeadDim, 64, 128, 4, Build>(p, causal, tile, order, launcher);
    } else if constexpr (HeadDim == 128) {
        return run_if<Element, HeadDim, 128, 64, 4, Build>(p, causal, tile, order, launcher) ||
               run_if<Element, HeadDim, 128, 32, 4, Build>(p, causal, tile, order, launcher) ||
               run_if<Element, HeadDim, 64, 64, 4, Build>(p, causal, tile, order, launcher) ||
               run_if<Element, HeadDim, 64, 32, 4, Build>(p, causal, tile, order, launcher);
    } else {
        return run_if<Element, HeadDim, 128, 64, 8, Build>(p, causal, tile, order, launcher) ||
               run_if<Element, HeadDim, 128, 32, 8, Build>(p, causal, tile, order, launcher) ||
               run_if<Element, HeadDim, 64, 32, 4, Build>(p, causal, tile, order, launcher);
    }
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2_tuned
