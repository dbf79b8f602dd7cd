#include <algorithm>
#include <string>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/request.h"
#include "report/comparison_view.h"
#include "report/json.h"

namespace flashlens::cli {
namespace {

bool any_wrong(const Comparison& comparison) {
    return std::any_of(comparison.variants.begin(), comparison.variants.end(), [](const VariantFacts& variant) {
        return variant.error && variant.error->verdict == Verdict::fail;
    });
}

Comparison compare_with_progress(const Context& context, Request& request) {
    Progress progress(context.err, context.terminal.columns);
    if (context.show_progress) {
        request.progress = [&](std::string_view what, double done, double total) { progress.show(what, done, total); };
    }
    return context.explorer.compare(request);
}

}  // namespace

int run_compare(const Context& context) {
    Request request = to_request(context.given, context.explorer);
    if (context.given.has("--json")) {
        check_writable("--json", std::string(context.given.text("--json")));
    }
    const Comparison comparison = compare_with_progress(context, request);
    constexpr auto detail = report::Detail::compared;
    deliver(context, report::show(comparison, detail, context.language, context.terminal),
            report::to_json(comparison, detail, context.language));
    return any_wrong(comparison) ? wrong_result : all_right;
}

}  // namespace flashlens::cli
