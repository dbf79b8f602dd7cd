// What bench() needs of a card and its runtime, so that a test can put something else in its place.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explorer/bench.h"
#include "explorer/inputs.h"
#include "gpu/gpu.h"

namespace flashlens {

struct BenchMachine {
    hardware::Card card;
    gpu::Software software;
    std::function<VariantFacts(std::string_view variant, const Problem&, std::optional<int> splits)> plan;
    /// run_on_gpu.
    std::function<std::vector<gpu::Run>(const std::vector<const VariantFacts*>&, const Problem&, const Inputs&,
                                        int samples)>
        run;
    /// gpu::time_matmul.
    std::function<std::optional<gpu::Matmul>(DType, int size, std::span<const std::uint16_t> a,
                                             std::span<const std::uint16_t> b, int samples, Message* why)>
        time_matmul;
};

/// bench() on this machine.
Bench bench(const BenchRequest& request, const BenchMachine& machine);

}  // namespace flashlens
