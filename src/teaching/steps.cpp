#include "teaching/steps.h"

#include <array>
#include <stdexcept>
#include <string>

namespace flashlens::teaching {
namespace {

using enum Step;

constexpr std::array steps_in_order{load,    loop,   scores, mask,    maximum, exponentials, sum,
                                    convert, output, merge,  rescale, lse,     write,        barrier};

}  // namespace

std::span<const Step> all_steps() {
    return steps_in_order;
}

char letter_of(Step step) {
    return step == barrier ? '=' : static_cast<char>('A' + static_cast<int>(step));
}

std::string_view name_of(Step step) {
    switch (step) {
        case load:
            return "load";
        case loop:
            return "loop";
        case scores:
            return "scores";
        case mask:
            return "mask";
        case maximum:
            return "maximum";
        case exponentials:
            return "exponentials";
        case sum:
            return "sum";
        case convert:
            return "convert";
        case output:
            return "output";
        case merge:
            return "merge";
        case rescale:
            return "rescale";
        case lse:
            return "lse";
        case write:
            return "write";
        case barrier:
            break;
    }
    return "barrier";
}

std::span<const StepName> step_names(std::string_view variant) {
    static const std::vector<StepName> v1{
        {"gmem_k.load", {load}},
        {"gmem_q.load", {load}},
        {"gmem_v.load", {load}},
        {"gmem_q.commit", {load}},
        {"gmem_v.commit", {load}},
        {"gmem_k.commit", {load}},
        {"load_q", {load}},
        {"load_v", {load}},
        {"load_k", {load}},
        {"out.load_lse", {load}},
        {"out.load_previous", {load}},
        {"for (int tile", {loop}},
        {"gemm_q_k", {scores}},
        {"apply_mask", {mask}},
        {"reduce_max_before_sync", {maximum}},
        {"reduce_max_after_sync", {maximum}},
        {"scale_apply_exp", {exponentials}},
        {"reduce_sum_before_sync", {sum}},
        {"pack", {convert}},
        {"gemm_o", {output}},
        {"smem_o.store", {merge}},
        {"out.reduce_max_after_sync", {merge, maximum}},
        {"out.reduce_sum_after_sync", {merge, sum}},
        {"out.load_and_normalise", {rescale, merge}},
        {"out.store_lse", {lse}},
        {"out.store", {write}},
        {"__syncthreads", {barrier}},
    };
    static const std::vector<StepName> v2{
        {"load_async", {load}},
        {"kv.load_k", {load}},
        {"kv.load_v", {load}},
        // from shared memory, as v1's load_q
        {"QkOperands", {load}},
        {"cp_async_commit", {load}},
        {"for (int step", {loop}},
        {"for (; n", {loop}},
        {"gemm_qk", {scores}},
        {"apply_mask", {mask}},
        {"softmax_rescale_o", {exponentials, maximum, sum, rescale}},
        {"convert", {convert}},
        {"gemm_pv", {output}},
        {"normalize", {rescale, lse}},
        {"store", {write}},
        {"cp_async_wait", {barrier}},
        {"__syncthreads", {barrier}},
    };
    static const std::vector<StepName> v2_tuned{
        {"v2::load_async", {load}},
        {"kv.load_k", {load}},
        {"kv.load_v", {load}},
        {"load_q", {load}},
        {"cp_async_commit", {load}},
        {"for (; n", {loop}},
        {"gemm_qk", {scores}},
        {"v2::apply_mask", {mask}},
        {"max_has_grown", {maximum}},
        {"raise_max", {maximum, rescale}},
        {"exponentiate", {exponentials, sum, convert}},
        {"gemm_pv", {output}},
        {"v2::normalize", {rescale, lse}},
        {"v2::store", {write}},
        {"cp_async_wait", {barrier}},
        {"__syncthreads", {barrier}},
    };
    if (variant == "v1") {
        return v1;
    }
    if (variant == "v2") {
        return v2;
    }
    if (variant == "v2-tuned") {
        return v2_tuned;
    }
    throw std::logic_error("no steps of " + std::string(variant));
}

}  // namespace flashlens::teaching
