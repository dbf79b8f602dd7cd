#include "practice/passing.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "explorer/verdict.h"
#include "practice/rows.h"

namespace flashlens::practice {
namespace {

struct Lengths {
    std::int64_t q, k;
};

bool same_bits(const Output& a, const Output& b) {
    const auto same = [](float x, float y) {
        return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
    };
    return a.o == b.o && std::equal(a.lse.begin(), a.lse.end(), b.lse.begin(), b.lse.end(), same);
}

}  // namespace

std::vector<Problem> usual_problems(const Shapes& shapes) {
    std::vector<Problem> problems;
    std::uint64_t seed = 1;
    for (const bool causal : {false, true}) {
        if (causal ? !shapes.causal : !shapes.full) {
            continue;
        }
        for (const Lengths lengths : {Lengths{64, 64}, {1, 1}, {33, 65}, {130, 70}, {100, 300}, {128, 256}}) {
            Problem p;
            p.batch = lengths.q == 33 ? 2 : 1;
            p.heads = shapes.grouped_heads ? 4 : 2;
            p.kv_heads = 2;
            p.seqlen_q = lengths.q;
            p.seqlen_k = lengths.k;
            p.head_dim = shapes.head_dim;
            p.causal = causal;
            p.scale = 1.0 / std::sqrt(static_cast<double>(p.head_dim));
            p.seed = seed++;
            problems.push_back(p);
        }
    }
    return problems;
}

void hold_error_check(Attempt& attempt, const std::vector<Problem>& problems) {
    for (const Problem& problem : problems) {
        const Inputs inputs = random_inputs(problem);
        const Output output = attempt.run(problem, inputs);
        all_rows_written(problem, output);
        const ReferenceRun reference = run_reference(problem, inputs, reference::all_rows(reference_sizes(problem)));
        const ErrorReport report = check(problem, inputs, output.o, output.lse, reference);
        if (report.verdict != flashlens::Verdict::pass) {
            throw Finding{"error-too-large",
                          both({"It does not pass the error check that the real kernels pass: {}.",
                                "未通过真实 kernel 所通过的误差检查：{}。"},
                               report.reason),
                          {both({"largest error of O {:.3g} (allowed {:.3g}), of lse {:.3g}",
                                 "O 的最大误差 {:.3g}（允许 {:.3g}），lse 的最大误差 {:.3g}"},
                                report.max_abs_error, report.allowed_max_abs_error, report.lse_max_abs_error),
                           shape_text(problem)}};
        }
    }
    attempt.held(both({"the error check against fp64, on {} shapes with tails and several heads",
                       "与 fp64 对照的误差检查：{} 种形状，含尾块与多个 head"},
                      problems.size()));
    if (attempt.machine() == Machine::gpu || problems.empty()) {
        return;
    }
    const Problem& problem = problems.back();
    const Inputs inputs = random_inputs(problem);
    simt::LaunchOptions shuffled;
    shuffled.lane_order_seed = 7;
    if (!same_bits(attempt.run(problem, inputs), attempt.run(problem, inputs, shuffled))) {
        throw Finding{
            "order-matters",
            both({"The result changes with the order in which the lanes run.", "结果随 lane 的执行顺序而变。"}),
            {shape_text(problem)}};
    }
    attempt.held(
        both({"the same bits whatever the order in which the lanes run", "无论 lane 以何种顺序执行，结果逐位相同"}));
}

}  // namespace flashlens::practice
