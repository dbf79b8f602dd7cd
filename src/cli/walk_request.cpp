#include "cli/walk_request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/ranges.h"
#include "cli/strict.h"
#include "explorer/inputs.h"
#include "explorer/npy.h"
#include "report/comparison_view.h"
#include "report/width.h"
#include "say.h"
#include "split.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

using teaching::Matrix;
using teaching::WalkOrder;
using teaching::WalkProblem;

// What fits a screen that a lecture hall can read.
constexpr std::int64_t most_length = 16;
constexpr std::int64_t most_head_dim = 8;
constexpr std::int64_t most_block = 8;
constexpr double largest_shown = 99999.0;
constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr std::array<std::string_view, 3> tensors{"--q", "--k", "--v"};

/// The number of the last of these options that is given, else what is there already.
void set_size(const Given& given, std::initializer_list<std::string_view> names, std::int64_t most,
              std::int64_t example, std::int64_t& size) {
    for (const std::string_view name : names) {
        if (given.has(name)) {
            const std::int64_t largest = std::numeric_limits<std::int32_t>::max();
            size = whole_number(name, given.text(name), 1, largest, example);
            if (size > most) {
                refuse(name, given.text(name),
                       say("a walk shows every number, and more than {} would not fit a screen; try {} {}", most, name,
                           example));
            }
        }
    }
}

void refuse_beside(const Given& given, std::string_view what, std::initializer_list<std::string_view> others) {
    for (const std::string_view other : others) {
        if (given.has(other)) {
            throw UsageError(say("{0} with {1}: the numbers come from {0}; leave {1} out", what, other));
        }
    }
}

/// What works as typed numbers, for messages.
Message typed_example(std::string_view option) {
    return say("try {} {}", option, "\"0 5; 1 2\"");
}

double read_number(std::string_view option, std::string_view whole_text, std::string_view word, bool minus_inf) {
    if (minus_inf && word == "-inf") {
        return -infinity;
    }
    double value = 0.0;
    const std::string_view digits = word.front() == '+' ? word.substr(1) : word;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) {
        refuse(option, whole_text, say("'{}' is not a number; {}", report::printable(word), typed_example(option)));
    }
    const double rounded = error == std::errc{} ? widen(round_to(value, DType::fp16), DType::fp16) : infinity;
    if (!std::isfinite(rounded)) {
        refuse(option, whole_text,
               minus_inf ? say("'{}' is no finite fp16 number, which are at most 65504 (-inf is a masked key); {}",
                               report::printable(word), typed_example(option))
                         : say("'{}' is no finite fp16 number, which are at most 65504; {}", report::printable(word),
                               typed_example(option)));
    }
    return rounded;
}

void check_length(std::string_view option, std::string_view text, std::int64_t size, std::int64_t most,
                  const Message& what) {
    if (size > most) {
        refuse(option, text,
               say("{} {}; a walk shows every number, and more than {} would not fit a screen", size, what, most));
    }
}

/// Two options that both say how long something is.
struct Said {
    std::string_view by;
    std::int64_t size = 0;
};

void agree(std::optional<Said>& known, std::string_view by, std::int64_t size, const Message& what) {
    if (known && known->size != size) {
        throw UsageError(say("{0} with {1}: {0} has {2} and {1} {3}; they must be the same ({4})", known->by, by,
                             known->size, size, what));
    }
    if (!known) {
        known = {by, size};
    }
}

/// Sizes that options other than numbers name must be those of the numbers.
void agree_with_options(const Given& given, std::optional<Said>& known, std::initializer_list<std::string_view> names,
                        std::int64_t most, std::int64_t example, const Message& what) {
    std::int64_t size = 0;
    std::string_view last;
    for (const std::string_view name : names) {
        last = given.has(name) ? name : last;
    }
    if (!last.empty()) {
        set_size(given, {last}, most, example, size);
        agree(known, last, size, what);
    }
}

Matrix matrix_of(const std::vector<std::uint16_t>& words, std::int64_t rows, std::int64_t columns, DType dtype) {
    Matrix matrix(rows, columns);
    std::transform(words.begin(), words.end(), matrix.values.begin(),
                   [&](std::uint16_t word) { return widen(word, dtype); });
    return matrix;
}

Matrix unit_matrix(std::int64_t size) {
    Matrix matrix(size, size);
    for (std::int64_t i = 0; i < size; ++i) {
        matrix.at(i, i) = 1.0;
    }
    return matrix;
}

std::size_t chosen(const Given& given, std::string_view name) {
    const std::vector<std::string> choices = words(option_of(name).choices);
    return choice(name, given.text(name, choices.front()), choices);
}

/// Reads the options into a problem with numbers.
class Maker {
public:
    Maker(const Given& given, report::Language language) : given_(given), language_(language) {
        Problem& p = walk_.problem;
        p.batch = p.heads = p.kv_heads = 1;
        p.seqlen_q = 4;
        p.seqlen_k = 6;
        p.head_dim = 4;
        p.dtype = DType::fp16;
    }

    WalkProblem make() {
        mask();
        numbers();
        blocks();
        check_scores();
        return std::move(walk_);
    }
    std::string inputs() const { return inputs_; }

private:
    void mask() {
        Problem& p = walk_.problem;
        if (given_.has("--causal") && given_.has("--no-causal")) {
            throw UsageError(say("--causal with --no-causal: they contradict each other; leave one out"));
        }
        p.causal = given_.has("--causal");
        p.align = chosen(given_, "--align") == 0 ? Align::bottom_right : Align::top_left;
        constexpr Distribution distributions[] = {Distribution::normal, Distribution::uniform, Distribution::sharp,
                                                  Distribution::ones};
        p.dist = distributions[chosen(given_, "--dist")];
        if (given_.has("--seed")) {
            p.seed = seed_number("--seed", given_.text("--seed"));
        }
    }

    void set_scale() {
        const double usual = 1.0 / std::sqrt(static_cast<double>(walk_.problem.head_dim));
        walk_.problem.scale = given_.has("--scale") ? positive_number("--scale", given_.text("--scale"), usual) : usual;
    }

    void numbers() {
        if (given_.has("--input")) {
            from_files();
        } else if (given_.has("--scores")) {
            from_scores();
        } else {
            typed_or_random();
        }
    }

    void from_files() {
        for (const std::string_view typed : {"--scores", "--q", "--k", "--v"}) {
            refuse_beside(given_, "--input", {typed});
        }
        refuse_beside(given_, "--input", {"--seqlen", "--seqlen-q", "--seqlen-k", "--head-dim", "--seed", "--dist"});
        const std::string folder(given_.text("--input"));
        if (folder.empty()) {
            refuse("--input", folder, say("needs a name"));
        }
        Problem& p = walk_.problem;
        read_shape(folder, p);
        if (p.batch != 1 || p.heads != 1 || p.kv_heads != 1) {
            refuse("--input", folder,
                   say("has batch {}, heads {}, KV heads {}; a walk follows one head of one batch: try files of "
                       "shape (1, seqlen, 1, dim)",
                       p.batch, p.heads, p.kv_heads));
        }
        struct Size {
            Message what;
            std::int64_t size;
            std::int64_t most;
        };
        for (const Size& s : {Size{say("queries"), p.seqlen_q, most_length}, Size{say("keys"), p.seqlen_k, most_length},
                              Size{say("columns"), p.head_dim, most_head_dim}}) {
            check_length("--input", folder, s.size, s.most, s.what);
            if (s.size < 1) {
                refuse("--input", folder, say("has no {}; a walk needs at least one", s.what));
            }
        }
        const Inputs inputs = read_inputs(folder, p);
        walk_.q = matrix_of(inputs.q, p.seqlen_q, p.head_dim, p.dtype);
        walk_.k = matrix_of(inputs.k, p.seqlen_k, p.head_dim, p.dtype);
        walk_.v = matrix_of(inputs.v, p.seqlen_k, p.head_dim, p.dtype);
        for (const Matrix* matrix : {&walk_.q, &walk_.k, &walk_.v}) {
            if (!std::all_of(matrix->values.begin(), matrix->values.end(), [](double x) { return std::isfinite(x); })) {
                refuse("--input", folder,
                       say("holds a NaN, or a number that is infinite in fp16; a walk takes finite ones"));
            }
        }
        set_scale();
        inputs_ = report::fill(language_, report::Text::walk_files, report::printable(folder));
    }

    void from_scores() {
        refuse_beside(given_, "--scores", {"--q", "--k", "--scale", "--seed", "--dist"});
        const std::string_view text = given_.text("--scores");
        walk_.scores = typed_matrix("--scores", text, true);
        check_length("--scores", text, walk_.scores.rows, most_length, say("queries"));
        check_length("--scores", text, walk_.scores.columns, most_length, say("keys"));
        std::optional<Said> queries{{"--scores", walk_.scores.rows}};
        std::optional<Said> keys{{"--scores", walk_.scores.columns}};
        std::optional<Said> columns;
        if (given_.has("--v")) {
            walk_.v = typed_matrix("--v", given_.text("--v"), false);
            agree(keys, "--v", walk_.v.rows, say("keys"));
            check_length("--v", given_.text("--v"), walk_.v.columns, most_head_dim, say("columns"));
        } else if (walk_.scores.columns > most_head_dim) {
            refuse("--scores", text,
                   say("more than {} keys need a V; type one with --v, a row for each key", most_head_dim));
        } else {
            walk_.v = unit_matrix(walk_.scores.columns);  // O is then the softmax itself
        }
        columns = {given_.has("--v") ? "--v" : "--scores", walk_.v.columns};
        check_sizes(queries, keys, columns);
        walk_.problem.scale = 1.0;
        inputs_ = report::text(language_, report::Text::walk_typed);
    }

    void typed_or_random() {
        std::optional<Said> queries;
        std::optional<Said> keys;
        std::optional<Said> columns;
        Matrix* const matrices[] = {&walk_.q, &walk_.k, &walk_.v};
        std::size_t typed = 0;
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            const std::string_view name = tensors[i];
            Matrix& matrix = *matrices[i];
            if (!given_.has(name)) {
                continue;
            }
            ++typed;
            const std::string_view text = given_.text(name);
            matrix = typed_matrix(name, text, false);
            check_length(name, text, matrix.rows, most_length, name == "--q" ? say("queries") : say("keys"));
            check_length(name, text, matrix.columns, most_head_dim, say("columns"));
            agree(name == "--q" ? queries : keys, name, matrix.rows, say("rows"));
            agree(columns, name, matrix.columns, say("columns"));
        }
        if (typed == tensors.size()) {
            for (const std::string_view option : {"--seed", "--dist"}) {
                if (given_.has(option)) {
                    throw UsageError(
                        say("{0} with --q, --k and --v: nothing is left to be random; leave {0} out", option));
                }
            }
        }
        check_sizes(queries, keys, columns);
        set_scale();
        const Problem& p = walk_.problem;
        const Inputs random = random_inputs(p);
        const std::vector<std::uint16_t>* const drawn[] = {&random.q, &random.k, &random.v};
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            if (matrices[i]->rows == 0) {
                *matrices[i] = matrix_of(*drawn[i], i == 0 ? p.seqlen_q : p.seqlen_k, p.head_dim, p.dtype);
            }
        }
        if (typed > 0) {
            inputs_ = typed == tensors.size() ? std::string(report::text(language_, report::Text::walk_typed))
                                              : report::fill(language_, report::Text::walk_typed_and_random,
                                                             report::distribution_name(p.dist), p.seed);
        }
    }

    /// Sizes from the numbers typed so far, else from options, else the default.
    void check_sizes(std::optional<Said>& queries, std::optional<Said>& keys, std::optional<Said>& columns) {
        Problem& p = walk_.problem;
        agree_with_options(given_, queries, {"--seqlen", "--seqlen-q"}, most_length, 4, say("queries"));
        agree_with_options(given_, keys, {"--seqlen", "--seqlen-k"}, most_length, 6, say("keys"));
        agree_with_options(given_, columns, {"--head-dim"}, most_head_dim, 4, say("columns"));
        p.seqlen_q = queries ? queries->size : p.seqlen_q;
        p.seqlen_k = keys ? keys->size : p.seqlen_k;
        p.head_dim = columns ? columns->size : p.head_dim;
    }

    void blocks() {
        walk_.block_m = std::min<std::int64_t>(2, walk_.problem.seqlen_q);
        walk_.block_n = walk_.problem.seqlen_k > 2 ? 2 : 1;  // two blocks at least: one would show nothing
        set_size(given_, {"--block-m"}, most_block, 2, walk_.block_m);
        set_size(given_, {"--block-n"}, most_block, 2, walk_.block_n);
    }

    void check_scores() const {
        const Problem& p = walk_.problem;
        for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
            for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
                const double score = teaching::scaled_score(walk_, i, j);
                if (std::abs(score) > largest_shown && score != -infinity) {
                    refuse_score(i, j, score);
                }
            }
        }
    }

    [[noreturn]] void refuse_score(std::int64_t query, std::int64_t key, double score) const {
        const std::string_view by = given_.has("--input") ? "--input" : given_.has("--scale") ? "--scale" : "--q, --k";
        const Message instead = given_.has("--scale") ? say("smaller numbers, or a smaller --scale, would work")
                                                      : say("smaller numbers would work");
        throw UsageError(
            say("{}: query {} and key {} have the scaled score {:.4g}, and a walk shows scores up to {:.0f}; {}", by,
                query, key, score, largest_shown, instead));
    }

    const Given& given_;
    report::Language language_;
    WalkProblem walk_;
    std::string inputs_;
};

std::vector<std::int64_t> shown_rows(const Given& given, std::int64_t seqlen_q) {
    std::vector<std::int64_t> rows;
    if (!given.has("--rows")) {
        return rows;
    }
    const std::string_view text = given.text("--rows");
    constexpr std::uint64_t any = 1000;
    for (const std::uint64_t row : number_list("--rows", text, {0, any, 1}, any * any)) {
        if (static_cast<std::int64_t>(row) >= seqlen_q) {
            refuse("--rows", text, say("there is no query {0}, only 0 to {1}; try --rows 0:{1}", row, seqlen_q - 1));
        }
        rows.push_back(static_cast<std::int64_t>(row));
    }
    return rows;
}

}  // namespace

Matrix typed_matrix(std::string_view option, std::string_view text, bool minus_inf) {
    std::vector<std::string> lines = split(text, ';');
    if (lines.size() > 1 && words(lines.back()).empty()) {
        lines.pop_back();  // a semicolon at the end
    }
    Matrix matrix;
    for (std::string& line : lines) {
        std::replace(line.begin(), line.end(), ',', ' ');
        const std::vector<std::string> row = words(line);
        if (row.empty()) {
            refuse(option, text,
                   say("{}; rows have semicolons between them, numbers blanks: {}",
                       lines.size() == 1 ? say("no numbers") : say("a row without numbers"), typed_example(option)));
        }
        if (matrix.rows > 0 && std::ssize(row) != matrix.columns) {
            refuse(option, text,
                   say("row {} has {} numbers and row 0 has {}; all rows need as many", matrix.rows, row.size(),
                       matrix.columns));
        }
        matrix.columns = std::ssize(row);
        ++matrix.rows;
        for (const std::string& word : row) {
            matrix.values.push_back(read_number(option, text, word, minus_inf));
        }
    }
    return matrix;
}

report::WalkShow to_walk(const Given& given, report::Language language) {
    Maker maker(given, language);
    report::WalkShow show;
    show.problem = maker.make();
    show.inputs = maker.inputs();
    show.rows = shown_rows(given, show.problem.problem.seqlen_q);
    const std::size_t order = chosen(given, "--order");
    constexpr std::size_t only_v1 = 1;
    constexpr std::size_t only_v2 = 2;
    if (order != only_v2) {
        show.walks.push_back(teaching::walk(show.problem, WalkOrder::v1));
    }
    if (order != only_v1) {
        show.walks.push_back(teaching::walk(show.problem, WalkOrder::v2));
    }
    show.reference = teaching::walk_reference(show.problem);
    return show;
}

}  // namespace flashlens::cli
