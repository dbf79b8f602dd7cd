// gpu.h through the CUDA runtime.
#include "gpu/gpu.h"

#include <algorithm>

#include "gpu/runtime.cuh"
#include "kernels/run.cuh"

namespace flashlens::gpu {
namespace {

int attribute(cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, 0), "asking the card for its properties");
    return value;
}

template <template <class> class Build = on_gpu::Ordinary>
void launch(const Call& call, const AttentionParams& params, on_gpu::Launcher& launcher) {
    const KernelInstance instance{call.variant,    call.dtype, call.causal, call.tile,
                                  call.num_splits, call.order, call.chip};
    const bool exists = on_gpu::run<Build>(instance, params, launcher);
    if (!exists && !on_gpu::compiled_for(call.chip)) {
        fail(cudaErrorNoKernelImageForDevice, say("{}: launching", {as_it_is(call.variant)}));
    }
    if (!exists) {
        throw Error(say("{}: no such kernel instance", {as_it_is(call.variant)}));
    }
    if (launcher.error != cudaSuccess) {
        fail(launcher.error, say("{}: launching", {as_it_is(call.variant)}));
    }
}

/// Q, K and V on the card, and outputs and scratch that all calls use in turn.
class Tensors {
public:
    /// record_bytes: what lies behind lse for the CTAs' records.
    Tensors(const AttentionParams& sizes, std::span<const std::uint16_t> q, std::span<const std::uint16_t> k,
            std::span<const std::uint16_t> v, bool scratch, std::size_t record_bytes = 0)
        : rows_(static_cast<std::size_t>(sizes.batch) * sizes.heads * sizes.seqlen_q),
          q_(q.size_bytes()),
          k_(k.size_bytes()),
          v_(v.size_bytes()),
          o_(q.size_bytes()),
          lse_(record_bytes > 0 ? static_cast<std::size_t>(on_gpu::cta_times_offset(sizes)) + record_bytes : rows_ * 4),
          o_tmp_(scratch ? q.size() * 4 : 0),
          huge_rows_(scratch ? rows_ * 8 : 0) {
        q_.upload(q.data());
        k_.upload(k.data());
        v_.upload(v.data());
    }

    AttentionParams params(const Call& call) const {
        AttentionParams p = call.params;
        p.q = q_.data();
        p.k = k_.data();
        p.v = v_.data();
        p.o = o_.data();
        p.lse = lse_.floats();
        p.o_tmp = o_tmp_.floats();
        p.huge_rows = huge_rows_.floats();
        return p;
    }

    void poison() const {
        o_.poison();
        lse_.poison();
        o_tmp_.poison();
        huge_rows_.poison();
    }

    void download(std::vector<std::uint16_t>& o, std::vector<float>& lse) const {
        o.resize(q_.bytes() / 2);
        lse.resize(rows_);
        o_.download(o.data(), q_.bytes());
        lse_.download(lse.data(), rows_ * 4);
    }

    void download_records(std::vector<CtaTime>& ctas, const AttentionParams& sizes) const {
        lse_.download(ctas.data(), ctas.size() * sizeof(CtaTime),
                      static_cast<std::size_t>(on_gpu::cta_times_offset(sizes)));
    }

    Run run_once(const Call& call) const {
        poison();
        on_gpu::Launcher launcher;
        launch(call, params(call), launcher);
        const cudaError_t error = cudaDeviceSynchronize();
        if (error != cudaSuccess) {
            fail(error, say("{}: running", {as_it_is(call.variant)}));
        }
        Run run;
        download(run.o, run.lse);
        return run;
    }

private:
    std::size_t rows_;
    Buffer q_, k_, v_, o_, lse_, o_tmp_, huge_rows_;
};

void time_in_turns(std::span<const Call> calls, const Tensors& tensors, int samples, std::vector<Run>& runs) {
    const Stopwatch stopwatch;
    const auto launch_of = [&](const Call& call) {
        return [&call, params = tensors.params(call)] {
            on_gpu::Launcher launcher;
            launch(call, params, launcher);
        };
    };
    std::vector<int> launches;
    for (const Call& call : calls) {
        launches.push_back(stopwatch.warm_up(launch_of(call)));
    }
    for (int round = 0; round < samples; ++round) {
        for (std::size_t i = 0; i < calls.size(); ++i) {
            const std::size_t turn = round % 2 == 0 ? i : calls.size() - 1 - i;
            runs[turn].samples_us.push_back(stopwatch.us(launches[turn], launch_of(calls[turn])));
        }
    }
    for (Run& run : runs) {
        std::sort(run.samples_us.begin(), run.samples_us.end());
    }
}

bool needs_scratch(const Call& call) {
    return between::through_memory(call.variant);
}

std::size_t bytes_needed(const AttentionParams& sizes, std::span<const std::uint16_t> q,
                         std::span<const std::uint16_t> k, std::span<const std::uint16_t> v, bool scratch) {
    const std::size_t rows = static_cast<std::size_t>(sizes.batch) * sizes.heads * sizes.seqlen_q;
    return 2 * q.size_bytes() + k.size_bytes() + v.size_bytes() + rows * 4 + (scratch ? q.size() * 4 + rows * 8 : 0);
}

template <template <class> class Build>
Instance inspect_built(const Call& call) {
    on_gpu::Launcher launcher;
    launcher.act = on_gpu::Launcher::Act::inspect;
    launch<Build>(call, call.params, launcher);
    return {launcher.attributes.numRegs, static_cast<int>(launcher.attributes.localSizeBytes), launcher.ctas_per_sm};
}

Message version(int number) {
    return as_it_is(std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10));
}

/// Why cudaGetDeviceCount found none.
Message why_none(cudaError_t error) {
    if (error == cudaErrorInsufficientDriver) {
        int driver = 0;
        cudaDriverGetVersion(&driver);
        if (driver == 0) {
            return say("no NVIDIA driver here; install one, or use the CPU machine (--machine cpu)");
        }
        return say(
            "the NVIDIA driver is too old for this program: it supports CUDA {}, built was for {}; update the driver",
            {version(driver), version(CUDART_VERSION)});
    }
    if (error == cudaErrorNoDevice || error == cudaSuccess) {
        return say("no NVIDIA card here; use the CPU machine (--machine cpu)");
    }
    return say("CUDA doesn't start: {}", {as_it_is(cudaGetErrorString(error))});
}

}  // namespace

std::optional<Device> device(Message* why) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        cudaGetLastError();
        if (why != nullptr) {
            *why = why_none(error);
        }
        return std::nullopt;
    }
    cudaDeviceProp properties = {};
    check(cudaGetDeviceProperties(&properties, 0), "asking the card for its name");
    Device device;
    device.name = properties.name;
    device.chip = 10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor);
    device.kernels_of = on_gpu::compiled_for(80) ? device.chip : std::min(device.chip, 75);
    device.sm_count = attribute(cudaDevAttrMultiProcessorCount);
    device.max_threads_per_sm = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
    device.max_ctas_per_sm = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
    device.registers_per_sm = attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
    device.registers_per_cta = attribute(cudaDevAttrMaxRegistersPerBlock);
    device.shared_bytes_per_sm = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    device.max_shared_bytes_per_cta = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    device.reserved_shared_bytes_per_cta = attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    return device;
}

Instance inspect(const Call& call) {
    return inspect_built<on_gpu::Ordinary>(call);
}

std::vector<Run> run(std::span<const Call> calls, std::span<const std::uint16_t> q, std::span<const std::uint16_t> k,
                     std::span<const std::uint16_t> v, int samples) {
    if (calls.empty()) {
        return {};
    }
    const AttentionParams& sizes = calls.front().params;
    const bool scratch = std::any_of(calls.begin(), calls.end(), needs_scratch);
    check_memory(bytes_needed(sizes, q, k, v, scratch));
    const Tensors tensors(sizes, q, k, v, scratch);
    std::vector<Run> runs;
    for (const Call& call : calls) {
        runs.push_back(tensors.run_once(call));
    }
    if (samples > 0) {
        time_in_turns(calls, tensors, samples, runs);
    }
    return runs;
}

Recording record(const Call& call, std::int64_t ctas, std::span<const std::uint16_t> q,
                 std::span<const std::uint16_t> k, std::span<const std::uint16_t> v) {
    Recording recording;
    recording.instance = inspect_built<on_gpu::Timed>(call);
    recording.ctas.resize(static_cast<std::size_t>(ctas));
    const std::size_t record_bytes = recording.ctas.size() * sizeof(CtaTime);
    check_memory(bytes_needed(call.params, q, k, v, needs_scratch(call)) + record_bytes + 16);
    const Tensors tensors(call.params, q, k, v, needs_scratch(call), record_bytes);
    const auto launch_it = [&call, params = tensors.params(call)] {
        on_gpu::Launcher launcher;
        launch<on_gpu::Timed>(call, params, launcher);
    };
    const Stopwatch stopwatch;
    stopwatch.warm_up(launch_it);
    tensors.poison();
    recording.kernel_us = stopwatch.us(1, launch_it);
    tensors.download(recording.o, recording.lse);
    tensors.download_records(recording.ctas, call.params);
    return recording;
}

}  // namespace flashlens::gpu
