// The verdict where a query's logits are infinite: fp64's and plain attention's values are right, others are not.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "explorer/verdict.h"

namespace flashlens {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Four queries over ten keys; q[1] is infinite in its first dimension, where key 0 is `first` and the others are -1.
struct Bench {
    Problem problem{.heads = 1, .kv_heads = 1, .seqlen_q = 4, .seqlen_k = 10, .head_dim = 8};
    Inputs inputs = random_inputs(problem);
    ReferenceRun reference;
    std::vector<std::uint16_t> o;
    std::vector<float> lse;

    explicit Bench(double first) {
        for (std::int64_t key = 0; key < 10; ++key) {
            inputs.k[key * 8] = round_to(key == 0 ? first : -1.0, problem.dtype);
        }
        inputs.q[8] = round_to(inf, problem.dtype);
        reference = run_reference(problem, inputs, reference::all_rows(reference_sizes(problem)));
        for (const double value : reference.exact.o) {
            o.push_back(round_to(value, problem.dtype));
        }
        lse.assign(reference.exact.lse.begin(), reference.exact.lse.end());
    }

    bool passes_with(double o_of_row, double lse_of_row) {
        std::fill_n(o.begin() + 8, 8, round_to(o_of_row, problem.dtype));
        lse[1] = static_cast<float>(lse_of_row);
        return check(problem, inputs, o, lse, reference).verdict == Verdict::pass;
    }
};

}  // namespace

TEST_CASE("a logit of +inf: O is NaN, LSE NaN or +inf") {
    Bench bench(1.0);
    CHECK(bench.passes_with(nan, nan));
    CHECK(bench.passes_with(nan, inf));
    for (const double lse : {-inf, 0.0, 1e30}) {
        CHECK(!bench.passes_with(nan, lse));
    }
    for (const double o : {inf, -inf, 0.0}) {
        CHECK(!bench.passes_with(o, nan));
    }
}

TEST_CASE("every visible logit -inf: O is NaN, LSE -inf") {
    Bench bench(-1.0);
    CHECK(bench.passes_with(nan, -inf));
    for (const double lse : {nan, inf, 0.0}) {
        CHECK(!bench.passes_with(nan, lse));
    }
    for (const double o : {inf, -inf, 0.0}) {
        CHECK(!bench.passes_with(o, -inf));
    }
}

}  // namespace flashlens
