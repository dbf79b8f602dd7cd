#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "chinese.h"
#include "cli/quiz_figure.h"
#include "fake.h"
#include "files.h"
#include "report/quiz_view.h"
#include "report/width.h"
#include "say.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::cli;
using namespace flashlens::tests;
using fake::World;
using nlohmann::json;

namespace {

/// A state folder of its own.
struct Home {
    TemporaryFolder folder;
    World world;

    Home() {
        world.real_explorer = true;
        world.variables["XDG_STATE_HOME"] = folder.path.string();
    }
    std::filesystem::path file() const { return folder.path / "flashlens/quiz.json"; }

    fake::Result run(std::vector<std::string> arguments, const std::string& input = "") {
        arguments.insert(arguments.begin(), "quiz");
        world.input = input;
        return fake::run(arguments, world);
    }
    json run_json(std::vector<std::string> arguments, const std::string& input) {
        arguments.insert(arguments.end(), {"--json", "-"});
        const fake::Result result = run(std::move(arguments), input);
        CHECK(result.code == 0);
        CHECK(result.err.empty());
        return json::parse(result.out);
    }
};

const std::string skips(2000, '\n');

/// What to type for all points.
std::string right_answers(const json& run) {
    std::string lines;
    for (const json& q : run["questions"]) {
        if (q["kind"] == "open") {
            lines += "because\n" + q["right"].get<std::string>() + "\n";
            if (run["mock"] == true) {
                for (std::size_t i = 0; i < q["follow_ups"].size(); ++i) {
                    lines += "so\n";
                }
            }
        } else {
            lines += q["right"].get<std::string>() + "\n";
        }
    }
    return lines;
}

std::vector<std::string> ids_of(const json& run) {
    std::vector<std::string> ids;
    for (const json& q : run["questions"]) {
        ids.push_back(q["id"]);
    }
    return ids;
}

}  // namespace

TEST_CASE("quiz: all right answers have all points, none have none, in either language") {
    for (const char* language : {"en", "zh"}) {
        Home home;
        const std::vector<std::string> all = {"--count", "1000", "--seed", "5", "--lang", language};
        const json none = home.run_json(all, skips);
        CHECK(none["questions"].size() >= 80);
        CHECK(none["points"] == 0.0);
        const json full = home.run_json(all, right_answers(none));
        CHECK(ids_of(full) == ids_of(none));
        CHECK(full["asked"] == none["asked"]);
        CHECK(full["points"] == full["asked"].get<double>());
        // wrong ones: the letter, line or number after the right one
        std::string wrong;
        for (const json& q : none["questions"]) {
            const std::string right = q["right"];
            if (q["kind"] == "open") {
                wrong += "no\n0\n";
            } else if (!q["options"].empty()) {
                wrong += right == "a" ? "b\n" : "a\n";
            } else if (q["kind"] == "line") {
                wrong += right == "1" ? "2\n" : "1\n";
            } else {
                wrong += std::to_string(static_cast<long long>(std::stod(right) * 2 + 1)) + "\n";
            }
        }
        const json missed = home.run_json(all, wrong);
        CHECK(missed["asked"] == none["asked"]);
        CHECK(missed["points"] == 0.0);
    }
}

TEST_CASE("quiz: the seed decides, questions do not repeat, and the level rises") {
    Home home;
    const json a = home.run_json({"--seed", "1"}, skips);
    CHECK(a["questions"].size() == 10);
    CHECK(ids_of(a) == ids_of(home.run_json({"--seed", "1"}, skips)));
    CHECK(a["questions"] == home.run_json({"--seed", "1"}, skips)["questions"]);
    CHECK(ids_of(a) != ids_of(home.run_json({"--seed", "2"}, skips)));
    // the same questions in Chinese
    CHECK(ids_of(a) == ids_of(home.run_json({"--seed", "1", "--lang", "zh"}, skips)));
    const std::vector<std::string> ids = ids_of(a);
    CHECK(std::set(ids.begin(), ids.end()).size() == ids.size());
    for (std::size_t i = 1; i < a["questions"].size(); ++i) {
        CHECK(a["questions"][i - 1]["level"] <= a["questions"][i]["level"]);
    }
    // without a seed one is drawn and told
    CHECK(has(home.run({"--count", "1"}, skips).out, "quiz: questions 1, seed "));
}

TEST_CASE("quiz: --topic, --level and --count leave what they say") {
    Home home;
    const json some = home.run_json({"--topic", "splits,gqa", "--level", "2", "--count", "500", "--seed", "1"}, skips);
    CHECK(some["questions"].size() >= 3);
    for (const json& q : some["questions"]) {
        CHECK((q["topic"] == "splits" || q["topic"] == "gqa"));
        CHECK(q["level"] == 2);
    }
    CHECK(home.run_json({"--count", "3", "--seed", "1"}, skips)["questions"].size() == 3);
}

TEST_CASE("quiz: the transcript of a pipe has answers, reasons, commands and a score") {
    Home home;
    const std::vector<std::string> one = {"--topic", "grid", "--count", "1", "--seed", "4"};
    const json none = home.run_json(one, skips);
    const std::string right = none["questions"][0]["right"];
    const fake::Result result = home.run(one, right_answers(none));
    CHECK(result.code == 0);
    CHECK(has(result.out, " > " + right + "\n"));
    CHECK(has(result.out, "Right: "));
    CHECK(has(result.out, "see: flashlens "));
    CHECK(has(result.out, "read: flashlens lesson "));
    CHECK(has(result.out, "Score: 1 of 1 (100 %)"));
    CHECK_FALSE(has(result.out, "\x1b"));
    CHECK_FALSE(has(result.out, "Read again"));
    const std::string wrong = home.run(one, "what?\n").out;
    CHECK(has(wrong, "Not an answer that can be read"));
    CHECK(has(wrong, "Score: 0 of 1 (0 %)"));
    CHECK(has(wrong, "Read again"));
    CHECK(has(home.run(one, "\n").out, "Skipped"));
    // the input ends, or q
    for (const char* input : {"", "q\n"}) {
        const fake::Result ended = home.run({"--seed", "4"}, input);
        CHECK(ended.code == 0);
        CHECK(has(ended.out, "Ended after 0 of 10 questions."));
    }
}

TEST_CASE("quiz: at a terminal what can't be read is asked again") {
    Home home;
    home.world.typed = true;
    const std::vector<std::string> one = {"--topic", "gqa", "--level", "1", "--count", "1", "--seed", "4"};
    const fake::Result result = home.run(one, "what is this\n\n");
    CHECK(has(result.out, "This is no answer"));
    CHECK(has(result.out, "Skipped"));
    // with --json - the questions go beside it
    const fake::Result beside = home.run({"--count", "1", "--seed", "4", "--json", "-"}, "\n");
    CHECK(json::parse(beside.out)["asked"] == 1);
    CHECK(has(beside.err, "Question 1 of 1"));
}

TEST_CASE("quiz: scores are kept, and --review asks what was missed") {
    Home home;
    const fake::Result nothing = home.run({"--review"});
    CHECK(nothing.code == 1);
    CHECK(has(nothing.err, "nothing has been missed yet"));
    check_told_in_chinese({"quiz", "--review"}, nothing, home.world);
    const std::vector<std::string> some = {"--count", "6", "--seed", "9"};
    const json none = home.run_json(some, skips);
    const json kept = json::parse(content(home.file()));
    CHECK(kept["questions"].size() == 6);
    for (const std::string& id : ids_of(none)) {
        CHECK(kept["questions"][id]["asked"] == 1);
        CHECK(kept["questions"][id]["missed"] == true);
    }
    json review = home.run_json({"--review", "--count", "100"}, skips);
    std::vector<std::string> before = ids_of(none);
    std::vector<std::string> again = ids_of(review);
    CHECK(std::set(before.begin(), before.end()) == std::set(again.begin(), again.end()));
    home.run_json(some, right_answers(none));
    CHECK(home.run({"--review"}).code == 1);
}

TEST_CASE("quiz: where scores can't be kept it says so and goes on") {
    Home home;
    const std::vector<std::string> one = {"--count", "1", "--seed", "9"};
    home.world.variables.clear();
    fake::Result result = home.run(one, skips);
    CHECK(result.code == 0);
    CHECK(has(result.err, "neither XDG_STATE_HOME nor HOME"));
    // HOME is where they are without XDG_STATE_HOME
    home.world.variables["HOME"] = home.folder.path.string();
    CHECK(home.run(one, skips).err.empty());
    CHECK(std::filesystem::exists(home.folder.path / ".local/state/flashlens/quiz.json"));
    // a folder that can't be made
    std::ofstream(home.folder.path / "file") << "x";
    home.world.variables["XDG_STATE_HOME"] = (home.folder.path / "file").string();
    result = home.run(one, skips);
    CHECK(result.code == 0);
    CHECK(has(result.err, "scores are not kept"));
    // somebody else's file is left alone
    home.world.variables["XDG_STATE_HOME"] = home.folder.path.string();
    std::filesystem::create_directories(home.folder.path / "flashlens");
    for (const char* other : {"not json", "[]", "{\"questions\": {\"grid-1\": 3}}"}) {
        std::ofstream(home.file()) << other;
        result = home.run(one, skips);
        CHECK(result.code == 0);
        CHECK(has(result.err, "holds no scores"));
        CHECK(content(home.file()) == other);
    }
}

TEST_CASE("quiz --mock: ten questions, open ones with their follow-ups, and what to read") {
    Home home;
    const json none = home.run_json({"--mock", "--seed", "2"}, skips);
    REQUIRE(none["questions"].size() == 10);
    std::set<std::string> kinds;
    std::set<std::string> topics;
    int open = 0;
    for (const json& q : none["questions"]) {
        kinds.insert(q["kind"]);
        topics.insert(q["topic"]);
        open += q["kind"] == "open" ? 1 : 0;
        if (q["kind"] == "open") {
            for (const json& follow : q["follow_ups"]) {
                CHECK(follow["given"] == "");
            }
        }
    }
    CHECK(open == 4);
    CHECK(kinds.size() == 5);
    CHECK(topics.size() >= 6);
    const json full = home.run_json({"--mock", "--seed", "2"}, right_answers(none));
    CHECK(full["points"] == 10.0);
    const std::string out = home.run({"--mock", "--seed", "2"}, skips).out;
    CHECK(has(out, "mock interview: questions 10, seed 2"));
    CHECK(has(out, "follow-up: "));
    CHECK(has(out, "Model answer"));
    CHECK(has(out, "Read again:"));
}

TEST_CASE("quiz: bad usage") {
    Home home;
    struct Case {
        std::vector<std::string> arguments;
        std::vector<std::string> parts;
    };
    const std::vector<Case> cases = {
        {{"--topic", "grids"}, {"--topic", "grids", "main-loop"}},
        {{"--level", "4"}, {"--level", "4", "1, 2"}},
        {{"--count", "0"}, {"--count 0", "at least 1"}},
        {{"--count", "ten"}, {"--count ten", "not a whole number"}},
        {{"--seed", "x"}, {"--seed x"}},
        {{"--json", "/no/such/folder/x.json"}, {"--json /no/such"}},
        {{"--heads", "2"}, {"--heads: quiz does not take it"}},
    };
    for (const Case& wrong : cases) {
        const fake::Result result = home.run(wrong.arguments, skips);
        CAPTURE(result.err);
        CHECK(result.code == 2);
        CHECK(result.out.empty());
        for (const std::string& part : wrong.parts) {
            CHECK(has(result.err, part));
        }
        std::vector<std::string> all{"quiz"};
        all.insert(all.end(), wrong.arguments.begin(), wrong.arguments.end());
        check_told_in_chinese(all, result);
    }
    CHECK_FALSE(std::filesystem::exists(home.file()));
    CHECK(has(fake::run({"compare", "--mock"}).err, "use it with quiz"));
}

TEST_CASE("quiz: no line is wider than a narrow terminal, and English is ASCII where the locale has no more") {
    for (const bool chinese : {false, true}) {
        Home home;
        home.world.terminal = true;
        home.world.variables["COLUMNS"] = "40";
        home.world.variables["TERM"] = "xterm";
        home.world.variables["NO_COLOR"] = "1";
        home.world.variables["LC_ALL"] = chinese ? "zh_CN.UTF-8" : "C";
        const std::string out = home.run({"--count", "1000", "--seed", "3"}, skips).out;
        CHECK(holds_chinese(out) == chinese);
        for (const std::string& line : lines(out)) {
            CAPTURE(line);
            CHECK(report::display_width(line) <= 40);
        }
        if (!chinese) {
            CHECK(has(out, "..."));
            CHECK(std::all_of(out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
        }
    }
}

TEST_CASE("quiz: a figure is read from what its command says") {
    const Explorer explorer = real_explorer();
    const auto figure = [&](const char* path, const char* command) { return figure_of(path, command, explorer); };
    CHECK(figure("v2.ctas", "flashlens explain --gpu A100 -b 2 -H 8 -s 1024 -d 64") == 128);
    CHECK(figure("v1.grid[1]", "flashlens explain -b 1 -H 3 -s 64 -d 64") == 3);
    CHECK(figure("tuned.tile.warps", "flashlens explain --variants v2-tuned") > 0);
    CHECK(figure("card.sm_count", "flashlens explain --gpu 'RTX 4090'") == 128);
    CHECK(figure("points[1].v2.ctas", "flashlens sweep -b 1 -H 1 -s 128,256 --count off --chart none") == 2);
    CHECK(figure("v2.counters.barriers", "flashlens compare -b 1 -H 1 -s 128 --verify off") == 3);
    for (const auto& [path, command] : {std::pair{"v3.ctas", "flashlens explain"},
                                        {"v2.name", "flashlens explain"},
                                        {"v2.grid[7]", "flashlens explain"},
                                        {"", "flashlens explain"},
                                        {"v2.ctas", "flashlens explain -d 7"}}) {
        CAPTURE(path);
        CHECK_THROWS_AS(figure(path, command), Failure);
    }
}

TEST_CASE("quiz: what it says to read is there") {
    Home home;
    const json run = home.run_json({"--count", "500"}, skips);
    std::set<int> lessons;
    for (const json& q : run["questions"]) {
        lessons.insert(q["read"].begin(), q["read"].end());
    }
    CHECK(lessons.size() > 5);
    for (const int lesson : lessons) {
        CHECK(fake::run({"lesson", std::to_string(lesson)}, home.world).code == 0);
    }
}
