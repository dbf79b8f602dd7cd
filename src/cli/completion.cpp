#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/strict.h"
#include "hardware/card.h"
#include "report/ladder_quantities.h"
#include "report/quantity.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

/// Card names as --gpu also takes them: without blanks, which shells would split at.
std::vector<std::string> card_names() {
    std::vector<std::string> names;
    for (const hardware::Card& card : hardware::cards()) {
        std::string name = card.name;
        std::erase(name, ' ');
        names.push_back(std::move(name));
    }
    return names;
}

/// The words that may follow an option; empty for numbers, folders and files.
std::vector<std::string> values_of(const Option& option, const Explorer& explorer) {
    switch (option.values) {
        case Values::choices:
            return words(option.choices);
        case Values::models:
            return explorer.model_names;
        case Values::cards:
            return card_names();
        case Values::variants: {
            std::vector<std::string> all = explorer.variant_names;
            all.push_back(fmt::format("{}", fmt::join(explorer.variant_names, ",")));
            return all;
        }
        case Values::charts: {
            std::vector<std::string> names{"none"};
            for (const report::Quantity& quantity : report::quantities()) {
                names.emplace_back(quantity.name);
            }
            return names;
        }
        case Values::counters: {
            const std::vector<std::string_view> names = report::waterfall_names();
            return {names.begin(), names.end()};
        }
        case Values::rungs: {
            std::vector<std::string> names = explorer.graph;
            names.emplace_back("v2-tuned");
            return names;
        }
        case Values::none:
        case Values::number:
        case Values::folder:
        case Values::file:
            break;
    }
    return {};
}

/// "quiz|walk": the commands where the option is a number, for either shell's patterns.
std::string where_numbered(const Option& option) {
    std::vector<std::string_view> names = command_names();
    std::erase_if(names,
                  [&](std::string_view name) { return !option.numbered.contain(find_command(std::string(name))); });
    return fmt::format("{}", fmt::join(names, "|"));
}

std::string bash_script(const Explorer& explorer) {
    std::string cases;
    std::string names = "--help --version";
    for (const Option& option : options()) {
        names += fmt::format(" {}", option.name);
        if (option.values == Values::none) {
            continue;
        }
        const std::string pattern =
            option.short_name.empty() ? std::string(option.name) : fmt::format("{}|{}", option.short_name, option.name);
        const std::string reply = option.values == Values::folder ? R"(COMPREPLY=($(compgen -d -- "$word")))"
                                  : option.values == Values::file ? R"(COMPREPLY=($(compgen -f -- "$word")))"
                                  : option.values == Values::number
                                      ? "COMPREPLY=()"
                                      : fmt::format(R"(COMPREPLY=($(compgen -W "{}" -- "$word")))",
                                                    fmt::join(values_of(option, explorer), " "));
        const std::string numbered = where_numbered(option);
        const std::string none =
            numbered.empty()
                ? ""
                : fmt::format(R"_([[ " ${{COMP_WORDS[*]}} " == *" "@({})" "* ]] && {{ COMPREPLY=(); return; }}; )_",
                              numbered);
        cases += fmt::format("        {}) {}{}; return ;;\n", pattern, none, reply);
    }
    return fmt::format(R"(# bash completion of flashlens; use it with: source <(flashlens completion bash)
_flashlens() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    case "$before" in
{0}        completion) COMPREPLY=($(compgen -W "bash zsh" -- "$word")); return ;;
        source) COMPREPLY=($(compgen -W "{3} {2}" -- "$word")); return ;;
        lesson) COMPREPLY=($(compgen -W "{4} {2}" -- "$word")); return ;;
        practice) COMPREPLY=($(compgen -W "{5} {2}" -- "$word")); return ;;
        help) COMPREPLY=($(compgen -W "{1}" -- "$word")); return ;;
    esac
    COMPREPLY=($(compgen -W "{1} {2}" -- "$word"))
}}
complete -F _flashlens flashlens
)",
                       cases, fmt::join(command_names(), " "), names, fmt::join(stage_names(), " "),
                       fmt::join(lesson_names(), " "), fmt::join(exercise_names(), " "));
}

std::string zsh_script(const Explorer& explorer) {
    std::string arguments;
    for (const Option& option : options()) {
        const std::string numbered = where_numbered(option);
        const std::string values = fmt::format("{}", fmt::join(values_of(option, explorer), " "));
        const std::string action =
            option.values == Values::folder   ? ":folder:_files -/"
            : option.values == Values::file   ? ":file:_files"
            : option.values == Values::none   ? ""
            : option.values == Values::number ? ":number: "
            : numbered.empty()                ? fmt::format(":value:({})", values)
                               : fmt::format(":value:{{ (( ${{words[(I){}]}} )) || compadd {} }}", numbered, values);
        arguments += fmt::format("        '{}{}' \\\n", option.name, action);
        if (!option.short_name.empty()) {
            arguments += fmt::format("        '{}{}' \\\n", option.short_name, action);
        }
    }
    return fmt::format(R"zsh(#compdef flashlens
# zsh completion of flashlens; use it with: source <(flashlens completion zsh)
_flashlens() {{
    local second
    case ${{words[2]}} in
        completion) second='bash zsh' ;;
        source) second='{2}' ;;
        lesson) second='{3}' ;;
        practice) second='{4}' ;;
        help) second='{1}' ;;
    esac
    _arguments \
{0}        '--help' '--version' \
        '1:command:({1})' \
        "2:word:($second)"
}}
# Loaded by its name from a folder of $fpath, it is called; sourced, it registers itself.
if [[ $funcstack[1] == _flashlens ]]; then
    _flashlens "$@"
else
    compdef _flashlens flashlens
fi
)zsh",
                       arguments, fmt::join(command_names(), " "), fmt::join(stage_names(), " "),
                       fmt::join(lesson_names(), " "), fmt::join(exercise_names(), " "));
}

}  // namespace

int run_completion(const Context& context) {
    const std::string& shell = context.given.word;
    if (shell.empty()) {
        throw UsageError(say("completion: needs a shell; try flashlens completion bash, or zsh"));
    }
    const std::size_t which = choice("completion", shell, {"bash", "zsh"});
    context.out << (which == 0 ? bash_script(context.explorer) : zsh_script(context.explorer));
    return all_right;
}

}  // namespace flashlens::cli
