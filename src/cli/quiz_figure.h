// The figure that a question of the kind run asks for: its command is run in-process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/explorer_seam.h"

namespace flashlens::cli {

/// A command line as a shell takes it apart ("" and '' hold words together), without the program's name.
std::vector<std::string> words_of_command(std::string_view command);

/// A field of what the command says with --json -: "v2.ctas", "v1.grid[2]", "points[3].v1.time_us", "problem.flops". v1, v2
/// and tuned are the variants of these names (tuned: v2-tuned), and of variant.steps one is found by its name:
/// v1.steps["S = Q K^T"].mma. Without --gpu it is planned for an A100, and what runs runs on the CPU machine: the answer is
/// the same wherever it is asked. Throws Failure, which names the figure and the command.
double figure_of(std::string_view path, std::string_view command, const Explorer& explorer);

}  // namespace flashlens::cli
