// The steps that the kernels' main loops are made of, by what they do: v1 and v2 share them, under names of their own.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace flashlens::teaching {

/// In the order in which v1's main loop takes them.
enum class Step {
    load,    ///< Q, K, V and what earlier passes left, on their way to where they are used
    loop,    ///< the loop around the two products
    scores,  ///< S = Q K^T
    mask,
    maximum,       ///< m
    exponentials,  ///< P = exp(S - m)
    sum,           ///< l
    convert,       ///< P in 16 bits
    output,        ///< acc_o = P V, or += P V
    merge,         ///< of the four warps' shares
    rescale,       ///< O follows the maximum; the division by l
    lse,           ///< m + log l, to device memory
    write,         ///< O to device memory
    barrier,       ///< __syncthreads, and waits for cp.async
};

std::span<const Step> all_steps();

/// The letter of a step beside the code, A to M; '=' for barriers and waits.
char letter_of(Step step);

/// For tools: "scores", "mask", ...
std::string_view name_of(Step step);

/// A name by which a kernel takes a step. One call can be several steps: the first is the one it is lined up by.
struct StepName {
    std::string_view name;
    std::vector<Step> steps;
};

/// The names in the kernel function of a variant, "v1", "v2" or "v2-tuned".
std::span<const StepName> step_names(std::string_view variant);

}  // namespace flashlens::teaching
