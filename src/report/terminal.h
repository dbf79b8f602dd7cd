// What the place that output goes to can show.
#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <string>

namespace flashlens::report {

struct Terminal {
    int columns = 80;
    bool utf8 = false;       ///< box-drawing characters may be used
    bool colour = false;     ///< escape codes may be used
    bool is_screen = false;  ///< lines longer than `columns` break; in a file or a pipe they don't
};

/// What decides it, so that a test can say it too.
struct Surroundings {
    /// An environment variable, or nothing when it is not set.
    std::function<std::optional<std::string>(const char*)> variable;
    bool input_is_terminal = false;
    bool output_is_terminal = false;
    bool errors_are_terminal = false;
    std::istream* input = nullptr;      ///< standard input; null: there is none
    std::optional<int> window_columns;  ///< what the terminal driver says; empty when output is no terminal
};

/// The real ones: getenv, isatty, and TIOCGWINSZ of standard output.
Surroundings surroundings_here();

/// Width: COLUMNS, else the window's, else 80; a width outside 20..1000, or no number, is nonsense and passed over.
/// UTF-8: by LC_ALL, else LC_CTYPE, else LANG (the first that is not empty, as POSIX has it).
/// Colour: standard output is a terminal, TERM is not "dumb", NO_COLOR is not set or empty (no-color.org), and the user
/// did not ask for none.
Terminal terminal(const Surroundings& surroundings, bool no_colour_asked);

/// The locale's language, "zh_CN.UTF-8" for one: LC_ALL, else LC_MESSAGES, else LANG; empty when none is set.
std::string locale_language(const Surroundings& surroundings);

}  // namespace flashlens::report
