// Is an output right? The verdict on O and LSE against fp64, with every number behind it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "explorer/inputs.h"
#include "explorer/problem.h"
#include "message.h"
#include "reference/attention.h"

namespace flashlens {

enum class Verdict { pass, fail, not_run };

struct ErrorReport {
    double max_abs_error = 0.0;  ///< of O against fp64
    double rms_error = 0.0;
    double baseline_max_abs_error = 0.0;  ///< plain attention in the kernels' precision, against fp64
    double baseline_rms_error = 0.0;
    double allowed_max_abs_error = 0.0;  ///< 2 x baseline max + 1e-5 x max|V|
    double allowed_rms_error = 0.0;      ///< 1.5 x baseline rms; asked from 1,000 elements on
    /// max_abs_error was above what is allowed, but every element within u x (sum p|V| + |O|).
    bool within_rounding = false;
    double lse_max_abs_error = 0.0;
    double lse_allowed = 0.0;           ///< at the element that comes closest to its bound (or passes it)
    double lse_error = 0.0;             ///< the error at that element
    std::int64_t elements_checked = 0;  ///< of O, those with no finite value to compare included
    /// Elements of O and LSE, among those checked, that are right by the rules for NaN and infinity, not by an error.
    std::int64_t non_finite_matches = 0;
    Verdict verdict = Verdict::not_run;
    Message reason;  ///< why it fails, with element, value and expected value; empty on a pass
};

/// Both CPU results for a list of rows.
struct ReferenceRun {
    std::vector<reference::Row> rows;
    reference::Exact exact;
    reference::Plain plain;
    double exact_us = 0.0;  ///< wall time of the fp64 part
    double plain_us = 0.0;
};

/// The problem in the reference's words.
reference::Sizes reference_sizes(const Problem& problem);
reference::Tensors reference_tensors(const Inputs& inputs);

/// What choose_rows takes as its budget when nothing else is said: about a second of two cores.
inline constexpr double default_reference_flops = 6e9;

/// The rows to check: all of them where both matrix products over them cost at most `budget_flops`; else a sample, the
/// same each time: of the first, last and some middle heads and batches, the first and last rows, multiples of 16, 64 and
/// 128 and their neighbours, the rows around the first that sees a key, and rows spread evenly between. Sorted.
std::vector<reference::Row> choose_rows(const Problem& problem, double budget_flops = default_reference_flops);

/// Runs fp64 and plain attention for `rows`.
ReferenceRun run_reference(const Problem& problem, const Inputs& inputs, std::vector<reference::Row> rows);

/// The verdict on a kernel's outputs, in the layouts of kernels/attention.h, at the rows of `reference`.
///
/// With u = 2^-11 (fp16) or 2^-8 (bf16), it passes when
/// - the largest error of O is at most 2 x plain attention's + 1e-5 x max|V|, or every element is within
///   u x (sum p|V| + |O|) + what fp32 rounding of the logits can do + one subnormal step; and
/// - from 1,000 elements on, O's rms error is at most 1.5 x plain attention's; and
/// - every LSE is within 1e-5 x (1 + |lse|) + the fp32 rounding of the logits,
///   2^-24 x (head_dim + 4) x scale x |q| x max |k| (Euclidean norms, over the visible keys).
///
/// NaN matches NaN and infinities match equal ones; anything else that isn't finite fails, but for three cases:
/// - where fp64 and plain attention differ in which value isn't finite, either one's is right;
/// - under a causal mask, a NaN or infinity that this batch's and KV head's K or V holds at a masked key may spread to a
///   row that sees some key (0 x NaN is NaN in every tiled kernel);
/// - where fp32 can't hold scale x q.k, or the sum of |V| over the visible keys (bf16 only), any value that isn't finite
///   is taken.
ErrorReport check(const Problem& problem, const Inputs& inputs, std::span<const std::uint16_t> o,
                  std::span<const float> lse, const ReferenceRun& reference);

}  // namespace flashlens
