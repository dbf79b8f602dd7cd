#include "teaching/walk.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "explorer/inputs.h"

using namespace flashlens;
using namespace flashlens::teaching;

namespace {

using What = Transfer::Tensor;
using Kind = WalkStep::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A number of the type, uniform in [-1, 1].
Matrix random_matrix(std::mt19937& random, std::int64_t rows, std::int64_t columns, double factor = 1.0) {
    Matrix matrix(rows, columns);
    for (double& value : matrix.values) {
        const double drawn = static_cast<double>(random()) / 2147483648.0 - 1.0;
        value = widen(round_to(drawn * factor, DType::fp16), DType::fp16);
    }
    return matrix;
}

WalkProblem random_problem(std::mt19937& random) {
    const auto any = [&](int first, int last) { return first + static_cast<int>(random() % (last - first + 1)); };
    WalkProblem walk;
    Problem& p = walk.problem;
    p.batch = p.heads = p.kv_heads = 1;
    p.seqlen_q = any(1, 9);
    p.seqlen_k = any(1, 11);
    p.head_dim = any(1, 6);
    p.causal = any(0, 3) > 0;
    p.align = any(0, 1) == 0 ? Align::bottom_right : Align::top_left;
    p.scale = any(1, 8) / 8.0;
    walk.block_m = any(1, 5);
    walk.block_n = any(1, 5);
    const double factor = any(0, 3) == 0 ? 150.0 : 1.0;  // squared: logits of 1e4 and more
    walk.v = random_matrix(random, p.seqlen_k, p.head_dim, 3.0);
    if (any(0, 4) == 0) {
        walk.scores = random_matrix(random, p.seqlen_q, p.seqlen_k, factor * factor);
        for (double& score : walk.scores.values) {
            score = any(0, 3) == 0 ? -infinity : score;
        }
    } else {
        walk.q = random_matrix(random, p.seqlen_q, p.head_dim, factor);
        walk.k = random_matrix(random, p.seqlen_k, p.head_dim, factor);
    }
    return walk;
}

/// The mask, in the words of the contract.
bool visible(const WalkProblem& walk, std::int64_t i, std::int64_t j) {
    const Problem& p = walk.problem;
    if (!walk.scores.values.empty() && std::isinf(walk.scores.values[i * p.seqlen_k + j])) {
        return false;
    }
    return !p.causal || (p.align == Align::top_left ? j <= i : j <= i + p.seqlen_k - p.seqlen_q);
}

struct Softmax {
    double m = -infinity;
    double l = 0.0;
    std::vector<double> o;  ///< normalised; 0 when nothing is seen
};

/// Attention of row i over some keys, the plain way: all scores, then their softmax.
Softmax softmax_over(const WalkProblem& walk, std::int64_t i, const std::set<std::int64_t>& keys) {
    const Problem& p = walk.problem;
    std::map<std::int64_t, double> scores;
    Softmax result;
    for (const std::int64_t j : keys) {
        if (!visible(walk, i, j)) {
            continue;
        }
        double s = 0.0;
        for (std::int64_t d = 0; d < p.head_dim && walk.scores.values.empty(); ++d) {
            s += walk.q.values[i * p.head_dim + d] * walk.k.values[j * p.head_dim + d] * p.scale;
        }
        scores[j] = walk.scores.values.empty() ? s : walk.scores.values[i * p.seqlen_k + j];
        result.m = std::max(result.m, scores[j]);
    }
    result.o.assign(p.head_dim, 0.0);
    for (const auto& [j, s] : scores) {
        result.l += std::exp(s - result.m);
        for (std::int64_t d = 0; d < p.head_dim; ++d) {
            result.o[d] += std::exp(s - result.m) * walk.v.values[j * p.head_dim + d];
        }
    }
    for (double& o : result.o) {
        o = result.l > 0.0 ? o / result.l : 0.0;
    }
    return result;
}

void check_near(double a, double b, double allowed) {
    if (std::isinf(a) || std::isinf(b)) {
        CHECK(a == b);
    } else {
        CHECK(std::abs(a - b) <= allowed);
    }
}

constexpr double tolerance = 1e-8;  // logits to 1e5 and a few units of a double's last place

WalkProblem default_walk() {
    WalkProblem walk;
    walk.problem.batch = walk.problem.heads = walk.problem.kv_heads = 1;
    walk.problem.seqlen_q = 4;
    walk.problem.seqlen_k = 6;
    walk.problem.head_dim = 4;
    walk.problem.scale = 0.5;
    std::mt19937 random(1);
    walk.q = random_matrix(random, 4, 4);
    walk.k = random_matrix(random, 6, 4);
    walk.v = random_matrix(random, 6, 4);
    return walk;
}

WalkProblem of_scores(std::int64_t rows, std::vector<double> scores, std::vector<double> v, std::int64_t block_n) {
    WalkProblem walk;
    walk.problem.batch = walk.problem.heads = walk.problem.kv_heads = 1;
    walk.problem.seqlen_q = rows;
    walk.problem.seqlen_k = std::ssize(v);
    walk.problem.head_dim = 1;
    walk.problem.scale = 1.0;
    walk.block_m = 1;
    walk.block_n = block_n;
    walk.scores = Matrix(rows, std::ssize(v));
    walk.scores.values = std::move(scores);
    walk.v = Matrix(std::ssize(v), 1);
    walk.v.values = std::move(v);
    return walk;
}

}  // namespace

TEST_CASE("both orders end at the reference, whatever the shape, the blocks, the mask and the size of the logits") {
    std::mt19937 random(7);
    int blind = 0;
    int large = 0;
    int ragged = 0;
    for (int round = 0; round < 1000; ++round) {
        const WalkProblem problem = random_problem(random);
        const WalkReference reference = walk_reference(problem);
        for (const WalkOrder order : {WalkOrder::v1, WalkOrder::v2}) {
            const Walk done = walk(problem, order);
            CAPTURE(round);
            CAPTURE(static_cast<int>(order));
            const WalkError error = walk_error(problem, done, reference);
            CHECK(error.ok());
            CHECK(error.allowed_o < 1e-6);
            for (std::int64_t i = 0; i < problem.problem.seqlen_q; ++i) {
                std::set<std::int64_t> all;
                for (std::int64_t j = 0; j < problem.problem.seqlen_k; ++j) {
                    all.insert(j);
                }
                const Softmax plain = softmax_over(problem, i, all);
                large += std::abs(plain.m) > 1e4 && plain.l > 0.0 ? 1 : 0;
                blind += plain.l == 0.0 ? 1 : 0;
                for (std::int64_t d = 0; d < problem.problem.head_dim; ++d) {
                    check_near(done.o.at(i, d), plain.o[d], tolerance);
                }
                check_near(done.lse[i], plain.l > 0.0 ? plain.m + std::log(plain.l) : -infinity, tolerance);
            }
        }
        ragged += problem.problem.seqlen_q % problem.block_m != 0 || problem.problem.seqlen_k % problem.block_n != 0;
    }
    CHECK(blind > 100);
    CHECK(large > 100);
    CHECK(ragged > 100);
}

TEST_CASE("an error that nobody should overlook is one") {
    const WalkProblem problem = default_walk();
    Walk done = walk(problem, WalkOrder::v1);
    const WalkReference reference = walk_reference(problem);
    CHECK(walk_error(problem, done, reference).ok());
    const double o = done.o.values[5];
    for (const double wrong : {o + 1e-9, -o, std::nan(""), infinity}) {
        done.o.values[5] = wrong;
        CHECK_FALSE(walk_error(problem, done, reference).ok());
    }
    done.o.values[5] = o;
    for (const double wrong : {done.lse[2] + 1e-9, std::nan(""), -infinity}) {
        done.lse[2] = wrong;
        CHECK_FALSE(walk_error(problem, done, reference).ok());
    }
}

TEST_CASE("after each step a row holds the softmax over the keys met so far, and its maximum has not fallen") {
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        const WalkProblem problem = random_problem(random);
        for (const WalkOrder order : {WalkOrder::v1, WalkOrder::v2}) {
            std::map<std::int64_t, std::set<std::int64_t>> met;
            std::map<std::int64_t, double> maximum;
            for (const WalkStep& step : walk(problem, order).steps) {
                CAPTURE(round);
                CAPTURE(static_cast<int>(order));
                REQUIRE(std::ssize(step.rows) == step.row_count);
                for (const WalkRow& row : step.rows) {
                    for (std::int64_t j = step.first_key; j < step.first_key + step.key_count; ++j) {
                        CHECK(met[row.row].insert(j).second);  // no key twice
                    }
                    const Softmax so_far = softmax_over(problem, row.row, met[row.row]);
                    const bool normalised = step.kind == Kind::pass || step.kind == Kind::finish;
                    for (std::int64_t d = 0; d < problem.problem.head_dim; ++d) {
                        const double o = normalised || row.l == 0.0 ? row.out[d] : row.out[d] / row.l;
                        check_near(o, so_far.o[d], tolerance);
                    }
                    if (normalised) {
                        check_near(row.lse, so_far.l > 0.0 ? so_far.m + std::log(so_far.l) : -infinity, tolerance);
                    } else {
                        check_near(row.m, so_far.m, tolerance);
                        CHECK(std::abs(row.l - so_far.l) <= tolerance);
                    }
                    CHECK(row.m >= row.m_before);
                    CHECK(row.rescale >= 0.0);
                    CHECK(row.rescale <= 1.0);
                    if (maximum.count(row.row) != 0) {
                        CHECK(row.m >= maximum[row.row]);
                    }
                    maximum[row.row] = row.m;
                    for (std::size_t j = 0; j < row.p.size(); ++j) {
                        CHECK(row.visible[j] == visible(problem, row.row, step.first_key + static_cast<int>(j)));
                        CHECK((row.visible[j] || row.p[j] == 0.0));
                        CHECK(row.p[j] <= 1.0);
                    }
                }
            }
            // What was never met is what nobody may see.
            for (std::int64_t i = 0; i < problem.problem.seqlen_q; ++i) {
                for (std::int64_t j = 0; j < problem.problem.seqlen_k; ++j) {
                    CHECK((met[i].count(j) == 1 || !visible(problem, i, j)));
                }
            }
        }
    }
}

TEST_CASE("v1: o_tmp and lse go out on every pass but a row's last and come back on every pass but its first") {
    std::mt19937 random(13);
    int skipped = 0;
    for (int round = 0; round < 300; ++round) {
        const WalkProblem problem = random_problem(random);
        const std::int64_t d = problem.problem.head_dim;
        const Walk done = walk(problem, WalkOrder::v1);
        std::map<std::int64_t, std::int64_t> passes;  // of each row
        std::int64_t before = -1;
        for (const WalkStep& step : done.steps) {
            CHECK(step.key_block >= before);  // key blocks are outside, first to last
            before = step.key_block;
            for (std::int64_t i = step.first_row; i < step.first_row + step.row_count; ++i) {
                CHECK(step.key_block == passes[i]);  // and none is left out before the last
                ++passes[i];
            }
        }
        std::int64_t rows = 0;
        for (const auto& [row, count] : passes) {
            rows += count;
            skipped += count < problem.key_blocks();
        }
        const std::int64_t q = problem.problem.seqlen_q;
        CHECK(std::ssize(passes) == q);
        CHECK(bytes_of(done, What::o_tmp, true) == (rows - q) * 4 * d);
        CHECK(bytes_of(done, What::o_tmp, false) == (rows - q) * 4 * d);
        CHECK(bytes_of(done, What::lse, true) == rows * 4);
        CHECK(bytes_of(done, What::lse, false) == (rows - q) * 4);
        CHECK(bytes_of(done, What::q, false) == rows * 2 * d);
        CHECK(bytes_of(done, What::o, true) == q * 2 * d);
        CHECK(done.divided_rows == rows);
        CHECK(done.rescaled_rows == rows - q);
    }
    CHECK(skipped > 50);
}

TEST_CASE("v2: last block first, Q once, O and lse once, and nothing between") {
    std::mt19937 random(17);
    for (int round = 0; round < 300; ++round) {
        const WalkProblem problem = random_problem(random);
        const std::int64_t d = problem.problem.head_dim;
        const std::int64_t q = problem.problem.seqlen_q;
        const Walk done = walk(problem, WalkOrder::v2);
        std::int64_t before = 0;
        for (const WalkStep& step : done.steps) {
            if (step.kind == Kind::block && before > 0) {
                CHECK(step.key_block == before - 1);
            }
            CHECK((step.kind == Kind::finish || step.written_bytes == 0));
            CHECK((step.kind != Kind::finish || before == 0));
            before = step.kind == Kind::block ? step.key_block : 0;
        }
        CHECK(bytes_of(done, What::q, false) <= q * 2 * d);
        CHECK((problem.problem.causal || bytes_of(done, What::q, false) == q * 2 * d));
        CHECK(bytes_of(done, What::o, true) == q * 2 * d);
        CHECK(bytes_of(done, What::lse, true) == q * 4);
        CHECK(bytes_of(done, What::o_tmp, true) + bytes_of(done, What::o_tmp, false) +
                  bytes_of(done, What::lse, false) ==
              0);
        CHECK(done.divided_rows == q);
    }
}

TEST_CASE("the default problem's bytes, by hand") {
    // 3 key blocks x 2 query tiles of 2 x 2, D 4; fp16: a row of Q, K, V, O has 8 bytes; a row of o_tmp 16, of lse 4.
    const Walk v1 = walk(default_walk(), WalkOrder::v1);
    CHECK(v1.steps.size() == 6);
    CHECK(bytes_of(v1, What::q, false) == 3 * 4 * 8);
    CHECK(bytes_of(v1, What::k, false) == 6 * 8);
    CHECK(bytes_of(v1, What::v, false) == 6 * 8);
    CHECK(bytes_of(v1, What::o_tmp, false) == 2 * 4 * 16);
    CHECK(bytes_of(v1, What::o_tmp, true) == 2 * 4 * 16);
    CHECK(bytes_of(v1, What::lse, false) == 2 * 4 * 4);
    CHECK(bytes_of(v1, What::lse, true) == 3 * 4 * 4);
    CHECK(bytes_of(v1, What::o, true) == 4 * 8);
    CHECK(v1.steps.back().read_so_far == 352);
    CHECK(v1.steps.back().written_so_far == 208);
    CHECK(v1.rescaled_rows == 8);
    CHECK(v1.divided_rows == 12);
    const Walk v2 = walk(default_walk(), WalkOrder::v2);
    CHECK(v2.steps.size() == 2 * (1 + 3 + 1));
    CHECK(bytes_of(v2, What::k, false) == 2 * 6 * 8);
    CHECK(v2.steps.back().read_so_far == 4 * 8 + 2 * 2 * 6 * 8);
    CHECK(v2.steps.back().written_so_far == 4 * 8 + 4 * 4);
    CHECK(v2.rescaled_rows == 8);
    CHECK(v2.divided_rows == 4);
}

TEST_CASE("the direction of the rescale: logits 0 then 5, V 1 then 0") {
    const double expected = 1.0 / (1.0 + std::exp(5.0));
    CHECK(expected == doctest::Approx(0.0066929).epsilon(1e-4));
    const WalkProblem two = of_scores(1, {0.0, 5.0}, {1.0, 0.0}, 1);
    const Walk v1 = walk(two, WalkOrder::v1);
    CHECK(v1.o.at(0, 0) == doctest::Approx(expected).epsilon(1e-14));
    CHECK(v1.steps[1].rows[0].rescale == doctest::Approx(std::exp(-5.0)).epsilon(1e-14));
    CHECK(walk(two, WalkOrder::v2).o.at(0, 0) == doctest::Approx(expected).epsilon(1e-14));
    // 256 keys, as the kernels are asked
    std::vector<double> scores(256, 0.0);
    std::vector<double> v(256, 1.0);
    std::fill(scores.begin() + 128, scores.end(), 5.0);
    std::fill(v.begin() + 128, v.end(), 0.0);
    for (const WalkOrder order : {WalkOrder::v1, WalkOrder::v2}) {
        CHECK(walk(of_scores(1, scores, v, 64), order).o.at(0, 0) == doctest::Approx(expected).epsilon(1e-13));
    }
}

TEST_CASE("rows that see nothing: Sq 5, Sk 2, causal, q = 0, V ramp") {
    WalkProblem walk_problem;
    walk_problem.problem.batch = walk_problem.problem.heads = walk_problem.problem.kv_heads = 1;
    walk_problem.problem.seqlen_q = 5;
    walk_problem.problem.seqlen_k = 2;
    walk_problem.problem.head_dim = 1;
    walk_problem.problem.causal = true;
    walk_problem.block_n = 1;
    walk_problem.q = Matrix(5, 1);
    walk_problem.k = Matrix(2, 1);
    walk_problem.v = Matrix(2, 1);
    walk_problem.v.values = {1.0, 2.0};
    for (const WalkOrder order : {WalkOrder::v1, WalkOrder::v2}) {
        const Walk done = walk(walk_problem, order);
        CHECK(done.o.values == std::vector<double>{0.0, 0.0, 0.0, 1.0, 1.5});
        for (int i = 0; i < 3; ++i) {
            CHECK(done.lse[i] == -infinity);
        }
        CHECK(done.lse[3] == 0.0);
        CHECK(done.lse[4] == doctest::Approx(0.693147));
    }
}
