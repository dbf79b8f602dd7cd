#include "cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/strict.h"
#include "practice/broken_rule.h"
#include "report/width.h"
#include "say.h"
#include "simt/launch.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

int show_help(const Given& given, Language language, int columns, std::ostream& out) {
    const bool of_option = given.ask == Given::Ask::help;  // --help
    const bool of_all = of_option ? !given.command_named : given.word.empty();
    out << (of_all ? overview(language, columns)
                   : page_of(of_option ? given.command : find_command(given.word), language, columns));
    return all_right;
}

int dispatch(const std::vector<std::string>& arguments, const Explorer& explorer,
             const report::Surroundings& surroundings, Language language, std::ostream& out, std::ostream& err) {
    if (const std::optional<std::string> asked = language_asked(arguments)) {
        choice("--lang", *asked, words(option_of("--lang").choices));
    }
    const Given given = read_command_line(arguments);
    if (given.ask == Given::Ask::version) {
        out << version_text() << "\n";
        return all_right;
    }
    if (given.ask == Given::Ask::help || given.command == Command::help) {
        return show_help(given, language, help_columns(report::terminal(surroundings, true)), out);
    }
    const bool dumb = surroundings.variable("TERM").value_or("") == "dumb";
    const Context context{given,
                          explorer,
                          surroundings,
                          language,
                          report::terminal(surroundings, given.has("--no-color")),
                          surroundings.errors_are_terminal && !dumb,
                          surroundings.input_is_terminal && surroundings.output_is_terminal,
                          dumb,
                          out,
                          err};
    switch (given.command) {
        case Command::explain:
            return run_explain(context);
        case Command::map:
            return run_map(context);
        case Command::ladder:
            return run_ladder(context);
        case Command::timeline:
            return run_timeline(context);
        case Command::sweep:
            return run_sweep(context);
        case Command::bench:
            return run_bench(context);
        case Command::devices:
            return run_devices(context);
        case Command::source:
            return run_source(context);
        case Command::walk:
            return run_walk(context);
        case Command::lesson:
            return run_lesson(context);
        case Command::lecture:
            return run_lecture(context);
        case Command::quiz:
            return run_quiz(context);
        case Command::practice:
            return run_practice(context);
        case Command::completion:
            return run_completion(context);
        case Command::compare:
        case Command::help:
            break;
    }
    return run_compare(context);
}

/// What the machine's own report says in English.
std::string report_in_chinese(const simt::KernelError& error) {
    const practice::BrokenRule rule = practice::broken_rule(error);
    std::string text =
        fmt::format("CPU 模拟机发现 kernel {} 违反 CUDA 的规则。{}", error.details().kernel, rule.what.zh);
    for (const Message& line : rule.evidence) {
        text += "\n  " + line.zh;
    }
    return text;
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
            refuse(option, file, say("needs a name"));
        }
        for (const auto& [other, name] : files) {
            if (name == file) {
                throw UsageError(say("{0} {2} with {1} {2}: {3}", other, option, report::printable(file),
                                     file == "-" ? say("only one can be standard output; name a file for the other")
                                                 : say("one would replace the other; name two files")));
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
    const Language language = language_of(arguments, surroundings);
    const auto tell_of = [&](const Message& message) { tell(message, language, surroundings, err); };
    try {
        return dispatch(arguments, explorer, surroundings, language, out, err);
    } catch (const UsageError& error) {
        tell_of(error.message());
        return bad_usage;
    } catch (const Failure& error) {
        tell_of(error.message());
    } catch (const simt::KernelError& error) {
        tell_of({error.what(), report_in_chinese(error)});
    } catch (const std::bad_alloc&) {
        tell_of(say("out of memory: the shape is too large for this machine"));
    } catch (const std::exception& error) {
        tell_of(
            {error.what(), fmt::format("程序出错：{}", error.what())});  // nobody expected it, so nobody translated it
    }
    return could_not_run;
}

Language language_of(const std::vector<std::string>& arguments, const report::Surroundings& surroundings) {
    const std::optional<std::string> asked = language_asked(arguments);
    const std::optional<Language> language = asked ? report::find_language(*asked) : std::nullopt;
    return language.value_or(report::language_of_locale(report::locale_language(surroundings)));
}

void tell(const Message& message, Language language, const report::Surroundings& surroundings, std::ostream& err) {
    const std::string line = "flashlens: " + message.in(language);
    if (!surroundings.errors_are_terminal) {
        err << line << "\n";
        return;
    }
    for (const std::string& part : report::wrap(line, report::terminal(surroundings, true).columns)) {
        err << part << "\n";
    }
}

}  // namespace flashlens::cli
