// Included first by every exercise: what it ends with, so that `flashlens practice` finds what it defines.
//
//   FLASHLENS_EXERCISE_KERNEL(launch)              launch(const AttentionParams&, bool causal, Launcher&)
//   FLASHLENS_EXERCISE_FUNCTION(NumSplits, name)   a function of one of entry.h's types
//
// The host compiler compiles an exercise into a library for the CPU machine; nvcc compiles the same file for a GPU.
#pragma once

#include "entry.h"
#include "kernels/primitives/launcher.cuh"

#ifdef __CUDACC__

namespace flashlens::exercise {

/// A tensor's copy in the memory of the GPU while it lives; `back` copies what the kernel wrote. Null stays null.
class OnGpu {
public:
    OnGpu(const void* host, std::size_t bytes) : host_(const_cast<void*>(host)), bytes_(bytes) {
        if (host_ == nullptr || bytes_ == 0)
            return;
        error_ = cudaMalloc(&device_, bytes_);
        if (error_ == cudaSuccess)
            error_ = cudaMemcpy(device_, host_, bytes_, cudaMemcpyHostToDevice);
    }
    ~OnGpu() { cudaFree(device_); }
    OnGpu(const OnGpu&) = delete;
    OnGpu& operator=(const OnGpu&) = delete;

    void* device() const { return device_; }
    cudaError_t error() const { return error_; }
    cudaError_t back() const {
        return device_ == nullptr ? cudaSuccess : cudaMemcpy(host_, device_, bytes_, cudaMemcpyDeviceToHost);
    }

private:
    void* host_;
    std::size_t bytes_;
    void* device_ = nullptr;
    cudaError_t error_ = cudaSuccess;
};

template <class Launch>
cudaError_t run_on_gpu(const GpuRun& run, const Launch& launch) {
    const AttentionParams& host = run.params;
    const std::size_t rows = static_cast<std::size_t>(host.batch) * host.heads * host.seqlen_q;
    const std::size_t keys = static_cast<std::size_t>(host.batch) * host.kv_heads * host.seqlen_k;
    const OnGpu q(host.q, rows * host.head_dim * 2), k(host.k, keys * host.head_dim * 2);
    const OnGpu v(host.v, keys * host.head_dim * 2), o(host.o, rows * host.head_dim * 2);
    const OnGpu lse(host.lse, rows * 4), o_tmp(host.o_tmp, rows * host.head_dim * 4);
    const OnGpu huge_rows(host.huge_rows, rows * 8);
    for (const OnGpu* tensor : {&q, &k, &v, &o, &lse, &o_tmp, &huge_rows}) {
        if (tensor->error() != cudaSuccess)
            return tensor->error();
    }
    AttentionParams device = host;
    device.q = q.device();
    device.k = k.device();
    device.v = v.device();
    device.o = o.device();
    device.lse = static_cast<float*>(lse.device());
    device.o_tmp = static_cast<float*>(o_tmp.device());
    device.huge_rows = static_cast<float*>(huge_rows.device());
    on_gpu::Launcher launcher;
    launch(device, run.causal, launcher);
    if (launcher.error != cudaSuccess)
        return launcher.error;
    for (const cudaError_t error : {cudaDeviceSynchronize(), o.back(), lse.back()}) {
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

}  // namespace flashlens::exercise

/// Why there is no GPU to run on; null: there is one.
extern "C" __attribute__((visibility("default"))) inline __attribute__((used)) const char* flashlens_exercise_no_gpu() {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

#define FLASHLENS_EXERCISE_KERNEL(launch)                                                    \
    extern "C" __attribute__((visibility("default"))) const char* flashlens_exercise_on_gpu( \
        const flashlens::exercise::GpuRun& run) {                                            \
        const cudaError_t error = flashlens::exercise::run_on_gpu(run, launch);              \
        return error == cudaSuccess ? nullptr : cudaGetErrorString(error);                   \
    }
#define FLASHLENS_EXERCISE_FUNCTION(type, function)

#else

#define FLASHLENS_EXERCISE_KERNEL(launch)                                                            \
    extern "C" void flashlens_exercise_kernel(const flashlens::AttentionParams& params, bool causal, \
                                              const flashlens::simt::LaunchOptions& options,         \
                                              flashlens::simt::LaunchReport& report) {               \
        flashlens::FLASHLENS_MACHINE::Launcher launcher;                                             \
        launcher.options = options;                                                                  \
        launch(params, causal, launcher);                                                            \
        report = launcher.report;                                                                    \
    }
#define FLASHLENS_EXERCISE_FUNCTION(type, function)                       \
    extern "C" flashlens::exercise::type* flashlens_exercise_function() { \
        return &function;                                                 \
    }

#endif
