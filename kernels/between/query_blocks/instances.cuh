// Which tiles this rung is compiled for: those that plan.h can choose. Only for the files that compile them
// (kernels/instance.in); who runs them includes kernels/between/run.cuh.
#pragma once

#include "kernels/between/query_blocks/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::query_blocks {

template <class Element, int HeadDim, int BlockN>
bool run_if(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher) {
    if (tile.block_n != BlockN) {
        return false;
    }
    using T = Traits<Element, HeadDim, BlockN>;
    causal ? launch<T, true>(p, launcher) : launch<T, false>(p, launcher);
    return true;
}

template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher) {
    if constexpr (HeadDim <= 64) {
        return run_if<Element, HeadDim, 128>(p, causal, tile, launcher) ||
               run_if<Element, HeadDim, 256>(p, causal, tile, launcher);
    } else {
        return run_if<Element, HeadDim, 128>(p, causal, tile, launcher);
    }
}

}  // namespace flashlens::FLASHLENS_MACHINE::query_blocks
