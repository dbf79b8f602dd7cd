#include <doctest/doctest.h>

#include <map>
#include <string>

#include "report/terminal.h"

using namespace flashlens::report;

namespace {

Surroundings with(std::map<std::string, std::string> variables, bool is_terminal = true,
                  std::optional<int> window = 120) {
    Surroundings result;
    result.variable = [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    result.output_is_terminal = is_terminal;
    result.window_columns = window;
    return result;
}

}  // namespace

TEST_CASE("width") {
    CHECK(terminal(with({}), false).columns == 120);
    CHECK(terminal(with({}, false, std::nullopt), false).columns == 80);
    CHECK(terminal(with({{"COLUMNS", "100"}}), false).columns == 100);
    for (const char* nonsense : {"", "0", "-5", "abc", "80x", "7", "99999999999999999999", "100000"}) {
        CAPTURE(nonsense);
        CHECK(terminal(with({{"COLUMNS", nonsense}}, false, std::nullopt), false).columns == 80);
        CHECK(terminal(with({{"COLUMNS", nonsense}}, true, 0), false).columns == 80);
    }
}

TEST_CASE("box-drawing only where the locale is UTF-8") {
    CHECK_FALSE(terminal(with({}), false).utf8);
    CHECK(terminal(with({{"LANG", "en_US.UTF-8"}}), false).utf8);
    CHECK(terminal(with({{"LC_CTYPE", "C.utf8"}}), false).utf8);
    CHECK_FALSE(terminal(with({{"LANG", "en_US.UTF-8"}, {"LC_ALL", "C"}}), false).utf8);
    CHECK_FALSE(terminal(with({{"LANG", "en_US.UTF-8"}, {"LC_CTYPE", "POSIX"}}), false).utf8);
    CHECK(terminal(with({{"LANG", "en_US.UTF-8"}, {"LC_ALL", ""}}), false).utf8);
}

TEST_CASE("colour") {
    CHECK(terminal(with({}), false).colour);
    CHECK_FALSE(terminal(with({}, false), false).colour);
    CHECK_FALSE(terminal(with({}), true).colour);
    CHECK_FALSE(terminal(with({{"NO_COLOR", "1"}}), false).colour);
    CHECK(terminal(with({{"NO_COLOR", ""}}), false).colour);
    CHECK_FALSE(terminal(with({{"TERM", "dumb"}}), false).colour);
}

TEST_CASE("language of the locale") {
    CHECK(locale_language(with({{"LANG", "zh_CN.UTF-8"}})) == "zh_CN.UTF-8");
    CHECK(locale_language(with({{"LANG", "zh_CN.UTF-8"}, {"LC_MESSAGES", "en_GB"}})) == "en_GB");
    CHECK(locale_language(with({{"LC_MESSAGES", "en_GB"}, {"LC_ALL", "zh_TW"}})) == "zh_TW");
    CHECK(locale_language(with({})).empty());
}
