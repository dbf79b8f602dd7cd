// A run to be judged: outputs that a test may change, beside their reference.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "explorer/verdict.h"

namespace flashlens::explorer_tests {

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr DType both[] = {DType::fp16, DType::bf16};

/// A problem, its inputs and outputs that a test may change, and the reference of the inputs.
struct Run {
    Problem problem;
    Inputs inputs;
    ReferenceRun reference;
    std::vector<std::uint16_t> o;
    std::vector<float> lse;

    explicit Run(const Problem& asked, const std::function<void(Run&)>& change_inputs = {}) : problem(asked) {
        inputs = random_inputs(problem);
        if (change_inputs) {
            change_inputs(*this);
        }
        reference = run_reference(problem, inputs, reference::all_rows(reference_sizes(problem)));
        o.resize(inputs.q.size());
        lse.resize(reference.rows.size());
        for (std::size_t r = 0; r < reference.rows.size(); ++r) {
            const auto [batch, head, row] = reference.rows[r];
            for (std::int64_t d = 0; d < problem.head_dim; ++d) {
                o[at(batch, row, head, d)] =
                    round_to(reference.exact.o[static_cast<std::int64_t>(r) * problem.head_dim + d], problem.dtype);
            }
            lse[r] = static_cast<float>(reference.exact.lse[r]);  // all rows in order: (batch, heads, seqlen_q)
        }
    }

    std::int64_t at(std::int64_t batch, std::int64_t row, std::int64_t head, std::int64_t dim) const {
        return ((batch * problem.seqlen_q + row) * problem.heads + head) * problem.head_dim + dim;
    }
    std::int64_t kv_at(std::int64_t batch, std::int64_t key, std::int64_t kv_head, std::int64_t dim) const {
        return ((batch * problem.seqlen_k + key) * problem.kv_heads + kv_head) * problem.head_dim + dim;
    }
    void set_o(std::int64_t index, double value) { o[index] = round_to(value, problem.dtype); }
    ErrorReport check() const { return flashlens::check(problem, inputs, o, lse, reference); }
};

inline bool passes(const Run& run) {
    const ErrorReport report = run.check();
    if (report.verdict != Verdict::pass) {
        MESSAGE(report.reason.en);
    }
    return report.verdict == Verdict::pass;
}

inline bool fails(const Run& run, const std::string& part = "") {
    const ErrorReport report = run.check();
    const bool named = report.reason.en.find(part) != std::string::npos;
    if (!named) {
        MESSAGE("'", report.reason.en, "' lacks '", part, "'");
    }
    return report.verdict == Verdict::fail && !report.reason.empty() && named;
}

}  // namespace flashlens::explorer_tests
