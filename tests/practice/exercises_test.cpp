// Every exercise, judged as a learner's file would be. FLASHLENS_EXERCISE=NN-name takes one alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "desk.h"
#include "files.h"
#include "mistakes.h"
#include "practice/exercise.h"
#include "practice/process.h"

using namespace flashlens;
using namespace flashlens::practice;
using namespace flashlens::practice_tests;

namespace {

std::vector<Exercise> chosen() {
    const char* name = std::getenv("FLASHLENS_EXERCISE");
    std::vector<Exercise> all;
    for (const Exercise& exercise : exercises()) {
        if (name == nullptr || exercise.name == name) {
            all.push_back(exercise);
        }
    }
    REQUIRE(!all.empty());
    return all;
}

Expected expected_of(const Exercise& exercise) {
    return parse_expected(tests::content(std::string(FLASHLENS_MISTAKES) + "/" + std::string(exercise.name) + ".txt"));
}

bool has_chinese(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xe3; });
}

std::string text_of(const Verdict& verdict) {
    std::string text = verdict.finding.id + ": " + verdict.finding.what.en;
    for (const Message& line : verdict.finding.evidence) {
        text += "\n  " + line.en;
    }
    return text + "\n" + verdict.compiler_output;
}

/// The finding is the one expected, and is said in both languages.
void expect(const Verdict& verdict, const std::string& finding, const std::string& about) {
    CAPTURE(about);
    REQUIRE_MESSAGE(verdict.kind == Verdict::Kind::wrong, text_of(verdict));
    CHECK_MESSAGE(verdict.finding.id == finding, text_of(verdict));
    CHECK(verdict.finding.what.en.size() > 20);
    CHECK_FALSE(has_chinese(verdict.finding.what.en));
    CHECK(has_chinese(verdict.finding.what.zh));
    CHECK_MESSAGE(!verdict.finding.evidence.empty(), verdict.finding.id);
}

}  // namespace

TEST_CASE("exercises: as handed out they compile, and fail for what is missing") {
    const Desk desk;
    for (const Exercise& exercise : chosen()) {
        CAPTURE(exercise.name);
        const Verdict verdict = desk.judge(exercise, exercise.given);
        expect(verdict, expected_of(exercise).given, "as handed out");
        CHECK(verdict.compiler_output == "");
        // On a machine that does nothing else; others' work may take half of it.
        CHECK(verdict.compile_seconds + verdict.run_seconds < 12.0);
    }
}

TEST_CASE("exercises: solutions pass") {
    const Desk desk;
    for (const Exercise& exercise : chosen()) {
        CAPTURE(exercise.name);
        const Verdict verdict = desk.judge(exercise, exercise.solution);
        CHECK_MESSAGE(verdict.kind == Verdict::Kind::pass, text_of(verdict));
        CHECK(verdict.compiler_output == "");
        CHECK(!verdict.held.empty());
        CHECK(verdict.compile_seconds + verdict.run_seconds < 12.0);
        MESSAGE(exercise.name << ": compiled in " << verdict.compile_seconds << " s, ran " << verdict.run_seconds
                              << " s");
    }
}

TEST_SUITE("full") {
    TEST_CASE("exercises: typical mistakes are named") {
        const Desk desk;
        for (const Exercise& exercise : chosen()) {
            CAPTURE(exercise.name);
            const Expected expected = expected_of(exercise);
            CHECK(expected.mistakes.size() >= 3);
            for (const TypicalMistake& mistake : expected.mistakes) {
                expect(desk.judge(exercise, with_mistake(std::string(exercise.solution), mistake)), mistake.finding,
                       mistake.about);
            }
        }
    }
}

TEST_SUITE("full") {
    TEST_CASE("exercises: nvcc, where it is, compiles them as handed out and solved") {
        Work work;
        try {
            work.compiler = cuda_compiler();
        } catch (const Failure& failure) {
            MESSAGE("left out: " << failure.what());
            return;
        }
        const Desk desk;
        for (const Exercise& exercise : chosen()) {
            if (!exercise.runs_on_gpu) {
                continue;
            }
            CAPTURE(exercise.name);
            work.machine = Machine::gpu;
            work.gpu_architecture = "sm_80";
            for (const std::string_view text : {exercise.given, exercise.solution}) {
                desk.put(exercise, text, work);
                const Ended compiled = run_program(compile_command(work, work.file.string() + ".so"),
                                                   work.file.parent_path(), work.file.parent_path(), 300.0);
                CHECK_MESSAGE(compiled.exit_code == 0, compiled.output);
            }
        }
    }
}

TEST_CASE("exercises: numbered from 1, and said in both languages with as many hints") {
    int number = 0;
    for (const Exercise& exercise : exercises()) {
        CAPTURE(exercise.name);
        CHECK(exercise.number == ++number);
        const Statement en = statement(exercise, Language::en);
        const Statement zh = statement(exercise, Language::zh);
        CHECK(!en.title.empty());
        CHECK(has_chinese(zh.title + teaching::plain_text(zh.task.front().spans)));
        CHECK(en.task.size() >= 2);
        CHECK(zh.task.size() >= 2);
        CHECK(en.hints.size() >= 2);
        CHECK(en.hints.size() == zh.hints.size());
        CHECK(!en.after.empty());
        CHECK(!zh.after.empty());
        CHECK(exercise.given != exercise.solution);
        CHECK(exercise.given.find("TODO") != std::string_view::npos);
        CHECK(exercise.solution.find("TODO") == std::string_view::npos);
    }
}
