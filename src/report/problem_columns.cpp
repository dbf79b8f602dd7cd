#include "report/problem_columns.h"

#include <fmt/format.h>

#include "report/comparison_view.h"

namespace flashlens::report {

std::vector<std::string> problem_columns() {
    return {"batch", "heads", "kv_heads", "seqlen_q", "seqlen_k", "head_dim",
            "mask",  "align", "dtype",    "scale",    "seed",     "dist"};
}

std::vector<std::string> problem_fields(const Problem& problem) {
    const auto number = [](auto value) { return fmt::format("{}", value); };
    return {number(problem.batch),
            number(problem.heads),
            number(problem.kv_heads),
            number(problem.seqlen_q),
            number(problem.seqlen_k),
            number(problem.head_dim),
            problem.causal ? "causal" : "full",
            align_name(problem.align),
            dtype_name(problem.dtype),
            number(problem.scale),
            number(problem.seed),
            distribution_name(problem.dist)};
}

}  // namespace flashlens::report
