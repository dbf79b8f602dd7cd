// The GPU of this machine: what it is, and running the kernels on it. Plain C++: what includes this needs no CUDA, and in
// a build without CUDA every call says so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/attention.h"
#include "message.h"

namespace flashlens::gpu {

/// A CUDA call failed or can't be made; what() says which, and what to do about it.
class Error : public Failure {
public:
    using Failure::Failure;
};

/// As the driver reports them, one attribute at a time (fields of cudaDeviceProp come and go with the toolkit).
struct Device {
    std::string name;
    Chip chip = 0;
    /// Whose kernels this program runs on it: the card's own, or sm_75's (their PTX) where it was built for no other chip.
    Chip kernels_of = 0;
    int sm_count = 0;
    int max_threads_per_sm = 0;
    int max_ctas_per_sm = 0;
    int registers_per_sm = 0;
    int registers_per_cta = 0;
    int shared_bytes_per_sm = 0;
    int max_shared_bytes_per_cta = 0;
    int reserved_shared_bytes_per_cta = 0;
};

/// The first device. Empty without one; `why` then tells a build without CUDA, no card and a driver that is too old
/// apart, each with its own advice.
std::optional<Device> device(Message* why = nullptr);

/// One kernel instance and its launch.
struct Call {
    std::string variant;  ///< "v1", "v2", "v2-tuned", or a rung between v1 and v2
    DType dtype = DType::fp16;
    bool causal = false;
    Tile tile;
    int num_splits = 1;  ///< v1
    CtaOrder order;      ///< v2-tuned
    Chip chip = 80;      ///< whose kernels: Device::kernels_of
    /// Sizes, diagonal and scale; the pointers are set by run().
    AttentionParams params;
};

struct Instance {
    int registers = 0;    ///< per thread
    int local_bytes = 0;  ///< per thread: spills and stack
    int ctas_per_sm = 0;  ///< by the runtime's occupancy calculator, for the call's dynamic shared memory
};

/// What the driver and the runtime say of the instance that `call` launches.
Instance inspect(const Call& call);

/// How things are timed: launched for warm_up_us first; each sample is a mean over as many launches as take sample_us.
inline constexpr double warm_up_us = 10e3;
inline constexpr double sample_us = 1e3;

struct Run {
    std::vector<std::uint16_t> o;  ///< layouts of kernels/attention.h
    std::vector<float> lse;
    std::vector<double> samples_us;  ///< sorted
};

/// Runs every call on the same inputs (16-bit words, layouts of kernels/attention.h). Outputs are poisoned with NaN, each
/// call runs once and its output is kept; then, unless samples is 0, all are warmed up and timed with events in turns,
/// every other round in reverse order, so that no variant always runs behind the same other one.
/// Throws Error, also when the device hasn't enough free memory (needed and free are named); nothing stays allocated.
std::vector<Run> run(std::span<const Call> calls, std::span<const std::uint16_t> q, std::span<const std::uint16_t> k,
                     std::span<const std::uint16_t> v, int samples);

/// One launch of an instance that has a clock in each CTA (kernels/primitives/clock.cuh).
struct Recording {
    std::vector<CtaTime> ctas;  ///< in launch order
    double kernel_us = 0.0;     ///< of that launch, by events around it
    Instance instance;          ///< the clock takes registers too
    std::vector<std::uint16_t> o;
    std::vector<float> lse;
};

/// Warms up as run() does, then runs `call`, whose grid has so many CTAs, once more, outputs and records poisoned, and keeps what its CTAs noted. Throws
/// Error as run() does, and for sm_75, which has no such instances.
Recording record(const Call& call, std::int64_t ctas, std::span<const std::uint16_t> q,
                 std::span<const std::uint16_t> k, std::span<const std::uint16_t> v);

/// C = A x B through cuBLAS, square, of 16-bit words with sums in fp32.
struct Matmul {
    std::string library;             ///< "cuBLAS 13.1.0"
    std::vector<double> samples_us;  ///< sorted
};

/// How long the card takes for A x B of size x size words each, which is 2 x size^3 FLOPs. Empty without cuBLAS; `why` then
/// says whether the build or this machine lacks it. Throws Error as run() does.
std::optional<Matmul> time_matmul(DType dtype, int size, std::span<const std::uint16_t> a,
                                  std::span<const std::uint16_t> b, int samples, Message* why = nullptr);

/// What the kernels run under; "unknown" where nobody says.
struct Software {
    std::string driver;          ///< "580.159.04"
    std::string cuda_of_driver;  ///< the newest CUDA that it supports, "13.0"
    std::string cuda_of_build;   ///< the toolkit that compiled this program
};
Software software();

}  // namespace flashlens::gpu
