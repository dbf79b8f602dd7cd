#include "gpu/runtime.cuh"

#include <cstdio>

namespace flashlens::gpu {
namespace {

Message gib(std::size_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1 << 30));
    return as_it_is(text);
}

}  // namespace

void fail(cudaError_t error, const Message& what) {
    cudaGetLastError();  // it is reported here; the next call starts clean
    Message said = say("{}: {}", {what, as_it_is(cudaGetErrorString(error))});
    if (error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction ||
        error == cudaErrorUnsupportedPtxVersion) {
        said =
            say("{}; this program has no code for this card: build it again here, or with -DCMAKE_CUDA_ARCHITECTURES "
                "set to "
                "the card's compute capability",
                {said});
    }
    throw Error(said);
}

void check_memory(std::size_t needed) {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "asking the card for its free memory");
    if (needed > free_bytes) {
        throw Error(say("this shape needs {} on the card, which has {} free", {gib(needed), gib(free_bytes)}));
    }
}

}  // namespace flashlens::gpu
