// Exercise 3's kernels are what the exercise says of them.
#include "practice/laboratory.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "explorer/verdict.h"
#include "practice/verdict.h"
#include "reference/attention.h"

using namespace flashlens;
using namespace flashlens::practice;

namespace {

std::size_t words_that_differ(const Outputs& a, const Outputs& b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.o.size(); ++i) {
        count += a.o[i] == b.o[i] ? 0U : 1U;
    }
    return count;
}

bool looks_at_nothing(const exercise::Laboratory&) {
    return true;
}
bool runs_too_often(const exercise::Laboratory& laboratory) {
    for (int i = 0; i < 100; ++i) {
        laboratory.run(1 + i % 2);
    }
    return true;
}
bool runs_none(const exercise::Laboratory& laboratory) {
    laboratory.run(0);
    return true;
}

std::string finding_of(exercise::SplitsMergeNothing* experiment) {
    try {
        ask(experiment, [](int) { return Outputs{}; });
    } catch (const Finding& finding) {
        return finding.id;
    }
    return "";
}

}  // namespace

TEST_CASE("a kernel that splits keys differs in a few last bits, and is right otherwise") {
    const Problem problem = laboratory_problem();
    const Inputs inputs = random_inputs(problem);
    const ReferenceRun right = run_reference(problem, inputs, reference::all_rows(reference_sizes(problem)));
    const Kernel kernel = key_splitting_kernel();
    const Outputs one = kernel(1);
    std::size_t most_words = 0;
    for (const int splits : {1, 2, 7, most_splits}) {
        const Outputs outputs = kernel(splits);
        CHECK(check(problem, inputs, outputs.o, outputs.lse, right).verdict == flashlens::Verdict::pass);
        most_words = std::max(most_words, words_that_differ(outputs, one));
        CHECK((splits == 1) == (std::memcmp(outputs.lse.data(), one.lse.data(), one.lse.size() * 4) == 0));
    }
    CHECK(most_words > 0);
    CHECK(most_words < one.o.size() / 50);
}

TEST_CASE("v1's splits merge nothing") {
    const Kernel kernel = v1_kernel(random_inputs(laboratory_problem()));
    const Outputs one = kernel(1);
    for (const int splits : {2, 5, 6, most_splits}) {
        const Outputs outputs = kernel(splits);
        CHECK(words_that_differ(outputs, one) == 0);
        CHECK(std::memcmp(outputs.lse.data(), one.lse.data(), one.lse.size() * 4) == 0);
    }
}

TEST_CASE("an experiment's runs are counted") {
    CHECK(ask(looks_at_nothing, key_splitting_kernel()).ran.empty());
    CHECK(finding_of(looks_at_nothing) == "");
    CHECK(finding_of(runs_too_often) == "too-many-runs");
    CHECK(finding_of(runs_none) == "splits-out-of-range");
    CHECK(ran_text({}).en == "ran nothing");
    CHECK(ran_text({1, 2, 4}).en == "ran it with num_splits 1, 2, 4");
    CHECK(ran_text({1, 2, 3, 4, 5, 6, 7, 8}).en == "ran it with num_splits 1, 2, 3, 4, 5, 6, 7, 8");
    CHECK(ran_text({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).en == "ran it with num_splits 1, 2, 3, 4, 5, 6, ..., 10");
}
