// What must not change a bit: another run, the number of splits, the other batches.
#include <doctest/doctest.h>

#include <vector>

#include "on_card.h"

using namespace flashlens;
using namespace flashlens::gpu_tests;
using kernel_tests::same_bits;
using kernel_tests::shape;
using kernel_tests::text_of;

namespace {

/// One problem for each instance family, with tails, both masks and types.
std::vector<Problem> problems() {
    std::vector<Problem> all;
    for (const DType dtype : every_type()) {
        for (const bool causal : {false, true}) {
            for (const std::int64_t head_dim : {32, 64, 128, 256}) {
                all.push_back(shape(3, 4, 2, 529, 777, head_dim, causal, dtype));
            }
        }
    }
    return all;
}

}  // namespace

TEST_CASE("50 runs are bit-identical") {
    for (const Problem& p : problems()) {
        const Inputs inputs = random_inputs(p);
        for (const Variant variant : variants_for(p)) {
            const How how{.variant = variant, .splits = 5, .chip = chip()};
            const std::vector<Output> runs = run_all(std::vector<gpu::Call>(50, call_of(p, how)), inputs);
            REQUIRE(runs.size() == 50);
            for (const Output& run : runs) {
                CHECK_MESSAGE(same_bits(run, runs.front()), kernel_tests::name_of(variant) << "  " << text_of(p));
            }
        }
    }
}

TEST_CASE("v1: the same bits for every number of splits") {
    for (const Problem& p : problems()) {
        if (p.head_dim > 128) {
            continue;
        }
        std::vector<gpu::Call> calls;
        for (int splits = 1; splits <= 30; ++splits) {
            calls.push_back(call_of(p, {.variant = Variant::v1, .splits = splits}));
        }
        calls.push_back(call_of(p, {.variant = Variant::v1, .splits = 100}));  // more than there are tiles
        const std::vector<Output> runs = run_all(calls, random_inputs(p));
        for (std::size_t i = 0; i < runs.size(); ++i) {
            CHECK_MESSAGE(same_bits(runs[i], runs.front()), calls[i].num_splits << " splits  " << text_of(p));
        }
    }
}

TEST_CASE("a batch among others is that batch alone") {
    for (const Problem& p : problems()) {
        const Inputs inputs = random_inputs(p);
        for (const Variant variant : variants_for(p)) {
            const Output together = run_on_card(p, inputs, variant, 3);
            for (std::int64_t batch = 0; batch < p.batch; ++batch) {
                const Output one = run_on_card(alone(p), slice(p, inputs, batch), variant, 3);
                CHECK_MESSAGE(same_bits(slice(p, together, batch), one),
                              kernel_tests::name_of(variant) << " batch " << batch << "  " << text_of(p));
            }
        }
    }
}
