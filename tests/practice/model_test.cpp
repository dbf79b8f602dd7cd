// What mistakes are told by: the fp64 model of the online softmax, and how rows are named.
#include <doctest/doctest.h>

#include <cmath>

#include "explorer/verdict.h"
#include "practice/rows.h"
#include "practice/softmax_model.h"
#include "reference/attention.h"

using namespace flashlens;
using namespace flashlens::practice;

TEST_CASE("the right model is attention: O of random V, and lse, are the reference's") {
    for (const bool causal : {false, true}) {
        const Problem problem = one_head(70, 150, causal);
        Inputs inputs = random_inputs(problem);
        const Weights weights = run_model(right_model(problem), problem, inputs);
        const ReferenceRun right = run_reference(problem, inputs, reference::all_rows(reference_sizes(problem)));
        for (std::int64_t i = 0; i < problem.seqlen_q; ++i) {
            const auto row = static_cast<std::size_t>(i);
            CHECK(weights.lse[row] == doctest::Approx(right.exact.lse[row]).epsilon(1e-9));
            for (std::int64_t d = 0; d < problem.head_dim; d += 7) {
                double o = 0.0;
                for (std::int64_t j = 0; j < problem.seqlen_k; ++j) {
                    o += weights.at(i, j) * widen(inputs.v[at_k(problem, 0, j, 0, d)], problem.dtype);
                }
                CHECK(o == doctest::Approx(right.exact.o[row * 64 + static_cast<std::size_t>(d)]).epsilon(1e-9));
            }
        }
    }
}

TEST_CASE("rows that see nothing weigh nothing") {
    const Problem problem = one_head(5, 2, true);
    const Weights weights = run_model(right_model(problem), problem, random_inputs(problem));
    CHECK(weights.at(0, 0) == 0.0);
    CHECK(weights.at(2, 1) == 0.0);
    CHECK(std::isinf(weights.lse[2]));
    CHECK(weights.at(3, 0) == 1.0);
    CHECK(weights.at(3, 1) == 0.0);
}

TEST_CASE("a mistake that the model makes is named, one that it does not know is placed") {
    const Problem problem = one_head(70, 300, false);
    const Inputs inputs = rising_inputs(problem);
    SoftmaxModel model = right_model(problem);
    hold_weights(run_model(model, problem, inputs), problem, inputs, {});
    model.rescale_o = [](double, double) { return 1.0; };
    const std::vector<Mistake> known{{"other", as_it_is("other"), right_model(problem), {}},
                                     {"that", as_it_is("that"), model, {}}};
    const auto finding_of = [&](std::span<const Mistake> mistakes) {
        try {
            hold_weights(run_model(model, problem, inputs), problem, inputs, mistakes);
        } catch (const Finding& finding) {
            return finding;
        }
        return Finding{};
    };
    CHECK(finding_of(known).id == "that");
    const Finding unnamed = finding_of({});
    CHECK(unnamed.id == "weights-wrong");
    CHECK(unnamed.what.en.find("70 of 70 rows: rows 0 to 69") != std::string::npos);
    CHECK(unnamed.evidence.size() == 1 + 5 + 1);
}

TEST_CASE("with unit vectors for V, O is the weights; what nobody wrote is NaN") {
    const Problem problem = one_head(3, 100, false);
    Inputs inputs = random_inputs(problem);
    see_keys_from(64, problem, inputs);
    CHECK(widen(inputs.v[at_k(problem, 0, 66, 0, 2)], problem.dtype) == 1.0);
    CHECK(widen(inputs.v[at_k(problem, 0, 66, 0, 3)], problem.dtype) == 0.0);
    CHECK(widen(inputs.v[at_k(problem, 0, 2, 0, 2)], problem.dtype) == 0.0);

    Output output;
    output.o.assign(std::size_t{3} * 64, round_to(0.25, problem.dtype));
    output.lse = {1.0F, 2.0F, 3.0F};
    output.o_unwritten.resize(output.o.size());
    output.lse_unwritten.resize(3);
    output.o_unwritten[at_q(problem, 0, 1, 0, 5)] = true;
    output.lse_unwritten[2] = true;
    const Weights seen = weights_of(problem, output);
    CHECK(seen.at(0, 63) == 0.25);
    CHECK(seen.at(0, 64) == 0.0);
    CHECK(std::isnan(seen.at(1, 5)));
    CHECK(seen.lse[1] == 2.0);
    CHECK(std::isnan(seen.lse[2]));
}

TEST_CASE("rows in words") {
    CHECK(rows_text({3}).en == "row 3");
    CHECK(rows_text({0, 1, 2, 3}).en == "rows 0 to 3");
    CHECK(rows_text({0, 1, 5, 7, 8}).en == "rows 0 to 1, 5, 7 to 8");
    CHECK(rows_text({0, 2, 4, 6}).en == "rows 0, 2, 4 and others");
    CHECK(rows_text({0, 1}).zh == "第 0 到 1 行");
    CHECK(lanes_text({7}).en == "lane 7");
    CHECK(lanes_text({0, 1, 4}).zh == "lane 0 到 1、4");
}
