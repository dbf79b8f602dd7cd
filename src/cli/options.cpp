#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "report/width.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

using enum Command;

constexpr Commands questions{compare, explain, map, ladder, timeline, sweep, bench};
constexpr Commands reports{compare, explain, map,    ladder, timeline, sweep,
                           bench,   devices, source, walk,   quiz,     practice};
/// Those that say things in a language.
constexpr Commands worded{compare, explain, map,    ladder,  timeline, sweep,    bench, devices,
                          source,  walk,    lesson, lecture, quiz,     practice, help};
constexpr Commands numbers{compare, explain, map, ladder, timeline, sweep, bench, walk};

constexpr std::array option_table = std::to_array<Option>({
    {"--batch", "-b", Values::number, "", questions, true, true},
    {"--heads", "-H", Values::number, "", questions, true, true},
    {"--kv-heads", "", Values::number, "", questions, true, true},
    {"--seqlen", "-s", Values::number, "", numbers, true, true},
    {"--seqlen-q", "", Values::number, "", numbers, true, true},
    {"--seqlen-k", "", Values::number, "", numbers, true, true},
    {"--head-dim", "-d", Values::number, "", numbers, true, true},
    {"--model", "", Values::models, "", questions, true, true},
    {"--causal", "", Values::none, "", numbers, true},
    {"--no-causal", "", Values::none, "", numbers, true},
    {"--align", "", Values::choices, "bottom-right top-left", numbers, true},
    {"--dtype", "", Values::choices, "fp16 bf16", questions, true},
    {"--scale", "", Values::number, "", numbers, true},
    {"--seed", "", Values::number, "", {compare, explain, map, ladder, timeline, sweep, bench, walk, quiz}, true, true},
    {"--dist", "", Values::choices, "normal uniform sharp ones", numbers, true, true},
    {"--machine", "", Values::choices, "auto gpu cpu", {compare, ladder, timeline, sweep, practice}},
    {"--gpu", "", Values::cards, "", {compare, explain, map, ladder, timeline, sweep}, true},
    {"--variants", "", Values::variants, "", {compare, explain, map, timeline, sweep, bench, source}},
    {"--splits", "", Values::number, "", questions, true},
    {"--verify", "", Values::choices, "full sample off", {compare, ladder, bench}},
    {"--input", "", Values::folder, "", {compare, explain, ladder, walk}},
    {"--view", "", Values::choices, "ctas warps lanes blocks sms", {map}},
    {"--output", "", Values::folder, "", {compare}},
    {"--by", "", Values::counters, "", {ladder}},
    {"--tuned", "", Values::none, "", {ladder}},
    {"--orders", "", Values::none, "", {ladder}},
    {"--diff", "", Values::rungs, "", {ladder}},
    {"--chart", "", Values::charts, "", {sweep}},
    {"--count", "", Values::choices, "auto on off", {sweep, quiz}, false, false, {quiz}},
    {"--shapes", "", Values::number, "", {bench}},
    {"--samples", "", Values::number, "", {bench}},
    {"--limit", "", Values::choices, "measured nominal", {bench}},
    {"--article", "", Values::none, "", {source}},
    {"--order", "", Values::choices, "both v1 v2", {walk}},
    {"--block-m", "", Values::number, "", {walk}},
    {"--block-n", "", Values::number, "", {walk}},
    {"--rows", "", Values::number, "", {walk}},
    {"--q", "", Values::number, "", {walk}},
    {"--k", "", Values::number, "", {walk}},
    {"--v", "", Values::number, "", {walk}},
    {"--scores", "", Values::number, "", {walk}},
    {"--all", "", Values::none, "", {ladder, walk}},
    {"--step", "", Values::number, "", {walk, lecture}},
    {"--notes", "", Values::none, "", {lecture}},
    {"--answers", "", Values::none, "", {lesson}},
    {"--topic",
     "",
     Values::choices,
     "grid splits main-loop online-softmax warps shared-memory occupancy numerics masking gqa reading",
     {quiz}},
    {"--level", "", Values::choices, "1 2 3", {quiz}},
    {"--review", "", Values::none, "", {quiz}},
    {"--mock", "", Values::none, "", {quiz}},
    {"--folder", "", Values::folder, "", {practice}},
    {"--task", "", Values::none, "", {practice}},
    {"--check", "", Values::none, "", {practice}},
    {"--watch", "", Values::none, "", {practice}},
    {"--hint", "", Values::none, "", {practice}},
    {"--solution", "", Values::none, "", {practice}},
    {"--list", "", Values::none, "", {practice}},
    {"--reset", "", Values::none, "", {practice}},
    {"--yes", "", Values::none, "", {practice}},
    {"--json", "", Values::file, "", reports},
    {"--csv", "", Values::file, "", {ladder, sweep, bench}},
    {"--svg", "", Values::file, "", {map, ladder, timeline, sweep}},
    {"--lang", "", Values::choices, "en zh", worded},
    {"--no-color", "", Values::none, "", worded},
});

constexpr std::array all_commands{compare, explain, map,    ladder,  timeline, sweep,    bench,      devices,
                                  source,  walk,    lesson, lecture, quiz,     practice, completion, help};
/// Those that a word may follow which is no option.
constexpr Commands with_word{ladder, source, lesson, practice, completion, help};

/// Insertions, deletions and replacements from one word to the other.
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

/// The closest of the candidates, when it is close enough to be meant.
Message suggestion(std::string_view word, const std::vector<std::string_view>& candidates) {
    std::string_view best;
    std::size_t fewest = 3;
    for (const std::string_view candidate : candidates) {
        const bool begins = word.size() >= 4 && candidate.substr(0, word.size()) == word;
        const std::size_t distance = begins ? 1 : edits(word, candidate);
        if (distance < fewest) {
            fewest = distance;
            best = candidate;
        }
    }
    return best.empty() ? say("see flashlens --help") : say("did you mean {}?", best);
}

[[noreturn]] void refuse_command(const std::string& word) {
    const std::vector<std::string_view> names = command_names();
    throw UsageError(say("{}: no such command (there are {}); {}", word.empty() ? "''" : report::printable(word),
                         list(names), suggestion(word, names)));
}

[[noreturn]] void refuse_unknown(const std::string& word) {
    if (word.size() > 1 && word.front() == '-') {
        std::vector<std::string_view> names{"--help", "--version"};
        std::transform(option_table.begin(), option_table.end(), std::back_inserter(names),
                       [](const Option& option) { return option.name; });
        const std::string name = word.substr(0, word.find('='));
        throw UsageError(say("{}: no such option; {}", report::printable(name), suggestion(name, names)));
    }
    refuse_command(word);
}

std::vector<std::string_view> names_of(const Commands& commands) {
    std::vector<std::string_view> names;
    for (const Command command : all_commands) {
        if (commands.contain(command)) {
            names.push_back(name_of(command));
        }
    }
    return names;
}

void refuse_what_the_command_does_not_take(const Given& given) {
    for (const auto& [name, text] : given.options) {
        const Commands& takers = option_of(name).commands;
        if (!takers.contain(given.command)) {
            const bool nothing_runs = given.command == explain && takers.contain(compare);
            throw UsageError(say("{}: {} {}; leave it out, or use it with {}", name, name_of(given.command),
                                 nothing_runs ? say("runs nothing and does not take it") : say("does not take it"),
                                 one_of(names_of(takers))));
        }
    }
}

}  // namespace

std::string_view name_of(Command command) {
    switch (command) {
        case Command::compare:
            return "compare";
        case Command::explain:
            return "explain";
        case Command::map:
            return "map";
        case Command::ladder:
            return "ladder";
        case Command::timeline:
            return "timeline";
        case Command::sweep:
            return "sweep";
        case Command::bench:
            return "bench";
        case Command::devices:
            return "devices";
        case Command::source:
            return "source";
        case Command::walk:
            return "walk";
        case Command::lesson:
            return "lesson";
        case Command::lecture:
            return "lecture";
        case Command::quiz:
            return "quiz";
        case Command::practice:
            return "practice";
        case Command::completion:
            return "completion";
        case Command::help:
            break;
    }
    return "help";
}

std::vector<std::string_view> command_names() {
    std::vector<std::string_view> names;
    std::transform(all_commands.begin(), all_commands.end(), std::back_inserter(names), name_of);
    return names;
}

Command find_command(const std::string& name) {
    for (const Command command : all_commands) {
        if (name_of(command) == name) {
            return command;
        }
    }
    refuse_command(name);
}

std::span<const Option> options() {
    return option_table;
}

const Option& option_of(std::string_view name) {
    return *std::find_if(option_table.begin(), option_table.end(),
                         [&](const Option& option) { return option.name == name; });
}

std::string_view Given::text(std::string_view option, std::string_view otherwise) const {
    const auto found = options.find(option);
    return found == options.end() ? otherwise : std::string_view(found->second);
}

Given read_command_line(const std::vector<std::string>& arguments) {
    CLI::App app;
    app.set_help_flag("-h,--help");
    bool version = false;
    app.add_flag("-V,--version", version);
    app.require_subcommand(0, 1);

    std::map<std::string_view, std::string> texts;
    std::vector<std::pair<std::string_view, CLI::Option*>> registered;
    for (const Option& option : option_table) {
        const std::string names =
            option.short_name.empty() ? std::string(option.name) : fmt::format("{},{}", option.short_name, option.name);
        // Values are taken as text: what they must be is checked in one place, strictly (strict.h).
        CLI::Option* added = option.values == Values::none ? app.add_flag(names)
                                                           : app.add_option(names, texts[option.name])->take_last();
        registered.emplace_back(option.name, added);
    }
    Given given;
    std::vector<std::pair<Command, CLI::App*>> subcommands;
    for (const Command command : all_commands) {
        CLI::App* sub = app.add_subcommand(std::string(name_of(command)));
        sub->fallthrough();  // options may stand on both sides of the command
        if (with_word.contain(command)) {
            sub->add_option("word", given.word);
        }
        subcommands.emplace_back(command, sub);
    }

    const auto note_command = [&] {
        for (const auto& [command, sub] : subcommands) {
            given.command = sub->parsed() ? command : given.command;
            given.command_named = given.command_named || sub->parsed();
        }
    };
    // CLI11 takes the arguments last first.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    try {
        app.parse(reversed);
    } catch (const CLI::CallForHelp&) {
        note_command();
        given.ask = Given::Ask::help;
        return given;
    } catch (const CLI::ExtrasError&) {
        const std::vector<std::string> unknown = app.remaining(true);
        note_command();
        if (!given.word.empty() && !unknown.empty() && !unknown.front().starts_with('-')) {
            throw UsageError(say("{} {} {}: {} takes one word; leave the other out", name_of(given.command), given.word,
                                 report::printable(unknown.front()), name_of(given.command)));
        }
        refuse_unknown(unknown.empty() ? "" : unknown.front());
    } catch (const CLI::ParseError& error) {
        const auto last = std::find_if(registered.begin(), registered.end(), [&](const auto& r) {
            return !arguments.empty() && r.second->check_name(arguments.back());
        });
        if (last != registered.end()) {
            throw UsageError(say("{}: needs a value; see flashlens --help", arguments.back()));
        }
        throw UsageError(say("{}; see flashlens --help", report::printable(error.what())));
    }
    if (version) {
        given.ask = Given::Ask::version;
        return given;
    }
    note_command();
    for (const auto& [name, option] : registered) {
        const bool is_flag = texts.find(name) == texts.end();
        for (const std::string& value : is_flag ? option->results() : std::vector<std::string>{}) {
            if (value != "true") {  // CLI11's word for a flag without "="
                throw UsageError(say("{}={}: takes no value; try {} alone", name, report::printable(value), name));
            }
        }
        if (option->count() > 0) {
            given.options.emplace(name, texts[name]);
        }
    }
    for (const CLI::Option* option : app.parse_order()) {
        const auto name =
            std::find_if(registered.begin(), registered.end(), [&](const auto& r) { return r.second == option; });
        if (name != registered.end() &&
            std::find(given.order.begin(), given.order.end(), name->first) == given.order.end()) {
            given.order.emplace_back(name->first);
        }
    }
    refuse_what_the_command_does_not_take(given);
    return given;
}

std::optional<std::string> language_asked(const std::vector<std::string>& arguments) {
    constexpr std::string_view equals = "--lang=";
    std::optional<std::string> language;
    for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
        const std::string& argument = arguments[i];
        const bool takes_next = std::any_of(option_table.begin(), option_table.end(), [&](const Option& option) {
            return option.values != Values::none && (argument == option.name || argument == option.short_name);
        });
        if (argument.starts_with(equals)) {
            language = argument.substr(equals.size());
        } else if (takes_next && ++i < arguments.size() && argument == "--lang") {
            language = arguments[i];
        }
    }
    return language;
}

}  // namespace flashlens::cli
