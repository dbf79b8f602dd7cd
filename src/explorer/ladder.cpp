#include "explorer/ladder.h"

#include <algorithm>
#include <array>

#include "explorer/variant.h"
#include "kernels/between/rungs.h"

namespace flashlens {
namespace {

constexpr std::array ideas =
    std::to_array<Idea>({Idea::grid, Idea::row_warps, Idea::wide_warps, Idea::warps, Idea::loop_order, Idea::late_norm,
                         Idea::masking, Idea::async_copies, Idea::beyond});

constexpr std::array path = std::to_array<LadderEdge>({
    {Idea::grid, "v1", "query-blocks"},
    {Idea::row_warps, "query-blocks", "row-warps"},
    {Idea::wide_warps, "row-warps", "wide-warps"},
    {Idea::loop_order, "wide-warps", "swapped-loops"},
    {Idea::late_norm, "swapped-loops", "late-norm"},
    {Idea::masking, "late-norm", "masked-loop"},
    {Idea::async_copies, "masked-loop", "v2"},
    {Idea::beyond, "v2", "v2-tuned"},
});

constexpr std::array edges = std::to_array<LadderEdge>({
    {Idea::grid, "v1", "query-blocks"},
    {Idea::grid, "v1-grid", "v2"},
    {Idea::row_warps, "query-blocks", "row-warps"},
    {Idea::row_warps, "key-warps", "swapped-narrow"},
    {Idea::wide_warps, "row-warps", "wide-warps"},
    {Idea::wide_warps, "swapped-narrow", "swapped-loops"},
    {Idea::warps, "query-blocks", "wide-warps"},
    {Idea::warps, "key-warps", "swapped-loops"},
    {Idea::loop_order, "wide-warps", "swapped-loops"},
    {Idea::loop_order, "row-warps", "swapped-narrow"},
    {Idea::loop_order, "query-blocks", "key-warps"},
    {Idea::late_norm, "swapped-loops", "late-norm"},
    {Idea::late_norm, "async-swapped", "async-late-norm"},
    {Idea::late_norm, "async-masked-loop", "v2"},
    {Idea::masking, "late-norm", "masked-loop"},
    {Idea::masking, "async-swapped", "async-masked-loop"},
    {Idea::masking, "async-late-norm", "v2"},
    {Idea::async_copies, "swapped-loops", "async-swapped"},
    {Idea::async_copies, "late-norm", "async-late-norm"},
    {Idea::async_copies, "masked-loop", "v2"},
});

}  // namespace

std::span<const Idea> all_ideas() {
    return ideas;
}

std::string_view name_of(Idea idea) {
    switch (idea) {
        case Idea::grid:
            return "grid";
        case Idea::row_warps:
            return "row-warps";
        case Idea::wide_warps:
            return "wide-warps";
        case Idea::warps:
            return "warps";
        case Idea::loop_order:
            return "loop-order";
        case Idea::late_norm:
            return "late-norm";
        case Idea::masking:
            return "masking";
        case Idea::async_copies:
            return "async-copies";
        case Idea::beyond:
            break;
    }
    return "beyond";
}

std::span<const LadderEdge> ladder_path() {
    return path;
}

std::span<const LadderEdge> idea_edges() {
    return edges;
}

std::vector<std::string> graph_variants() {
    std::vector<std::string> names = ladder_variants();
    for (const LadderEdge& edge : edges) {
        for (const std::string_view node : {edge.from, edge.to}) {
            if (std::find(names.begin(), names.end(), node) == names.end()) {
                names.emplace_back(node);
            }
        }
    }
    return names;
}

std::vector<Idea> ideas_between(std::string_view from, std::string_view to) {
    for (const LadderEdge& edge : edges) {
        if (edge.from == from && edge.to == to) {
            return {edge.idea};
        }
    }
    std::vector<Idea> between;
    const auto first =
        std::find_if(path.begin(), path.end(), [&](const LadderEdge& edge) { return edge.from == from; });
    for (auto edge = first; edge != path.end(); ++edge) {
        between.push_back(edge->idea);
        if (edge->to == to) {
            return between;
        }
    }
    return {};
}

std::string folder_of_kernel(std::string_view variant) {
    const bool between = between::is_between(variant);
    // Those that take cp.async first are one kernel with switches.
    std::string name(variant.starts_with("async-") ? "async-first" : between::kernel_of(variant));
    std::replace(name.begin(), name.end(), '-', '_');
    return (between ? "kernels/between/" : "kernels/") + name + "/";
}

bool stands(const VariantFacts& variant) {
    return variant.refusal.empty() && !(variant.error && variant.error->verdict == Verdict::fail);
}

std::vector<LadderStep> ladder_steps(const Comparison& comparison) {
    std::vector<LadderStep> steps;
    std::optional<std::size_t> from;
    for (std::size_t to = 0; to < comparison.variants.size(); ++to) {
        if (!stands(comparison.variants[to])) {
            continue;
        }
        if (from) {
            steps.push_back({*from, to, ideas_between(comparison.variants[*from].name, comparison.variants[to].name)});
        }
        from = to;
    }
    return steps;
}

std::vector<LadderStep> idea_steps(const Comparison& comparison, std::span<const LadderEdge> all) {
    const auto index = [&](std::string_view name) {
        const auto& variants = comparison.variants;
        const auto found = std::find_if(variants.begin(), variants.end(),
                                        [&](const VariantFacts& v) { return v.name == name && stands(v); });
        return static_cast<std::size_t>(found - variants.begin());
    };
    std::vector<LadderStep> steps;
    for (const LadderEdge& edge : all) {
        const std::size_t from = index(edge.from), to = index(edge.to);
        if (from < comparison.variants.size() && to < comparison.variants.size()) {
            steps.push_back({from, to, {edge.idea}});
        }
    }
    return steps;
}

}  // namespace flashlens
