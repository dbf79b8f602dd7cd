// One CTA of each class, only counted, against every CTA of the grid, executed in full: the same counters.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "explorer/variant.h"

namespace flashlens {
namespace {

Problem problem_of(std::int64_t batch, std::int64_t heads, std::int64_t kv_heads, std::int64_t seqlen_q,
                   std::int64_t seqlen_k, std::int64_t head_dim, bool causal) {
    Problem p;
    p.batch = batch;
    p.heads = heads;
    p.kv_heads = kv_heads;
    p.seqlen_q = seqlen_q;
    p.seqlen_k = seqlen_k;
    p.head_dim = head_dim;
    p.causal = causal;
    return p;
}

void check_counts(const Problem& problem, std::optional<int> splits, const char* card = "H200") {
    const Inputs inputs = random_inputs(problem);
    for (const std::string& name : all_variants()) {
        CAPTURE(name);
        const bool depends_on_data = name == "v2-tuned";  // how often maxima are raised, and nothing else
        const VariantFacts planned = plan(name, problem, hardware::find_card(card), false, splits);
        if (depends_on_data && planned.launch.chip < 80) {
            continue;  // no v2-tuned on sm_75
        }
        REQUIRE(planned.refusal.empty());
        const simt::LaunchReport all = run_on_cpu(planned, problem, inputs, {}).counted.report;
        const CountedFacts counted = count_on_cpu(planned, problem, {});
        CHECK(counted.sampled);
        CHECK(counted.report.ctas_run <= all.ctas_run);
        CHECK(counted.report.total.mma > 0);
        CHECK((depends_on_data || counted.report.total == all.total));
        REQUIRE(counted.report.steps.size() == all.steps.size());
        for (std::size_t i = 0; i < all.steps.size(); ++i) {
            CAPTURE(all.steps[i].name);
            CHECK(counted.report.steps[i].name == all.steps[i].name);
            if (!depends_on_data || all.steps[i].name != "raise_max") {
                CHECK(counted.report.steps[i].counters == all.steps[i].counters);
            }
        }
    }
}

}  // namespace

TEST_CASE("one CTA of each class counts for all of them, exactly") {
    for (const bool causal : {false, true}) {
        for (const std::optional<int> splits : {std::optional<int>(), std::optional<int>(3)}) {
            for (const Problem& p : {
                     problem_of(1, 1, 1, 192, 192, 64, causal),
                     problem_of(2, 4, 2, 129, 257, 64, causal),  // GQA, odd lengths: rows of lse begin anywhere
                     problem_of(2, 3, 1, 147, 300, 32, causal),
                     // rows of 80, 144, 48 and 16 bytes; with one head, rows of a head share sectors
                     problem_of(2, 2, 2, 113, 203, 40, causal),
                     problem_of(2, 1, 1, 113, 203, 40, causal),
                     problem_of(1, 3, 3, 300, 130, 72, causal),  // causal: rows that see no key
                     problem_of(2, 5, 5, 7, 9, 24, causal),
                     problem_of(2, 2, 1, 64, 131, 24, causal),
                     problem_of(2, 1, 1, 64, 131, 40, causal),
                     problem_of(3, 1, 1, 31, 270, 8, causal),
                     problem_of(3, 2, 1, 65, 160, 128, causal),
                 }) {
                CAPTURE(causal);
                CAPTURE(splits.value_or(0));
                CAPTURE(p.seqlen_q);
                CAPTURE(p.head_dim);
                check_counts(p, splits);
            }
        }
    }
}

TEST_CASE("classes on sm_75, whose copies go through registers") {
    for (const bool causal : {false, true}) {
        for (const Problem& p : {problem_of(2, 4, 2, 129, 257, 64, causal), problem_of(2, 1, 1, 113, 203, 40, causal),
                                 problem_of(2, 5, 5, 7, 9, 24, causal), problem_of(3, 2, 1, 65, 160, 128, causal)}) {
            CAPTURE(causal);
            CAPTURE(p.head_dim);
            check_counts(p, std::nullopt, "T4");
        }
    }
}

TEST_CASE("classes where causal alignment is top-left") {
    Problem p = problem_of(2, 2, 1, 150, 280, 64, true);
    p.align = Align::top_left;
    check_counts(p, std::nullopt);
    check_counts(p, 4);
}

}  // namespace flashlens
