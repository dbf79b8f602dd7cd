// How a kernel is launched: what each machine does between `launch(kernel, grid, ...)` and the kernel's first line.
#pragma once

#include "kernels/attention.h"
#include "kernels/primitives/machine.cuh"

namespace flashlens::FLASHLENS_MACHINE {

inline constexpr Chip chips_from_sm80[] = {80, 86, 89, 90, 100, 120};

}  // namespace flashlens::FLASHLENS_MACHINE

#ifdef __CUDACC__

namespace flashlens::on_gpu {

/// Whether the instances that need this chip (Element::chip) are compiled: CMAKE_CUDA_ARCHITECTURES decides.
constexpr bool compiled_for(Chip chip) { return chip < 80 ? FLASHLENS_WITH_SM75 : FLASHLENS_WITH_SM80; }

/// Bit i: the code for CMAKE_CUDA_ARCHITECTURES runs on chips_from_sm80[i].
#ifdef FLASHLENS_RUNS_ON
constexpr unsigned runs_on = FLASHLENS_RUNS_ON;
#else
constexpr unsigned runs_on = ~0U;
#endif

/// Launches on a stream, or only asks the driver about the instance that would be launched.
class Launcher {
public:
    enum class Act { launch, inspect };

    Act act = Act::launch;
    cudaStream_t stream = nullptr;

    /// Of the last call: the first error that anything returned, checked after every CUDA call.
    cudaError_t error = cudaSuccess;
    /// inspect: registers, spills, the largest CTA ... and what the runtime's occupancy calculator says.
    cudaFuncAttributes attributes = {};
    int ctas_per_sm = 0;

    template <class... Args>
    void operator()(const char*, void (*kernel)(Args...), const Grid& grid, int threads, int shared_bytes,
                    Args... args) {
        // More than 48 KiB of dynamic shared memory has to be asked for, per function and device, before a launch.
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
        if (error != cudaSuccess) {
            cudaGetLastError();  // it is reported here; the next launch starts clean
            return;
        }
        if (act == Act::inspect) {
            error = cudaFuncGetAttributes(&attributes, kernel);
            if (error == cudaSuccess) {
                error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas_per_sm, kernel, threads,
                                                                      static_cast<std::size_t>(shared_bytes));
            }
            return;
        }
        const dim3 ctas(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z));
        kernel<<<ctas, threads, static_cast<std::size_t>(shared_bytes), stream>>>(args...);
        error = cudaGetLastError();
    }
};

}  // namespace flashlens::on_gpu

#else

#include "simt/launch.h"

namespace flashlens::FLASHLENS_MACHINE {

constexpr bool compiled_for(Chip) { return true; }
constexpr unsigned runs_on = ~0U;

/// Runs on the CPU machine; throws simt::KernelError for a kernel that breaks CUDA's rules.
class Launcher {
public:
    simt::LaunchOptions options;
    simt::LaunchReport report;

    template <class... Args>
    void operator()(const char* name, void (*kernel)(Args...), const Grid& grid, int threads, int shared_bytes,
                    Args... args) {
        const simt::Dim3 ctas{static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y),
                              static_cast<unsigned>(grid.z)};
        report = simt::launch(name, ctas, static_cast<unsigned>(threads), static_cast<std::size_t>(shared_bytes),
                              options, [=] { kernel(args...); });
    }
};

}  // namespace flashlens::FLASHLENS_MACHINE

#endif
