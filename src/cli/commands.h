// The commands, one file each. What they print goes to `out` as a whole; they return the exit code.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explorer_seam.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "report/language.h"
#include "report/terminal.h"

namespace flashlens::cli {

/// Exit codes.
inline constexpr int all_right = 0;
inline constexpr int could_not_run = 1;
inline constexpr int bad_usage = 2;
inline constexpr int wrong_result = 3;  ///< a variant's verdict is FAIL, or an exercise has not passed

/// Everything a command works with.
struct Context {
    const Given& given;
    const Explorer& explorer;
    const report::Surroundings& surroundings;
    report::Language language;
    report::Terminal terminal;
    bool show_progress = false;  ///< standard error is a terminal
    bool takes_keys = false;     ///< standard input and output are terminals
    bool dumb = false;           ///< escape codes mean nothing to them
    std::ostream& out;           ///< shown when the command ends, or when it is flushed
    std::ostream& err;
};

int run_compare(const Context& context);
int run_explain(const Context& context);
int run_map(const Context& context);
int run_ladder(const Context& context);
int run_timeline(const Context& context);
int run_sweep(const Context& context);
int run_bench(const Context& context);
int run_devices(const Context& context);
int run_source(const Context& context);
int run_walk(const Context& context);
int run_lesson(const Context& context);
int run_lecture(const Context& context);
int run_quiz(const Context& context);
int run_practice(const Context& context);
int run_completion(const Context& context);

/// What may follow `source`: its stages, and "all".
std::vector<std::string> stage_names();

/// What may follow `lesson`: their numbers.
std::vector<std::string> lesson_names();

/// What may follow `practice`: the exercises.
std::vector<std::string> exercise_names();

/// The answer of one of the explorer's functions; while it works its progress shows, where there is a terminal for it.
template <typename Request, typename Answer>
Answer ask(const Context& context, Request request, const std::function<Answer(const Request&)>& function) {
    Progress progress(context.err, context.terminal.columns, context.language);
    if (context.show_progress) {
        request.progress = [&](const Message& what, double done, double total) { progress.show(what, done, total); };
    }
    return function(request);
}

/// A text that a command has for a file, made when it is asked for.
struct Output {
    std::string_view option;  ///< that names the file: "--json"
    std::function<std::string()> text;
};

/// Throws UsageError, before any work is done, when what --json, --csv or --svg names can't be written, or two of
/// them name the same.
void check_outputs(const Context& context);

/// The table to `out`, and each output whose option was given to its file; one whose file is - to `out` alone.
void deliver(const Context& context, const std::string& table, const std::vector<Output>& outputs);

}  // namespace flashlens::cli
