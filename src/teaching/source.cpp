#include "teaching/source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "teaching/kernel_file.h"

namespace flashlens::teaching {
namespace {

constexpr std::array stages{Stage::launch, Stage::mainloop, Stage::warps, Stage::epilogue};
constexpr std::array<std::string_view, 3> variants_in_order{"v1", "v2", "v2-tuned"};

/// How a piece of a file is found.
enum class Found {
    declaration,     ///< by what its first line has
    head_paragraph,  ///< by its first word
    above_loops,
    whole_loops,
    below_loops,
    in_loop,  ///< by the names of its first and last step
};

struct Piece {
    Topic topic;
    std::string_view variant;
    std::string_view path;
    Found found;
    std::string_view start;        ///< for declaration, head_paragraph and in_loop
    std::string_view last = {};    ///< for in_loop
    std::vector<Step> steps = {};  ///< that a declaration takes
};

constexpr std::string_view v1_kernel = "kernels/v1/kernel.cuh", v1_steps = "kernels/v1/steps.cuh";
constexpr std::string_view v1_output = "kernels/v1/output.cuh", v1_plan = "kernels/v1/plan.h";
constexpr std::string_view v2_kernel = "kernels/v2/kernel.cuh", v2_steps = "kernels/v2/steps.cuh";
constexpr std::string_view v2_plan = "kernels/v2/plan.h";
constexpr std::string_view tuned_kernel = "kernels/v2_tuned/kernel.cuh", tuned_steps = "kernels/v2_tuned/steps.cuh";
constexpr std::string_view tuned_plan = "kernels/v2_tuned/plan.h";
constexpr std::string_view shuffles = "kernels/primitives/warp.cuh";

/// Where v2-tuned takes a step of v2's, the piece is v2's.
const std::vector<Piece>& pieces() {
    using enum Topic;
    using enum Found;
    using enum Step;
    static const std::vector<Piece> all{
        {grid, "v1", v1_kernel, head_paragraph, "grid"},
        {grid, "v1", v1_kernel, declaration, "void launch("},
        {grid, "v2", v2_kernel, head_paragraph, "grid"},
        {grid, "v2", v2_kernel, declaration, "void launch("},
        {grid, "v2-tuned", tuned_kernel, head_paragraph, "grid"},
        {grid, "v2-tuned", tuned_kernel, declaration, "void launch("},
        {splits, "v1", v1_plan, declaration, "int max_splits("},
        {splits, "v1", v1_plan, declaration, "int num_splits_heuristic("},
        {splits, "v2", v2_plan, declaration, "query_blocks("},
        {splits, "v2-tuned", v2_plan, declaration, "query_blocks("},
        {splits, "v2-tuned", tuned_plan, declaration, "CtaOrder choose_order("},
        {tiles, "v1", v1_plan, declaration, "Tile choose_tile("},
        {tiles, "v1", v1_plan, declaration, "int shared_bytes("},
        {tiles, "v2", v2_plan, declaration, "Tile choose_tile("},
        {tiles, "v2", v2_plan, declaration, "int shared_bytes("},
        {tiles, "v2-tuned", tuned_plan, declaration, "Tile choose_large_tile("},
        {tiles, "v2-tuned", tuned_plan, declaration, "Tile choose_small_tile("},
        {tiles, "v2-tuned", tuned_plan, declaration, "Tile choose_tile("},
        {tiles, "v2-tuned", tuned_plan, declaration, "int shared_bytes("},

        {before_loop, "v1", v1_kernel, above_loops, ""},
        {before_loop, "v2", v2_kernel, above_loops, ""},
        {before_loop, "v2-tuned", tuned_kernel, above_loops, ""},
        {loops, "v1", v1_kernel, whole_loops, ""},
        {loops, "v2", v2_kernel, whole_loops, ""},
        {loops, "v2-tuned", tuned_kernel, whole_loops, ""},

        {traits, "v1", v1_kernel, head_paragraph, "warps"},
        {traits, "v1", v1_steps, declaration, "struct Traits"},
        {traits, "v2", v2_kernel, head_paragraph, "warps"},
        {traits, "v2", v2_steps, declaration, "struct Traits"},
        {traits, "v2-tuned", tuned_kernel, head_paragraph, "warps"},
        {traits, "v2-tuned", tuned_steps, declaration, "struct Traits"},
        {rows_and_keys, "v1", v1_steps, declaration, "void load_k(", "", {load}},
        {rows_and_keys, "v1", v1_steps, declaration, "void load_v(", "", {load}},
        {rows_and_keys, "v2", v2_steps, declaration, "int row_in_block("},
        {rows_and_keys, "v2-tuned", v2_steps, declaration, "int row_in_block("},
        {row_maximum, "v1", v1_steps, declaration, "struct Statistics"},
        {row_maximum, "v1", v1_steps, declaration, "void reduce_max_before_sync(", "", {maximum}},
        {row_maximum, "v1", v1_steps, declaration, "void reduce_max_after_sync(", "", {maximum}},
        {row_maximum, "v1", v1_output, declaration, "void reduce_max_after_sync(", "", {merge, maximum}},
        {row_maximum, "v2", v2_steps, declaration, "void reduce_max(", "", {maximum}},
        {row_maximum, "v2-tuned", tuned_steps, declaration, "bool max_has_grown(", "", {maximum}},
        {row_maximum, "v2-tuned", tuned_steps, declaration, "f32 raise_max(", "", {maximum, rescale}},
        {row_sum, "v1", v1_steps, declaration, "void reduce_sum_before_sync(", "", {sum}},
        {row_sum, "v1", v1_output, declaration, "void reduce_sum_after_sync(", "", {merge, sum}},
        {row_sum, "v2", v2_steps, declaration, "void exponentiate(", "", {exponentials, sum}},
        {row_sum, "v2-tuned", tuned_steps, declaration, "void exponentiate(", "", {exponentials, sum, convert}},
        {warp_output, "v1", v1_steps, declaration, "void gemm_o(", "", {output}},
        {warp_output, "v1", v1_steps, declaration, "struct SmemO", "", {merge}},
        {warp_output, "v2", v2_steps, declaration, "void gemm_pv(", "", {output}},
        {warp_output, "v2", v2_steps, declaration, "void rescale_sums(", "", {rescale}},
        {warp_output, "v2-tuned", tuned_steps, declaration, "void gemm_pv(", "", {output}},
        {warp_output, "v2-tuned", v2_steps, declaration, "void rescale_sums(", "", {rescale}},
        {quad_shuffles, "v1", shuffles, declaration, "f32 quad_max("},
        {quad_shuffles, "v1", shuffles, declaration, "f32 quad_sum("},
        {quad_shuffles, "v2", shuffles, declaration, "f32 quad_max("},
        {quad_shuffles, "v2", shuffles, declaration, "f32 quad_sum("},
        {quad_shuffles, "v2-tuned", shuffles, declaration, "f32 quad_max("},
        {quad_shuffles, "v2-tuned", shuffles, declaration, "f32 quad_sum("},

        {last_steps, "v1", v1_kernel, in_loop, "smem_o.store", "out.store"},
        {last_steps, "v2", v2_kernel, below_loops, ""},
        {last_steps, "v2-tuned", tuned_kernel, below_loops, ""},
        {normalisation, "v1", v1_output, declaration, "void load_and_normalise(", "", {rescale, merge}},
        {normalisation, "v2", v2_steps, declaration, "void normalize(", "", {rescale, lse}},
        {normalisation, "v2-tuned", v2_steps, declaration, "void normalize(", "", {rescale, lse}},
        {log_sum_exp, "v1", v1_output, declaration, "void store_lse(", "", {lse}},
        {log_sum_exp, "v1", v1_output, declaration, "f32 lse_now("},
        {log_sum_exp, "v2", v2_steps, declaration, "if (lane_index() % 4 == 0 && first_row"},
        {log_sum_exp, "v2-tuned", v2_steps, declaration, "if (lane_index() % 4 == 0 && first_row"},
        {write_out, "v1", v1_output, declaration, "void store(bool", "", {write}},
        {write_out, "v2", v2_steps, declaration, "void store(const HeadRows", "", {write}},
        {write_out, "v2-tuned", v2_steps, declaration, "void store(const HeadRows", "", {write}},
        {between_passes, "v1", v1_output, declaration, "void load_previous(", "", {load}},
        {between_passes, "v1", v1_output, declaration, "void load_lse(", "", {load}},
    };
    return all;
}

std::vector<Topic> topics_of(Stage stage) {
    using enum Topic;
    switch (stage) {
        case Stage::launch:
            return {grid, splits, tiles};
        case Stage::mainloop:
            return {before_loop, loops};
        case Stage::warps:
            return {traits, rows_and_keys, row_maximum, row_sum, warp_output, quad_shuffles};
        case Stage::epilogue:
            break;
    }
    return {last_steps, normalisation, log_sum_exp, write_out, between_passes};
}

LineRange range_of(const Piece& piece, const KernelFile& file) {
    switch (piece.found) {
        case Found::declaration:
            return file.declaration(piece.start);
        case Found::head_paragraph:
            return file.head_paragraph(piece.start);
        case Found::above_loops:
            return file.before_loop();
        case Found::whole_loops:
            return file.main_loop();
        case Found::below_loops:
            return file.after_loop();
        case Found::in_loop:
            break;
    }
    return file.in_loop(piece.start, piece.last);
}

bool in_kernel(Found found) {
    return found != Found::declaration && found != Found::head_paragraph;
}

/// The steps of a line of the kernel itself.
void note_steps(CodeLine& line, std::string_view variant) {
    const std::string_view code = code_of(line.text);
    for (const StepName& name : step_names(variant)) {
        const std::size_t at = find_word(code, name.name);
        if (at != std::string_view::npos) {
            line.steps = name.steps;
            // Of "for (int tile" the name is "for".
            line.step_name = line.text.substr(at, std::min(name.name.find(' '), name.name.size()));
            return;
        }
    }
}

Excerpt excerpt_of(const Piece& piece) {
    const KernelFile file(piece.path);
    const LineRange range = range_of(piece, file);
    Excerpt excerpt{piece.path, {}};
    for (int number = range.first; number <= range.last; ++number) {
        CodeLine line{number, file.line(number), {}, {}};
        if (in_kernel(piece.found)) {
            note_steps(line, piece.variant);
        } else if (!piece.steps.empty()) {
            const std::size_t at = code_of(line.text).find(piece.start);
            if (at != std::string_view::npos) {
                // Of "void store(const HeadRows" the name is "store".
                const std::size_t name = piece.start.find(' ') + 1;
                const std::size_t end = std::min(piece.start.find('(', name), piece.start.size());
                line.steps = piece.steps;
                line.step_name = line.text.substr(at + name, end - name);
            }
        }
        excerpt.lines.push_back(std::move(line));
    }
    return excerpt;
}

/// Lines of the main loop are lined up by the kernels' own order of steps. Loads are not: each kernel has its own plan of
/// when. Nor are barriers.
Anchor step_anchor(const Side& side, const Place& place) {
    if (!place.line) {
        return {};
    }
    const std::vector<Step>& steps = side.excerpts[place.excerpt].lines[*place.line].steps;
    const bool free = steps.empty() || steps.front() == Step::load || steps.front() == Step::barrier;
    return free ? Anchor() : static_cast<int>(steps.front());
}

Anchor heading_anchor(const Place& place) {
    return place.line ? Anchor() : static_cast<int>(place.excerpt);
}

/// Whether all sides that have something to the part have as many excerpts.
bool as_many_excerpts(const Part& part) {
    std::size_t most = 0;
    for (const Side& side : part.sides) {
        most = std::max(most, side.excerpts.size());
    }
    return std::all_of(part.sides.begin(), part.sides.end(),
                       [&](const Side& side) { return side.excerpts.empty() || side.excerpts.size() == most; });
}

std::vector<Place> places_of(const Side& side) {
    std::vector<Place> places;
    for (std::size_t e = 0; e < side.excerpts.size(); ++e) {
        places.push_back({e, {}});
        for (std::size_t l = 0; l < side.excerpts[e].lines.size(); ++l) {
            places.push_back({e, l});
        }
    }
    return places;
}

/// A row on its way to being merged.
struct Column {
    Row row;
    Anchor anchor;
    bool leads;  ///< a comment that belongs to an anchor below
};

bool is_comment(std::string_view line) {
    const std::size_t at = line.find_first_not_of(' ');
    return at != std::string_view::npos && line.substr(at, 2) == "//";
}

/// How many comments at the end belong to what follows.
std::size_t comments_that_lead(std::span<const Column> columns) {
    const auto last =
        std::find_if_not(columns.rbegin(), columns.rend(), [](const Column& column) { return column.leads; });
    return static_cast<std::size_t>(last - columns.rbegin());
}

/// Both side by side from the top, or, `at_end`, so that they end together; the shorter one leaves room.
void add_beside(std::vector<Column>& result, std::span<const Column> left, std::span<const Column> right,
                std::size_t side, bool at_end) {
    const std::size_t start = result.size();
    const std::size_t height = std::max(left.size(), right.size());
    const std::size_t above_left = at_end ? height - left.size() : 0, above_right = at_end ? height - right.size() : 0;
    for (std::size_t i = 0; i < height; ++i) {
        const bool has_left = i >= above_left && i - above_left < left.size();
        const bool has_right = i >= above_right && i - above_right < right.size();
        result.push_back(has_left ? left[i - above_left] : right[i - above_right]);
        if (has_left && has_right) {
            const Column& other = right[i - above_right];
            result.back().row.places[side] = other.row.places[side];
            result.back().row.together |= other.row.together;
            result.back().anchor = result.back().anchor ? result.back().anchor : other.anchor;
        }
    }
    if (result.size() > start && (left.empty() || at_end)) {
        result[start].row.together = true;
    }
}

/// What stands between two rows that belong together. If both sides have steps there that the other has not, those don't
/// stand beside each other: the right side's come after the left's.
void add_between(std::vector<Column>& result, std::span<const Column> left, std::span<const Column> right,
                 std::size_t side) {
    const std::size_t left_end = left.size() - comments_that_lead(left);
    const std::size_t right_end = right.size() - comments_that_lead(right);
    const auto upper_left = left.first(left_end), upper_right = right.first(right_end);
    const auto is_bound = [](const Column& column) { return column.anchor || column.leads; };
    const auto bound = std::find_if(upper_right.begin(), upper_right.end(), is_bound);
    const bool left_bound = std::any_of(upper_left.begin(), upper_left.end(), is_bound);
    const std::size_t top = left_bound ? static_cast<std::size_t>(bound - upper_right.begin()) : right_end;
    add_beside(result, upper_left, upper_right.first(top), side, false);
    add_beside(result, {}, upper_right.subspan(top), side, false);
    add_beside(result, left.subspan(left_end), right.subspan(right_end), side, true);
}

std::vector<Column> merged(std::span<const Column> rows, std::span<const Column> side, std::size_t s) {
    const auto anchors = [](std::span<const Column> columns) {
        std::vector<Anchor> all;
        std::transform(columns.begin(), columns.end(), std::back_inserter(all),
                       [](const Column& c) { return c.anchor; });
        return all;
    };
    std::vector<Column> result;
    std::size_t i = 0, j = 0;
    for (const auto& [row, place] : line_up(anchors(rows), anchors(side))) {
        add_between(result, rows.subspan(i, row - i), side.subspan(j, place - j), s);
        result.push_back(rows[row]);
        result.back().row.places[s] = side[place].row.places[s];
        result.back().row.together = true;
        i = row + 1;
        j = place + 1;
    }
    add_between(result, rows.subspan(i), side.subspan(j), s);
    return result;
}

}  // namespace

std::span<const Stage> all_stages() {
    return stages;
}

std::string_view name_of(Stage stage) {
    constexpr std::array<std::string_view, stages.size()> names{"launch", "mainloop", "warps", "epilogue"};
    return names[static_cast<std::size_t>(stage)];
}

std::string_view name_of(Topic topic) {
    constexpr std::array<std::string_view, static_cast<std::size_t>(Topic::between_passes) + 1> names{
        "grid",          "splits",      "tiles",     "before_loop",   "loops",         "traits",
        "rows_and_keys", "row_maximum", "row_sum",   "warp_output",   "quad_shuffles", "last_steps",
        "normalisation", "log_sum_exp", "write_out", "between_passes"};
    return names[static_cast<std::size_t>(topic)];
}

std::span<const std::string_view> source_variants() {
    return variants_in_order;
}

std::vector<Part> parts_of(Stage stage, std::span<const std::string> variants) {
    std::vector<Part> parts;
    for (const Topic topic : topics_of(stage)) {
        Part part{topic, {}};
        for (const std::string& variant : variants) {
            Side side{variant, {}};
            for (const Piece& piece : pieces()) {
                if (piece.topic == topic && piece.variant == variant) {
                    side.excerpts.push_back(excerpt_of(piece));
                }
            }
            part.sides.push_back(std::move(side));
        }
        if (std::any_of(part.sides.begin(), part.sides.end(),
                        [](const Side& side) { return !side.excerpts.empty(); })) {
            parts.push_back(std::move(part));
        }
    }
    return parts;
}

std::vector<std::pair<std::size_t, std::size_t>> line_up(std::span<const Anchor> a, std::span<const Anchor> b) {
    const auto match = [&](std::size_t i, std::size_t j) { return a[i].has_value() && a[i] == b[j]; };
    // longest[i][j]: of the longest common subsequence of a[i ..] and b[j ..]
    std::vector<std::vector<std::size_t>> longest(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = a.size(); i-- > 0;) {
        for (std::size_t j = b.size(); j-- > 0;) {
            longest[i][j] = match(i, j) ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
        }
    }
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (match(i, j)) {
            pairs.emplace_back(i++, j++);
        } else if (longest[i + 1][j] >= longest[i][j + 1]) {
            ++i;
        } else {
            ++j;
        }
    }
    return pairs;
}

std::vector<Row> rows_of(const Part& part) {
    const bool by_step = part.topic == Topic::loops || part.topic == Topic::last_steps;
    const bool by_heading = !by_step && as_many_excerpts(part);
    std::vector<Column> rows;
    for (std::size_t s = 0; s < part.sides.size(); ++s) {
        std::vector<Column> side;
        for (const Place& place : places_of(part.sides[s])) {
            Row row{std::vector<std::optional<Place>>(s + 1)};
            row.places[s] = place;
            const Anchor anchor = by_step      ? step_anchor(part.sides[s], place)
                                  : by_heading ? heading_anchor(place)
                                               : Anchor();
            side.push_back({std::move(row), anchor, false});
        }
        for (std::size_t i = side.size(); i-- > 1;) {
            // A comment stays with the line below it.
            const Place& above = *side[i - 1].row.places[s];
            side[i - 1].leads = above.line && (side[i].anchor || side[i].leads) &&
                                is_comment(part.sides[s].excerpts[above.excerpt].lines[*above.line].text);
        }
        for (Column& row : rows) {
            row.row.places.resize(s + 1);
        }
        rows = merged(rows, side, s);
    }
    std::vector<Row> result;
    std::transform(rows.begin(), rows.end(), std::back_inserter(result),
                   [](const Column& column) { return column.row; });
    return result;
}

}  // namespace flashlens::teaching
