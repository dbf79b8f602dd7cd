#include "explorer/verdict.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "explorer/head_facts.h"
#include "say.h"

namespace flashlens {
namespace {

constexpr double fp32_max = std::numeric_limits<float>::max();
constexpr double fp32_rounding = 0x1p-24;
constexpr double log2_e = 1.4426950408889634;
constexpr std::int64_t fewest_for_rms = 1000;

/// NaN matches NaN, an infinity the same infinity; no finite value matches anything here.
bool same_non_finite(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (std::isinf(a) && a == b);
}

double unit_rounding(DType dtype) {
    return dtype == DType::fp16 ? 0x1p-11 : 0x1p-8;
}
double subnormal_step(DType dtype) {
    return dtype == DType::fp16 ? 0x1p-24 : 0x1p-133;
}

/// The element whose error comes closest to its bound.
struct Worst {
    std::size_t row = 0;  ///< index into the rows checked
    std::int64_t dim = 0;
    double value = 0.0;
    double expected = 0.0;
    double error = -1.0;
    double allowed = 0.0;

    bool nearer_than(const Worst& other) const {
        return other.error < 0.0 || error * other.allowed > other.error * allowed;
    }
};

class Check {
public:
    Check(const Problem& problem, const Inputs& inputs, std::span<const std::uint16_t> o, std::span<const float> lse,
          const ReferenceRun& reference)
        : problem_(problem),
          inputs_(inputs),
          o_(o),
          lse_(lse),
          reference_(reference),
          rows_(reference.rows),
          sizes_(reference_sizes(problem)) {}

    ErrorReport run() {
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            look_at(r);
            for (std::int64_t dim = 0; dim < problem_.head_dim; ++dim) {
                check_o(r, dim);
            }
            check_lse(r);
        }
        report_.elements_checked = std::ssize(rows_) * problem_.head_dim;
        finish_o();
        finish_lse();
        report_.verdict = report_.reason.empty() ? Verdict::pass : Verdict::fail;
        return report_;
    }

private:
    /// What is known of one row before its elements.
    struct RowFacts {
        const HeadFacts* head = nullptr;
        std::int64_t kv_head = 0;
        std::int64_t visible = 0;
        double largest_dot = 0.0;     ///< no |q.k| of the row is larger (Cauchy and Schwarz)
        double logit_rounding = 0.0;  ///< what fp32 can do to a logit
    };

    RowFacts facts_of(std::size_t r) {
        const reference::Row& row = rows_[r];
        RowFacts facts;
        facts.kv_head = row.head / (problem_.heads / problem_.kv_heads);
        const std::pair key{row.batch, facts.kv_head};
        auto known = heads_.find(key);
        if (known == heads_.end()) {
            known = heads_.emplace(key, head_facts(problem_, inputs_, row.batch, facts.kv_head)).first;
            max_abs_v_ = std::max(max_abs_v_, known->second.max_abs_v);
        }
        facts.head = &known->second;
        facts.visible = reference::visible_keys(sizes_, row.row);
        if (facts.visible > 0) {
            facts.largest_dot = query_norm(problem_, inputs_, row.batch, row.head, row.row) *
                                facts.head->max_key_norm[facts.visible - 1];
            // head_dim - 1 additions, the products' exponents aligned, and a rounding each of the scale, of the scaled
            // logit, of its difference to the maximum and of its exponential.
            facts.logit_rounding =
                fp32_rounding * static_cast<double>(problem_.head_dim + 4) * problem_.scale * facts.largest_dot;
        }
        return facts;
    }

    void look_at(std::size_t r) { row_ = facts_of(r); }

    Message where(std::size_t r) const {
        return say("batch {}, row {}, head {}", rows_[r].batch, rows_[r].row, rows_[r].head);
    }

    void fail(Message reason) {
        if (report_.reason.empty()) {
            report_.reason = std::move(reason);
        }
    }

    bool fp32_overflows(std::size_t r, std::int64_t dim) const {
        if (row_.largest_dot * std::max(1.0, problem_.scale * log2_e) > fp32_max) {
            return true;
        }
        return dim >= 0 && problem_.dtype == DType::bf16 &&
               sum_abs_v(problem_, inputs_, rows_[r].batch, row_.kv_head, dim, row_.visible) > fp32_max;
    }

    /// May a value here that neither reference has be a NaN or an infinity all the same? dim -1: LSE.
    bool excused(std::size_t r, std::int64_t dim) const {
        if (row_.visible == 0) {
            return false;
        }
        const bool masked_key_spreads = problem_.causal && (row_.head->last_bad_key >= row_.visible ||
                                                            (dim >= 0 && row_.head->last_bad_v[dim] >= row_.visible));
        return masked_key_spreads || fp32_overflows(r, dim);
    }

    /// Settles everything about an element but the size of a finite error: true if that remains to be judged.
    bool both_finite(std::size_t r, std::int64_t dim, double value, double exact, double plain) {
        if (std::isfinite(value) && std::isfinite(exact)) {
            return true;
        }
        if (same_non_finite(value, exact) || same_non_finite(value, plain) ||
            (!std::isfinite(value) && excused(r, dim))) {
            ++report_.non_finite_matches;
        } else if (dim >= 0) {
            fail(say("O at {}, dim {} is {}; {} is expected", where(r), dim, value, exact));
        } else {
            fail(say("LSE at {} is {}; {} is expected", where(r), value, exact));
        }
        return false;
    }

    double o_at(std::size_t r, std::int64_t dim) const {
        const reference::Row& row = rows_[r];
        const std::int64_t first = (row.batch * problem_.seqlen_q + row.row) * problem_.heads + row.head;
        return widen(o_[first * problem_.head_dim + dim], problem_.dtype);
    }
    double exact_o(std::size_t r, std::int64_t dim) const {
        return reference_.exact.o[static_cast<std::int64_t>(r) * problem_.head_dim + dim];
    }
    double plain_o(std::size_t r, std::int64_t dim) const {
        return widen(reference_.plain.o[static_cast<std::int64_t>(r) * problem_.head_dim + dim], problem_.dtype);
    }

    void check_o(std::size_t r, std::int64_t dim) {
        const double value = o_at(r, dim);
        const double exact = exact_o(r, dim);
        const double plain = plain_o(r, dim);
        if (!both_finite(r, dim, value, exact, plain)) {
            return;
        }
        const Worst element{r, dim, value, exact, std::fabs(value - exact), 1.0};
        if (row_.visible == 0 && value != 0.0) {
            fail(say("O at {}, dim {} is {}; the row sees no key, so 0 is expected", where(r), dim, value));
        }
        if (element.nearer_than(worst_o_)) {
            worst_o_ = element;
        }
        if (std::isfinite(plain)) {
            const double baseline = std::fabs(plain - exact);
            report_.baseline_max_abs_error = std::max(report_.baseline_max_abs_error, baseline);
            // Each about the largest seen: squares of bf16's numbers would overflow.
            add_square(error_scale_, error_squares_, element.error);
            add_square(baseline_scale_, baseline_squares_, baseline);
            ++compared_;
        }
    }

    void check_lse(std::size_t r) {
        const double value = lse_[(rows_[r].batch * problem_.heads + rows_[r].head) * problem_.seqlen_q + rows_[r].row];
        const double exact = reference_.exact.lse[r];
        if (!both_finite(r, -1, value, exact, reference_.plain.lse[r])) {
            return;
        }
        const Worst element{
            r, -1, value, exact, std::fabs(value - exact), 1e-5 * (1.0 + std::fabs(exact)) + row_.logit_rounding};
        report_.lse_max_abs_error = std::max(report_.lse_max_abs_error, element.error);
        if (element.nearer_than(worst_lse_)) {
            worst_lse_ = element;
        }
    }

    static void add_square(double& scale, double& squares, double value) {
        if (value > scale) {
            squares = 1.0 + squares * (scale / value) * (scale / value);
            scale = value;
        } else if (scale > 0.0) {
            squares += (value / scale) * (value / scale);
        }
    }

    static double root_mean(double scale, double squares, std::int64_t count) {
        return count > 0 ? scale * std::sqrt(squares / static_cast<double>(count)) : 0.0;
    }

    /// Sum of p|V| for each element: attention over |V|. Only asked for when an error is above the usual bound.
    const std::vector<double>& weighted_abs_v() {
        if (weighted_abs_v_.empty()) {
            std::vector<std::uint16_t> abs_v = inputs_.v;
            for (std::uint16_t& word : abs_v) {
                word &= 0x7FFFU;
            }
            weighted_abs_v_ = reference::exact(sizes_, {inputs_.q, inputs_.k, abs_v}, rows_).o;
        }
        return weighted_abs_v_;
    }

    /// What fp32 rounding of the row's logits can do to one element of O, where it is more than the 16-bit type does
    /// anyway: each p is off by a factor within exp(+-2 rounding), and O stays a mean of V.
    double logit_slack(std::size_t r, std::int64_t dim) {
        if (!(row_.logit_rounding > unit_rounding(problem_.dtype))) {
            return 0.0;
        }
        return std::min(std::expm1(2.0 * row_.logit_rounding) *
                            weighted_abs_v()[static_cast<std::int64_t>(r) * problem_.head_dim + dim],
                        2.0 * row_.head->max_abs_v);
    }

    /// Second chance of O's largest error: is every element within the rounding of P and O?
    bool every_element_within_rounding() {
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            look_at(r);
            for (std::int64_t dim = 0; dim < problem_.head_dim; ++dim) {
                const double value = o_at(r, dim);
                const double exact = exact_o(r, dim);
                if (!std::isfinite(value) || !std::isfinite(exact)) {
                    continue;  // judged already
                }
                const double p_abs_v = weighted_abs_v()[static_cast<std::int64_t>(r) * problem_.head_dim + dim];
                const double bound = unit_rounding(problem_.dtype) * (p_abs_v + std::fabs(exact)) +
                                     subnormal_step(problem_.dtype) + logit_slack(r, dim);
                if (!(std::fabs(value - exact) <= bound)) {
                    return false;
                }
            }
        }
        return true;
    }

    double rms_logit_slack() {
        double scale = 0.0;
        double squares = 0.0;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            look_at(r);
            for (std::int64_t dim = 0; dim < problem_.head_dim; ++dim) {
                const double slack = logit_slack(r, dim);
                add_square(scale, squares, std::isfinite(slack) ? slack : 0.0);
            }
        }
        return root_mean(scale, squares, report_.elements_checked);
    }

    void finish_o() {
        report_.max_abs_error = std::max(worst_o_.error, 0.0);
        report_.rms_error = root_mean(error_scale_, error_squares_, compared_);
        report_.baseline_rms_error = root_mean(baseline_scale_, baseline_squares_, compared_);
        report_.allowed_max_abs_error = 2.0 * report_.baseline_max_abs_error + 1e-5 * max_abs_v_;
        report_.allowed_rms_error = 1.5 * report_.baseline_rms_error;
        if (!report_.reason.empty()) {
            return;
        }
        if (!(report_.max_abs_error <= report_.allowed_max_abs_error)) {
            report_.within_rounding = every_element_within_rounding();
            if (!report_.within_rounding) {
                fail(
                    say("O at {}, dim {} is {:.6g}; {:.6g} is expected: the error {:.3g} is above {:.3g} (2 x "
                        "plain attention's {:.3g} + 1e-5 x max|V| {:.3g})",
                        where(worst_o_.row), worst_o_.dim, worst_o_.value, worst_o_.expected, worst_o_.error,
                        report_.allowed_max_abs_error, report_.baseline_max_abs_error, max_abs_v_));
            }
        }
        if (compared_ >= fewest_for_rms && !(report_.rms_error <= report_.allowed_rms_error)) {
            report_.allowed_rms_error += rms_logit_slack();
            if (!(report_.rms_error <= report_.allowed_rms_error)) {
                fail(
                    say("O's rms error over {} elements is {:.3g}, above {:.3g} (1.5 x plain attention's {:.3g}); "
                        "the largest error is at {}, dim {}: {:.6g} instead of {:.6g}",
                        compared_, report_.rms_error, report_.allowed_rms_error, report_.baseline_rms_error,
                        where(worst_o_.row), worst_o_.dim, worst_o_.value, worst_o_.expected));
            }
        }
    }

    void finish_lse() {
        report_.lse_error = std::max(worst_lse_.error, 0.0);
        report_.lse_allowed = worst_lse_.allowed;
        if (!(report_.lse_error <= report_.lse_allowed)) {
            fail(say("LSE at {} is {:.8g}; {:.8g} is expected: the error {:.3g} is above {:.3g}", where(worst_lse_.row),
                     worst_lse_.value, worst_lse_.expected, worst_lse_.error, worst_lse_.allowed));
        }
    }

    const Problem& problem_;
    const Inputs& inputs_;
    std::span<const std::uint16_t> o_;
    std::span<const float> lse_;
    const ReferenceRun& reference_;
    const std::vector<reference::Row>& rows_;
    reference::Sizes sizes_;

    RowFacts row_;
    std::map<std::pair<std::int64_t, std::int64_t>, HeadFacts> heads_;  // by batch and KV head
    std::vector<double> weighted_abs_v_;
    double max_abs_v_ = 0.0;
    Worst worst_o_;
    Worst worst_lse_;
    std::int64_t compared_ = 0;
    double error_scale_ = 0.0;
    double error_squares_ = 0.0;
    double baseline_scale_ = 0.0;
    double baseline_squares_ = 0.0;
    ErrorReport report_;
};

/// Calls work and returns its result and its wall time in microseconds.
template <class Work>
auto timed(const Work& work, double& microseconds) {
    const auto start = std::chrono::steady_clock::now();
    auto result = work();
    microseconds = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    return result;
}

}  // namespace

reference::Sizes reference_sizes(const Problem& problem) {
    return {problem.batch,    problem.heads,
            problem.kv_heads, problem.seqlen_q,
            problem.seqlen_k, problem.head_dim,
            problem.causal,   problem.diagonal(),
            problem.scale,    problem.dtype == DType::fp16 ? reference::Type::fp16 : reference::Type::bf16};
}

reference::Tensors reference_tensors(const Inputs& inputs) {
    return {inputs.q, inputs.k, inputs.v};
}

ReferenceRun run_reference(const Problem& problem, const Inputs& inputs, std::vector<reference::Row> rows) {
    ReferenceRun run;
    run.rows = std::move(rows);
    const reference::Sizes sizes = reference_sizes(problem);
    const reference::Tensors tensors = reference_tensors(inputs);
    run.exact = timed([&] { return reference::exact(sizes, tensors, run.rows); }, run.exact_us);
    run.plain = timed([&] { return reference::plain(sizes, tensors, run.rows); }, run.plain_us);
    return run;
}

ErrorReport check(const Problem& problem, const Inputs& inputs, std::span<const std::uint16_t> o,
                  std::span<const float> lse, const ReferenceRun& reference) {
    return Check(problem, inputs, o, lse, reference).run();
}

}  // namespace flashlens
