#include "cli/walk_request.h"

#include <algorithm>
#include <string>
#include <vector>

#include "cli/ranges.h"
#include "cli/strict.h"
#include "cli/walk_numbers.h"
#include "cli/walk_sizes.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

using teaching::WalkOrder;
using teaching::WalkProblem;

std::size_t chosen(const Given& given, std::string_view name) {
    const std::vector<std::string> choices = words(option_of(name).choices);
    return choice(name, given.text(name, choices.front()), choices);
}

/// One head of one batch, small; sizes and numbers may still change.
Problem usual_problem() {
    Problem p;
    p.batch = p.heads = p.kv_heads = 1;
    p.seqlen_q = 4;
    p.seqlen_k = 6;
    p.head_dim = 4;
    p.dtype = DType::fp16;
    return p;
}

void set_mask(Problem& p, const Given& given) {
    if (given.has("--causal") && given.has("--no-causal")) {
        throw UsageError(say("--causal with --no-causal: they contradict each other; leave one out"));
    }
    p.causal = given.has("--causal");
    p.align = chosen(given, "--align") == 0 ? Align::bottom_right : Align::top_left;
}

void set_distribution(Problem& p, const Given& given) {
    constexpr Distribution distributions[] = {Distribution::normal, Distribution::uniform, Distribution::sharp,
                                              Distribution::ones};
    p.dist = distributions[chosen(given, "--dist")];
    if (given.has("--seed")) {
        p.seed = seed_number("--seed", given.text("--seed"));
    }
}

void set_blocks(WalkProblem& walk, const Given& given) {
    walk.block_m = std::min<std::int64_t>(2, walk.problem.seqlen_q);
    walk.block_n = walk.problem.seqlen_k > 2 ? 2 : 1;  // two blocks at least: one would show nothing
    set_size(given, "--block-m", most_block, 2, walk.block_m);
    set_size(given, "--block-n", most_block, 2, walk.block_n);
}

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

report::WalkShow to_walk(const Given& given, report::Language language) {
    report::WalkShow show;
    WalkProblem& problem = show.problem;
    problem.problem = usual_problem();
    set_mask(problem.problem, given);
    set_distribution(problem.problem, given);
    show.inputs = set_numbers(problem, given, language);
    set_blocks(problem, given);
    check_scores(problem, given);
    show.rows = shown_rows(given, problem.problem.seqlen_q);
    const std::size_t order = chosen(given, "--order");
    constexpr std::size_t only_v1 = 1;
    constexpr std::size_t only_v2 = 2;
    if (order != only_v2) {
        show.walks.push_back(teaching::walk(problem, WalkOrder::v1));
    }
    if (order != only_v1) {
        show.walks.push_back(teaching::walk(problem, WalkOrder::v2));
    }
    show.reference = teaching::walk_reference(problem);
    return show;
}

}  // namespace flashlens::cli
