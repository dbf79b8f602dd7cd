#include "cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/strict.h"
#include "report/width.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

/// What is said is said in the language of --lang, else of the locale. Throws UsageError for a language that isn't there.
Language choose_language(const std::vector<std::string>& arguments, Language of_locale) {
    const std::optional<std::string> asked = language_asked(arguments);
    if (!asked) {
        return of_locale;
    }
    constexpr Language languages[] = {Language::en, Language::zh};
    return languages[choice("--lang", *asked, words(option_of("--lang").choices))];
}

int show_help(const Given& given, Language language, std::ostream& out) {
    const bool of_option = given.ask == Given::Ask::help;  // --help
    const bool of_all = of_option ? !given.command_named : given.word.empty();
    out << (of_all ? overview(language) : page_of(of_option ? given.command : find_command(given.word), language));
    return all_right;
}

int dispatch(const std::vector<std::string>& arguments, const Explorer& explorer,
             const report::Surroundings& surroundings, Language language, std::ostream& out, std::ostream& err) {
    const Given given = read_command_line(arguments);
    if (given.ask == Given::Ask::version) {
        out << version_text() << "\n";
        return all_right;
    }
    if (given.ask == Given::Ask::help || given.command == Command::help) {
        return show_help(given, language, out);
    }
    const bool dumb = surroundings.variable("TERM").value_or("") == "dumb";
    const Context context{given,
                          explorer,
                          language,
                          report::terminal(surroundings, given.has("--no-color")),
                          surroundings.errors_are_terminal && !dumb,
                          out,
                          err};
    switch (given.command) {
        case Command::explain:
            return run_explain(context);
        case Command::sweep:
            return run_sweep(context);
        case Command::bench:
            return run_bench(context);
        case Command::devices:
            return run_devices(context);
        case Command::completion:
            return run_completion(context);
        case Command::compare:
        case Command::help:
            break;
    }
    return run_compare(context);
}

}  // namespace

void check_outputs(const Context& context) {
    std::vector<std::pair<std::string_view, std::string>> files;
    for (const std::string_view option : {"--json", "--csv", "--svg"}) {
        if (!context.given.has(option)) {
            continue;
        }
        const std::string file(context.given.text(option));
        if (file.empty()) {
            refuse(option, file, "needs a name");
        }
        for (const auto& [other, name] : files) {
            if (name == file) {
                throw UsageError(fmt::format("{0} {2} with {1} {2}: {3}", other, option, report::printable(file),
                                             file == "-" ? "only one can be standard output; name a file for the other"
                                                         : "one would replace the other; name two files"));
            }
        }
        check_writable(option, file);
        files.emplace_back(option, file);
    }
}

void deliver(const Context& context, const std::string& table, const std::vector<Output>& outputs) {
    const auto file_of = [&](const Output& output) { return context.given.text(output.option); };
    const auto alone =
        std::find_if(outputs.begin(), outputs.end(), [&](const Output& output) { return file_of(output) == "-"; });
    context.out << (alone == outputs.end() ? table : alone->text());
    for (const Output& output : outputs) {
        const std::string file(file_of(output));
        if (!file.empty() && file != "-") {
            write_file(output.option, file, output.text());
        }
    }
}

int run(const std::vector<std::string>& arguments, const Explorer& explorer, const report::Surroundings& surroundings,
        std::ostream& out, std::ostream& err) {
    Language language = report::language_of_locale(report::locale_language(surroundings));
    try {
        language = choose_language(arguments, language);
        return dispatch(arguments, explorer, surroundings, language, out, err);
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
