// Which tiles this kernel is compiled for: those that plan.h can choose. Only for the files that compile them
// (kernels/instance.in); who runs them includes kernels/between/run.cuh.
#pragma once

#include "kernels/between/async_first/kernel.cuh"
#include "kernels/between/instances.cuh"

namespace flashlens::FLASHLENS_MACHINE::async_first {

template <class T, bool Causal>
bool run_if(const AttentionParams& p, const Tile& tile, Launcher& launcher) {
    constexpr Tile compiled{T::head_dim, T::block_m, T::block_n, T::warps};
    if constexpr (between::is_chosen(T::name, compiled, Causal)) {
        if (tile == compiled) {
            launch<T, Causal>(p, launcher);
            return true;
        }
    }
    return false;
}

template <class T>
bool run_if(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher) {
    return causal ? run_if<T, true>(p, tile, launcher) : run_if<T, false>(p, tile, launcher);
}

template <template <class, int, int, int, int> class Traits, class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher) {
    if constexpr (HeadDim <= 64) {
        return run_if<Traits<Element, HeadDim, 128, 128, 4>>(p, causal, tile, launcher);
    } else {
        return run_if<Traits<Element, HeadDim, 128, 64, 4>>(p, causal, tile, launcher) ||
               run_if<Traits<Element, HeadDim, 128, 32, 4>>(p, causal, tile, launcher) ||
               run_if<Traits<Element, HeadDim, 64, 64, 4>>(p, causal, tile, launcher);
    }
}

}  // namespace flashlens::FLASHLENS_MACHINE::async_first

namespace flashlens::FLASHLENS_MACHINE::async_swapped {
template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher) {
    return async_first::run_head_dim<Traits, Element, HeadDim>(p, causal, tile, launcher);
}
}  // namespace flashlens::FLASHLENS_MACHINE::async_swapped

namespace flashlens::FLASHLENS_MACHINE::async_late_norm {
template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher) {
    return async_first::run_head_dim<Traits, Element, HeadDim>(p, causal, tile, launcher);
}
}  // namespace flashlens::FLASHLENS_MACHINE::async_late_norm

namespace flashlens::FLASHLENS_MACHINE::async_masked_loop {
template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher) {
    return async_first::run_head_dim<Traits, Element, HeadDim>(p, causal, tile, launcher);
}
}  // namespace flashlens::FLASHLENS_MACHINE::async_masked_loop
