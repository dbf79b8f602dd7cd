#include "teaching/walk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace flashlens::teaching {
namespace {

using Tensor = Transfer::Tensor;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t half_bytes = 2;   // Q, K, V and O
constexpr std::int64_t float_bytes = 4;  // o_tmp and lse

/// exp(x - m); 0 when x is -inf, also where nothing was seen and m is -inf too.
double weight(double x, double m) {
    return x == -infinity ? 0.0 : std::exp(x - m);
}

/// What both orders share: the problem, the steps so far, their traffic.
class Walker {
public:
    Walker(const WalkProblem& problem, WalkOrder order)
        : problem_(problem), seqlen_q_(problem.problem.seqlen_q), seqlen_k_(problem.problem.seqlen_k) {
        walk_.order = order;
        walk_.o = Matrix(seqlen_q_, head_dim());
        walk_.lse.assign(seqlen_q_, -infinity);
    }

    Walk run() && {
        if (walk_.order == WalkOrder::v1) {
            walk_v1();
        } else {
            walk_v2();
        }
        return std::move(walk_);
    }

private:
    std::int64_t head_dim() const { return problem_.problem.head_dim; }

    /// The first key block whose keys the mask hides from all rows of query block b; the mask is a staircase, and its
    /// last row, which may lie beyond seqlen_q, sees most.
    std::int64_t end_of_keys(std::int64_t b) const {
        if (!problem_.problem.causal) {
            return problem_.key_blocks();
        }
        const std::int64_t last_row = (b + 1) * problem_.block_m - 1;
        const std::int64_t keys = std::clamp<std::int64_t>(last_row + problem_.problem.diagonal() + 1, 0, seqlen_k_);
        return (keys + problem_.block_n - 1) / problem_.block_n;
    }

    WalkStep step(WalkStep::Kind kind, std::int64_t query_block, std::int64_t key_block) const {
        WalkStep step;
        step.kind = kind;
        step.query_block = query_block;
        step.first_row = query_block * problem_.block_m;
        step.row_count = std::min(problem_.block_m, seqlen_q_ - step.first_row);
        if (kind == WalkStep::Kind::pass || kind == WalkStep::Kind::block) {
            step.key_block = key_block;
            step.first_key = key_block * problem_.block_n;
            step.key_count = std::min(problem_.block_n, seqlen_k_ - step.first_key);
        }
        return step;
    }

    void read_q(WalkStep& step) const { move_rows(step, Tensor::q, false, half_bytes * head_dim()); }
    void move_rows(WalkStep& step, Tensor tensor, bool written, std::int64_t bytes_per_row) const {
        step.transfers.push_back({tensor, written, step.first_row, step.row_count, step.row_count * bytes_per_row});
    }
    void read_k_v(WalkStep& step) const {
        for (const Tensor tensor : {Tensor::k, Tensor::v}) {
            step.transfers.push_back(
                {tensor, false, step.first_key, step.key_count, step.key_count * half_bytes * head_dim()});
        }
    }

    void keep(WalkStep step) {
        for (const Transfer& transfer : step.transfers) {
            (transfer.written ? step.written_bytes : step.read_bytes) += transfer.bytes;
        }
        const bool any = !walk_.steps.empty();
        step.read_so_far = step.read_bytes + (any ? walk_.steps.back().read_so_far : 0);
        step.written_so_far = step.written_bytes + (any ? walk_.steps.back().written_so_far : 0);
        walk_.steps.push_back(std::move(step));
    }

    /// S, the mask, the new maximum, P, rowsum P and P V. `m_before` is the maximum so far.
    WalkRow meet(const WalkStep& step, std::int64_t i, double m_before) const {
        WalkRow row;
        row.row = i;
        row.m_before = m_before;
        row.row_max = -infinity;
        for (std::int64_t j = step.first_key; j < step.first_key + step.key_count; ++j) {
            row.s.push_back(scaled_score(problem_, i, j));
            row.visible.push_back(sees(problem_, i, j));
            if (row.visible.back()) {
                row.row_max = std::max(row.row_max, row.s.back());
            }
        }
        row.m = std::max(m_before, row.row_max);
        row.rescale = weight(m_before, row.m);
        row.pv.assign(head_dim(), 0.0);
        for (std::int64_t j = 0; j < step.key_count; ++j) {
            row.p.push_back(row.visible[j] ? weight(row.s[j], row.m) : 0.0);
            row.p_sum += row.p.back();
            for (std::int64_t d = 0; d < head_dim(); ++d) {
                row.pv[d] += row.p.back() * problem_.v.at(step.first_key + j, d);
            }
        }
        return row;
    }

    void walk_v1() {
        for (std::int64_t n = 0; n < problem_.key_blocks(); ++n) {
            bool k_v_read = false;  // they wait in registers while the query tiles stream past
            for (std::int64_t t = 0; t < problem_.query_blocks(); ++t) {
                // The first block visits all, so that rows which see nothing are written too.
                const std::int64_t passes = std::max<std::int64_t>(end_of_keys(t), 1);
                if (n < passes) {
                    pass(n, t, n + 1 == passes, std::exchange(k_v_read, true));
                }
            }
        }
    }

    void pass(std::int64_t n, std::int64_t t, bool last, bool k_v_there) {
        WalkStep now = step(WalkStep::Kind::pass, t, n);
        now.first_pass = n == 0;
        now.last_pass = last;
        if (!k_v_there) {
            read_k_v(now);
        }
        read_q(now);
        if (!now.first_pass) {
            move_rows(now, Tensor::o_tmp, false, float_bytes * head_dim());
            move_rows(now, Tensor::lse, false, float_bytes);
        }
        for (std::int64_t i = now.first_row; i < now.first_row + now.row_count; ++i) {
            WalkRow row = meet(now, i, walk_.lse[i]);
            // What came before is normalised: its sum, under its own lse, is 1.
            row.l_before = row.m_before == -infinity ? 0.0 : 1.0;
            row.l = row.rescale + row.p_sum;
            for (std::int64_t d = 0; d < head_dim(); ++d) {
                row.out_before.push_back(walk_.o.at(i, d));
                const double sum = row.out_before[d] * row.rescale + row.pv[d];
                row.out.push_back(row.l == 0.0 ? 0.0 : sum / row.l);
                walk_.o.at(i, d) = row.out[d];
            }
            row.lse = row.l == 0.0 ? -infinity : row.m + std::log(row.l);
            walk_.lse[i] = row.lse;
            now.rows.push_back(std::move(row));
        }
        walk_.rescaled_rows += now.first_pass ? 0 : now.row_count;
        walk_.divided_rows += now.row_count;
        if (last) {
            move_rows(now, Tensor::o, true, half_bytes * head_dim());
        } else {
            move_rows(now, Tensor::o_tmp, true, float_bytes * head_dim());
        }
        move_rows(now, Tensor::lse, true, float_bytes);
        keep(std::move(now));
    }

    void walk_v2() {
        for (std::int64_t b = 0; b < problem_.query_blocks(); ++b) {
            const std::int64_t blocks = end_of_keys(b);
            WalkStep start = step(WalkStep::Kind::start, b, 0);
            if (blocks > 0) {
                read_q(start);
            }
            for (std::int64_t i = start.first_row; i < start.first_row + start.row_count; ++i) {
                WalkRow row;
                row.row = i;
                row.m_before = row.m = -infinity;
                row.lse = -infinity;
                row.out.assign(head_dim(), 0.0);
                start.rows.push_back(std::move(row));
            }
            std::vector<WalkRow> rows = start.rows;
            keep(std::move(start));
            for (std::int64_t n = blocks - 1; n >= 0; --n) {
                rows = meet_block(b, n, rows);
                walk_.rescaled_rows += n + 1 == blocks ? 0 : std::ssize(rows);
            }
            finish(b, rows);
        }
    }

    std::vector<WalkRow> meet_block(std::int64_t b, std::int64_t n, const std::vector<WalkRow>& before) {
        WalkStep now = step(WalkStep::Kind::block, b, n);
        read_k_v(now);
        for (const WalkRow& old : before) {
            WalkRow row = meet(now, old.row, old.m);
            row.l_before = old.l;
            row.l = old.l * row.rescale + row.p_sum;
            row.out_before = old.out;
            for (std::int64_t d = 0; d < head_dim(); ++d) {
                row.out.push_back(old.out[d] * row.rescale + row.pv[d]);
            }
            row.lse = -infinity;  // not yet
            now.rows.push_back(std::move(row));
        }
        std::vector<WalkRow> after = now.rows;
        keep(std::move(now));
        return after;
    }

    void finish(std::int64_t b, const std::vector<WalkRow>& before) {
        WalkStep now = step(WalkStep::Kind::finish, b, 0);
        for (const WalkRow& old : before) {
            WalkRow row;
            row.row = old.row;
            row.m_before = row.m = old.m;
            row.l_before = row.l = old.l;
            row.out_before = old.out;
            for (std::int64_t d = 0; d < head_dim(); ++d) {
                row.out.push_back(row.l == 0.0 ? 0.0 : old.out[d] / row.l);
                walk_.o.at(row.row, d) = row.out[d];
            }
            row.lse = row.l == 0.0 ? -infinity : row.m + std::log(row.l);
            walk_.lse[row.row] = row.lse;
            now.rows.push_back(std::move(row));
        }
        walk_.divided_rows += now.row_count;
        move_rows(now, Tensor::o, true, half_bytes * head_dim());
        move_rows(now, Tensor::lse, true, float_bytes);
        keep(std::move(now));
    }

    const WalkProblem& problem_;
    std::int64_t seqlen_q_;
    std::int64_t seqlen_k_;
    Walk walk_;
};

}  // namespace

bool sees(const WalkProblem& walk, std::int64_t i, std::int64_t j) {
    const bool by_mask = !walk.problem.causal || j <= i + walk.problem.diagonal();
    return by_mask && !(walk.scores_given() && walk.scores.at(i, j) == -infinity);
}

double scaled_score(const WalkProblem& walk, std::int64_t i, std::int64_t j) {
    if (walk.scores_given()) {
        return walk.scores.at(i, j);
    }
    double sum = 0.0;
    for (std::int64_t d = 0; d < walk.problem.head_dim; ++d) {
        sum += walk.q.at(i, d) * walk.k.at(j, d);
    }
    return sum * walk.problem.scale;
}

Walk walk(const WalkProblem& problem, WalkOrder order) {
    return Walker(problem, order).run();
}

std::int64_t bytes_of(const Walk& walk, Transfer::Tensor tensor, bool written) {
    std::int64_t bytes = 0;
    for (const WalkStep& step : walk.steps) {
        for (const Transfer& transfer : step.transfers) {
            bytes += transfer.tensor == tensor && transfer.written == written ? transfer.bytes : 0;
        }
    }
    return bytes;
}

}  // namespace flashlens::teaching
