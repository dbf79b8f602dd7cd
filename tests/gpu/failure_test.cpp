// Launches that can't be, and the run after them.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "on_card.h"

using namespace flashlens;
using namespace flashlens::gpu_tests;
using kernel_tests::shape;

namespace {

std::string error_of(const std::vector<gpu::Call>& calls, const Inputs& inputs) {
    try {
        run_all(calls, inputs);
    } catch (const gpu::Error& error) {
        return error.what();
    }
    return "";
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a launch over a limit is an error that names the kernel, and the next run is right") {
    const Problem p = shape(1, 2, 2, 33, 65, 64);
    const Inputs inputs = random_inputs(p);
    const std::string too_many_splits = error_of({call_of(p, {.variant = Variant::v1, .splits = 70000})}, inputs);
    INFO(too_many_splits);
    CHECK(holds(too_many_splits, "v1"));
    expect_right_on_card(p, inputs);

    // more heads than v2's grid has room for in z
    const Problem heads = shape(1, 65536, 65536, 1, 1, 8);
    const std::string too_many_heads = error_of({call_of(heads, {.variant = Variant::v2})}, random_inputs(heads));
    INFO(too_many_heads);
    CHECK(holds(too_many_heads, "v2"));
    expect_right_on_card(p, inputs);

    // a right call before the wrong one hides nothing
    CHECK(holds(error_of({call_of(p, {.variant = Variant::v2, .chip = chip()}),
                          call_of(p, {.variant = Variant::v1, .splits = 70000})},
                         inputs),
                "v1"));
    expect_right_on_card(p, inputs);
}

TEST_CASE("a tile that no instance has is an error") {
    const Problem p = shape(1, 1, 1, 33, 65, 64);
    const Inputs inputs = random_inputs(p);
    CHECK(holds(error_of({call_of(p, Variant::v2, Tile{64, 96, 128, 4}, 1)}, inputs), "no such kernel"));
    CHECK(holds(error_of({call_of(p, Variant::v1, Tile{64, 16, 64, 4}, 1)}, inputs), "no such kernel"));
    expect_right_on_card(p, inputs);
}

TEST_CASE("too much memory is refused before anything is allocated, both figures named") {
    const Problem p = shape(1, 2, 2, 33, 65, 64);
    const Inputs inputs = random_inputs(p);
    gpu::Call call = call_of(p, {.variant = Variant::v1});
    // lse and v1's statistics alone are 12 bytes a row: 2^42 rows
    call.params.batch = call.params.heads = 1 << 14;
    call.params.seqlen_q = 1 << 14;
    const std::string refusal = error_of({call}, inputs);
    INFO(refusal);
    CHECK(holds(refusal, "needs 49152.0 GiB"));
    CHECK(holds(refusal, "GiB free"));
    expect_right_on_card(p, inputs);
}

TEST_CASE("the grid's limits: 65535 in y and z run, more in x") {
    const auto expect_o_is_v = [](const Problem& p, Variant variant, bool also_row_by_row) {
        // One key: O is V, bit for bit, and lse the logit.
        const Inputs inputs = random_inputs(p);
        const Output output = run_on_card(p, inputs, variant, 1);
        CHECK_MESSAGE(output.o == inputs.v, kernel_tests::name_of(variant) << "  " << kernel_tests::text_of(p));
        if (also_row_by_row) {
            expect_right_at(p, inputs, output, run_reference(p, inputs, choose_rows(p)),
                            kernel_tests::name_of(variant));
        }
    };
    expect_o_is_v(shape(65535, 1, 1, 1, 1, 8), Variant::v2, true);
    expect_o_is_v(shape(1, 65535, 65535, 1, 1, 8), Variant::v2, true);
    expect_o_is_v(shape(1, 65535, 65535, 1, 1, 8), Variant::v1, true);
    expect_o_is_v(shape(65537, 1, 1, 1, 1, 8), Variant::v1, false);
    expect_o_is_v(shape(200000, 1, 1, 1, 1, 8), Variant::v1, false);
}
