#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/request.h"
#include "cli/strict.h"
#include "report/map_json.h"
#include "report/map_svg.h"
#include "report/map_view.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

using report::MapView;

std::vector<MapView> views(const Given& given) {
    if (!given.has("--view")) {
        return {MapView::ctas, MapView::warps};
    }
    const std::vector<std::string> names = report::map_view_names();
    std::vector<MapView> result;
    for (const std::string& name : choice_list("--view", given.text("--view"), names)) {
        result.push_back(static_cast<MapView>(std::find(names.begin(), names.end(), name) - names.begin()));
    }
    if (given.has("--svg") && result.size() > 1) {
        throw UsageError(say("--view {} with --svg: a picture shows one view; try --view {}", given.text("--view"),
                             name_of(result.front())));
    }
    return result;
}

void refuse_what_owns_nothing(const Problem& problem) {
    for (const auto& [option, size] : {std::pair{"--batch", problem.batch},
                                       {"--heads", problem.heads},
                                       {"--seqlen-q", problem.seqlen_q},
                                       {"--seqlen-k", problem.seqlen_k}}) {
        if (size == 0) {
            throw UsageError(say("{} 0: there is nothing that anybody could own; try {} 1", option, option));
        }
    }
}

}  // namespace

int run_map(const Context& context) {
    if (context.given.has("--variants")) {  // to_request takes those between v1 and v2 too, of which there is no map
        choice_list("--variants", context.given.text("--variants"), context.explorer.variant_names);
    }
    Request request = to_request(context.given, context.explorer);
    // A mask shows most. A model has its own.
    if (!context.given.has("--no-causal") && !context.given.has("--model")) {
        request.problem.causal = true;
    }
    const std::vector<MapView> asked = views(context.given);
    refuse_what_owns_nothing(request.problem);
    check_outputs(context);
    const Comparison comparison = context.explorer.explain(request);
    deliver(context, report::show_map(comparison, asked, context.language, context.terminal),
            {{"--json", [&] { return report::map_to_json(comparison, asked); }},
             {"--svg", [&] { return report::map_to_svg(comparison, asked.front(), context.language); }}});
    return all_right;
}

}  // namespace flashlens::cli
