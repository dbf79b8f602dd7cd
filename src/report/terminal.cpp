#include "report/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <iostream>

namespace flashlens::report {
namespace {

constexpr int narrowest = 20;
constexpr int widest = 1000;

std::string first_not_empty(const Surroundings& surroundings, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        const auto value = surroundings.variable(name);
        if (value && !value->empty()) {
            return *value;
        }
    }
    return {};
}

bool sensible(std::optional<int> columns) {
    return columns && *columns >= narrowest && *columns <= widest;
}

std::optional<int> whole_number(const std::string& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool all_read = end == text.data() + text.size();
    return error == std::errc{} && all_read && !text.empty() ? std::optional(value) : std::nullopt;
}

int columns(const Surroundings& surroundings) {
    const std::optional<int> said = whole_number(surroundings.variable("COLUMNS").value_or(""));
    if (sensible(said)) {
        return *said;
    }
    return sensible(surroundings.window_columns) ? *surroundings.window_columns : Terminal{}.columns;
}

bool names_utf8(std::string locale) {
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

}  // namespace

Surroundings surroundings_here() {
    Surroundings here;
    here.variable = [](const char* name) -> std::optional<std::string> {
        const char* value = std::getenv(name);
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    };
    here.input_is_terminal = isatty(STDIN_FILENO) != 0;
    here.output_is_terminal = isatty(STDOUT_FILENO) != 0;
    here.errors_are_terminal = isatty(STDERR_FILENO) != 0;
    here.input = &std::cin;
    winsize window{};
    if (here.output_is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) {
        here.window_columns = window.ws_col;
    }
    return here;
}

Terminal terminal(const Surroundings& surroundings, bool no_colour_asked) {
    Terminal result;
    result.columns = columns(surroundings);
    result.utf8 = names_utf8(first_not_empty(surroundings, {"LC_ALL", "LC_CTYPE", "LANG"}));
    const bool unwanted = no_colour_asked || !surroundings.variable("NO_COLOR").value_or("").empty() ||
                          surroundings.variable("TERM").value_or("") == "dumb";
    result.is_screen = surroundings.output_is_terminal;
    result.colour = surroundings.output_is_terminal && !unwanted;
    return result;
}

std::string locale_language(const Surroundings& surroundings) {
    return first_not_empty(surroundings, {"LC_ALL", "LC_MESSAGES", "LANG"});
}

}  // namespace flashlens::report
