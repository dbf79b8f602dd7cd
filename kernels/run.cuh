// Running any of the kernels: from what is known at run time to the launch of one template instance.
#pragma once

#include <string_view>
#include <type_traits>

#include "kernels/between/run.cuh"
#include "kernels/v1/run.cuh"
#include "kernels/v2/run.cuh"
#include "kernels/v2_tuned/run.cuh"

namespace flashlens {

/// Which instance of which kernel, and how its grid is cut: what the variants' plan.h choose.
struct KernelInstance {
    std::string_view variant;  ///< "v1", "v2", "v2-tuned", or one of kernels/between
    DType dtype = DType::fp16;
    bool causal = false;
    Tile tile;
    int num_splits = 1;  ///< v1, v1-grid
    CtaOrder order;      ///< v2-tuned
    Chip chip = 80;      ///< whose instructions: sm_75's kernels are instances of their own
};

namespace FLASHLENS_MACHINE {

template <template <class> class Build>
inline constexpr bool is_ordinary = std::is_same_v<Build<void>, void>;

/// There are timed instances of v1, v2 and v2-tuned, for sm_80 and newer.
template <template <class> class Build>
constexpr bool built_for(Chip chip) {
    return compiled_for(chip) && (chip >= 80 || is_ordinary<Build>);
}

template <class Element, template <class> class Build>
bool run_element(const KernelInstance& i, const AttentionParams& p, Launcher& launcher) {
    if constexpr (built_for<Build>(Element::chip)) {
        if (i.variant == "v1") return v1::run<Element, Build>(p, i.causal, i.tile, i.num_splits, launcher);
        if (i.variant == "v2") return v2::run<Element, Build>(p, i.causal, i.tile, launcher);
        if constexpr (Element::chip >= 80) {  // v2-tuned lives by cp.async, and the rungs lead from v1 to such a v2
            if constexpr (is_ordinary<Build>) {
                if (flashlens::between::is_between(i.variant)) {
                    return between::run<Element>(i.variant, p, i.causal, i.tile, i.num_splits, launcher);
                }
            }
            if (i.variant == "v2-tuned") return v2_tuned::run<Element, Build>(p, i.causal, i.tile, i.order, launcher);
        }
    }
    return false;
}

/// Launches it. False: it is not compiled. Build: Ordinary, or, on a GPU, Timed.
template <template <class> class Build = Ordinary>
bool run(const KernelInstance& i, const AttentionParams& p, Launcher& launcher) {
    if (i.chip < 80) return i.dtype == DType::fp16 && run_element<fp16_sm75, Build>(i, p, launcher);
    return i.dtype == DType::fp16 ? run_element<fp16, Build>(i, p, launcher) : run_element<bf16, Build>(i, p, launcher);
}

}  // namespace FLASHLENS_MACHINE
}  // namespace flashlens
