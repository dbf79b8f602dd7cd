// Running the kernels between v1 and v2: from numbers known at run time to the template instance.
#pragma once

#include <string_view>
#include <type_traits>

#include "kernels/between/rungs.h"
#include "kernels/primitives/launcher.cuh"
#include "kernels/primitives/math.cuh"

namespace flashlens::FLASHLENS_MACHINE {

// One head dim's instances of each; each is compiled in a file of its own (kernels/instance.in). False: there is no such tile.
namespace query_blocks {
template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher);
}
namespace row_warps {
template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher);
}
namespace swapped_loops {
template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher);
}
namespace late_norm {
template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher);
}
namespace masked_loop {
template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher);
}
namespace key_warps {
template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher);
}
namespace async_swapped {
template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher);
}
namespace async_late_norm {
template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher);
}
namespace async_masked_loop {
template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, Launcher& launcher);
}
namespace v1_grid {
template <class Element, int HeadDim>
bool run_head_dim(const AttentionParams& p, bool causal, const Tile& tile, int num_splits, Launcher& launcher);
}

namespace between {

template <class Element, int HeadDim>
bool run_head_dim(std::string_view variant, const AttentionParams& p, bool causal, const Tile& tile, int num_splits,
                  Launcher& launcher) {
    const std::string_view kernel = flashlens::between::kernel_of(variant);
    if (kernel == "query-blocks") return query_blocks::run_head_dim<Element, HeadDim>(p, causal, tile, launcher);
    if (kernel == "row-warps") return row_warps::run_head_dim<Element, HeadDim>(p, causal, tile, launcher);
    if (kernel == "swapped-loops") return swapped_loops::run_head_dim<Element, HeadDim>(p, causal, tile, launcher);
    if (kernel == "late-norm") return late_norm::run_head_dim<Element, HeadDim>(p, causal, tile, launcher);
    if (kernel == "masked-loop") return masked_loop::run_head_dim<Element, HeadDim>(p, causal, tile, launcher);
    if constexpr (std::is_same_v<Element, fp16>) {  // other orders are for measuring: one type does
        if (kernel == "key-warps") return key_warps::run_head_dim<Element, HeadDim>(p, causal, tile, launcher);
        if (kernel == "async-swapped") return async_swapped::run_head_dim<Element, HeadDim>(p, causal, tile, launcher);
        if (kernel == "async-late-norm")
            return async_late_norm::run_head_dim<Element, HeadDim>(p, causal, tile, launcher);
        if (kernel == "async-masked-loop")
            return async_masked_loop::run_head_dim<Element, HeadDim>(p, causal, tile, launcher);
        if (kernel == "v1-grid") return v1_grid::run_head_dim<Element, HeadDim>(p, causal, tile, num_splits, launcher);
    }
    return false;
}

/// Launches the kernel with this tile (of plan.h). False: it has no such instance.
template <class Element>
bool run(std::string_view variant, const AttentionParams& p, bool causal, const Tile& tile, int num_splits,
         Launcher& launcher) {
    switch (tile.head_dim) {
        case 32: return run_head_dim<Element, 32>(variant, p, causal, tile, num_splits, launcher);
        case 64: return run_head_dim<Element, 64>(variant, p, causal, tile, num_splits, launcher);
        case 128: return run_head_dim<Element, 128>(variant, p, causal, tile, num_splits, launcher);
        default: return false;
    }
}

}  // namespace between
}  // namespace flashlens::FLASHLENS_MACHINE
