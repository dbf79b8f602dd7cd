#include <string>

#include "cli/commands.h"
#include "cli/request.h"
#include "report/timeline_json.h"
#include "report/timeline_svg.h"
#include "report/timeline_view.h"

namespace flashlens::cli {

int run_timeline(const Context& context) {
    const Request request = to_request(context.given, context.explorer);
    check_outputs(context);
    const Timelines timelines = ask(context, request, context.explorer.timeline);
    deliver(context, report::show_timelines(timelines, context.language, context.terminal),
            {{"--json", [&] { return report::timelines_to_json(timelines); }},
             {"--svg", [&] { return report::timelines_to_svg(timelines, context.language); }}});
    return all_right;
}

}  // namespace flashlens::cli
