// time_kernels BATCH HEADS SEQLEN HEAD_DIM full|causal fp16|bf16: times both kernels on the card as `flashlens compare`
// launches and times them, but with inputs that are quick to make, no counting on the CPU machine and no verdict. Prints
// JSON with those keys of the program's own that tools/time-against-sdpa.py reads.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "explorer/explorer.h"
#include "explorer/inputs.h"
#include "explorer/variant.h"

using namespace flashlens;

namespace {

constexpr int samples = 21;

Request read(const std::vector<std::string>& arguments) {
    if (arguments.size() != 6 || (arguments[4] != "full" && arguments[4] != "causal") ||
        (arguments[5] != "fp16" && arguments[5] != "bf16")) {
        throw std::invalid_argument("usage: time_kernels BATCH HEADS SEQLEN HEAD_DIM full|causal fp16|bf16");
    }
    Request request;
    request.machine = MachineChoice::gpu;
    Problem& p = request.problem;
    p.batch = std::stoll(arguments[0]);
    p.heads = p.kv_heads = std::stoll(arguments[1]);
    p.seqlen_q = p.seqlen_k = std::stoll(arguments[2]);
    p.head_dim = std::stoll(arguments[3]);
    p.causal = arguments[4] == "causal";
    p.dtype = arguments[5] == "fp16" ? DType::fp16 : DType::bf16;
    p.scale = 1.0 / std::sqrt(static_cast<double>(p.head_dim));
    return request;
}

void time_and_print(const Request& request) {
    const Comparison planned = explain(request);
    const Problem& p = planned.problem;
    std::vector<gpu::Call> calls;
    for (const VariantFacts& variant : planned.variants) {
        if (variant.refusal.empty()) {
            calls.push_back(gpu_call(variant, p));
        }
    }
    const Inputs inputs = repeated_inputs(p);
    const std::vector<gpu::Run> runs = gpu::run(calls, inputs.q, inputs.k, inputs.v, samples);
    std::printf("{\"machine\": \"gpu\", \"variants\": [");
    const char* separator = "";
    auto run = runs.begin();
    for (const VariantFacts& variant : planned.variants) {
        std::printf("%s{\"name\": \"%s\", ", separator, variant.name.c_str());
        if (variant.refusal.empty()) {
            std::printf("\"runs\": true, \"time_us\": %.4f}", run->samples_us[run->samples_us.size() / 2]);
            ++run;
        } else {
            std::printf("\"runs\": false, \"time_us\": null}");
        }
        separator = ", ";
    }
    std::printf("]}\n");
}

}  // namespace

int main(int argc, char** argv) {
    try {
        time_and_print(read({argv + 1, argv + argc}));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "time_kernels: %s\n", error.what());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
