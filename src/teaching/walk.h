// The online softmax on a problem small enough to watch, step by step, in the order of either kernel. In double, so that
// what is shown is the algorithm and not a rounding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explorer/problem.h"

namespace flashlens::teaching {

/// Dense, row-major.
struct Matrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<double> values;

    Matrix() = default;
    Matrix(std::int64_t row_count, std::int64_t column_count)
        : rows(row_count), columns(column_count), values(row_count * column_count) {}

    double& at(std::int64_t row, std::int64_t column) { return values[row * columns + column]; }
    double at(std::int64_t row, std::int64_t column) const { return values[row * columns + column]; }
};

/// One head of one batch. The numbers are the 16-bit type's: what the kernels would get.
struct WalkProblem {
    Problem problem;  ///< lengths, head_dim, mask, scale
    std::int64_t block_m = 2;
    std::int64_t block_n = 2;
    Matrix q;  ///< empty when the scores are given
    Matrix k;
    Matrix v;
    /// The scaled scores themselves, when somebody typed them; -inf is a key that the query does not see.
    Matrix scores;

    bool scores_given() const { return scores.rows > 0; }
    std::int64_t query_blocks() const { return (problem.seqlen_q + block_m - 1) / block_m; }
    std::int64_t key_blocks() const { return (problem.seqlen_k + block_n - 1) / block_n; }
};

/// Whether query i sees key j.
bool sees(const WalkProblem& walk, std::int64_t i, std::int64_t j);

/// scale q_i . k_j, whether it is seen or not; for scores that are given, those.
double scaled_score(const WalkProblem& walk, std::int64_t i, std::int64_t j);

enum class WalkOrder {
    v1,  ///< key blocks outside, query tiles inside
    v2,  ///< query blocks outside, key blocks inside, last to first
};

/// Rows of one tensor, moved from or to device memory.
struct Transfer {
    enum class Tensor { q, k, v, o_tmp, lse, o };
    Tensor tensor;
    bool written = false;
    std::int64_t first_row = 0;
    std::int64_t rows = 0;
    std::int64_t bytes = 0;
};

/// What a step did to one query row: the paper's symbols. Of what comes in and what goes out, v1 has lse and o (normalised),
/// v2 has m, l and acc.
struct WalkRow {
    std::int64_t row = 0;
    std::vector<double> s;      ///< scaled scores of the step's keys, before the mask
    std::vector<bool> visible;  ///< the mask: which of these keys count
    std::vector<double> p;      ///< exp(s - m), 0 where masked
    double m_before = 0.0;      ///< v1: lse_before, which serves as the maximum so far
    double row_max = 0.0;       ///< of the visible scores; -inf when there are none
    double m = 0.0;
    double rescale = 0.0;  ///< exp(m_before - m): what all that came before weighs now; 0 when nothing came before
    double p_sum = 0.0;    ///< rowsum P
    double l_before = 0.0;
    double l = 0.0;
    std::vector<double> pv;          ///< P V
    std::vector<double> out_before;  ///< v1: o so far, v2: acc
    std::vector<double> out;         ///< v1: o, v2: acc; where v2 ends, o
    double lse = 0.0;                ///< m + log l: v1 on every pass, v2 where it ends
};

struct WalkStep {
    enum class Kind {
        pass,    ///< v1: a query tile meets a key block
        start,   ///< v2: a query block begins; nothing seen yet
        block,   ///< v2: the query block meets a key block
        finish,  ///< v2: normalised once, and written
    };
    Kind kind;
    std::int64_t query_block = 0;
    std::int64_t key_block = 0;  ///< of pass and block
    std::int64_t first_row = 0;
    std::int64_t row_count = 0;
    std::int64_t first_key = 0;
    std::int64_t key_count = 0;
    bool first_pass = false;  ///< pass: nothing of these rows is in memory yet
    bool last_pass = false;   ///< pass: no later key block concerns these rows
    std::vector<Transfer> transfers;
    std::int64_t read_bytes = 0;  ///< in this step
    std::int64_t written_bytes = 0;
    std::int64_t read_so_far = 0;  ///< this step's too
    std::int64_t written_so_far = 0;
    std::vector<WalkRow> rows;
};

struct Walk {
    WalkOrder order;
    std::vector<WalkStep> steps;
    Matrix o;
    std::vector<double> lse;
    /// How often a row's sums so far are multiplied by exp(m_before - m): in every step that has sums from before.
    std::int64_t rescaled_rows = 0;
    std::int64_t divided_rows = 0;  ///< how often a row of O is divided by its l
};

Walk walk(const WalkProblem& problem, WalkOrder order);

/// Bytes of a tensor read (or written) in all steps.
std::int64_t bytes_of(const Walk& walk, Transfer::Tensor tensor, bool written);

/// The same attention by the reference, which knows nothing of blocks: fp64, all keys at once.
struct WalkReference {
    Matrix o;
    std::vector<double> lse;
};
WalkReference walk_reference(const WalkProblem& problem);

/// How far a walk's end is from the reference, and how far the rounding of doubles may take it.
struct WalkError {
    double o = 0.0;
    double lse = 0.0;
    double allowed_o = 0.0;
    double allowed_lse = 0.0;

    bool ok() const { return o <= allowed_o && lse <= allowed_lse; }  // NaN is not ok
};
WalkError walk_error(const WalkProblem& problem, const Walk& walk, const WalkReference& reference);

}  // namespace flashlens::teaching
