// Random problems against the verdict, and the card against the CPU machine.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "on_card.h"

using namespace flashlens;
using namespace flashlens::gpu_tests;
using kernel_tests::Random;
using kernel_tests::shape;
using kernel_tests::text_of;

namespace {

Problem random_problem(Random& random, std::int64_t longest) {
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
    Problem p = shape(random.between(1, 2), kv_heads * random.between(1, 3), kv_heads, length(), length(),
                      8 * random.between(1, random.between(0, 3) == 0 ? 32 : 16));
    p.causal = random.between(0, 1) == 1;
    p.align = random.one_of<Align>({Align::bottom_right, Align::bottom_right, Align::top_left});
    p.dtype = random.one_of<DType>(every_type());
    if (random.between(0, 2) == 0) {
        p.scale = std::ldexp(1.0, static_cast<int>(random.between(-6, 1)));
    }
    p.dist = random.one_of<Distribution>(
        {Distribution::normal, Distribution::normal, Distribution::sharp, Distribution::uniform, Distribution::ones});
    p.seed = static_cast<std::uint64_t>(random.between(0, 1 << 30));
    return p;
}

/// The largest difference of O, in units in the last place of the largest element of the same row.
double largest_difference(const Problem& p, const Output& a, const Output& b) {
    double largest = 0.0;
    const auto head_dim = static_cast<std::size_t>(p.head_dim);
    for (std::size_t row = 0; row < a.o.size(); row += head_dim) {
        double difference = 0.0;
        double size = std::ldexp(1.0, -14);
        for (std::size_t i = row; i < row + head_dim; ++i) {
            const double x = widen(a.o[i], p.dtype);
            difference = std::max(difference, std::abs(x - widen(b.o[i], p.dtype)));
            size = std::max(size, std::abs(x));
        }
        const int digits = p.dtype == DType::fp16 ? 10 : 7;
        largest = std::max(largest, difference / std::ldexp(1.0, std::ilogb(size) - digits));
    }
    return largest;
}

}  // namespace

TEST_CASE("200 random problems") {
    Random random(7);
    for (int i = 0; i < 200; ++i) {
        const Problem p = random_problem(random, 1100);
        expect_right_on_card(p, random_inputs(p), static_cast<int>(random.between(1, 30)));
    }
}

TEST_CASE("the card and the CPU machine run the same kernels: they differ by rounding") {
    // Their exponentials and the order of sums within an mma differ, so that a P may round to the other neighbour.
    constexpr double ulps_allowed = 2.0;
    for (const DType dtype : every_type()) {
        double largest = 0.0;
        double largest_lse = 0.0;
        for (const std::int64_t head_dim : {32, 64, 96, 128, 256}) {
            for (const bool causal : {false, true}) {
                const Problem p = shape(1, 2, 1, 150, 330, head_dim, causal, dtype);
                const Inputs inputs = random_inputs(p);
                const ReferenceRun reference = run_reference(p, inputs, reference::all_rows(reference_sizes(p)));
                for (const Variant variant : variants_for(p)) {
                    INFO(kernel_tests::name_of(variant), "  ", text_of(p));
                    const How how{.variant = variant, .splits = 2, .chip = chip()};
                    const Output on_cpu = kernel_tests::run(p, inputs, how);
                    const Output on_card = run_on_card(p, inputs, variant, 2);
                    expect_right_at(p, inputs, on_cpu, reference, "CPU machine");
                    expect_right_at(p, inputs, on_card, reference, "card");
                    const double ulps = largest_difference(p, on_cpu, on_card);
                    CHECK(ulps <= ulps_allowed);
                    largest = std::max(largest, ulps);
                    for (std::size_t i = 0; i < on_cpu.lse.size(); ++i) {
                        const double lse = on_cpu.lse[i];
                        const double difference = std::abs(lse - on_card.lse[i]);
                        CHECK(difference <= 2e-6 * (1.0 + std::abs(lse)));
                        largest_lse = std::max(largest_lse, difference);
                    }
                }
            }
        }
        MESSAGE("largest difference of O, " << (dtype == DType::fp16 ? "fp16" : "bf16") << ": " << largest
                                            << " ulp of the row's largest; of lse: " << largest_lse);
    }
}
