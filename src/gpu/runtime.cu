#include "gpu/runtime.cuh"

#include <cstdio>

namespace flashlens::gpu {
namespace {

std::string gib(std::size_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1 << 30));
    return text;
}

}  // namespace

void fail(cudaError_t error, const std::string& what) {
    cudaGetLastError();  // it is reported here; the next call starts clean
    std::string advice;
    if (error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction ||
        error == cudaErrorUnsupportedPtxVersion) {
        advice =
            "; this program has no code for this card: build it again here, or with "
            "-DCMAKE_CUDA_ARCHITECTURES set to the card's compute capability";
    }
    throw Error(what + ": " + cudaGetErrorString(error) + advice);
}

void check_memory(std::size_t needed) {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "asking the card for its free memory");
    if (needed > free_bytes) {
        throw Error("this shape needs " + gib(needed) + " on the card, which has " + gib(free_bytes) + " free");
    }
}

}  // namespace flashlens::gpu
