#include "cli/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>
#include <vector>

#include "cli/program.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

struct Word {
    std::string text;
    bool quoted = false;
};

/// As a shell takes a line apart, without its variables and patterns.
std::vector<Word> shell_words(std::string_view line) {
    std::vector<Word> words;
    bool inside = false;  // of a word
    char quote = 0;
    const auto add = [&](char c) {
        if (!inside) {
            words.emplace_back();
            inside = true;
        }
        words.back().text += c;
    };
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
            add(line[++i]);
        } else if (quote != 0) {
            if (c == quote) {
                quote = 0;
            } else {
                add(c);
            }
        } else if (c == '"' || c == '\'') {
            quote = c;
            if (!inside) {
                words.emplace_back();
                inside = true;
            }
            words.back().quoted = true;
        } else if (c == ' ') {
            inside = false;
        } else if (c == '#' && !inside) {
            break;
        } else {
            add(c);
        }
    }
    return words;
}

/// What follows a | in a line: grep -E PATTERN, head -n N, tail -n +N.
struct Filter {
    std::string tool;
    std::string value;
};

struct Line {
    std::vector<std::string> arguments;
    std::vector<Filter> filters;
};

bool is_number(std::string_view text) {
    return !text.empty() && text.size() < 7 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Line read_line(std::string_view text) {
    const std::vector<Word> words = shell_words(text);
    const auto next_pipe = [&](auto from) {
        return std::find_if(from, words.end(), [](const Word& w) { return w.text == "|" && !w.quoted; });
    };
    auto pipe = next_pipe(words.begin());
    Line line;
    for (auto word = words.begin() + (words.empty() ? 0 : 1); word < pipe; ++word) {
        line.arguments.push_back(word->text);
    }
    while (pipe != words.end()) {
        const auto end = next_pipe(pipe + 1);
        Filter filter;
        if (end - pipe == 4) {
            const std::string tool = pipe[1].text + " " + pipe[2].text;
            const std::string& value = pipe[3].text;
            const bool known = tool == "grep -E" || (tool == "head -n" && is_number(value)) ||
                               (tool == "tail -n" && value.starts_with('+') && is_number(value.substr(1)));
            filter = known ? Filter{pipe[1].text, value} : Filter{};
        }
        if (filter.tool.empty()) {
            throw UsageError(say("{}: after | only grep -E PATTERN, head -n N and tail -n +N can stand here", text));
        }
        line.filters.push_back(std::move(filter));
        pipe = end;
    }
    return line;
}

std::string without_codes(const std::string& line) {
    static const std::regex codes("\x1b\\[[0-9;]*m");
    return std::regex_replace(line, codes, "");
}

std::string filtered(const std::string& text, const Filter& filter) {
    const std::regex pattern(filter.tool == "grep" ? filter.value : "", std::regex::extended);
    const long number = filter.tool == "grep" ? 0 : std::stol(filter.value);  // "+5" is 5
    std::istringstream stream(text);
    std::string result;
    long count = 0;
    for (std::string line; std::getline(stream, line);) {
        ++count;
        const bool stays = filter.tool == "head"   ? count <= number
                           : filter.tool == "tail" ? count >= number
                                                   : std::regex_search(without_codes(line), pattern);
        result += stays ? line + "\n" : "";
    }
    return result;
}

/// Those of the program, but for its size, its language and its keys.
report::Surroundings surroundings_of(const Context& context, int columns) {
    report::Surroundings surroundings;
    surroundings.variable = [&context, columns](const char* name) -> std::optional<std::string> {
        const std::string_view asked = name;
        if (asked == "COLUMNS") {
            return std::to_string(columns);
        }
        if (asked == "LC_ALL") {
            return std::string(context.language == Language::zh ? "zh_CN" : "en_US") +
                   (context.terminal.utf8 ? ".UTF-8" : "");
        }
        if (asked == "NO_COLOR") {
            return std::string(context.terminal.colour ? "" : "1");
        }
        return context.surroundings.variable(name);
    };
    surroundings.output_is_terminal = context.terminal.is_screen;
    return surroundings;
}

}  // namespace

LiveRun run_live(const Context& context, std::string_view line, int columns) {
    const report::Surroundings surroundings = surroundings_of(context, columns);
    std::ostringstream out;
    std::ostringstream err;
    LiveRun result;
    try {
        const Line command = read_line(line);
        result.code = run(command.arguments, context.explorer, surroundings, out, err);
        result.out = out.str();
        for (const Filter& filter : command.filters) {
            result.out = filtered(result.out, filter);
        }
    } catch (const UsageError& error) {
        result.code = bad_usage;
        tell(error.message(), context.language, surroundings, err);
    }
    result.err = err.str();
    return result;
}

}  // namespace flashlens::cli
