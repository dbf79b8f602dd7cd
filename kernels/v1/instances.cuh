// Which tiles v1 is compiled for: those that plan.h can choose. Only for the files that compile them (kernels/instance.in);
// who runs them includes run.cuh.
#pragma once

#include "kernels/v1/kernel.cuh"

namespace flashlens::FLASHLENS_MACHINE::v1 {

template <class Traits>
bool run_tile(const AttentionParams& p, bool causal, int num_splits, Launcher& launcher) {
    causal ? launch<Traits, true>(p, num_splits, launcher) : launch<Traits, false>(p, num_splits, launcher);
    return true;
}

template <class Element, int HeadDim, template <class> class Build>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, int num_splits, Launcher& launcher) {
    if (tile.block_n == 128) {
        return run_tile<Build<Traits<Element, HeadDim, 128>>>(p, causal, num_splits, launcher);
    }
    if constexpr (HeadDim < 128) {
        if (tile.block_n == 256) {
            return run_tile<Build<Traits<Element, HeadDim, 256>>>(p, causal, num_splits, launcher);
        }
    }
    return false;
}

}  // namespace flashlens::FLASHLENS_MACHINE::v1
