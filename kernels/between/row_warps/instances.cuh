// Which tiles this kernel is compiled for: those that plan.h can choose. Only for the files that compile them
// (kernels/instance.in); who runs them includes kernels/between/run.cuh.
#pragma once

#include "kernels/between/instances.cuh"
#include "kernels/between/row_warps/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::row_warps {

template <class Element, int HeadDim, int BlockM, int BlockN, bool Causal>
bool run_if(const AttentionParams& p, const Tile& tile, Launcher& launcher) {
    constexpr Tile compiled{HeadDim, BlockM, BlockN, 4};
    if constexpr (between::is_chosen("row-warps", compiled, Causal) ||
                  between::is_chosen("wide-warps", compiled, Causal)) {
        if (tile == compiled) {
            launch<Traits<Element, HeadDim, BlockM, BlockN, 4>, Causal>(p, launcher);
            return true;
        }
    }
    return false;
}

template <class Element, int HeadDim, int BlockM, int BlockN>
bool run_if(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher) {
    return causal ? run_if<Element, HeadDim, BlockM, BlockN, true>(p, tile, launcher)
                  : run_if<Element, HeadDim, BlockM, BlockN, false>(p, tile, launcher);
}

template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher) {
    if (run_if<Element, HeadDim, 64, 128>(p, causal, tile, launcher) ||
        run_if<Element, HeadDim, 64, 256>(p, causal, tile, launcher)) {  // row-warps
        return true;
    }
    if constexpr (HeadDim <= 64) {  // wide-warps
        return run_if<Element, HeadDim, 128, 128>(p, causal, tile, launcher);
    } else {
        return run_if<Element, HeadDim, 128, 64>(p, causal, tile, launcher) ||
               run_if<Element, HeadDim, 128, 32>(p, causal, tile, launcher) ||
               run_if<Element, HeadDim, 64, 64>(p, causal, tile, launcher);
    }
}

}  // namespace flashlens::FLASHLENS_MACHINE::row_warps
