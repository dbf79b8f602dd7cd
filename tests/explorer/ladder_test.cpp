#include "explorer/ladder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "explorer/variant.h"
#include "kernels/between/rungs.h"

using namespace flashlens;

namespace {

using Names = std::vector<std::string>;

VariantFacts rung(const std::string& name) {
    VariantFacts facts;
    facts.name = name;
    return facts;
}

Comparison of(const Names& names) {
    Comparison comparison;
    for (const std::string& name : names) {
        comparison.variants.push_back(rung(name));
    }
    return comparison;
}

bool has_name(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("ladder: the path leads from v1 to v2 and on, an idea a step") {
    std::set<Idea> seen;
    std::string_view at = "v1";
    bool past_v2 = false;
    for (const LadderEdge& edge : ladder_path()) {
        CHECK(edge.from == at);
        CHECK(seen.insert(edge.idea).second);
        CHECK((edge.idea == Idea::beyond) == past_v2);
        at = edge.to;
        past_v2 = past_v2 || at == "v2";
    }
    CHECK(at == "v2-tuned");
    std::set<std::string_view> names;
    for (const Idea idea : all_ideas()) {
        CHECK(names.insert(name_of(idea)).second);
    }
}

TEST_CASE("ladder: edges of the graph, each its own, and none that the path contradicts") {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const LadderEdge& edge : idea_edges()) {
        CAPTURE(edge.from);
        CAPTURE(edge.to);
        CHECK(edge.from != edge.to);
        CHECK(seen.emplace(edge.from, edge.to).second);
        CHECK(ideas_between(edge.from, edge.to) == std::vector{edge.idea});
    }
}

TEST_CASE("ladder: its rungs are the kernels that there are, and those can be planned") {
    Problem problem;
    const hardware::Card card = hardware::find_card("A100");
    const Names ladder = ladder_variants();
    CHECK(ladder.front() == "v1");
    CHECK(ladder.back() == "v2");
    const Names graph = graph_variants();
    for (const std::string& name : ladder) {
        CHECK(has_name(graph, name));
    }
    CHECK(std::set<std::string>(graph.begin(), graph.end()).size() == graph.size());
    REQUIRE(ladder.size() == ladder_path().size());  // which goes on to v2-tuned
    for (std::size_t i = 0; i < ladder.size(); ++i) {
        CHECK(ladder_path()[i].from == ladder[i]);
    }
    for (const std::string_view name : between::other_orders) {
        CHECK(has_name(graph, name));
    }
    for (const std::string& name : ladder) {
        CAPTURE(name);
        const VariantFacts facts = plan(name, problem, card, false, {});
        CHECK(facts.refusal.empty());
        CHECK(facts.launch.ctas > 0);
    }
}

TEST_CASE("ladder: what changes from one kernel to another") {
    CHECK(ideas_between("v1", "query-blocks") == std::vector{Idea::grid});
    CHECK(ideas_between("query-blocks", "wide-warps") == std::vector{Idea::warps});
    CHECK(ideas_between("late-norm", "v2") == std::vector{Idea::masking, Idea::async_copies});
    CHECK(ideas_between("v1", "v2") == std::vector{Idea::grid, Idea::row_warps, Idea::wide_warps, Idea::loop_order,
                                                   Idea::late_norm, Idea::masking, Idea::async_copies});
    CHECK(ideas_between("v2", "v1").empty());
    CHECK(ideas_between("v1", "v3").empty());
    CHECK(ideas_between("v2", "v2-tuned") == std::vector{Idea::beyond});
}

TEST_CASE("ladder: steps lead from rung to rung that stands") {
    Comparison comparison = of({"v1", "query-blocks", "row-warps", "wide-warps", "v2"});
    std::vector<LadderStep> steps = ladder_steps(comparison);
    REQUIRE(steps.size() == 4);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        CHECK(steps[i].from == i);
        CHECK(steps[i].to == i + 1);
    }
    CHECK(steps[1].ideas == std::vector{Idea::row_warps});

    comparison.variants[1].refusal = {"no", "不"};
    comparison.variants[3].error = ErrorReport{};
    comparison.variants[3].error->verdict = Verdict::fail;
    comparison.variants[2].error = ErrorReport{};
    comparison.variants[2].error->verdict = Verdict::pass;
    steps = ladder_steps(comparison);
    REQUIRE(steps.size() == 2);
    CHECK(steps[0].from == 0);
    CHECK(steps[0].to == 2);
    CHECK(steps[0].ideas == std::vector{Idea::grid, Idea::row_warps});
    CHECK(steps[1].to == 4);
    CHECK(steps[1].ideas.size() == 5);

    for (VariantFacts& variant : comparison.variants) {
        variant.refusal = {"no", "不"};
    }
    CHECK(ladder_steps(comparison).empty());
    CHECK(ladder_steps(of({"v1"})).empty());
}

TEST_CASE("ladder: an idea's edges are those whose both ends stand") {
    const LadderEdge edges[] = {{Idea::grid, "a", "b"}, {Idea::loop_order, "b", "c"}, {Idea::grid, "c", "d"}};
    Comparison comparison = of({"d", "c", "b", "a"});
    std::vector<LadderStep> steps = idea_steps(comparison, edges);
    REQUIRE(steps.size() == 3);
    CHECK(steps[0].from == 3);
    CHECK(steps[0].to == 2);
    CHECK(steps[2].from == 1);
    CHECK(steps[2].to == 0);
    CHECK(steps[1].ideas == std::vector{Idea::loop_order});
    comparison.variants[2].refusal = {"no", "不"};
    steps = idea_steps(comparison, edges);
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].to == 0);
    CHECK(idea_steps(of({"x"}), edges).empty());
}
