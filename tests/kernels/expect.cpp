// The harness's part that is made of doctest's assertions.
#include <doctest/doctest.h>

#include "harness.h"

namespace flashlens::kernel_tests {

void expect_right(const Problem& problem, const Inputs& inputs, const Output& output, const std::string& variant) {
    INFO(variant, "  ", text_of(problem));
    CHECK(output.unwritten == 0);
    const ErrorReport error = judge(problem, inputs, output);
    CHECK_MESSAGE(error.verdict == Verdict::pass, error.reason.en);
}

void expect_right(const Problem& problem, const Inputs& inputs, int splits, Chip chip) {
    const ReferenceRun reference = run_reference(problem, inputs, reference::all_rows(reference_sizes(problem)));
    for (const Variant variant : variants_for(problem, chip)) {
        INFO(name_of(variant), " sm_", chip, "  ", text_of(problem));
        const Output output = run(problem, inputs, {.variant = variant, .splits = splits, .chip = chip});
        CHECK(output.unwritten == 0);
        const ErrorReport error = check(problem, inputs, output.o, output.lse, reference);
        CHECK_MESSAGE(error.verdict == Verdict::pass, error.reason.en);
    }
}

}  // namespace flashlens::kernel_tests
