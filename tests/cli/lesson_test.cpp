// `lesson` and `lecture` into a pipe, and the commands that they run.
#include <doctest/doctest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <string>
#include <vector>

#include "chinese.h"
#include "cli/commands.h"
#include "cli/live.h"
#include "fake.h"
#include "report/width.h"
#include "teaching/lecture.h"
#include "teaching/lesson.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::cli;
using namespace flashlens::tests;
using fake::run;
using fake::World;

namespace {

/// Runs a line in a program that is 80 columns wide and in no terminal. `walk` and `source` ask no explorer.
LiveRun live(const std::string& line, Language language = Language::en, bool colour = false) {
    const Given given;
    const Explorer explorer;
    report::Surroundings surroundings;
    surroundings.variable = [](const char*) { return std::optional<std::string>(); };
    std::ostringstream out;
    std::ostringstream err;
    const Context context{given, explorer, surroundings, language, {80, true, colour, colour},
                          false, false,    false,        out,      err};
    return run_live(context, line, 90);
}

}  // namespace

TEST_CASE("lesson alone lists them all, in either language") {
    for (const Language language : {Language::en, Language::zh}) {
        const auto result = run({"lesson", "--lang", language == Language::zh ? "zh" : "en"});
        CHECK(result.code == 0);
        CHECK(result.err.empty());
        for (const teaching::Lesson& lesson : teaching::lessons(language)) {
            CHECK(has(result.out, " " + std::to_string(lesson.number) + "  " + lesson.title.substr(0, 12)));
        }
        for (const std::string& line : lines(result.out)) {
            CHECK(report::display_width(line) <= 80);
        }
        CHECK(holds_chinese(result.out) == (language == Language::zh));
    }
}

TEST_CASE("a lesson in a pipe: all of it, with its answers, without escape codes") {
    World world;
    world.variables["COLUMNS"] = "120";
    world.variables["LC_ALL"] = "C.UTF-8";
    const auto result = run({"lesson", "7"}, world);
    CHECK(result.code == 0);
    CHECK(has(result.out, "7. Where v2 wins"));
    CHECK(has(result.out, "▾ Answer"));
    CHECK_FALSE(has(result.out, "▸"));
    CHECK_FALSE(has(result.out, "\x1b"));
    CHECK(run({"lesson", "7", "--answers"}, world).out == result.out);
    CHECK(holds_chinese(run({"lesson", "7", "--lang", "zh"}, world).out));
    World chinese;
    chinese.variables["LANG"] = "zh_CN.UTF-8";
    CHECK(holds_chinese(run({"lesson", "7"}, chinese).out));
}

TEST_CASE("no such lesson: those that there are") {
    for (const char* word : {"99", "-1", "seven", "07", "7.5"}) {
        const std::vector<std::string> arguments{"lesson", word};
        const auto result = run(arguments);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        if (word[0] != '-') {
            CHECK(has(result.err, "lesson " + std::string(word) + ": must be one of "));
            for (const std::string& name : lesson_names()) {
                CHECK(has(result.err, name));
            }
            check_told_in_chinese(arguments, result);
        }
    }
    CHECK(run({"lesson", "7", "--notes"}).code == 2);
    CHECK(run({"lecture", "--answers"}).code == 2);
    CHECK(run({"lecture", "3"}).code == 2);
}

TEST_CASE("completion knows the lessons") {
    for (const char* shell : {"bash", "zsh"}) {
        const std::string script = run({"completion", shell}).out;
        CHECK(has(script, "lesson) "));
        CHECK(has(script, fmt::format("{}", fmt::join(lesson_names(), " "))));
        CHECK(has(script, "--answers"));
        CHECK(has(script, "--notes"));
    }
}

TEST_CASE("lecture --step: from there on; one that is not there") {
    const std::size_t steps = teaching::lecture(Language::en).steps.size();
    const auto last = run({"lecture", "--step", std::to_string(steps)});
    CHECK(last.code == 0);
    CHECK(has(last.out, std::to_string(steps) + "/" + std::to_string(steps)));
    CHECK_FALSE(has(last.out, " 1/"));
    CHECK_FALSE(has(last.out, "say ("));
    CHECK(has(run({"lecture", "--step", std::to_string(steps), "--notes"}).out, "say ("));
    for (const char* step : {"0", "1000", "x", ""}) {
        const std::vector<std::string> arguments{"lecture", "--step", step};
        const auto result = run(arguments);
        CHECK(result.code == 2);
        CHECK(has(result.err, "--step"));
        check_told_in_chinese(arguments, result);
    }
}

TEST_CASE("lecture: a command that fails ends it, and says why") {
    World world;
    world.failure = "no machine";
    const auto result = run({"lecture"}, world);
    CHECK(result.code == 1);
    CHECK(result.err == "flashlens: no machine\n");
}

TEST_CASE("walk --step: that step of each order") {
    const auto third = run({"walk", "--step", "3"});
    CHECK(third.code == 0);
    CHECK(has(third.out, "v1, step 3 of 6"));
    CHECK(has(third.out, "v2, step 3 of 10"));
    CHECK_FALSE(has(third.out, "step 2 of"));
    CHECK_FALSE(has(third.out, "step by step"));
    const auto tenth = run({"walk", "--step", "10"});
    CHECK_FALSE(has(tenth.out, "v1,"));
    CHECK(has(tenth.out, "v2, step 10 of 10"));
    CHECK(has(run({"walk", "--step", "6", "--order", "v1"}).out, "v1, step 6 of 6"));
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"walk", "--step", "11"},
                                                      {"walk", "--step", "7", "--order", "v1"},
                                                      {"walk", "--step", "0"}}) {
        const auto result = run(arguments);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        check_told_in_chinese(arguments, result);
    }
}

TEST_CASE("a command of a page runs as in a shell: its words, its language, its width") {
    const LiveRun all = live("flashlens walk --scores \"0 5\" --v '1; 0'   # with two keys");
    CHECK(all.code == 0);
    CHECK(all.err.empty());
    CHECK(all.out == run({"walk", "--scores", "0 5", "--v", "1; 0"},
                         [] {
                             World world;
                             world.variables = {{"COLUMNS", "90"}, {"LC_ALL", "C.UTF-8"}};
                             return world;
                         }())
                         .out);
    CHECK(live("./run.sh walk --scores '0 5' --v '1; 0'").out == all.out);
    CHECK(live("flashlens walk --scores 0\\ 5 --v '1; 0'").out == all.out);
    CHECK(holds_chinese(live("flashlens walk", Language::zh).out));
    CHECK_FALSE(holds_chinese(live("flashlens walk --lang en", Language::zh).out));
    CHECK(has(live("flashlens walk --step 2", Language::en, true).out, "\x1b["));
    CHECK_FALSE(has(live("flashlens walk --step 2").out, "\x1b["));
    const LiveRun wrong = live("flashlens wlak");
    CHECK(wrong.code == 2);
    CHECK(has(wrong.err, "did you mean walk?"));
    CHECK(live("flashlens help").out == run({"help"}).out);
}

TEST_CASE("of pipes there are three, one after the other") {
    const std::vector<std::string> all = lines(live("flashlens walk --step 2 --order v2").out);
    REQUIRE(all.size() > 6);
    CHECK(lines(live("flashlens walk --step 2 --order v2 | head -n 3").out) ==
          std::vector(all.begin(), all.begin() + 3));
    CHECK(lines(live("flashlens walk --step 2 --order v2 | tail -n +3 | head -n 2").out) ==
          std::vector(all.begin() + 2, all.begin() + 4));
    for (const std::string& line :
         lines(live("flashlens walk --step 2 --order v2 | grep -E 'acc|^reads'", Language::en, true).out)) {
        CHECK((has(line, "acc") || line.starts_with("reads")));
    }
    CHECK(lines(live("flashlens walk --step 2 --order v2 | grep -E '^reads'").out).size() == 1);
    for (const char* pipe : {"| wc -l", "| head", "| head -n x", "| tail -n 5", "| grep x", "|", "| head -n 1 |"}) {
        CAPTURE(pipe);
        const LiveRun refused = live(std::string("flashlens walk ") + pipe);
        CHECK(refused.code == 2);
        CHECK(refused.out.empty());
        CHECK(has(refused.err, "after | only grep -E PATTERN, head -n N and tail -n +N can stand here"));
        CHECK(english_word_in(live(std::string("flashlens walk ") + pipe, Language::zh).err) == "");
    }
    CHECK(live("flashlens walk '|'").code == 2);  // quoted it is a word
}
