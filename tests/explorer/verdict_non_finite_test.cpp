// The verdict where NaN, infinities and zeros meet: none of them slips through, and none is blamed wrongly.
#include <doctest/doctest.h>

#include <cmath>

#include "verdict_run.h"

using namespace flashlens;
using namespace flashlens::explorer_tests;

TEST_CASE("NaN against a number fails, both ways, and names the element") {
    Problem problem{.batch = 2, .heads = 2, .kv_heads = 2, .seqlen_q = 8, .seqlen_k = 8};
    Run run(problem);
    run.set_o(run.at(1, 3, 1, 5), std::nan(""));
    CHECK(fails(run, "batch 1, row 3, head 1, dim 5 is nan"));
    Run wide(problem);
    wide.set_o(wide.at(0, 0, 0, 0), -inf);
    CHECK(fails(wide, "is -inf"));
    Run sums(problem);
    sums.lse[(1 * 2 + 0) * 8 + 2] = std::numeric_limits<float>::quiet_NaN();
    CHECK(fails(sums, "LSE at batch 1, row 2, head 0 is nan"));
    Run all(problem);
    std::fill(all.o.begin(), all.o.end(), round_to(std::nan(""), DType::fp16));
    std::fill(all.lse.begin(), all.lse.end(), std::numeric_limits<float>::quiet_NaN());
    CHECK(fails(all));
}

TEST_CASE("an all-zero reference against 1 fails, also where V is huge") {
    for (const double size : {0.0, 60000.0}) {
        Problem problem{.heads = 1, .kv_heads = 1, .seqlen_q = 4, .seqlen_k = 0};
        problem.seqlen_k = size > 0 ? 2 : 0;  // two keys, of which rows 0 and 1 see none
        problem.causal = true;
        Run run(problem, [&](Run& r) { std::fill(r.inputs.v.begin(), r.inputs.v.end(), round_to(size, DType::fp16)); });
        CHECK(passes(run));
        run.set_o(3, 1e-3);
        CHECK(fails(run));
        Run zero_v({.heads = 1, .kv_heads = 1, .seqlen_q = 4, .seqlen_k = 4},
                   [](Run& r) { std::fill(r.inputs.v.begin(), r.inputs.v.end(), 0); });
        CHECK(passes(zero_v));
        zero_v.set_o(3, 1.0);
        CHECK(fails(zero_v));
    }
}

TEST_CASE("a row that sees nothing is 0 and -inf, never NaN, whatever masked keys hold") {
    Problem problem{.heads = 1, .kv_heads = 1, .seqlen_q = 5, .seqlen_k = 2};
    problem.causal = true;
    Run run(problem, [](Run& r) { r.inputs.v[0] = 0x7E00; });
    CHECK(passes(run));
    run.set_o(0, std::nan(""));
    CHECK(fails(run));
    Run sums(problem);
    sums.lse[0] = std::numeric_limits<float>::quiet_NaN();
    CHECK(fails(sums));
    sums.lse[0] = INFINITY;
    CHECK(fails(sums, "-inf is expected"));
    sums.lse[0] = -1e30F;
    CHECK(fails(sums));
}

TEST_CASE("NaN matches NaN and equal infinities match; 0 or another value in their place fails") {
    Problem problem{.heads = 1, .kv_heads = 1, .seqlen_q = 8, .seqlen_k = 8};
    for (const double odd : {static_cast<double>(NAN), inf, -inf}) {
        const Run run(problem, [&](Run& r) { r.inputs.v[r.kv_at(0, 3, 0, 9)] = round_to(odd, DType::fp16); });
        const ErrorReport report = run.check();
        CHECK(report.verdict == Verdict::pass);
        CHECK(report.non_finite_matches == 8);
        Run zero = run;
        zero.set_o(zero.at(0, 2, 0, 9), 0.0);
        CHECK(fails(zero, "dim 9"));
        Run other = run;
        other.set_o(other.at(0, 2, 0, 9), std::isinf(odd) ? -odd : inf);
        CHECK(fails(other, "dim 9"));
        Run elsewhere = run;
        elsewhere.set_o(elsewhere.at(0, 2, 0, 10), std::nan(""));
        CHECK(fails(elsewhere, "dim 10"));
    }
    Run query(problem, [](Run& r) { r.inputs.q[r.at(0, 6, 0, 0)] = 0x7E00; });
    CHECK(passes(query));
    query.set_o(query.at(0, 5, 0, 0), std::nan(""));
    CHECK(fails(query, "row 5"));
}

TEST_CASE("a masked NaN may spread within its batch and KV head and under a causal mask, nowhere else") {
    Problem problem{.batch = 2, .heads = 4, .kv_heads = 2, .seqlen_q = 8, .seqlen_k = 8};
    problem.causal = true;
    const auto bad_v = [](Run& r) { r.inputs.v[r.kv_at(1, 5, 0, 9)] = 0x7E00; };
    const Run clean(problem, bad_v);
    CHECK(passes(clean));
    Run spread = clean;
    spread.set_o(spread.at(1, 2, 1, 9), std::nan(""));
    CHECK(passes(spread));
    const auto with_nan_at = [&](std::int64_t batch, std::int64_t row, std::int64_t head, std::int64_t dim) {
        Run run = clean;
        run.set_o(run.at(batch, row, head, dim), std::nan(""));
        return run;
    };
    CHECK(fails(with_nan_at(0, 2, 1, 9)));  // other batch
    CHECK(fails(with_nan_at(1, 2, 2, 9)));  // other KV head
    CHECK(fails(with_nan_at(1, 2, 1, 8)));  // other column of V
    Run sums = clean;
    sums.lse[(1 * 4 + 1) * 8 + 2] = NAN;  // V has no part in LSE
    CHECK(fails(sums, "LSE"));
    // K reaches every column
    Run key(problem, [](Run& r) { r.inputs.k[r.kv_at(1, 5, 0, 9)] = 0x7E00; });
    key.set_o(key.at(1, 2, 1, 0), std::nan(""));
    CHECK(passes(key));
    // a number where the row does see it is wrong all the same
    key.set_o(key.at(1, 5, 1, 0), 0.0);
    CHECK(fails(key, "row 5"));
}

TEST_CASE("where fp64 and plain attention differ in being finite, either is right") {
    // q.k beyond fp32 in bf16: infinite for every kernel, finite in fp64
    Problem problem{.heads = 1, .kv_heads = 1, .seqlen_q = 1, .seqlen_k = 2, .head_dim = 8};
    problem.dtype = DType::bf16;
    problem.scale = 1e-39;
    const auto huge = [](Run& r) {
        for (std::int64_t d = 0; d < 8; ++d) {
            r.inputs.q[d] = round_to(1e20, DType::bf16);
            r.inputs.k[r.kv_at(0, 1, 0, d)] = round_to(1e20, DType::bf16);
        }
    };
    Run run(problem, huge);
    CHECK(passes(run));
    for (std::uint16_t& word : run.o) {
        word = round_to(std::nan(""), DType::bf16);
    }
    run.lse[0] = NAN;
    CHECK(passes(run));
    run.lse[0] = 1.0F;
    CHECK(fails(run, "LSE"));
}

TEST_CASE("sums of |V| past fp32 excuse an infinity, smaller ones don't") {
    for (const double size : {3e38, 1e38}) {
        Problem problem{.heads = 1, .kv_heads = 1, .seqlen_q = 1, .seqlen_k = 3, .head_dim = 8};
        problem.dtype = DType::bf16;
        Run run(problem, [&](Run& r) {
            std::fill(r.inputs.q.begin(), r.inputs.q.end(), 0);
            std::fill(r.inputs.v.begin(), r.inputs.v.end(), round_to(size, DType::bf16));
        });
        CHECK(passes(run));
        run.set_o(0, inf);
        CHECK((run.check().verdict == Verdict::pass) == (size == 3e38));
    }
}
