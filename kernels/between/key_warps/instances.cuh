// Which tiles this kernel is compiled for: those that plan.h can choose. Only for the files that compile them
// (kernels/instance.in); who runs them includes kernels/between/run.cuh.
#pragma once

#include "kernels/between/instances.cuh"
#include "kernels/between/key_warps/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::key_warps {

template <class Element, int HeadDim, int BlockM, int BlockN, bool Causal>
bool run_if(const AttentionParams& p, const Tile& tile, Launcher& launcher) {
    constexpr Tile compiled{HeadDim, BlockM, BlockN, 4};
    if constexpr (between::is_chosen("key-warps", compiled, Causal)) {
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
    constexpr int block_m = HeadDim <= 32 ? 128 : HeadDim <= 64 ? 64 : 32;
    constexpr int block_n = HeadDim <= 32 ? 64 : 128;
    return run_if<Element, HeadDim, block_m, block_n>(p, causal, tile, launcher);
}

}  // namespace flashlens::FLASHLENS_MACHINE::key_warps
