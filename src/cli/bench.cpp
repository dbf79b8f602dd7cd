#include "cli/bench_request.h"
#include "cli/commands.h"
#include "report/bench_facts.h"
#include "report/bench_json.h"
#include "report/bench_view.h"

namespace flashlens::cli {

int run_bench(const Context& context) {
    const BenchRequest request = to_bench_request(context.given, context.explorer);
    check_outputs(context);
    const Bench bench = ask(context, request, context.explorer.bench);
    deliver(context, report::show_bench(bench, context.language, context.terminal),
            {{"--json", [&] { return report::bench_to_json(bench); }},
             {"--csv", [&] { return report::bench_to_csv(bench); }}});
    return report::any_wrong(bench) ? wrong_result : all_right;
}

}  // namespace flashlens::cli
