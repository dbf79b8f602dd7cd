#include "on_card.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "explorer/explorer.h"
#include "explorer/variant.h"

namespace flashlens::gpu_tests {
namespace {

// What gpu::run leaves in outputs before a launch: a NaN that no arithmetic of the card makes.
constexpr std::uint16_t o_poison = 0xffff;
constexpr std::uint32_t lse_poison = 0xffffffff;

template <class T>
std::vector<T> part(const std::vector<T>& tensor, std::int64_t batches, std::int64_t batch) {
    const auto size = static_cast<std::ptrdiff_t>(tensor.size()) / batches;
    return {tensor.begin() + batch * size, tensor.begin() + (batch + 1) * size};
}

}  // namespace

const hardware::Card& card() {
    static const hardware::Card here = [] {
        Message why;
        const auto found = card_here(&why);
        return found ? *found : throw Failure(why);
    }();
    return here;
}

Chip chip() {
    return card().kernels_of.value_or(card().chip);
}

std::vector<DType> every_type() {
    return chip() < 80 ? std::vector{DType::fp16} : std::vector{DType::fp16, DType::bf16};
}

std::vector<Variant> every_variant() {
    return variants_for(kernel_tests::shape(1, 1, 1, 1, 1, 8, false, every_type().back()));
}

std::vector<Variant> variants_for(const Problem& problem) {
    return kernel_tests::all_variants_for(problem, chip());
}

gpu::Call call_of(const Problem& problem, Variant variant, const Tile& tile, int splits) {
    const std::string name = kernel_tests::name_of(variant);
    return {name, problem.dtype, problem.causal, tile, splits, {}, chip(), kernel_params(problem)};
}

gpu::Call call_of(const Problem& problem, const How& how) {
    gpu::Call call = call_of(problem, how.variant, kernel_tests::tile_of(problem, how), how.splits);
    call.order = kernel_tests::order_of(problem, how);
    return call;
}

std::vector<Output> run_all(const std::vector<gpu::Call>& calls, const Inputs& inputs) {
    std::vector<Output> outputs;
    for (gpu::Run& run : gpu::run(calls, inputs.q, inputs.k, inputs.v, 0)) {
        Output output;
        output.o = std::move(run.o);
        output.lse = std::move(run.lse);
        output.unwritten = std::count(output.o.begin(), output.o.end(), o_poison) +
                           std::count_if(output.lse.begin(), output.lse.end(),
                                         [](float lse) { return std::bit_cast<std::uint32_t>(lse) == lse_poison; });
        outputs.push_back(std::move(output));
    }
    return outputs;
}

Output run_on_card(const Problem& problem, const Inputs& inputs, Variant variant, int splits) {
    const How how{.variant = variant, .splits = splits, .chip = chip()};
    return std::move(run_all({call_of(problem, how)}, inputs).front());
}

void expect_right_at(const Problem& problem, const Inputs& inputs, const Output& output, const ReferenceRun& reference,
                     const std::string& what) {
    INFO(what, "  ", kernel_tests::text_of(problem));
    CHECK(output.unwritten == 0);
    const ErrorReport error = check(problem, inputs, output.o, output.lse, reference);
    CHECK_MESSAGE(error.verdict == Verdict::pass, error.reason.en);
}

void expect_right_on_card(const Problem& problem, const Inputs& inputs, int splits) {
    const ReferenceRun reference = run_reference(problem, inputs, reference::all_rows(reference_sizes(problem)));
    for (const Variant variant : variants_for(problem)) {
        expect_right_at(problem, inputs, run_on_card(problem, inputs, variant, splits), reference,
                        kernel_tests::name_of(variant));
    }
}

Problem alone(const Problem& problem) {
    Problem one = problem;
    one.batch = 1;
    return one;
}

Inputs slice(const Problem& problem, const Inputs& inputs, std::int64_t batch) {
    Inputs one;
    one.q = part(inputs.q, problem.batch, batch);
    one.k = part(inputs.k, problem.batch, batch);
    one.v = part(inputs.v, problem.batch, batch);
    return one;
}

Output slice(const Problem& problem, const Output& output, std::int64_t batch) {
    Output one;
    one.o = part(output.o, problem.batch, batch);
    one.lse = part(output.lse, problem.batch, batch);
    return one;
}

}  // namespace flashlens::gpu_tests
