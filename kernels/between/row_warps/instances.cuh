// Which tiles this rung is compiled for: those that plan.h can choose. Only for the files that compile them
// (kernels/instance.in); who runs them includes kernels/between/run.cuh.
#pragma once

#include "kernels/between/row_warps/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::row_warps {

template <class Element, int HeadDim, int BlockM, int BlockN>
bool run_if(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher) {
    if (!(tile == Tile{HeadDim, BlockM, BlockN, 4})) {
        return false;
    }
    using T = Traits<Element, HeadDim, BlockM, BlockN, 4>;
    causal ? launch<T, true>(p, launcher) : launch<T, false>(p, launcher);
    return true;
}

template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher) {
    if constexpr (HeadDim <= 64) {
        return run_if<Element, HeadDim, 64, 256>(p, causal, tile, launcher) ||  // row-warps
               run_if<Element, HeadDim, 64, 128>(p, causal, tile, launcher) ||
               run_if<Element, HeadDim, 128, 128>(p, causal, tile, launcher);  // wide-warps
    } else {
        return run_if<Element, HeadDim, 64, 128>(p, causal, tile, launcher) ||
               run_if<Element, HeadDim, 128, 64>(p, causal, tile, launcher) ||
               run_if<Element, HeadDim, 128, 32>(p, causal, tile, launcher) ||
               run_if<Element, HeadDim, 64, 64>(p, causal, tile, launcher);
    }
}

}  // namespace flashlens::FLASHLENS_MACHINE::row_warps
