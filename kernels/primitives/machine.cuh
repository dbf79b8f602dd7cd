// The two machines a kernel is compiled for, and what each calls the things CUDA C++ builds in.
//
// nvcc compiles the kernels into namespace flashlens::on_gpu, the host compiler compiles the same files into
// flashlens::on_cpu for the SIMT machine in src/simt. Everything under kernels/ that is not plain data lives in the
// namespace of its build, so that the two never share a symbol.
//
// The files of this folder are the only ones that know which machine they are compiled for. Each holds both spellings
// of a few instructions: the PTX one first, then the CPU machine's.
#pragma once

#include <cstdint>

#ifdef __CUDACC__

#include <cuda_runtime.h>

#define FLASHLENS_MACHINE on_gpu
#define FLASHLENS_INLINE __device__ __forceinline__
#define FLASHLENS_HOST_DEVICE __host__ __device__

namespace flashlens::on_gpu {

/// The chip that is compiled for, 80 for sm_80; 0 in nvcc's pass for the host. For launch bounds, as what ptxas makes of
/// registers differs by chip; what a kernel does is decided by its template parameters.
#ifdef __CUDA_ARCH__
constexpr int ptxas_chip = __CUDA_ARCH__ / 10;
#else
constexpr int ptxas_chip = 0;
#endif

/// An fp32 register. The kernels are compiled with --fmad=false: a fused multiply-add stands where one is written.
using f32 = float;

/// Names a step of the algorithm for the CPU machine's counters; nothing on a GPU.
struct Step {
    FLASHLENS_INLINE explicit Step(const char*) {}
};

/// The value, as if nobody knew it before: what a loop computes from it is computed in the loop, where the compiler would
/// otherwise keep it in registers, or spill it, from before the loop on.
FLASHLENS_INLINE int anew(int value) {
    asm volatile("" : "+r"(value));
    return value;
}

}  // namespace flashlens::on_gpu

#else

#include "simt/device.h"

#ifndef FLASHLENS_MACHINE  // a test compiles altered copies of the kernels into namespaces of their own
#define FLASHLENS_MACHINE on_cpu
#endif
#define FLASHLENS_INLINE inline
#define FLASHLENS_HOST_DEVICE

// CUDA's own words, reserved or not. NOLINTBEGIN(bugprone-reserved-identifier)
#define __global__
#define __launch_bounds__(...)
#define threadIdx (::flashlens::simt::thread_index())
#define blockIdx (::flashlens::simt::block_index())
#define gridDim (::flashlens::simt::grid_size())

namespace flashlens::FLASHLENS_MACHINE {

constexpr int ptxas_chip = 0;

using simt::f32;
using simt::Step;

inline int anew(int value) { return value; }

inline void __syncthreads(simt::Where where = simt::Where::current()) { simt::barrier(where); }
inline void __syncwarp(simt::Where where = simt::Where::current()) { simt::sync_warp(where); }
// NOLINTEND(bugprone-reserved-identifier)

}  // namespace flashlens::FLASHLENS_MACHINE

#endif

namespace flashlens::FLASHLENS_MACHINE {

/// A byte address in the CTA's shared memory: the .shared window's 32-bit form.
using SharedAddress = std::uint32_t;

FLASHLENS_INLINE int lane_index() { return static_cast<int>(threadIdx.x) % 32; }
FLASHLENS_INLINE int warp_index() { return static_cast<int>(threadIdx.x) / 32; }

}  // namespace flashlens::FLASHLENS_MACHINE
