#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/request.h"
#include "cli/strict.h"
#include "explorer/ladder.h"
#include "report/ladder_data.h"
#include "report/ladder_diff.h"
#include "report/ladder_orders.h"
#include "report/ladder_view.h"
#include "report/ladder_waterfall.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

constexpr const char* tuned = "v2-tuned";

void refuse_beside(const Given& given, std::string_view option, std::initializer_list<std::string_view> others) {
    for (const std::string_view other : others) {
        if (given.has(other)) {
            throw UsageError(say("{} with {}: each asks for something else; leave one of them out", option, other));
        }
    }
}

void check_together(const Given& given) {
    if (given.has("--diff")) {
        refuse_beside(given, "--diff",
                      {"--orders", "--tuned", "--by", "--svg", "--csv", "--input", "--machine", "--verify"});
        return;
    }
    if (!given.word.empty()) {
        throw UsageError(
            say("ladder {0}: takes options alone; ladder --diff {0} shows the step to a rung in the code", given.word));
    }
    if (given.has("--all")) {
        throw UsageError(say("--all: goes with --diff, as in flashlens ladder --diff v1 v2 --all"));
    }
    if (given.has("--orders")) {
        refuse_beside(given, "--orders", {"--tuned", "--svg"});
    }
}

/// The name of a rung that is given by number or name.
std::string rung_of(const std::string& given, const std::vector<std::string>& ladder,
                    const std::vector<std::string>& all) {
    if (only_digits(given)) {
        const auto number = whole_number("--diff", given, 1, static_cast<std::int64_t>(ladder.size()), 2);
        return ladder[static_cast<std::size_t>(number) - 1];
    }
    return all[choice("--diff", given, all)];
}

/// The two kernels of --diff. One alone is where a step of the ladder leads.
std::vector<std::string> ends_of_diff(const Context& context) {
    std::vector<std::string> ladder = context.explorer.ladder;
    ladder.emplace_back(tuned);
    std::vector<std::string> all = ladder;
    for (const std::string& node : context.explorer.graph) {
        if (std::find(all.begin(), all.end(), node) == all.end()) {
            all.push_back(node);
        }
    }
    const std::string first = rung_of(std::string(context.given.text("--diff")), ladder, all);
    if (!context.given.word.empty()) {
        const std::string second = rung_of(context.given.word, ladder, all);
        if (first == second) {
            throw UsageError(say("--diff {} {}: is the same kernel twice; try --diff v1 v2",
                                 context.given.text("--diff"), context.given.word));
        }
        return {first, second};
    }
    const auto at = std::find(ladder.begin(), ladder.end(), first);
    if (at == ladder.begin() || at == ladder.end()) {
        throw UsageError(say("--diff {0}: no step of the ladder leads there; name two, as in --diff {0} v2", first));
    }
    return {*(at - 1), first};
}

int run_diff(const Context& context, Request request) {
    request.variants = ends_of_diff(context);
    // The code can be shown of kernels that the card can't run, too: v2 is there so that something runs.
    if (std::find(request.variants.begin(), request.variants.end(), "v2") == request.variants.end()) {
        request.variants.emplace_back("v2");
    }
    check_outputs(context);
    Comparison planned = context.explorer.explain(request);
    planned.variants.resize(2);
    const auto extent = context.given.has("--all") ? report::Extent::all : report::Extent::changes;
    deliver(context, report::show_ladder_diff(planned, extent, context.language, context.terminal),
            {{"--json", [&] { return report::ladder_diff_to_json(planned); }}});
    return all_right;
}

/// What --by names, or null.
const report::LadderQuantity* asked_figure(const Context& context) {
    if (!context.given.has("--by")) {
        return nullptr;
    }
    const std::vector<std::string_view> known = report::waterfall_names();
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string& name = names[choice("--by", context.given.text("--by"), names)];
    const report::LadderQuantity* const by = report::find_ladder_quantity(name);
    if (by == &report::ladder_time()) {
        Message why;
        if (context.given.has("--gpu")) {
            why = say("--gpu plans for a card without running on it");
        } else if (context.given.text("--machine") == "cpu") {
            why = say("--machine cpu runs nothing on it");
        } else if (context.explorer.card_here(&why)) {
            return by;
        }
        refuse("--by", name, say("only a card has times ({}); try --by shared-traffic", why));
    }
    return by;
}

}  // namespace

int run_ladder(const Context& context) {
    const Given& given = context.given;
    Request request = to_request(given, context.explorer);
    check_together(given);
    if (given.has("--diff")) {
        return run_diff(context, std::move(request));
    }
    const report::LadderQuantity* const asked = asked_figure(context);
    request.variants = given.has("--orders") ? context.explorer.graph : context.explorer.ladder;
    if (given.has("--tuned")) {
        request.variants.emplace_back(tuned);
    }
    check_outputs(context);
    const Comparison comparison = ask(context, request, context.explorer.compare);
    const report::LadderQuantity& by = asked != nullptr ? *asked : report::usual_waterfall(comparison);
    if (given.has("--orders")) {
        deliver(context, report::show_orders(comparison, by, context.language, context.terminal),
                {{"--json", [&] { return report::orders_to_json(comparison, by); }},
                 {"--csv", [&] { return report::ladder_to_csv(comparison); }}});
    } else {
        deliver(context, report::show_ladder(comparison, by, context.language, context.terminal),
                {{"--json", [&] { return report::ladder_to_json(comparison); }},
                 {"--csv", [&] { return report::ladder_to_csv(comparison); }},
                 {"--svg", [&] {
                      const auto steps = report::step_facts(comparison, ladder_steps(comparison));
                      return report::waterfall_to_svg(report::waterfall(comparison, steps, by, context.language),
                                                      context.language);
                  }}});
    }
    const bool wrong = std::any_of(comparison.variants.begin(), comparison.variants.end(),
                                   [](const VariantFacts& v) { return v.error && v.error->verdict == Verdict::fail; });
    return wrong ? wrong_result : all_right;
}

}  // namespace flashlens::cli
