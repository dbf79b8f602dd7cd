#include "cli/program.h"

#include <exception>
#include <new>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/strict.h"
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
        case Command::sweep:
            return run_sweep(context);
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

void deliver(const Context& context, const std::string& table, const std::string& json) {
    const std::string file(context.given.text("--json"));
    if (file == "-") {
        context.out << json;
        return;
    }
    context.out << table;
    if (!file.empty()) {
        write_file("--json", file, json);
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
