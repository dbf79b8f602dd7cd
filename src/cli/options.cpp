#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "report/width.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

constexpr std::array option_table = std::to_array<Option>({
    {"--batch", "-b", Values::number, "", true, true, false, InSweep::list},
    {"--heads", "-H", Values::number, "", true, true, false, InSweep::list},
    {"--kv-heads", "", Values::number, "", true, true, false, InSweep::list},
    {"--seqlen", "-s", Values::number, "", true, true, false, InSweep::list},
    {"--seqlen-q", "", Values::number, "", true, true, false, InSweep::list},
    {"--seqlen-k", "", Values::number, "", true, true, false, InSweep::list},
    {"--head-dim", "-d", Values::number, "", true, true, false, InSweep::list},
    {"--model", "", Values::models, "", true, true, false, InSweep::list},
    {"--causal", "", Values::none, "", false, true, false, InSweep::list},
    {"--no-causal", "", Values::none, "", false, true, false, InSweep::list},
    {"--align", "", Values::choices, "bottom-right top-left", false, true, false, InSweep::list},
    {"--dtype", "", Values::choices, "fp16 bf16", false, true, false, InSweep::list},
    {"--scale", "", Values::number, "", false, true, false, InSweep::list},
    {"--seed", "", Values::number, "", true, true, false, InSweep::list},
    {"--dist", "", Values::choices, "normal uniform sharp ones", true, true, false, InSweep::list},
    {"--machine", "", Values::choices, "auto gpu cpu", false, false, false, InSweep::one},
    {"--gpu", "", Values::cards, "", false, true, false, InSweep::list},
    {"--variants", "", Values::variants, "", false, true, false, InSweep::one},
    {"--splits", "", Values::number, "", false, true, false, InSweep::list},
    {"--verify", "", Values::choices, "full sample off", false, false, false},
    {"--input", "", Values::folder, "", false, true, false},
    {"--output", "", Values::folder, "", false, false, false},
    {"--count", "", Values::choices, "auto on off", false, false, false, InSweep::one, false},
    {"--chart", "", Values::charts, "", false, false, false, InSweep::one, false},
    {"--svg", "", Values::file, "", false, false, false, InSweep::one, false},
    {"--csv", "", Values::file, "", false, false, false, InSweep::one, false},
    {"--json", "", Values::file, "", false, true, true, InSweep::one},
    {"--lang", "", Values::choices, "en zh", false, true, true, InSweep::one},
    {"--no-color", "", Values::none, "", false, true, true, InSweep::one},
});

constexpr std::array commands{Command::compare, Command::explain, Command::sweep, Command::devices,
                              Command::completion};

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
std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates) {
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
    return best.empty() ? "see flashlens --help" : fmt::format("did you mean {}?", best);
}

[[noreturn]] void refuse_unknown(const std::string& word) {
    if (word.size() > 1 && word.front() == '-') {
        std::vector<std::string_view> names{"--help", "--version"};
        std::transform(option_table.begin(), option_table.end(), std::back_inserter(names),
                       [](const Option& option) { return option.name; });
        const std::string name = word.substr(0, word.find('='));
        throw UsageError(fmt::format("{}: no such option; {}", report::printable(name), suggestion(name, names)));
    }
    std::vector<std::string_view> names;
    std::transform(commands.begin(), commands.end(), std::back_inserter(names), name_of);
    throw UsageError(fmt::format("{}: no such command (there are compare, explain, sweep, devices, completion); {}",
                                 word.empty() ? "''" : report::printable(word), suggestion(word, names)));
}

void refuse_what_the_command_does_not_take(const Given& given) {
    for (const auto& [name, text] : given.options) {
        const auto option = std::find_if(option_table.begin(), option_table.end(),
                                         [&n = name](const Option& o) { return o.name == n; });
        const bool taken = (given.command == Command::compare && option->for_compare) ||
                           (given.command == Command::sweep && option->in_sweep != InSweep::no) ||
                           (given.command == Command::explain && option->for_explain) ||
                           (given.command == Command::devices && option->for_devices);
        if (!taken) {
            const bool nothing_runs = given.command == Command::explain;
            throw UsageError(fmt::format("{}: {} {}; leave it out, or use it with {}", name, name_of(given.command),
                                         nothing_runs ? "runs nothing and does not take it" : "does not take it",
                                         option->for_compare ? "compare" : "sweep"));
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
        case Command::sweep:
            return "sweep";
        case Command::devices:
            return "devices";
        case Command::completion:
            break;
    }
    return "completion";
}

std::span<const Option> options() {
    return option_table;
}

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> result;
    while (!text.empty()) {
        const std::size_t blank = std::min(text.find(' '), text.size());
        result.emplace_back(text.substr(0, blank));
        text.remove_prefix(std::min(blank + 1, text.size()));
    }
    return result;
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
    for (const Command command : commands) {
        CLI::App* sub = app.add_subcommand(std::string(name_of(command)));
        sub->fallthrough();  // options may stand on both sides of the command
        subcommands.emplace_back(command, sub);
    }
    subcommands.back().second->add_option("shell", given.shell);

    // CLI11 takes the arguments last first.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    try {
        app.parse(reversed);
    } catch (const CLI::CallForHelp&) {
        given.ask = Given::Ask::help;
        return given;
    } catch (const CLI::ExtrasError&) {
        const std::vector<std::string> unknown = app.remaining(true);
        refuse_unknown(unknown.empty() ? "" : unknown.front());
    } catch (const CLI::ParseError& error) {
        const auto last = std::find_if(registered.begin(), registered.end(), [&](const auto& r) {
            return !arguments.empty() && r.second->check_name(arguments.back());
        });
        if (last != registered.end()) {
            throw UsageError(fmt::format("{}: needs a value; see flashlens --help", arguments.back()));
        }
        throw UsageError(fmt::format("{}; see flashlens --help", report::printable(error.what())));
    }
    if (version) {
        given.ask = Given::Ask::version;
        return given;
    }
    for (const auto& [command, sub] : subcommands) {
        given.command = sub->parsed() ? command : given.command;
    }
    for (const auto& [name, option] : registered) {
        const bool is_flag = texts.find(name) == texts.end();
        for (const std::string& value : is_flag ? option->results() : std::vector<std::string>{}) {
            if (value != "true") {  // CLI11's word for a flag without "="
                throw UsageError(
                    fmt::format("{}={}: takes no value; try {} alone", name, report::printable(value), name));
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

}  // namespace flashlens::cli
