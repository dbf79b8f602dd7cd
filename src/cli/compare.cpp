#include <algorithm>
#include <string>

#include "cli/commands.h"
#include "cli/request.h"
#include "cli/shell_word.h"
#include "report/comparison_view.h"
#include "report/json.h"

namespace flashlens::cli {
namespace {

bool any_wrong(const Comparison& comparison) {
    return std::any_of(comparison.variants.begin(), comparison.variants.end(), [](const VariantFacts& variant) {
        return variant.error && variant.error->verdict == Verdict::fail;
    });
}

}  // namespace

int run_compare(const Context& context) {
    const Request request = to_request(context.given, context.explorer);
    check_outputs(context);
    const Comparison comparison = ask(context, request, context.explorer.compare);
    constexpr auto detail = report::Detail::compared;
    const std::string ladder = asked_of(Command::ladder, context.given);
    deliver(context, report::show(comparison, detail, context.language, context.terminal, ladder),
            {{"--json", [&] { return report::to_json(comparison, detail, context.language, ladder); }}});
    return any_wrong(comparison) ? wrong_result : all_right;
}

}  // namespace flashlens::cli
