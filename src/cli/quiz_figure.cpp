#include "cli/quiz_figure.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/options.h"
#include "cli/program.h"
#include "say.h"

namespace flashlens::cli {
namespace {

using Json = nlohmann::json;

/// One step along a path; null where there is nothing of the name.
Json step_into(const Json& json, const std::string& name) {
    if (json.is_object() && json.contains(name)) {
        return json[name];
    }
    if (json.is_object() && json.contains("variants")) {
        return step_into(json["variants"], name == "tuned" ? "v2-tuned" : name);
    }
    if (json.is_array()) {
        for (const Json& item : json) {
            if (item.is_object() && item.contains("name") && item["name"] == name) {
                return item;
            }
        }
        const bool index = !name.empty() &&
                           std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
        if (index && name.size() < 6 && std::stoul(name) < json.size()) {
            return json[std::stoul(name)];
        }
    }
    return {};
}

/// a.b[2]["c d"] to a, b, 2, c d.
std::vector<std::string> parts_of_path(std::string_view path) {
    std::vector<std::string> parts{""};
    char quote = 0;
    for (const char c : path) {
        if (quote != 0) {
            quote = c == quote ? 0 : quote;
            if (quote != 0) {
                parts.back() += c;
            }
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '.' || c == '[') {
            parts.emplace_back();
        } else if (c != ']') {
            parts.back() += c;
        }
    }
    return parts;
}

}  // namespace

std::vector<std::string> words_of_command(std::string_view command) {
    std::vector<std::string> result;
    char quote = 0;
    bool open = false;
    for (const char c : command) {
        if (quote != 0 && c == quote) {
            quote = 0;
        } else if (quote == 0 && (c == '"' || c == '\'')) {
            quote = c;
            if (!open) {
                result.emplace_back();
            }
            open = true;
        } else if (quote == 0 && c == ' ') {
            open = false;
        } else {
            if (!open) {
                result.emplace_back();
            }
            open = true;
            result.back() += c;
        }
    }
    if (!result.empty()) {
        result.erase(result.begin());
    }
    return result;
}

double figure_of(std::string_view path, std::string_view command, const Explorer& explorer) {
    std::vector<std::string> words = words_of_command(command);
    const Given given = read_command_line(words);
    const auto unless_given = [&](const char* option, const char* value) {
        if (!given.has(option) && option_of(option).commands.contain(given.command)) {
            words.insert(words.end(), {option, value});
        }
    };
    unless_given("--gpu", "A100");
    unless_given("--machine", "cpu");
    words.insert(words.end(), {"--json", "-"});
    report::Surroundings nowhere;
    nowhere.variable = [](const char*) { return std::nullopt; };
    std::ostringstream out;
    std::ostringstream err;
    const int code = run(words, explorer, nowhere, out, err);
    if (code != 0) {
        throw Failure(say("{}: exit code {}: {}", command, code, err.str().substr(0, err.str().find('\n'))));
    }
    Json json = Json::parse(out.str());
    for (const std::string& part : parts_of_path(path)) {
        json = step_into(json, part);
    }
    if (!json.is_number()) {
        throw Failure(say("{}: is no number in what this says: {} --json -", path, command));
    }
    return json.get<double>();
}

}  // namespace flashlens::cli
