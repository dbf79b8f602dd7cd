#include <string>

#include "cli/commands.h"
#include "cli/request.h"
#include "report/comparison_view.h"
#include "report/json.h"

namespace flashlens::cli {

int run_explain(const Context& context) {
    const Request request = to_request(context.given, context.explorer);
    check_outputs(context);
    const Comparison comparison = context.explorer.explain(request);
    constexpr auto detail = report::Detail::explained;
    deliver(context, report::show(comparison, detail, context.language, context.terminal),
            {{"--json", [&] { return report::to_json(comparison, detail, context.language); }}});
    return all_right;
}

}  // namespace flashlens::cli
