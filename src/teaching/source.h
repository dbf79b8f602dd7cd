// The kernels' code by stage: which lines of which files, and what step each line takes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "teaching/steps.h"

namespace flashlens::teaching {

enum class Stage { launch, mainloop, warps, epilogue };

/// What a stage is made of: each asks one question of all variants.
enum class Topic {
    // launch
    grid,
    splits,
    tiles,
    // mainloop
    before_loop,
    loops,
    // warps
    traits,
    rows_and_keys,
    row_maximum,
    row_sum,
    warp_output,
    quad_shuffles,
    // epilogue
    last_steps,
    normalisation,
    log_sum_exp,
    write_out,
    between_passes,
};

std::span<const Stage> all_stages();
std::string_view name_of(Stage stage);
std::string_view name_of(Topic topic);

/// "v1", "v2", "v2-tuned".
std::span<const std::string_view> source_variants();

/// A line as it stands in the file.
struct CodeLine {
    int number;
    std::string_view text;
    std::vector<Step> steps;     ///< that it takes, the one it is lined up by first
    std::string_view step_name;  ///< where `text` names them; empty without steps
};

struct Excerpt {
    std::string_view path;  ///< from the project's root
    std::vector<CodeLine> lines;

    int first() const { return lines.front().number; }
    int last() const { return lines.back().number; }
};

/// What one variant has to a topic: nothing, or one place or several.
struct Side {
    std::string variant;
    std::vector<Excerpt> excerpts;
};

struct Part {
    Topic topic;
    std::vector<Side> sides;  ///< as asked for
};

/// The parts of a stage. `variants` are names of source_variants(). Parts to which none of them has anything are left out.
std::vector<Part> parts_of(Stage stage, std::span<const std::string> variants);

}  // namespace flashlens::teaching
