// A command of a lesson or a lecture, run as if somebody had typed it.
#pragma once

#include <string>
#include <string_view>

#include "cli/commands.h"

namespace flashlens::cli {

struct LiveRun {
    int code = 0;
    std::string out;
    std::string err;
};

/// Runs "flashlens map --view sms" (or "./run.sh map ...") within this process, in the language and the colours at hand,
/// `columns` wide; it asks for no keys. Quotes are a shell's, a word that starts with # begins a comment, and of pipes
/// there are "| grep -E 'a|b'", "| head -n 9" and "| tail -n +9". Others are bad usage.
LiveRun run_live(const Context& context, std::string_view line, int columns);

}  // namespace flashlens::cli
