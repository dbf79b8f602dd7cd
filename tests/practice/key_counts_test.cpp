// How often each query counted each key, from the weights that a run on zeros leaves.
#include "practice/key_counts.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "explorer/inputs.h"
#include "practice/softmax_model.h"

using namespace flashlens;
using namespace flashlens::practice;

namespace {

/// What a kernel leaves that counts key j of every row times[j] times, and `past_end` zeros beyond them; rounded as it is.
Weights weights_of(const std::vector<int>& times, int past_end) {
    int l = past_end;
    for (const int n : times) {
        l += n;
    }
    Weights weights{2, std::ssize(times), {}, {}};
    for (int row = 0; row < 2; ++row) {
        for (const int n : times) {
            weights.weight.push_back(widen(round_to(static_cast<double>(n) / l, DType::fp16), DType::fp16));
        }
        weights.lse.push_back(static_cast<float>(std::log(static_cast<double>(l))));
    }
    return weights;
}

}  // namespace

TEST_CASE("a right kernel counts every visible key once, and rows that see nothing none") {
    for (const bool causal : {false, true}) {
        const Problem problem = one_head(70, 50, causal);
        const auto counts = count_keys(run_model(right_model(problem), problem, blank_inputs(problem)));
        REQUIRE(counts.has_value());
        for (std::int64_t i = 0; i < 70; ++i) {
            CHECK(counts->past_end[static_cast<std::size_t>(i)] == 0);
            for (std::int64_t j = 0; j < 50; ++j) {
                CHECK(counts->at(i, j) == (!causal || j <= i - 20 ? 1 : 0));
            }
        }
    }
}

TEST_CASE("keys that count twice, never, or lie past the end") {
    std::vector<int> times(300, 1);
    times[7] = 2;
    times[8] = 0;
    const auto counts = count_keys(weights_of(times, 20));
    REQUIRE(counts.has_value());
    CHECK(counts->at(1, 6) == 1);
    CHECK(counts->at(1, 7) == 2);
    CHECK(counts->at(1, 8) == 0);
    CHECK(counts->past_end == std::vector<std::int64_t>{20, 20});
}

TEST_CASE("weights that are no counts give none") {
    Weights half = weights_of({1, 1, 1}, 0);
    half.weight[4] *= 0.5;
    CHECK_FALSE(count_keys(half).has_value());
    Weights nan = weights_of({1, 1, 1}, 0);
    nan.weight[0] = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(count_keys(nan).has_value());
    Weights too_little = weights_of({1, 1, 1}, 0);  // l is smaller than what O has
    too_little.weight[0] *= 2.0;
    CHECK_FALSE(count_keys(too_little).has_value());
}
