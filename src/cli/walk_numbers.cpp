#include "cli/walk_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <vector>

#include "cli/strict.h"
#include "cli/typed_matrix.h"
#include "cli/walk_sizes.h"
#include "explorer/inputs.h"
#include "explorer/npy.h"
#include "report/comparison_view.h"
#include "report/width.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

using report::Language;
using teaching::Matrix;
using teaching::WalkProblem;

constexpr double largest_shown = 99999.0;
constexpr double masked = -std::numeric_limits<double>::infinity();

void refuse_beside(const Given& given, std::string_view what, std::initializer_list<std::string_view> others) {
    for (const std::string_view other : others) {
        if (given.has(other)) {
            throw UsageError(say("{0} with {1}: the numbers come from {0}; leave {1} out", what, other));
        }
    }
}

void set_scale(Problem& problem, const Given& given) {
    const double usual = 1.0 / std::sqrt(static_cast<double>(problem.head_dim));
    problem.scale = given.has("--scale") ? positive_number("--scale", given.text("--scale"), usual) : usual;
}

Matrix matrix_of(const std::vector<std::uint16_t>& words, std::int64_t rows, std::int64_t columns, DType dtype) {
    Matrix matrix(rows, columns);
    std::transform(words.begin(), words.end(), matrix.values.begin(),
                   [&](std::uint16_t word) { return widen(word, dtype); });
    return matrix;
}

// ---- from files ----

void check_shape(const std::string& folder, const Problem& p) {
    if (p.batch != 1 || p.heads != 1 || p.kv_heads != 1) {
        refuse("--input", folder,
               say("has batch {}, heads {}, KV heads {}; a walk follows one head of one batch: try files of "
                   "shape (1, seqlen, 1, dim)",
                   p.batch, p.heads, p.kv_heads));
    }
    const auto check = [&](const Message& what, std::int64_t size, std::int64_t most) {
        check_length("--input", folder, size, most, what);
        if (size < 1) {
            refuse("--input", folder, say("has no {}; a walk needs at least one", what));
        }
    };
    check(say("queries"), p.seqlen_q, most_length);
    check(say("keys"), p.seqlen_k, most_length);
    check(say("columns"), p.head_dim, most_head_dim);
}

bool all_finite(const Matrix& matrix) {
    return std::all_of(matrix.values.begin(), matrix.values.end(), [](double value) { return std::isfinite(value); });
}

std::string from_files(WalkProblem& walk, const Given& given, Language language) {
    refuse_beside(
        given, "--input",
        {"--scores", "--q", "--k", "--v", "--seqlen", "--seqlen-q", "--seqlen-k", "--head-dim", "--seed", "--dist"});
    const std::string folder(given.text("--input"));
    if (folder.empty()) {
        refuse("--input", folder, say("needs a name"));
    }
    Problem& p = walk.problem;
    read_shape(folder, p);
    check_shape(folder, p);
    const Inputs inputs = read_inputs(folder, p);
    walk.q = matrix_of(inputs.q, p.seqlen_q, p.head_dim, p.dtype);
    walk.k = matrix_of(inputs.k, p.seqlen_k, p.head_dim, p.dtype);
    walk.v = matrix_of(inputs.v, p.seqlen_k, p.head_dim, p.dtype);
    if (!all_finite(walk.q) || !all_finite(walk.k) || !all_finite(walk.v)) {
        refuse("--input", folder, say("holds a NaN, or a number that is infinite in fp16; a walk takes finite ones"));
    }
    set_scale(p, given);
    return report::fill(language, report::Text::walk_files, report::printable(folder));
}

// ---- from scores ----

Matrix unit_matrix(std::int64_t size) {
    Matrix matrix(size, size);
    for (std::int64_t i = 0; i < size; ++i) {
        matrix.at(i, i) = 1.0;
    }
    return matrix;
}

std::string from_scores(WalkProblem& walk, const Given& given, Language language) {
    refuse_beside(given, "--scores", {"--q", "--k", "--scale", "--seed", "--dist"});
    const std::string_view text = given.text("--scores");
    walk.scores = typed_matrix("--scores", text, true);
    check_length("--scores", text, walk.scores.rows, most_length, say("queries"));
    check_length("--scores", text, walk.scores.columns, most_length, say("keys"));
    Sizes sizes;
    sizes.queries.say_by("--scores", walk.scores.rows, say("queries"));
    sizes.keys.say_by("--scores", walk.scores.columns, say("keys"));
    if (given.has("--v")) {
        walk.v = typed_matrix("--v", given.text("--v"), false);
        sizes.keys.say_by("--v", walk.v.rows, say("keys"));
        check_length("--v", given.text("--v"), walk.v.columns, most_head_dim, say("columns"));
    } else if (walk.scores.columns > most_head_dim) {
        refuse("--scores", text,
               say("more than {} keys need a V; type one with --v, a row for each key", most_head_dim));
    } else {
        walk.v = unit_matrix(walk.scores.columns);  // O is then the softmax itself
    }
    sizes.columns.say_by(given.has("--v") ? "--v" : "--scores", walk.v.columns, say("columns"));
    set_sizes(given, sizes, walk.problem);
    walk.problem.scale = 1.0;
    return std::string(report::text(language, report::Text::walk_typed));
}

// ---- typed, and random what is not typed ----

/// Q, K or V: the option that types it, and where it goes.
struct TypedTensor {
    std::string_view option;
    Matrix WalkProblem::*matrix;
    std::vector<std::uint16_t> Inputs::*drawn;

    bool has_queries() const { return matrix == &WalkProblem::q; }
};
constexpr std::array tensors{TypedTensor{"--q", &WalkProblem::q, &Inputs::q},
                             TypedTensor{"--k", &WalkProblem::k, &Inputs::k},
                             TypedTensor{"--v", &WalkProblem::v, &Inputs::v}};

void take_typed(WalkProblem& walk, const TypedTensor& tensor, const Given& given, Sizes& sizes) {
    const std::string_view name = tensor.option;
    const std::string_view text = given.text(name);
    Matrix& matrix = walk.*tensor.matrix;
    matrix = typed_matrix(name, text, false);
    check_length(name, text, matrix.rows, most_length, tensor.has_queries() ? say("queries") : say("keys"));
    check_length(name, text, matrix.columns, most_head_dim, say("columns"));
    (tensor.has_queries() ? sizes.queries : sizes.keys).say_by(name, matrix.rows, say("rows"));
    sizes.columns.say_by(name, matrix.columns, say("columns"));
}

void refuse_random(const Given& given) {
    for (const std::string_view option : {"--seed", "--dist"}) {
        if (given.has(option)) {
            throw UsageError(say("{0} with --q, --k and --v: nothing is left to be random; leave {0} out", option));
        }
    }
}

void draw_the_rest(WalkProblem& walk) {
    const Problem& p = walk.problem;
    const Inputs random = random_inputs(p);
    for (const TypedTensor& tensor : tensors) {
        Matrix& matrix = walk.*tensor.matrix;
        if (matrix.rows == 0) {
            matrix =
                matrix_of(random.*tensor.drawn, tensor.has_queries() ? p.seqlen_q : p.seqlen_k, p.head_dim, p.dtype);
        }
    }
}

std::string typed_or_random(WalkProblem& walk, const Given& given, Language language) {
    Sizes sizes;
    std::size_t typed = 0;
    for (const TypedTensor& tensor : tensors) {
        if (given.has(tensor.option)) {
            take_typed(walk, tensor, given, sizes);
            ++typed;
        }
    }
    if (typed == tensors.size()) {
        refuse_random(given);
    }
    Problem& p = walk.problem;
    set_sizes(given, sizes, p);
    set_scale(p, given);
    draw_the_rest(walk);
    if (typed == 0) {
        return "";
    }
    return typed == tensors.size()
               ? std::string(report::text(language, report::Text::walk_typed))
               : report::fill(language, report::Text::walk_typed_and_random, report::distribution_name(p.dist), p.seed);
}

[[noreturn]] void refuse_score(const Given& given, std::int64_t query, std::int64_t key, double score) {
    const std::string_view by = given.has("--input") ? "--input" : given.has("--scale") ? "--scale" : "--q, --k";
    const Message instead = given.has("--scale") ? say("smaller numbers, or a smaller --scale, would work")
                                                 : say("smaller numbers would work");
    throw UsageError(
        say("{}: query {} and key {} have the scaled score {:.4g}, and a walk shows scores up to {:.0f}; {}", by, query,
            key, score, largest_shown, instead));
}

}  // namespace

std::string set_numbers(WalkProblem& walk, const Given& given, Language language) {
    return given.has("--input")    ? from_files(walk, given, language)
           : given.has("--scores") ? from_scores(walk, given, language)
                                   : typed_or_random(walk, given, language);
}

void check_scores(const WalkProblem& walk, const Given& given) {
    for (std::int64_t i = 0; i < walk.problem.seqlen_q; ++i) {
        for (std::int64_t j = 0; j < walk.problem.seqlen_k; ++j) {
            const double score = teaching::scaled_score(walk, i, j);
            if (std::abs(score) > largest_shown && score != masked) {
                refuse_score(given, i, j, score);
            }
        }
    }
}

}  // namespace flashlens::cli
