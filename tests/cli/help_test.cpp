// The help in both languages: a page for each command, which names what the command takes and nothing else.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "chinese.h"
#include "cli/help.h"
#include "cli/help_words.h"
#include "cli/options.h"
#include "cli/strict.h"
#include "explorer/variant.h"
#include "fake.h"
#include "files.h"
#include "report/width.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::cli;
using namespace flashlens::tests;
using fake::run;
using fake::World;

namespace {

using Arguments = std::vector<std::string>;

constexpr Language languages[] = {Language::en, Language::zh};
constexpr int most_lines = 50;

void check_fits_a_screen(const std::string& text) {
    CHECK(std::ssize(lines(text)) <= most_lines);
    for (const std::string& line : lines(text)) {
        CAPTURE(line);
        CHECK(report::display_width(line) <= 80);
        CHECK((line.empty() || line.back() != ' '));
    }
}

/// The words of `text` that look like long options.
std::set<std::string> named_options(const std::string& text) {
    std::set<std::string> result;
    for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at)) {
        std::size_t end = at + 2;
        while (end < text.size() && (std::islower(static_cast<unsigned char>(text[end])) != 0 || text[end] == '-')) {
            ++end;
        }
        result.insert(text.substr(at, end - at));
        at = end;
    }
    return result;
}

/// A command line as a shell takes it apart, without the program's name.
Arguments shell_words(const std::string& line) {
    Arguments result;
    bool quoted = false;
    bool open = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == ' ' && !quoted) {
            open = false;
            continue;
        } else {
            if (!open) {
                result.emplace_back();
            }
            open = true;
            result.back() += c;
        }
    }
    REQUIRE(result.front() == "flashlens");
    result.erase(result.begin());
    return result;
}

/// Everything that a command was asked, as text.
std::string asked(const Arguments& arguments) {
    World world;
    world.real_models = true;
    const auto result = run(arguments, world);
    CAPTURE(result.err);
    CHECK(result.code == 0);
    const auto of = [](const Problem& p) {
        return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}; ", p.batch, p.heads, p.kv_heads, p.seqlen_q,
                           p.seqlen_k, p.head_dim, p.causal, static_cast<int>(p.align), static_cast<int>(p.dtype),
                           p.scale, p.seed, static_cast<int>(p.dist));
    };
    const Request& r = result.asked;
    std::string text =
        of(r.problem) + fmt::format("{} {} {} ", r.card, static_cast<int>(r.machine), static_cast<int>(r.verify));
    for (const Problem& problem : result.asked_bench.problems) {
        text += of(problem);
    }
    return text + fmt::format("{} {} {}", result.asked_bench.samples, static_cast<int>(result.asked_bench.verify),
                              result.asked_bench.measure_limit);
}

}  // namespace

TEST_CASE("the overview: every command, on one screen") {
    for (const Language language : languages) {
        const std::string text = overview(language);
        check_fits_a_screen(text);
        CHECK(holds_chinese(text) == (language == Language::zh));
        for (const std::string_view name : command_names()) {
            CAPTURE(name);
            CHECK(has(text, "\n  " + std::string(name) + " "));
        }
        for (const char* word : {"--lang en|zh", "--no-color", "-h, --help", "-V, --version", "-b, --batch 2"}) {
            CHECK(has(text, word));
        }
    }
    CHECK(pages().size() == command_names().size());
}

TEST_CASE("help follows a terminal's width between 60 and 100 columns; a file's is 80") {
    for (const Language language : languages) {
        for (const int columns : {60, 100}) {
            int widest = 0;
            for (const Page& page : pages()) {
                for (const std::string& line : lines(page_of(page.command, language, columns))) {
                    CAPTURE(line);
                    const bool to_copy =
                        line.starts_with("  flashlens ") || has(line, ": flashlens ") || line.starts_with("用法：");
                    CHECK((to_copy || report::display_width(line) <= columns));
                    widest = std::max(widest, to_copy ? 0 : report::display_width(line));
                }
            }
            CHECK(widest > columns - 10);
        }
    }
    World world;
    for (const auto& [said, columns] : {std::pair{"40", 60}, {"60", 60}, {"93", 93}, {"200", 100}}) {
        world.variables["COLUMNS"] = said;
        world.terminal = true;
        CHECK(run({"--help"}, world).out == overview(Language::en, columns));
        CHECK(run({"map", "--help"}, world).out == page_of(Command::map, Language::en, columns));
        world.terminal = false;
        CHECK(run({"--help"}, world).out == overview(Language::en));
    }
}

TEST_CASE("each page: what its command takes and no other option, on one screen, in either language") {
    for (const Page& page : pages()) {
        for (const Language language : languages) {
            const std::string text = page_of(page.command, language);
            CAPTURE(text);
            check_fits_a_screen(text);
            CHECK(holds_chinese(text) == (language == Language::zh));
            CHECK(has(text, "flashlens " + std::string(name_of(page.command)) + " "));
            std::set<std::string> taken{"--help"};
            for (const Option& option : options()) {
                if (!option.commands.contain(page.command)) {
                    continue;
                }
                taken.emplace(option.name);
                const std::string shown = (option.short_name.empty() ? " " : std::string(option.short_name) + ", ") +
                                          std::string(option.name);
                CHECK(has(text, shown));
                const auto all = option_words();
                // Of some commands it takes something else than of others: a number, fewer choices.
                const bool others = std::any_of(all.begin(), all.end(), [&](const OptionWords& row) {
                    return row.option == option.name && row.commands.contain(page.command) && !row.placeholder.empty();
                });
                for (const std::string& word : others ? std::vector<std::string>{} : words(option.choices)) {
                    CHECK(has(text, word));
                }
            }
            // What the sentences on top speak of aside, as "the cards that --gpu knows".
            const std::size_t top = text.find("\n\n", text.find("\n\n") + 2);
            CHECK(named_options(text.substr(top)) == taken);
        }
        for (const Option& option : options()) {
            const auto all = option_words();
            const auto rows = std::count_if(all.begin(), all.end(), [&](const OptionWords& row) {
                return row.option == option.name && row.commands.contain(page.command);
            });
            CAPTURE(option.name);
            CHECK((rows == 1 || !option.commands.contain(page.command)));
        }
    }
}

TEST_CASE("the help is asked for in many ways, and nothing runs") {
    for (const Arguments& arguments : {Arguments{"--help"}, {"-h"}, {"help"}, {"--seqlen", "5", "-h"}}) {
        CHECK(run(arguments).out == overview(Language::en));
    }
    for (const std::string_view name : command_names()) {
        const std::string command(name);
        const std::string page = page_of(find_command(command), Language::en);
        for (const Arguments& arguments : {Arguments{command, "--help"},
                                           {command, "-h"},
                                           {"-h", command},
                                           {"help", command},
                                           {command, "--frobnicate", "--help"},
                                           {command, "--lang", "en", "--help"}}) {
            const auto result = run(arguments);
            CHECK(result.code == 0);
            CHECK(result.out == page);
            CHECK(result.command.empty());
        }
        CHECK(run({command, "--help", "--lang", "zh"}).out == page_of(find_command(command), Language::zh));
        CHECK(run({"help", command, "--lang=zh"}).out == page_of(find_command(command), Language::zh));
    }
    const auto unknown = run({"help", "comapre"});
    CHECK(unknown.code == 2);
    CHECK(has(unknown.err, "did you mean compare?"));
}

TEST_CASE("the language of the help: --lang, else the locale") {
    World chinese;
    chinese.variables["LANG"] = "zh_CN.UTF-8";
    CHECK(run({"--help"}, chinese).out == overview(Language::zh));
    CHECK(run({"--help", "--lang", "en"}, chinese).out == overview(Language::en));
    CHECK(run({"--lang", "en", "--help", "--lang", "zh"}).out == overview(Language::zh));  // the last one wins
    CHECK(run({"--json", "--lang", "--help", "zh"}).out == overview(Language::en));        // a file named --lang
    CHECK(run({"--help", "--lang", "fr"}).code == 2);
}

TEST_CASE("every default on the pages is what runs without the option") {
    for (const OptionWords& row : option_words()) {
        for (const Command command : {Command::compare, Command::explain, Command::bench}) {
            if (row.usual.empty() || !row.commands.contain(command) ||
                !option_of(row.option).commands.contain(command)) {
                continue;
            }
            CAPTURE(row.option);
            // Of bench, where an option of the shape is given, else it takes its table.
            Arguments bare{std::string(name_of(command)), "--seqlen-q", "512"};
            Arguments with = bare;
            with.insert(with.end(), {std::string(row.option), std::string(row.usual)});
            CHECK(asked(bare) == asked(with));
        }
        if (!row.usual.empty() && row.commands.contain(Command::walk) &&
            option_of(row.option).commands.contain(Command::walk)) {
            CAPTURE(row.option);
            const Arguments bare{"walk", "--json", "-"};
            Arguments with = bare;
            with.insert(with.end(), {std::string(row.option), std::string(row.usual)});
            const auto result = run(with);
            CHECK(result.code == 0);
            CHECK(result.out == run(bare).out);
        }
        if (row.option == "--variants") {
            const bool bench = row.commands.contain(Command::bench);
            CHECK(row.usual == fmt::format("{}", fmt::join(bench ? all_variants() : default_variants(), ",")));
        }
    }
}

TEST_CASE("every example parses, and reaches the command whose page it is on") {
    const TemporaryFolder folder;
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path);  // some write files
    for (const Page& page : pages()) {
        for (const std::string_view example : page.examples) {
            CAPTURE(example);
            CHECK(has(page_of(page.command, Language::en), "\n  " + std::string(example) + "\n"));
            CHECK(has(page_of(page.command, Language::zh), "\n  " + std::string(example) + "\n"));
            World world;
            world.real_models = true;
            world.failure = "asked";
            world.variables["HOME"] = folder.path.string();
            const auto made = run(shell_words(std::string(example)), world);  // practice makes a folder, and says so
            const auto result =
                page.command == Command::practice ? run(shell_words(std::string(example)), world) : made;
            const bool runs_something = !result.command.empty();
            CHECK(result.err == (runs_something ? "flashlens: asked\n" : ""));
            CHECK(result.code == (runs_something ? 1 : 0));
            const Given given = read_command_line(shell_words(std::string(example)));
            CHECK(given.command == page.command);
        }
        CHECK_FALSE(page.examples.empty());
    }
    std::filesystem::current_path(before);
}
