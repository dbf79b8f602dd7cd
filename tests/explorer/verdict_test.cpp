// The verdict: a right kernel passes whatever its order of work, and a wrong one doesn't.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "verdict_run.h"

using namespace flashlens;
using namespace flashlens::explorer_tests;

namespace {

/// How the right kernel below works, and what a wrong one forgets.
struct Way {
    std::int64_t block_n = 64;
    bool backwards = false;
    bool normalise_each_time = false;
    std::int64_t dropped_key = -1;
};

/// A tiled kernel in fp32: running maximum, P rounded to the type, O rounded at the end.
void run_tiled(Run& run, const Way& way) {
    const Problem& p = run.problem;
    const auto value = [&](std::uint16_t word) { return static_cast<float>(widen(word, p.dtype)); };
    const std::int64_t blocks = (p.seqlen_k + way.block_n - 1) / way.block_n;
    std::vector<float> acc(p.head_dim);
    std::vector<float> s(way.block_n);
    for (std::size_t r = 0; r < run.reference.rows.size(); ++r) {
        const auto [batch, head, row] = run.reference.rows[r];
        const std::int64_t kv_head = head / (p.heads / p.kv_heads);
        float m = -INFINITY;
        float l = 0.0F;
        std::fill(acc.begin(), acc.end(), 0.0F);
        for (std::int64_t block = 0; block < blocks; ++block) {
            const std::int64_t first = (way.backwards ? blocks - 1 - block : block) * way.block_n;
            float m_new = m;
            for (std::int64_t j = 0; j < way.block_n; ++j) {
                const std::int64_t key = first + j;
                s[j] = -INFINITY;
                if (key >= p.seqlen_k || (p.causal && key > row + p.diagonal()) || key == way.dropped_key) {
                    continue;
                }
                float dot = 0.0F;
                for (std::int64_t d = 0; d < p.head_dim; ++d) {
                    dot += value(run.inputs.q[run.at(batch, row, head, d)]) *
                           value(run.inputs.k[run.kv_at(batch, key, kv_head, d)]);
                }
                s[j] = dot * static_cast<float>(p.scale);
                m_new = std::max(m_new, s[j]);
            }
            if (m_new == -INFINITY) {
                continue;
            }
            const float rescale = std::exp(m - m_new);
            l *= rescale;
            for (float& a : acc) {
                a *= rescale;
            }
            for (std::int64_t j = 0; j < way.block_n; ++j) {
                if (s[j] == -INFINITY) {
                    continue;
                }
                const float exponential = std::exp(s[j] - m_new);
                l += exponential;
                const float rounded = value(round_to(exponential, p.dtype));
                for (std::int64_t d = 0; d < p.head_dim; ++d) {
                    acc[d] += rounded * value(run.inputs.v[run.kv_at(batch, first + j, kv_head, d)]);
                }
            }
            m = m_new;
            if (way.normalise_each_time) {
                for (float& a : acc) {
                    a = a / l * l;
                }
            }
        }
        for (std::int64_t d = 0; d < p.head_dim; ++d) {
            run.set_o(run.at(batch, row, head, d), l > 0.0F ? acc[d] / l : 0.0F);
        }
        run.lse[r] = l > 0.0F ? m + std::log(l) : -INFINITY;
    }
}

/// O of a Run, moved by one step of the type away from 0.
void move_one_step(std::vector<std::uint16_t>& o) {
    for (std::uint16_t& word : o) {
        ++word;
    }
}

}  // namespace

TEST_CASE("the rounded reference passes, and every number of the report is there") {
    for (const DType dtype : both) {
        Problem problem{.batch = 2, .heads = 4, .kv_heads = 2, .seqlen_q = 50, .seqlen_k = 70, .head_dim = 40};
        problem.scale = 1 / std::sqrt(40.0);
        problem.dtype = dtype;
        problem.causal = true;
        const Run run(problem);
        const ErrorReport report = run.check();
        CHECK(report.verdict == Verdict::pass);
        CHECK(report.reason.empty());
        CHECK(report.elements_checked == 2 * 4 * 50 * 40);
        CHECK(report.non_finite_matches == 0);
        const double u = dtype == DType::fp16 ? 0x1p-11 : 0x1p-8;
        CHECK(report.max_abs_error > 0.0);
        CHECK(report.max_abs_error < 4 * u);
        CHECK(report.rms_error > 0.0);
        CHECK(report.rms_error < report.max_abs_error);
        CHECK(report.baseline_max_abs_error > 0.0);
        CHECK(report.baseline_rms_error > report.rms_error);
        double max_v = 0.0;
        for (const std::uint16_t word : run.inputs.v) {
            max_v = std::max(max_v, std::fabs(widen(word, dtype)));
        }
        CHECK(report.allowed_max_abs_error == doctest::Approx(2 * report.baseline_max_abs_error + 1e-5 * max_v));
        CHECK(report.allowed_rms_error == doctest::Approx(1.5 * report.baseline_rms_error));
        CHECK(report.lse_allowed > 0.0);
        CHECK(report.lse_error <= report.lse_allowed);
    }
}

TEST_CASE("errors are the plain definitions") {
    const Problem problem{.heads = 1, .kv_heads = 1, .seqlen_q = 16, .seqlen_k = 16, .head_dim = 64};
    Run run(problem);
    run.set_o(17, 3.0);
    run.lse[3] += 0.5F;
    double largest = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < run.o.size(); ++i) {
        const double error = std::fabs(widen(run.o[i], DType::fp16) - run.reference.exact.o[i]);
        largest = std::max(largest, error);
        squares += error * error;
    }
    const ErrorReport report = run.check();
    CHECK(report.max_abs_error == largest);
    CHECK(report.rms_error == doctest::Approx(std::sqrt(squares / 1024)));
    CHECK(report.lse_max_abs_error == doctest::Approx(0.5).epsilon(1e-5));
    CHECK(report.verdict == Verdict::fail);
}

TEST_CASE("right kernels pass, whatever their block size and order, on inputs of every kind") {
    std::mt19937 random(11);
    const auto pick = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    for (int i = 0; i < 240; ++i) {
        Problem problem{.batch = 1,
                        .heads = pick(1, 2),
                        .kv_heads = 1,
                        .seqlen_q = pick(1, 40),
                        .seqlen_k = pick(1, 300),
                        .head_dim = 8 * pick(1, 8)};
        problem.scale = 1 / std::sqrt(static_cast<double>(problem.head_dim));
        problem.causal = pick(0, 1) == 1;
        problem.dtype = both[i % 2];
        problem.seed = i;
        problem.dist = static_cast<Distribution>(pick(0, 3));
        const std::int64_t structure = pick(0, 4);
        Run run(problem, [&](Run& r) {
            for (std::size_t j = 0; j < r.inputs.q.size() && structure == 1; ++j) {
                r.inputs.q[j] = 0;
            }
            for (std::size_t j = 0; j < r.inputs.k.size(); ++j) {
                const auto key = static_cast<double>(static_cast<std::int64_t>(j) / problem.head_dim);
                if (structure == 2) {  // two kinds of keys: every P of a kind is rounded alike
                    r.inputs.k[j] = round_to(key < 20 ? 0.0 : 0.7, problem.dtype);
                } else if (structure == 3) {
                    r.inputs.v[j] = round_to(key + 1, problem.dtype);
                } else if (structure == 4) {
                    r.inputs.k[j] = round_to(30 * widen(r.inputs.k[j], problem.dtype), problem.dtype);
                }
            }
        });
        const Way way{pick(0, 1) == 1 ? 64 : 128, pick(0, 1) == 1, pick(0, 1) == 1};
        run_tiled(run, way);
        CAPTURE(i);
        CAPTURE(structure);
        CHECK(passes(run));
    }
}

TEST_CASE("one dropped key is noticed") {
    for (const DType dtype : both) {
        for (const std::int64_t key : {0, 63, 200, 511}) {
            Problem problem{.heads = 1, .kv_heads = 1, .seqlen_q = 24, .seqlen_k = 512};
            problem.dtype = dtype;
            Run run(problem);
            run_tiled(run, {});
            REQUIRE(passes(run));
            run_tiled(run, {.dropped_key = key});
            CHECK(fails(run));
        }
    }
}

TEST_CASE("an output one step off everywhere passes for rounding once, not for its rms") {
    // one key: plain attention is exact, and so is a right kernel
    const Problem one_key{.heads = 1, .kv_heads = 1, .seqlen_q = 2, .seqlen_k = 1};
    Run run(one_key);
    CHECK(run.check().baseline_max_abs_error == 0.0);
    move_one_step(run.o);
    const ErrorReport step = run.check();
    CHECK(step.verdict == Verdict::pass);  // within u (sum p|V| + |O|), 2 u |O|: a step is at most that
    CHECK(step.within_rounding);
    move_one_step(run.o);
    move_one_step(run.o);
    CHECK(fails(run, "plain attention's 0 "));

    const Problem many{.heads = 1, .kv_heads = 1, .seqlen_q = 64, .seqlen_k = 1};
    Run more(many);
    move_one_step(more.o);
    CHECK(fails(more, "rms"));
}

TEST_CASE("a single step off a single element passes") {
    for (const DType dtype : both) {
        Problem problem{.heads = 2, .kv_heads = 2, .seqlen_q = 40, .seqlen_k = 40};
        problem.dtype = dtype;
        Run run(problem);
        ++run.o[100];
        CHECK(passes(run));
    }
}

TEST_CASE("LSE's bound: 1e-5 of it, and the rounding of large logits") {
    Problem problem{.heads = 1, .kv_heads = 1, .seqlen_q = 4, .seqlen_k = 64};
    Run run(problem);
    const float right = run.lse[2];
    run.lse[2] = right + 2e-5F;
    CHECK(passes(run));
    for (const float off : {2e-3F, -2e-3F, 0.1F}) {
        run.lse[2] = right + off;
        CHECK(fails(run, "LSE at batch 0, row 2, head 0"));
    }
    // logits of 2^17 x 1.5, where an fp32 step is 2^-7
    Run huge({.heads = 1, .kv_heads = 1, .seqlen_q = 1, .seqlen_k = 2}, [](Run& r) {
        std::fill(r.inputs.q.begin(), r.inputs.q.end(), round_to(156.0, DType::fp16));
        std::fill(r.inputs.k.begin(), r.inputs.k.end(), round_to(157.5, DType::fp16));
    });
    huge.lse[0] += 0x1p-6F;
    CHECK(passes(huge));
    huge.lse[0] += 64.0F;
    CHECK(fails(huge, "LSE"));
}

TEST_CASE("only the rows that were asked for are judged") {
    Problem problem{.heads = 2, .kv_heads = 2, .seqlen_q = 32, .seqlen_k = 32};
    Run run(problem);
    run.reference = run_reference(problem, run.inputs, {{0, 0, 3}, {0, 1, 31}});
    run.set_o(run.at(0, 4, 0, 0), 99.0);
    const ErrorReport report = run.check();
    CHECK(report.verdict == Verdict::pass);
    CHECK(report.elements_checked == 128);
    run.set_o(run.at(0, 31, 1, 63), 99.0);
    CHECK(fails(run, "batch 0, row 31, head 1, dim 63 is 99"));
}

TEST_CASE("nothing to check passes") {
    for (const Problem& problem : {Problem{.batch = 0}, Problem{.seqlen_q = 0}}) {
        const ErrorReport report = Run(problem).check();
        CHECK(report.verdict == Verdict::pass);
        CHECK(report.elements_checked == 0);
    }
    CHECK(passes(Run({.seqlen_q = 3, .seqlen_k = 0})));
}
