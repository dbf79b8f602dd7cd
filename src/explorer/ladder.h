// The way from v1 to v2 as a graph: kernels are its nodes, and an edge changes one thing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explorer/comparison.h"

namespace flashlens {

/// What an edge changes. What there is to say of each stands in teaching/ladder_ideas.h.
enum class Idea {
    grid,          ///< a CTA for each query block
    row_warps,     ///< warps split query rows instead of keys
    wide_warps,    ///< 32 rows a warp: v2's tile
    warps,         ///< both of these at once
    loop_order,    ///< key blocks inside
    late_norm,     ///< normalised once, in the end
    masking,       ///< masking code only where it is needed
    async_copies,  ///< cp.async, beside the products
    beyond         ///< what v2-tuned does
};

std::span<const Idea> all_ideas();

/// "grid", "row-warps", ...
std::string_view name_of(Idea idea);

struct LadderEdge {
    Idea idea;
    std::string_view from;  ///< names of variants
    std::string_view to;
};

/// v1 to v2, rung by rung (ladder_variants() of variant.h), and on to v2-tuned.
std::span<const LadderEdge> ladder_path();

/// The same ideas on all ways that there are from v1 to v2, for what an idea gives where others came before it.
std::span<const LadderEdge> idea_edges();

/// Every node of idea_edges() and the ladder, each once; those of the ladder first.
std::vector<std::string> graph_variants();

/// Where a kernel's files are: "kernels/v1/", "kernels/between/row_warps/". row-warps and wide-warps are one kernel.
std::string folder_of_kernel(std::string_view variant);

/// What changes from one kernel to another: an edge's idea; else those of the path between them. Empty where no way is known.
std::vector<Idea> ideas_between(std::string_view from, std::string_view to);

/// One step of a run: from one of a comparison's variants to another, both of which ran and gave what they should.
struct LadderStep {
    std::size_t from = 0;  ///< of Comparison::variants
    std::size_t to = 0;
    std::vector<Idea> ideas;  ///< several where rungs in between are missing; none where no way is known
};

/// Did it run, with nothing wrong about it?
bool stands(const VariantFacts& variant);

/// From each variant that stands to the next that does.
std::vector<LadderStep> ladder_steps(const Comparison& comparison);

/// The edges whose both ends stand.
std::vector<LadderStep> idea_steps(const Comparison& comparison, std::span<const LadderEdge> edges = idea_edges());

}  // namespace flashlens
