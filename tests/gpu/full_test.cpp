// What takes long: tensors of more than 2^31 elements, and the shapes whose times the documentation gives.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "on_card.h"

using namespace flashlens;
using namespace flashlens::gpu_tests;
using kernel_tests::name_of;
using kernel_tests::same_bits;
using kernel_tests::shape;
using kernel_tests::text_of;

namespace {

/// Random words, repeated over the tensor with a period that is prime, so that no two rows or batches fall in step.
std::vector<std::uint16_t> repeated(const Problem& p, Tensor tensor, std::int64_t size) {
    std::vector<std::uint16_t> period(static_cast<std::size_t>(std::min<std::int64_t>(size, 1000003)));
    random_elements(p, tensor, 0, period);
    std::vector<std::uint16_t> words(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < words.size(); i += period.size()) {
        std::copy_n(period.begin(), std::min(period.size(), words.size() - i),
                    words.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return words;
}

/// The last batch of a run of several against that batch alone, bit for bit, and against fp64.
void expect_last_batch_right(const Problem& p) {
    Inputs inputs;
    inputs.q = repeated(p, Tensor::q, p.batch * p.seqlen_q * p.heads * p.head_dim);
    inputs.k = repeated(p, Tensor::k, p.batch * p.seqlen_k * p.kv_heads * p.head_dim);
    inputs.v = repeated(p, Tensor::v, p.batch * p.seqlen_k * p.kv_heads * p.head_dim);
    REQUIRE(std::max(inputs.q.size(), inputs.k.size()) > (std::size_t{1} << 31));
    const Problem last = alone(p);
    const Inputs its_inputs = slice(p, inputs, p.batch - 1);
    const ReferenceRun reference = run_reference(last, its_inputs, choose_rows(last));
    for (const Variant variant : kernel_tests::variants_for(p, chip())) {
        Output its_output;
        try {
            const Output together = run_on_card(p, inputs, variant, 7);
            CHECK(together.unwritten == 0);
            its_output = slice(p, together, p.batch - 1);
        } catch (const gpu::Error& error) {
            if (std::string(error.what()).find("this shape needs") == std::string::npos) {
                throw;
            }
            MESSAGE("left out, " << name_of(variant) << ": " << error.what());
            continue;
        }
        CHECK_MESSAGE(same_bits(its_output, run_on_card(last, its_inputs, variant, 7)), name_of(variant)
                                                                                            << "  " << text_of(p));
        expect_right_at(last, its_inputs, its_output, reference, name_of(variant) + ", last batch of three");
    }
}

struct Sizes {
    std::int64_t batch, heads, seqlen, head_dim;
};

const std::vector<Sizes> timed_shapes = {
    {32, 32, 512, 64},  {16, 32, 1024, 64},  {8, 32, 2048, 64},   {4, 32, 4096, 64},  {2, 32, 8192, 64},
    {1, 32, 16384, 64}, {32, 16, 512, 128},  {16, 16, 1024, 128}, {8, 16, 2048, 128}, {4, 16, 4096, 128},
    {2, 16, 8192, 128}, {1, 16, 16384, 128}, {4, 64, 4096, 32},   {4, 8, 4096, 256},  {1, 1, 16384, 64},
    {1, 4, 16384, 64},  {1, 8, 8192, 128},   {2, 40, 1024, 64},   {1, 8, 4096, 64}};

}  // namespace

// Of v1, v2 and v2-tuned; with FLASHLENS_EVERY_KERNEL in the environment of those between them, too, some 20 seconds each for
// every tensor this large.
TEST_SUITE("full") {
    TEST_CASE("more than 2^31 elements of Q and O") {
        const std::int64_t rows = (std::int64_t{1} << 31) / (3 * 16 * 128) + 77;
        expect_last_batch_right(shape(3, 16, 16, rows, 40, 128));
    }

    TEST_CASE("more than 2^31 elements of K and V, causal") {
        const std::int64_t keys = (std::int64_t{1} << 31) / (3 * 16 * 128) + 77;
        expect_last_batch_right(shape(3, 16, 16, 40, keys, 128, true));
    }

    TEST_CASE("the shapes that are timed, both masks") {
        for (const Sizes& s : timed_shapes) {
            Problem p = shape(s.batch, s.heads, s.heads, s.seqlen, s.seqlen, s.head_dim);
            const Inputs inputs = random_inputs(p);
            for (const bool causal : {false, true}) {
                p.causal = causal;
                const ReferenceRun reference = run_reference(p, inputs, choose_rows(p));
                for (const Variant variant : kernel_tests::variants_for(p, chip())) {
                    expect_right_at(p, inputs, run_on_card(p, inputs, variant, 4), reference, name_of(variant));
                }
            }
        }
    }
}
