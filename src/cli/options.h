// The options there are, as data: parsing, completion and the checks of the help text all read this one table.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explorer_seam.h"

namespace flashlens::cli {

enum class Command { compare, explain, sweep, devices, completion };

std::string_view name_of(Command command);

/// What may follow an option, for completion.
enum class Values { none, number, choices, models, cards, variants, charts, folder, file };

/// What sweep makes of an option: it does not take it, takes one value, or a list whose values it sweeps over.
enum class InSweep { no, one, list };

struct Option {
    std::string_view name;        ///< "--batch"
    std::string_view short_name;  ///< "-b", or empty
    Values values = Values::none;
    std::string_view choices;   ///< "bottom-right top-left", for Values::choices
    bool shapes_input = false;  ///< sets what --input reads from its files
    bool for_explain = false;   ///< explain takes it too
    bool for_devices = false;   ///< devices takes it too
    InSweep in_sweep = InSweep::no;
    bool for_compare = true;  ///< compare takes all but what is sweep's alone
};

/// All but --help and --version.
std::span<const Option> options();

/// The words of an option's choices.
std::vector<std::string> words(std::string_view text);

/// The command line as given: which command, and each option's text ("" for a flag). An option given twice has its last
/// value.
struct Given {
    enum class Ask { run, help, version };
    Ask ask = Ask::run;
    Command command = Command::compare;
    std::string shell;  ///< for completion
    std::map<std::string, std::string, std::less<>> options;
    std::vector<std::string> order;  ///< their names, as first given from left to right

    bool has(std::string_view option) const { return options.find(option) != options.end(); }
    /// The text of an option that was given, else `otherwise`.
    std::string_view text(std::string_view option, std::string_view otherwise = "") const;
};

/// Throws UsageError for what no option or command is (with a suggestion where one is close), for an option without its
/// value, and for an option that the command does not take.
Given read_command_line(const std::vector<std::string>& arguments);

}  // namespace flashlens::cli
