// Random problems against the reference and its verdict.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include "harness.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

Problem random_problem(Random& random, std::int64_t longest) {
    const std::int64_t groups = random.between(1, 3);
    const std::int64_t kv_heads = random.between(1, 2);
    const auto length = [&] {
        switch (random.between(0, 3)) {
            case 0:
                return random.between(1, 20);
            case 1:
                return random.between(1, longest / 64) * 64 + random.between(-1, 1);
            default:
                return random.between(1, longest);
        }
    };
    Problem p = shape(random.between(1, 2), kv_heads * groups, kv_heads, length(), length(),
                      random.between(0, 3) == 0 ? random.between(1, 32) * 8 : random.between(1, 16) * 8);
    p.causal = random.between(0, 1) == 1;
    p.align = random.between(0, 2) == 0 ? Align::top_left : Align::bottom_right;
    p.dtype = random.between(0, 1) == 1 ? DType::bf16 : DType::fp16;
    p.scale = random.between(0, 2) == 0 ? std::ldexp(1.0, static_cast<int>(random.between(-6, 1)))
                                        : 1.0 / std::sqrt(static_cast<double>(p.head_dim));
    p.dist = random.one_of<Distribution>(
        {Distribution::normal, Distribution::normal, Distribution::sharp, Distribution::uniform, Distribution::ones});
    p.seed = static_cast<std::uint64_t>(random.between(0, 1 << 30));
    return p;
}

void expect_random_problems_right(std::uint64_t seed, int problems, std::int64_t longest) {
    Random random(seed);
    for (int i = 0; i < problems; ++i) {
        const Problem p = random_problem(random, longest);
        const Inputs inputs = random_inputs(p);
        const auto splits = static_cast<int>(random.between(1, 6));
        const Chip chip = random.one_of<Chip>({80, 86, 90});
        if (p.head_dim <= 128) {
            expect_right(p, inputs, run(p, inputs, {.variant = Variant::v1, .splits = splits}), "v1");
        }
        expect_right(p, inputs, run(p, inputs, {.variant = Variant::v2, .chip = chip}), "v2");
        const auto sm_count = static_cast<int>(random.between(0, 8));
        expect_right(p, inputs, run(p, inputs, {.variant = Variant::v2_tuned, .chip = chip, .sm_count = sm_count}),
                     "v2-tuned");
    }
}

}  // namespace

TEST_CASE("random problems, small") {
    expect_random_problems_right(1, 60, 192);
}

TEST_SUITE("full") {
    TEST_CASE("random problems, hundreds") {
        expect_random_problems_right(2, 400, 400);
        expect_random_problems_right(3, 40, 1100);
    }
}
