// The program run in-process, on an explorer that hands out a filled-in comparison and remembers what it was asked.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/explorer_seam.h"
#include "report/terminal.h"

namespace flashlens::cli::fake {

struct Result {
    int code = 0;
    std::string out;
    std::string err;
    Request asked;             ///< of compare or explain
    BenchRequest asked_bench;  ///< of bench
    std::string command;       ///< "compare", "explain", "sweep" or "bench", when one was asked
};

/// How the explorer and the surroundings behave.
struct World {
    std::map<std::string, std::string> variables;
    bool terminal = false;            ///< both standard output and standard error
    std::string input;                ///< standard input
    bool typed = false;               ///< which is a terminal
    bool real_explorer = false;       ///< that of src/explorer
    Verdict verdict = Verdict::pass;  ///< of v2
    std::string failure;              ///< compare, explain, sweep and bench throw this
    std::function<void()> meets;      ///< and call this, which may throw what it likes
    bool real_models = false;         ///< those of src/explorer, else "small" and "large"
    bool reports_progress = false;
    /// sweep: there is a card, on which v1 takes as many microseconds as there are queries, the others half of that.
    bool has_card = false;
    std::int64_t failing_seqlen = -1;  ///< except for this many queries, where the card runs out of memory
};

Result run(const std::vector<std::string>& arguments, const World& world = {});

}  // namespace flashlens::cli::fake
