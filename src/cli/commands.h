// The commands, one file each. What they print goes to `out` as a whole; they return the exit code.
#pragma once

#include <ostream>

#include "cli/explorer_seam.h"
#include "cli/options.h"
#include "report/language.h"
#include "report/terminal.h"

namespace flashlens::cli {

/// Exit codes.
inline constexpr int all_right = 0;
inline constexpr int could_not_run = 1;
inline constexpr int bad_usage = 2;
inline constexpr int wrong_result = 3;  ///< a variant's verdict is FAIL

/// Everything a command works with.
struct Context {
    const Given& given;
    const Explorer& explorer;
    report::Language language;
    report::Terminal terminal;
    bool show_progress = false;  ///< standard error is a terminal
    std::ostream& out;
    std::ostream& err;
};

int run_compare(const Context& context);
int run_explain(const Context& context);
int run_sweep(const Context& context);
int run_devices(const Context& context);
int run_completion(const Context& context);

/// The table to `out`, and with --json FILE the JSON to the file; with --json - the JSON alone to `out`.
void deliver(const Context& context, const std::string& table, const std::string& json);

}  // namespace flashlens::cli
