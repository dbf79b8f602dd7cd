#include "explorer/inputs.h"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <thread>

namespace flashlens {
namespace {

/// The finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014; constants
/// of Stafford's variant 13): a bijection of 64 bits that mixes every bit into every other.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

constexpr std::uint64_t golden_gamma = 0x9E3779B97F4A7C15U;

/// SplitMix64 as a function of position: output number i of the stream that belongs to (seed, tensor).
class Stream {
public:
    Stream(std::uint64_t seed, Tensor tensor)
        : key_(mix(mix(seed + golden_gamma) + (static_cast<std::uint64_t>(tensor) + 1) * golden_gamma)) {}

    std::uint64_t operator()(std::uint64_t i) const { return mix(key_ + (i + 1) * golden_gamma); }

private:
    std::uint64_t key_;
};

/// The sum of twelve 16-bit uniforms less its mean, over 2^16: variance 1 - 2^-32. Exact: |sum| < 2^19.
float normal(const Stream& stream, std::uint64_t element) {
    std::int32_t sum = 0;
    for (std::uint64_t i = 0; i < 3; ++i) {
        const std::uint64_t bits = stream(3 * element + i);
        for (unsigned part = 0; part < 4; ++part) {
            sum += static_cast<std::int32_t>(bits >> (16 * part) & 0xFFFFU);
        }
    }
    return static_cast<float>(sum - 6 * 0xFFFF) * 0x1p-16F;
}

/// A multiple of 2^-23 in [-1, 1), from the upper 24 bits.
float uniform(const Stream& stream, std::uint64_t element) {
    return static_cast<float>(static_cast<std::int32_t>(stream(element) >> 40U) - (1 << 23)) * 0x1p-23F;
}

std::uint16_t round_float(float value, DType dtype) {
    return dtype == DType::fp16 ? Eigen::half(value).x : Eigen::bfloat16(value).value;
}

template <class Draw>
void fill(std::span<std::uint16_t> to, std::int64_t first, DType dtype, const Draw& draw) {
    constexpr std::int64_t grain = 1 << 16;  // elements that are worth a thread
    const std::int64_t size = std::ssize(to);
    const std::int64_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::int64_t threads = std::clamp<std::int64_t>(size / grain, 1, cores);
    const auto part = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            to[i] = round_float(draw(static_cast<std::uint64_t>(first + i)), dtype);
        }
    };
    std::vector<std::jthread> helpers;
    for (std::int64_t t = 1; t < threads; ++t) {
        helpers.emplace_back(part, size / threads * t, t + 1 == threads ? size : size / threads * (t + 1));
    }
    part(0, threads == 1 ? size : size / threads);
}

}  // namespace

void random_elements(const Problem& problem, Tensor tensor, std::int64_t first, std::span<std::uint16_t> to) {
    const Stream stream(problem.seed, tensor);
    switch (problem.dist) {
        case Distribution::normal:
            return fill(to, first, problem.dtype, [&](std::uint64_t i) { return normal(stream, i); });
        case Distribution::sharp: {
            const float factor = tensor == Tensor::q ? 6.0F : 1.0F;
            return fill(to, first, problem.dtype, [&](std::uint64_t i) { return factor * normal(stream, i); });
        }
        case Distribution::uniform:
            return fill(to, first, problem.dtype, [&](std::uint64_t i) { return uniform(stream, i); });
        case Distribution::ones:
            std::fill(to.begin(), to.end(), round_float(1.0F, problem.dtype));
            return;
    }
}

Inputs random_inputs(const Problem& problem) {
    Inputs inputs;
    inputs.q.resize(problem.batch * problem.seqlen_q * problem.heads * problem.head_dim);
    inputs.k.resize(problem.batch * problem.seqlen_k * problem.kv_heads * problem.head_dim);
    inputs.v.resize(inputs.k.size());
    random_elements(problem, Tensor::q, 0, inputs.q);
    random_elements(problem, Tensor::k, 0, inputs.k);
    random_elements(problem, Tensor::v, 0, inputs.v);
    return inputs;
}

Inputs repeated_inputs(const Problem& problem) {
    constexpr std::int64_t period = 1'000'003;
    const auto words = [&](Tensor tensor, std::int64_t length, std::int64_t heads) {
        std::vector<std::uint16_t> all(problem.batch * length * heads * problem.head_dim);
        const std::int64_t size = std::ssize(all);
        random_elements(problem, tensor, 0, std::span(all).first(std::min(size, period)));
        for (std::int64_t made = period; made < size; made += period) {
            std::copy_n(all.begin(), std::min(period, size - made), all.begin() + made);
        }
        return all;
    };
    Inputs inputs;
    inputs.q = words(Tensor::q, problem.seqlen_q, problem.heads);
    inputs.k = words(Tensor::k, problem.seqlen_k, problem.kv_heads);
    inputs.v = words(Tensor::v, problem.seqlen_k, problem.kv_heads);
    return inputs;
}

std::uint16_t round_to(double value, DType dtype) {
    // Through fp32 rounded to odd: with at least two bits more than the type, the second rounding is then the only one
    // (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008).
    auto narrow = static_cast<float>(value);
    if (std::isfinite(value) && static_cast<double>(narrow) != value) {
        auto bits = std::bit_cast<std::uint32_t>(narrow);
        if (bits % 2 == 0) {
            bits += std::fabs(static_cast<double>(narrow)) < std::fabs(value) ? 1U : -1U;
        }
        narrow = std::bit_cast<float>(bits);
    }
    return round_float(narrow, dtype);
}

double widen(std::uint16_t word, DType dtype) {
    return dtype == DType::fp16 ? static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(word))
                                : static_cast<float>(Eigen::numext::bit_cast<Eigen::bfloat16>(word));
}

}  // namespace flashlens
