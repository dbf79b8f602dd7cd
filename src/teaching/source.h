// The kernels' code by stage, side by side: which lines of which files, what step each line takes, and what stands beside
// what.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

/// A line of a side: of which excerpt; without `line`, the place of the excerpt's heading.
struct Place {
    std::size_t excerpt;
    std::optional<std::size_t> line;
};

/// What stands side by side; a side that has nothing there has no place.
struct Row {
    std::vector<std::optional<Place>> places;
    bool together = false;  ///< has to start on one line; other rows may shift where one side's lines are broken
};

/// The rows of a part: every side's headings and lines, each once and in order. In the main loop lines of one step stand on
/// one row; elsewhere the excerpts begin side by side, if all sides have as many.
std::vector<Row> rows_of(const Part& part);

/// What a row is lined up by, if by anything.
using Anchor = std::optional<int>;

/// Pairs (i, j) with a[i] == b[j], ascending in both, as many as there can be and each as early as it can be. Empty
/// anchors match nothing.
std::vector<std::pair<std::size_t, std::size_t>> line_up(std::span<const Anchor> a, std::span<const Anchor> b);

}  // namespace flashlens::teaching
