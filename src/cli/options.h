// The options there are, as data: parsing, completion and the checks of the help text all read this one table.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explorer_seam.h"

namespace flashlens::cli {

enum class Command {
    compare,
    explain,
    map,
    ladder,
    timeline,
    sweep,
    bench,
    devices,
    source,
    walk,
    lesson,
    lecture,
    quiz,
    practice,
    completion,
    help
};

std::string_view name_of(Command command);

/// The names of all commands.
std::vector<std::string_view> command_names();

/// Throws UsageError for what no command's name is, with a suggestion where one is close.
Command find_command(const std::string& name);

/// A set of commands.
class Commands {
public:
    constexpr Commands(std::initializer_list<Command> commands) {
        for (const Command command : commands) {
            bits_ |= bit(command);
        }
    }
    static constexpr Commands all() {
        Commands commands{};
        commands.bits_ = ~0U;
        return commands;
    }
    constexpr bool contain(Command command) const { return (bits_ & bit(command)) != 0; }

private:
    static constexpr unsigned bit(Command command) { return 1U << static_cast<unsigned>(command); }

    unsigned bits_ = 0;
};

/// What may follow an option, for completion.
enum class Values { none, number, choices, models, cards, variants, charts, counters, rungs, folder, file };

struct Option {
    std::string_view name;        ///< "--batch"
    std::string_view short_name;  ///< "-b", or empty
    Values values;
    std::string_view choices;      ///< "bottom-right top-left", for Values::choices
    Commands commands;             ///< those that take it
    bool swept = false;            ///< sweep takes a list of values, and sweeps over them
    bool describes_input = false;  ///< sets what --input reads from its files
    Commands numbered = {};        ///< those where it is a number, and none of the choices
};

/// All but --help and --version.
std::span<const Option> options();

/// One of them, by a name that is there.
const Option& option_of(std::string_view name);

/// The command line as given: which command, and each option's text ("" for a flag). An option given twice has its last
/// value.
struct Given {
    enum class Ask { run, help, version };
    Ask ask = Ask::run;
    Command command = Command::compare;
    bool command_named = false;  ///< compare is also what runs without its name
    std::string
        word;  ///< what follows the command: source's stage, lesson's number, practice's exercise, ladder's second rung
    std::map<std::string, std::string, std::less<>> options;
    std::vector<std::string> order;  ///< their names, as first given from left to right

    bool has(std::string_view option) const { return options.find(option) != options.end(); }
    /// The text of an option that was given, else `otherwise`.
    std::string_view text(std::string_view option, std::string_view otherwise = "") const;
};

/// Throws UsageError for what no option or command is (with a suggestion where one is close), for an option without its
/// value, and for an option that the command does not take.
Given read_command_line(const std::vector<std::string>& arguments);

/// The text of the last --lang, whatever else is wrong with the command line: what is said of that is in this language.
std::optional<std::string> language_asked(const std::vector<std::string>& arguments);

}  // namespace flashlens::cli
