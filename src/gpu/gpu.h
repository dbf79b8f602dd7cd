// The GPU of this machine: what it is, and running the kernels on it. Plain C++: what includes this needs no CUDA, and in
// a build without CUDA every call says so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/attention.h"

namespace flashlens::gpu {

/// A CUDA call failed or can't be made; what() says which, and what to do about it.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// As the driver reports them, one attribute at a time (fields of cudaDeviceProp come and go with the toolkit).
struct Device {
    std::string name;
    Chip chip = 0;
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
std::optional<Device> device(std::string* why = nullptr);

/// One kernel instance and its launch.
struct Call {
    std::string variant;  ///< "v1", "v2", "v2-tuned"
    DType dtype = DType::fp16;
    bool causal = false;
    Tile tile;
    int num_splits = 1;  ///< v1
    CtaOrder order;      ///< v2-tuned
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

struct Run {
    std::vector<std::uint16_t> o;  ///< layouts of kernels/attention.h
    std::vector<float> lse;
    /// Each a mean over as many launches as take a millisecond; sorted.
    std::vector<double> samples_us;
};

/// Runs every call on the same inputs (16-bit words, layouts of kernels/attention.h). Outputs are poisoned with NaN, each
/// call runs once and its output is kept; then, unless samples is 0, all are warmed up and timed with events in turns,
/// every other round in reverse order, so that no variant always runs behind the same other one.
/// Throws Error, also when the device hasn't enough free memory (needed and free are named); nothing stays allocated.
std::vector<Run> run(std::span<const Call> calls, std::span<const std::uint16_t> q, std::span<const std::uint16_t> k,
                     std::span<const std::uint16_t> v, int samples);

}  // namespace flashlens::gpu
