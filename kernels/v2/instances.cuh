// Which tiles v2 is compiled for: those that plan.h can choose. Only for the files that compile them (kernels/instance.in);
// who runs them includes run.cuh.
#pragma once

#include "kernels/v2/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::v2 {

template <class Element, int HeadDim, int BlockM, int BlockN, int Warps, template <class> class Build>
bool run_if(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher) {
    if (!(tile == Tile{HeadDim, BlockM, BlockN, Warps})) {
        return false;
    }
    using T = Build<Traits<Element, HeadDim, BlockM, BlockN, Warps>>;
    causal ? launch<T, true>(p, launcher) : launch<T, false>(p, launcher);
    return true;
}

template <class Element, int HeadDim, template <class> class Build>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher) {
    if constexpr (Element::chip < 80) {
        return run_if < Element, HeadDim, HeadDim <= 64 ? 128 : 64,
               HeadDim <= 32   ? 128
               : HeadDim <= 64 ? 64
                               : 32,
               4, Build > (p, causal, tile, launcher);
    } else if constexpr (HeadDim <= 64) {
        return run_if<Element, HeadDim, 128, 128, 4, Build>(p, causal, tile, launcher);
    } else if constexpr (HeadDim == 128) {
        return run_if<Element, HeadDim, 128, 64, 4, Build>(p, causal, tile, launcher) ||
               run_if<Element, HeadDim, 128, 32, 4, Build>(p, causal, tile, launcher) ||
               run_if<Element, HeadDim, 64, 64, 4, Build>(p, causal, tile, launcher);
    } else {
        return run_if<Element, HeadDim, 64, 64, 4, Build>(p, causal, tile, launcher) ||
               run_if<Element, HeadDim, 128, 64, 8, Build>(p, causal, tile, launcher);
    }
}

}  // namespace flashlens::FLASHLENS_MACHINE::v2
