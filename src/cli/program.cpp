#include "cli/program.h"

#include <fmt/format.h>

#include <exception>
#include <new>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/strict.h"
#include "report/width.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

report::Language language(const Given& given, const report::Surroundings& surroundings) {
    if (!given.has("--lang")) {
        return report::language_of_locale(report::locale_language(surroundings));
    }
    return choice("--lang", given.text("--lang"), {"en", "zh"}) == 0 ? report::Language::en : report::Language::zh;
}

int dispatch(const Given& given, const Explorer& explorer, const report::Surroundings& surroundings, std::ostream& out,
             std::ostream& err) {
    if (given.ask != Given::Ask::run) {
        out << (given.ask == Given::Ask::help ? help_text() : version_text() + "\n");
        return all_right;
    }
    const bool dumb = surroundings.variable("TERM").value_or("") == "dumb";
    const Context context{given,
                          explorer,
                          language(given, surroundings),
                          report::terminal(surroundings, given.has("--no-color")),
                          surroundings.errors_are_terminal && !dumb,
                          out,
                          err};
    switch (given.command) {
        case Command::explain:
            return run_explain(context);
        case Command::bench:
            return run_bench(context);
        case Command::devices:
            return run_devices(context);
        case Command::completion:
            return run_completion(context);
        case Command::compare:
            break;
    }
    return run_compare(context);
}

}  // namespace

void check_outputs(const Context& context) {
    for (const std::string_view option : {"--json", "--csv"}) {
        if (context.given.has(option)) {
            check_writable(option, std::string(context.given.text(option)));
        }
    }
    const std::string_view file = context.given.text("--json");
    if (!file.empty() && file == context.given.text("--csv")) {
        throw UsageError(fmt::format("--json {0} with --csv {0}: one would replace the other; name two files",
                                     report::printable(file)));
    }
}

void deliver(const Context& context, const std::string& table, const std::string& json, const std::string& csv) {
    const std::string json_file(context.given.text("--json"));
    const std::string csv_file(context.given.text("--csv"));
    context.out << (json_file == "-" ? json : csv_file == "-" ? csv : table);
    if (!json_file.empty() && json_file != "-") {
        write_file("--json", json_file, json);
    }
    if (!csv_file.empty() && csv_file != "-") {
        write_file("--csv", csv_file, csv);
    }
}

int run(const std::vector<std::string>& arguments, const Explorer& explorer, const report::Surroundings& surroundings,
        std::ostream& out, std::ostream& err) {
    try {
        return dispatch(read_command_line(arguments), explorer, surroundings, out, err);
    } catch (const UsageError& error) {
        err << "flashlens: " << error.what() << "\n";
        return bad_usage;
    } catch (const std::bad_alloc&) {
        err << "flashlens: out of memory: the shape is too large for this machine\n";
    } catch (const std::exception& error) {
        err << "flashlens: " << error.what() << "\n";
    }
    return could_not_run;
}

}  // namespace flashlens::cli
