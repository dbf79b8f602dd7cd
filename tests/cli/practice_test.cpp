#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "chinese.h"
#include "explorer/explorer.h"
#include "fake.h"
#include "files.h"
#include "practice/compiler.h"
#include "practice/exercise.h"
#include "practice/folder.h"
#include "practice/judge.h"
#include "report/practice_view.h"
#include "report/width.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::cli;
using namespace flashlens::tests;
using fake::World;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

/// Somebody's home, and what is in the folder there.
struct Learner {
    TemporaryFolder home;
    World world;

    Learner() { world.variables = {{"HOME", home.path.string()}, {"LC_ALL", "C.UTF-8"}}; }

    fs::path folder() const { return home.path / "flashlens-practice"; }
    fs::path file(std::size_t exercise = 0) const {
        return folder() / (std::string(practice::exercises()[exercise].name) + ".cu");
    }
    fs::path progress() const { return folder() / ".flashlens/progress.json"; }

    fake::Result run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "practice");
        return fake::run(arguments, world);
    }
    json run_json(std::vector<std::string> arguments, int code = 0) {
        arguments.insert(arguments.end(), {"--json", "-"});
        const fake::Result result = run(std::move(arguments));
        CAPTURE(result.err);
        CHECK(result.code == code);
        return json::parse(result.out);
    }
};

const practice::Exercise& first() {
    return practice::exercises()[0];
}
std::size_t hints_of(const practice::Exercise& exercise) {
    return practice::statement(exercise, Language::en).hints.size();
}

/// A file that does not compile: judged in no time.
const std::string broken = "#error not written yet\n";

}  // namespace

TEST_CASE("practice: the first use makes a folder, says so once, and shows what is asked") {
    Learner learner;
    const auto result = learner.run({});
    CHECK(result.code == 0);
    CHECK(has(result.err, "flashlens: made " + learner.folder().string()));
    const practice::Statement statement = practice::statement(first(), Language::en);
    CHECK(has(result.out, "1. " + statement.title));
    CHECK(has(result.out, learner.file().string()));
    CHECK(has(result.out, "flashlens practice 1  "));
    for (std::size_t i = 0; i < practice::exercises().size(); ++i) {
        CHECK(content(learner.file(i)) == practice::exercises()[i].given);
    }
    for (const EmbeddedText& header : practice::exercise_headers()) {
        CHECK(content(learner.folder() / ".flashlens/include" / header.path) == header.text);
    }
    const std::string flags = content(learner.folder() / "compile_flags.txt");
    for (const char* flag : {"-xc++\n", "-std=c++20\n", "-I.flashlens/include\n", "-DFLASHLENS_MACHINE="}) {
        CHECK(has(flags, flag));
    }
    CHECK(has(content(learner.folder() / "README.md"), "--watch"));
    const auto again = learner.run({});
    CHECK(again.err.empty());
    CHECK(again.out == result.out);
    CHECK(learner.run({"1"}).out == result.out);
    CHECK(learner.run({std::string(first().name)}).out == result.out);
    CHECK(learner.run({learner.file().string()}).out == result.out);
    CHECK(learner.run({"--task"}).out == result.out);
    // Nobody has edited anything: the files follow the program and its language.
    const auto chinese = learner.run({"--lang", "zh"});
    CHECK(holds_chinese(chinese.out));
    CHECK(holds_chinese(content(learner.folder() / "README.md")));
}

TEST_CASE("practice: the list makes nothing, and looks nowhere else than it should") {
    Learner learner;
    const auto list = learner.run({"--list"});
    CHECK(list.code == 0);
    CHECK_FALSE(fs::exists(learner.folder()));
    for (const practice::Exercise& exercise : practice::exercises()) {
        CHECK(has(list.out, exercise.name));
    }
    CHECK(has(list.out, "0 of "));
    const json rows = learner.run_json({"--list"});
    CHECK(rows["exercises"].size() == practice::exercises().size());
    CHECK(rows["exercises"][0]["state"] == "untouched");
    CHECK(rows["progress"]["next"] == "flashlens practice 1");
    // --folder wins over FLASHLENS_PRACTICE, which wins over HOME.
    learner.world.variables["FLASHLENS_PRACTICE"] = (learner.home.path / "elsewhere").string();
    CHECK(learner.run_json({"--list"})["folder"] == (learner.home.path / "elsewhere").string());
    const std::string given = (learner.home.path / "a place").string();
    CHECK(learner.run_json({"--list", "--folder", given})["folder"] == given);
    // What to type next names it too.
    CHECK(has(learner.run({"--folder", given}).out, "flashlens practice 1 --folder"));
    // Commands to copy keep the language that was asked for.
    CHECK(has(learner.run({"--lang", "zh"}).out, "flashlens practice 1 --lang zh"));
    CHECK(
        has(learner.run_json({"--list", "--folder", given})["progress"]["next"].get<std::string>(), "'" + given + "'"));
    CHECK_FALSE(fs::exists(learner.folder()));
}

TEST_CASE("practice: what somebody has changed stays, what the program wrote follows it") {
    Learner learner;
    learner.run({});
    const std::string mine = "// mine\n" + broken;
    write(learner.file(), mine);
    write(learner.folder() / "README.md", "my notes\n");
    const fs::path header = learner.folder() / ".flashlens/include" / practice::exercise_headers().front().path;
    write(header, "// of another version\n");
    const std::size_t last = practice::exercises().size() - 1;
    fs::remove(learner.file(last));
    // As an older version would have left it: what was written then is what is there.
    const fs::path flags = learner.folder() / "compile_flags.txt";
    write(flags, "-old\n");
    write(learner.folder() / ".flashlens/written/compile_flags.txt", "-old\n");
    CHECK(learner.run({"--task"}).code == 0);
    CHECK(content(learner.file()) == mine);
    CHECK(content(learner.folder() / "README.md") == "my notes\n");
    CHECK(content(header) == practice::exercise_headers().front().text);
    CHECK(content(learner.file(last)) == practice::exercises()[last].given);
    CHECK(has(content(flags), "-std=c++20"));
    for (const auto& entry : fs::recursive_directory_iterator(learner.folder())) {
        CHECK(entry.path().extension() != ".part");
    }
}

TEST_CASE("practice: judged by the real engine: as handed out it fails, the solution passes") {
    Learner learner;
    const json failed = learner.run_json({"1", "--check"}, 3);
    CHECK(failed["verdict"] == "wrong");
    CHECK(failed["state"] == "untouched");
    CHECK(failed["finding"]["id"].get<std::string>().size() > 2);
    CHECK_FALSE(failed["finding"]["what"].get<std::string>().empty());
    CHECK(failed["solution"].is_null());
    CHECK(failed["progress"]["passed"] == 0);

    std::string solved(first().solution);
    solved.insert(0, "// my own way\n#include <cstdio>\n");
    solved += "__attribute__((constructor)) static void greet() { std::puts(\"hello from here\"); }\n";
    write(learner.file(), solved);
    CHECK(learner.run_json({"--list"})["exercises"][0]["state"] == "begun");
    const auto passed = learner.run({});
    CAPTURE(passed.out);
    CAPTURE(passed.err);
    CHECK(passed.code == 0);
    CHECK(has(passed.out, std::string(first().name) + " passed."));
    CHECK(has(passed.out, "  ✓ "));
    CHECK(has(passed.out, "- // my own way\n   2 - #include <cstdio>"));
    CHECK(has(passed.out, "Your code printed:\nhello from here\n"));
    CHECK(has(passed.out, "1 of "));
    CHECK(has(passed.out, "Next: " + std::to_string(practice::exercises()[1].number) + ". "));
    const json after = learner.run_json({"--list"});
    CHECK(after["exercises"][0]["state"] == "passed");
    CHECK(after["exercises"][0]["passed_at"].get<std::string>().size() == 20);
    // The next one is now the first that has not passed; the solution is shown.
    CHECK(has(learner.run({}).out, std::to_string(practice::exercises()[1].number) + ". "));
    const auto solution = learner.run({"1", "--solution"});
    CHECK(solution.code == 0);
    CHECK(has(solution.out, "FLASHLENS_EXERCISE_"));
    CHECK(learner.run_json({"1", "--solution"})["solution"] == first().solution);
}

TEST_CASE("practice: the READMEs show what the first exercise, as it is handed out, is told") {
    Learner learner;
    for (const char* page : {"/README.md", "/README.zh.md"}) {
        const bool chinese = page != std::string("/README.md");
        std::string told = learner.run({"1", "--check", "--lang", chinese ? "zh" : "en"}).out;
        const std::size_t first_line = told.find("  ✗ ");
        REQUIRE(first_line != std::string::npos);
        told = told.substr(first_line, told.find(chinese ? "    编译" : "    compiled") - first_line);
        CAPTURE(told);
        CHECK(has(content(std::string(FLASHLENS_SOURCE_DIR) + page), "```text\n" + told + "```\n"));
    }
}

TEST_SUITE("full") {
    TEST_CASE("practice: --machine gpu without a GPU can't run, and says why") {
        try {
            practice::cuda_compiler();
        } catch (const Failure& failure) {
            MESSAGE("left out: ", failure.message().en);
            return;
        }
        if (card_here(nullptr) || fs::exists("/dev/nvidia0")) {
            MESSAGE("left out: there is a GPU");
            return;
        }
        Learner learner;
        learner.run({});
        write(learner.file(), std::string(practice::exercises().front().solution));  // the CPU machine lets it pass
        const auto result = learner.run({"1", "--machine", "gpu"});
        CHECK(result.code == 1);
        CHECK(has(result.err, "--machine gpu: there is no GPU to run on"));
        CHECK(learner.run_json({"--list"})["exercises"][0]["state"] == "begun");
    }
}

TEST_CASE("practice: what does not compile, in the compiler's words") {
    Learner learner;
    learner.run({});
    write(learner.file(), broken);
    const auto result = learner.run({});
    CHECK(result.code == 3);
    CHECK(has(result.out, "It does not compile"));
    CHECK(has(result.out, "error"));
    CHECK(has(result.out, "not written yet"));
    CHECK_FALSE(has(result.out, "\x1b"));
    const json said = learner.run_json({"1", "--lang", "zh"}, 3);
    CHECK(said["verdict"] == "does-not-compile");
    CHECK(said["language"] == "zh");
    CHECK(said["finding"].is_null());
    CHECK(has(said["compiler_output"].get<std::string>(), "not written yet"));
}

TEST_CASE("practice: hints come one by one; before a pass they stand instead of the solution") {
    Learner learner;
    const std::size_t all = hints_of(first());
    REQUIRE(all >= 2);
    const auto refused = learner.run({"1", "--solution"});
    CHECK(refused.code == 1);
    CHECK(has(refused.err, "hints left: " + std::to_string(all)));
    for (std::size_t taken = 1; taken <= all; ++taken) {
        const auto hint = learner.run({"--hint"});
        CHECK(hint.code == 0);
        for (std::size_t i = 1; i <= all; ++i) {
            const std::string heading = "Hint " + std::to_string(i) + " of " + std::to_string(all);
            CHECK(has(hint.out, heading) == (i <= taken));
        }
    }
    const json last = learner.run_json({"1", "--hint"});
    CHECK(last["hints"]["taken"] == all);
    CHECK(last["hints"]["texts"].size() == all);
    CHECK(has(learner.run({"1", "--solution"}).err, "no hint is left"));
    CHECK(learner.run_json({"--list"})["exercises"][0]["hints_taken"] == all);
}

TEST_CASE("practice: --reset keeps the learner's file, numbered, and forgets progress") {
    Learner learner;
    learner.run({"--hint"});
    for (const char* name : {".cu.bak", ".cu.bak.2"}) {
        write(learner.file(), std::string("// ") + name + "\n");
        const auto result = learner.run({"1", "--reset", "--yes"});
        CHECK(result.code == 0);
        const fs::path kept = learner.folder() / (std::string(first().name) + name);
        CHECK(has(result.out, kept.filename().string()));
        CHECK(content(kept) == std::string("// ") + name + "\n");
        CHECK(content(learner.file()) == first().given);
    }
    CHECK(learner.run_json({"--list"})["exercises"][0]["hints_taken"] == 0);
    // Nothing of one's own is there to keep.
    CHECK_FALSE(has(learner.run({"1", "--reset", "--yes"}).out, ".bak"));
    CHECK_FALSE(fs::exists(learner.folder() / (std::string(first().name) + ".cu.bak.3")));
    // Asked on a terminal: only yes is yes.
    write(learner.file(), "// mine\n");
    learner.world.terminal = learner.world.typed = true;
    for (const char* answer : {"", "n\n", "\n", "what\n"}) {
        learner.world.input = answer;
        CHECK(learner.run({"1", "--reset"}).code == 0);
        CHECK(content(learner.file()) == "// mine\n");
    }
    learner.world.input = "y\n";
    CHECK(learner.run({"1", "--reset"}).code == 0);
    CHECK(content(learner.file()) == first().given);
}

TEST_CASE("practice: progress that somebody else has written is not touched") {
    Learner learner;
    learner.run({});
    for (const char* foreign : {"my diary\n", "{}\n", "{\"written_by\": \"me\", \"exercises\": {}}\n",
                                "{\"written_by\": \"flashlens practice\", \"exercises\": {\"a\": 1}}\n"}) {
        write(learner.progress(), foreign);
        const auto result = learner.run({"--hint"});
        CHECK(result.code == 0);
        CHECK(has(result.out, "Hint 1 of "));
        CHECK(has(result.err, "progress is not kept until it is removed"));
        CHECK(content(learner.progress()) == foreign);
    }
    fs::remove(learner.progress());
    CHECK(learner.run({"--hint"}).err.empty());
}

TEST_CASE("practice: what can't be done, in both languages") {
    Learner learner;
    learner.run({});
    const std::string a_file = (learner.home.path / "file").string();
    write(a_file, "");
    const std::string taken = (learner.home.path / "taken/inside").string();
    write(learner.home.path / "taken", "");
    struct Wrong {
        std::vector<std::string> arguments;
        int code;
        std::string part;
    };
    std::vector<Wrong> all = {
        {{"0"}, 2, "no such exercise"},
        {{"99"}, 2, "no such exercise"},
        {{"99999999999999999999"}, 2, "no such exercise"},
        {{"nonsense"}, 2, "no such exercise"},
        {{"1", "--hint", "--task"}, 2, "--task with --hint"},
        {{"1", "--yes"}, 2, "--yes"},
        {{"1", "--list"}, 2, "--list"},
        {{"1", "--reset"}, 2, "nobody is there to ask"},
        {{"--reset", "--yes"}, 2, "needs an exercise"},
        {{"--watch"}, 2, "needs a terminal"},
        {{"1", "--watch", "--json", "-"}, 2, "--watch with --json"},
        {{"1", "--check", "--machine", "auto"}, 2, "--machine auto: must be one of cpu, gpu"},
        {{"--folder", a_file}, 2, "--folder " + a_file + ": is no folder"},
        {{"--folder", ""}, 2, "--folder '': is no folder"},
        {{"--folder", taken}, 1, "can't be made"},
        {{"--json", "/nonexistent/x.json"}, 2, "can't be written"},
    };
    if (practice::exercises().size() > 1) {
        all.push_back({{"-"}, 2, "may be " + std::string(first().name)});
    }
    if (geteuid() != 0) {
        const fs::path locked = learner.home.path / "locked";
        fs::create_directory(locked);
        fs::permissions(locked, fs::perms::owner_read | fs::perms::owner_exec);
        all.push_back({{"--folder", locked.string()}, 1, "can't be"});
    }
    for (Wrong& wrong : all) {
        CAPTURE(wrong.part);
        wrong.arguments.insert(wrong.arguments.begin(), "practice");
        const auto result = fake::run(wrong.arguments, learner.world);
        CAPTURE(result.err);
        CHECK(result.code == wrong.code);
        CHECK(has(result.err, wrong.part));
        World chinese = learner.world;
        chinese.variables.erase("LC_ALL");
        check_told_in_chinese(wrong.arguments, result, chinese);
    }
    learner.world.variables["FLASHLENS_PRACTICE"] = a_file;
    CHECK(learner.run({}).code == 2);
    CHECK(has(learner.run({}).err, "FLASHLENS_PRACTICE " + a_file));
    learner.world.variables = {};
    CHECK(learner.run({}).code == 1);
    CHECK(has(learner.run({}).err, "--folder DIR names one"));
}

TEST_CASE("practice: all have passed") {
    Learner learner;
    learner.run({});
    json progress;
    progress["written_by"] = "flashlens practice";
    for (const practice::Exercise& exercise : practice::exercises()) {
        progress["exercises"][exercise.name] = {{"hints", 0}, {"passed", "2026-11-30T01:28:25Z"}};
    }
    write(learner.progress(), progress.dump());
    const auto result = learner.run({});
    CHECK(result.code == 0);
    CHECK(has(result.out, "That was all of them."));
    CHECK(learner.run_json({"--list"})["progress"]["next"].is_null());
    CHECK(learner.run({"--hint"}).code == 2);
    CHECK(learner.run({"1", "--hint"}).code == 0);
}

TEST_CASE("practice: every page fits every width, in either language and without UTF-8") {
    practice::Verdict wrong;
    wrong.finding = {
        "id",
        {"What is wrong, in a sentence of some length that has to be broken.", "哪里错了，写成一句长到需要折行的话。"},
        {{"row 0, key block 4: 0.197 of the weight in all", "第 0 行、key block 4：总权重 0.197"}}};
    wrong.held = {{"B 2  H 5  Sq 150", "B 2  H 5  Sq 150"}};
    wrong.printed = "a long line of a hundred columns, printed " + std::string(58, '-') + "\n";
    practice::Verdict right = wrong;
    right.kind = practice::Verdict::Kind::pass;
    practice::Verdict unread = wrong;
    unread.kind = practice::Verdict::Kind::does_not_compile;
    unread.compiler_output = "a.cu:1:2: error: a rather long line, which a terminal of forty columns has no room for\n";
    const report::PracticeProgress progress{1, 15, "2. Something",
                                            "flashlens practice 2 --folder /a/long/way/to/there"};
    for (const practice::Exercise& exercise : practice::exercises()) {
        for (const Language language : {Language::en, Language::zh}) {
            report::PracticePage page;
            page.exercise = &exercise;
            page.statement = practice::statement(exercise, language);
            page.file = "/home/somebody/with/a/long/path/" + std::string(exercise.name) + ".cu";
            page.command = "flashlens practice 3";
            page.code = "// mine\n" + std::string(exercise.given);
            page.hints_taken = page.statement.hints.size();
            for (const int columns : {40, 80, 120, 200}) {
                report::Terminal terminal{columns, columns != 80, columns == 120, true};
                for (const bool keys : {false, true}) {
                    page.keys = keys;
                    for (const report::Lines& lines :
                         {report::practice_task(page, language, terminal),
                          report::practice_hints(page, language, terminal),
                          report::practice_solution(page, language, terminal),
                          report::practice_verdict(page, wrong, progress, language, terminal),
                          report::practice_verdict(page, right, progress, language, terminal),
                          report::practice_verdict(page, unread, progress, language, terminal)}) {
                        CHECK(lines.size() > 3);
                        for (std::string line : lines) {
                            for (std::size_t at = line.find('\x1b'); at != std::string::npos; at = line.find('\x1b')) {
                                CHECK(terminal.colour);
                                line.erase(at, line.find('m', at) + 1 - at);
                            }
                            CAPTURE(line);
                            CHECK(report::display_width(line) <= columns);
                            CHECK((terminal.utf8 || !has(line, "✓")));
                        }
                    }
                }
            }
        }
    }
}
