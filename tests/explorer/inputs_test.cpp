// Random inputs: the same everywhere, distributed as documented.
#include "explorer/inputs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace flashlens {
namespace {

Problem small(Distribution dist, DType dtype, std::uint64_t seed) {
    Problem problem;
    problem.batch = 2;
    problem.heads = 4;
    problem.kv_heads = 2;
    problem.seqlen_q = 5;
    problem.seqlen_k = 7;
    problem.head_dim = 16;
    problem.dist = dist;
    problem.dtype = dtype;
    problem.seed = seed;
    return problem;
}

/// FNV-1a, 64 bits, over the words of Q, K and V, low byte first.
std::uint64_t hash(const Inputs& inputs) {
    std::uint64_t value = 0xcbf29ce484222325U;
    for (const auto* tensor : {&inputs.q, &inputs.k, &inputs.v}) {
        for (const std::uint16_t word : *tensor) {
            for (const unsigned byte : {word & 0xFFU, static_cast<unsigned>(word) >> 8U}) {
                value = (value ^ byte) * 0x100000001b3U;
            }
        }
    }
    return value;
}

struct Moments {
    double mean = 0.0;
    double variance = 0.0;
    double fourth = 0.0;  ///< of the standardised values: 3 for a normal distribution, 1.8 for a uniform one
    double largest = 0.0;
};

Moments moments(const std::vector<std::uint16_t>& words, DType dtype) {
    const auto n = static_cast<double>(words.size());
    Moments m;
    for (const std::uint16_t word : words) {
        m.mean += widen(word, dtype) / n;
    }
    for (const std::uint16_t word : words) {
        const double deviation = widen(word, dtype) - m.mean;
        m.variance += deviation * deviation / n;
        m.fourth += deviation * deviation * deviation * deviation / n;
        m.largest = std::max(m.largest, std::fabs(widen(word, dtype)));
    }
    m.fourth /= m.variance * m.variance;
    return m;
}

}  // namespace

// The hashes come from a separate implementation, in Python, of the documented generator and rounding.
TEST_CASE("a seed gives the same bits on every machine") {
    using D = Distribution;
    CHECK(hash(random_inputs(small(D::normal, DType::fp16, 0))) == 0x45df5523a8ce38f9U);
    CHECK(hash(random_inputs(small(D::normal, DType::bf16, 0))) == 0x2594b06b635a3bdbU);
    CHECK(hash(random_inputs(small(D::uniform, DType::fp16, 0))) == 0xacd81fddf0f20398U);
    CHECK(hash(random_inputs(small(D::uniform, DType::bf16, 0))) == 0xc2d52961870ac634U);
    CHECK(hash(random_inputs(small(D::sharp, DType::fp16, 0))) == 0xba0490c1b04c4bbaU);
    CHECK(hash(random_inputs(small(D::sharp, DType::bf16, 0))) == 0x00dc525292c2ecbfU);
    CHECK(hash(random_inputs(small(D::normal, DType::fp16, 42))) == 0xee2db41d26aa88f0U);
    CHECK(hash(random_inputs(small(D::normal, DType::bf16, 42))) == 0xb5484502ad3fe5bdU);
    CHECK(hash(random_inputs(small(D::uniform, DType::fp16, 42))) == 0x13d1c499abb5528cU);
    CHECK(hash(random_inputs(small(D::sharp, DType::bf16, 42))) == 0xa9fdfc1b60ed1938U);
}

TEST_CASE("sizes are those of the layouts") {
    const Inputs inputs = random_inputs(small(Distribution::normal, DType::fp16, 1));
    CHECK(inputs.q.size() == 2 * 5 * 4 * 16);
    CHECK(inputs.k.size() == 2 * 7 * 2 * 16);
    CHECK(inputs.v.size() == 2 * 7 * 2 * 16);
    CHECK(inputs.overflowed == 0);
    CHECK(inputs.k != inputs.v);
}

TEST_CASE("a slice made alone is the slice of the whole, across threads too") {
    Problem problem = small(Distribution::sharp, DType::bf16, 9);
    problem.seqlen_q = 3000;  // 384,000 elements: cut among threads
    problem.seqlen_k = 5001;
    const Inputs whole = random_inputs(problem);
    for (const std::int64_t first : {0L, 1L, 65535L, 131072L, 200001L, 319000L}) {
        std::vector<std::uint16_t> part(777);
        for (const auto& [tensor, words] :
             {std::pair{Tensor::q, &whole.q}, std::pair{Tensor::k, &whole.k}, std::pair{Tensor::v, &whole.v}}) {
            random_elements(problem, tensor, first, part);
            CHECK(std::equal(part.begin(), part.end(), words->begin() + first));
        }
    }
}

TEST_CASE("repeated inputs begin like random ones and repeat with a period that no row length divides") {
    const Problem little = small(Distribution::normal, DType::fp16, 5);
    CHECK(hash(repeated_inputs(little)) == hash(random_inputs(little)));
    Problem problem = small(Distribution::sharp, DType::bf16, 5);
    problem.seqlen_q = 20000;  // 2,560,000 words of Q: two and a half periods
    problem.seqlen_k = 31251;  // 2,000,064 words of K: two periods and 58 words
    const Inputs repeated = repeated_inputs(problem);
    const Inputs random = random_inputs(problem);
    constexpr std::int64_t period = 1000003;
    for (const auto& [made, drawn] :
         {std::pair{&repeated.q, &random.q}, {&repeated.k, &random.k}, {&repeated.v, &random.v}}) {
        REQUIRE(made->size() == drawn->size());
        CHECK(std::equal(made->begin(), made->begin() + period, drawn->begin()));
        CHECK(std::equal(made->begin() + period, made->end(), made->begin()));
        CHECK(*made != *drawn);
    }
}

TEST_CASE("moments of each distribution") {
    Problem problem = small(Distribution::normal, DType::fp16, 3);
    problem.seqlen_q = 4000;
    const auto q_of = [&](Distribution dist) {
        problem.dist = dist;
        return moments(random_inputs(problem).q, problem.dtype);
    };
    // 512,000 numbers: a mean is within 5 standard errors, 5 / sqrt(512,000) = 0.007 deviations
    const Moments normal = q_of(Distribution::normal);
    CHECK(std::fabs(normal.mean) < 0.007);
    CHECK(normal.variance == doctest::Approx(1.0).epsilon(0.01));
    CHECK(normal.fourth == doctest::Approx(2.9).epsilon(0.02));  // 3 - 1.2/12
    CHECK(normal.largest <= 6.0);
    CHECK(normal.largest > 4.0);
    const Moments sharp = q_of(Distribution::sharp);
    CHECK(std::fabs(sharp.mean) < 0.042);
    CHECK(sharp.variance == doctest::Approx(36.0).epsilon(0.01));
    const Moments uniform = q_of(Distribution::uniform);
    CHECK(std::fabs(uniform.mean) < 0.004);
    CHECK(uniform.variance == doctest::Approx(1.0 / 3.0).epsilon(0.01));
    CHECK(uniform.fourth == doctest::Approx(1.8).epsilon(0.02));
    CHECK(uniform.largest <= 1.0);
    const Moments ones = q_of(Distribution::ones);
    CHECK(ones.mean == doctest::Approx(1.0));
    CHECK(ones.variance == doctest::Approx(0.0));
}

TEST_CASE("sharp makes Q six times as large and leaves K and V") {
    const Inputs normal = random_inputs(small(Distribution::normal, DType::fp16, 4));
    const Inputs sharp = random_inputs(small(Distribution::sharp, DType::fp16, 4));
    CHECK(normal.k == sharp.k);
    CHECK(normal.v == sharp.v);
    for (std::size_t i = 0; i < normal.q.size(); ++i) {
        const double six_times = 6.0 * widen(normal.q[i], DType::fp16);
        CHECK(widen(sharp.q[i], DType::fp16) == doctest::Approx(six_times).epsilon(0.001));
    }
}

TEST_CASE("seeds, tensors and neighbours don't repeat each other") {
    const Inputs a = random_inputs(small(Distribution::uniform, DType::fp16, 0));
    const Inputs b = random_inputs(small(Distribution::uniform, DType::fp16, 1));
    int same = 0;
    for (std::size_t i = 0; i < a.k.size(); ++i) {
        same += a.k[i] == b.k[i] || a.k[i] == a.v[i] || a.k[i] == a.q[i] ? 1 : 0;
    }
    CHECK(same < 10);
}

}  // namespace flashlens
