#include <string>

#include "cli/bench_request.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "report/bench_facts.h"
#include "report/bench_json.h"
#include "report/bench_view.h"

namespace flashlens::cli {
namespace {

Bench bench_with_progress(const Context& context, BenchRequest& request) {
    Progress progress(context.err, context.terminal.columns);
    if (context.show_progress) {
        request.progress = [&](std::string_view what, double done, double total) { progress.show(what, done, total); };
    }
    return context.explorer.bench(request);
}

}  // namespace

int run_bench(const Context& context) {
    BenchRequest request = to_bench_request(context.given, context.explorer);
    check_outputs(context);
    const Bench bench = bench_with_progress(context, request);
    deliver(context, report::show_bench(bench, context.language, context.terminal), report::bench_to_json(bench),
            report::bench_to_csv(bench));
    return report::any_wrong(bench) ? wrong_result : all_right;
}

}  // namespace flashlens::cli
