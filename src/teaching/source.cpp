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
        {between_passes, "v1", v1_output, declaration, "void load_o_tmp(", "", {load}},
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

}  // namespace flashlens::teaching
