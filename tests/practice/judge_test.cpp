// What judge() makes of code that may do anything, tried with checks of its own.
#include "practice/judge.h"
#include "practice/compiler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "desk.h"
#include "lessons/exercises/entry.h"
#include "practice/attempt.h"
#include "practice/rows.h"
#include "practice/two_languages.h"
#include "practice/weights.h"

using namespace flashlens;
using namespace flashlens::practice;
using namespace flashlens::practice_tests;
namespace fs = std::filesystem;

namespace {

/// Holds that there is a function, and calls it.
void check_function(Attempt& attempt) {
    auto* function = attempt.function<exercise::NumSplits>();
    attempt.held(as_it_is("it is there"));
    if (const int answer = function(1, 2, 3, 4); answer != 10) {
        throw Finding{"not-ten", both({"it is {}", "它是 {}"}, answer), {as_it_is("evidence")}};
    }
}

Exercise exercise_with(void (*check)(Attempt&)) {
    Exercise exercise;
    exercise.name = "01-any";
    exercise.check = check;
    return exercise;
}

/// A file whose function does this.
std::string function_that(const std::string& body) {
    return "#include \"exercise.cuh\"\n#include <cassert>\n#include <cstdio>\n#include <cstdlib>\n#include "
           "<stdexcept>\n"
           "namespace {\nint answer(std::int64_t a, int b, int c, std::int64_t d) {\n" +
           body + "\n}\n}\nFLASHLENS_EXERCISE_FUNCTION(NumSplits, answer)\n";
}

/// A file whose kernel, one CTA of 32 lanes, does this to `p`.
std::string kernel_that(const std::string& body) {
    return "#include \"exercise.cuh\"\n#include \"kernels/primitives/memory.cuh\"\n"
           "namespace flashlens::FLASHLENS_MACHINE {\ninline void kernel(AttentionParams p) {\n" +
           body +
           "\n}\ninline void launch_it(const AttentionParams& p, bool, Launcher& launcher) {\n"
           "    launcher(\"mine\", kernel, Grid{1, 1, 1}, 32, 256, p);\n}\n}\n"
           "FLASHLENS_EXERCISE_KERNEL(flashlens::FLASHLENS_MACHINE::launch_it)\n";
}

/// The value of an environment variable as long as it lives.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) {
        const char* before = std::getenv(name);
        before_ = before == nullptr ? "" : before;
        was_set_ = before != nullptr;
        setenv(name, value.c_str(), 1);
    }
    ~Variable() { was_set_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::string before_;
    bool was_set_ = false;
};

}  // namespace

TEST_CASE("judge: what is right passes, what is wrong comes back with its evidence and with what held before") {
    const Desk desk;
    const Exercise exercise = exercise_with(check_function);
    const Verdict right = desk.judge(exercise, function_that("return a + b + c + d;"));
    CHECK(right.kind == Verdict::Kind::pass);
    CHECK(right.held == std::vector<Message>{as_it_is("it is there")});
    const Verdict wrong = desk.judge(exercise, function_that("std::puts(\"seen\"); return a - b;"));
    CHECK(wrong.kind == Verdict::Kind::wrong);
    CHECK(wrong.finding.id == "not-ten");
    CHECK(wrong.finding.what == Message{"it is -1", "它是 -1"});
    CHECK(wrong.finding.evidence == std::vector<Message>{as_it_is("evidence")});
    CHECK(wrong.held.size() == 1);
    CHECK(wrong.printed == "seen\n");
}

TEST_CASE("judge: a file that does not compile, and one that names nothing to run") {
    const Desk desk;
    const Exercise exercise = exercise_with(check_function);
    const Verdict broken = desk.judge(exercise, "#error not written yet\n");
    CHECK(broken.kind == Verdict::Kind::does_not_compile);
    CHECK(broken.compiler_output.find("not written yet") != std::string::npos);
    const Verdict undefined = desk.judge(exercise, "int helper(int);\n" + function_that("return helper(3);"));
    CHECK(undefined.finding.id == "undefined-function");
    CHECK(undefined.finding.what.en == "helper(int) is declared and used, and nowhere defined.");
    const Verdict empty = desk.judge(exercise, "// nothing\n");
    CHECK(empty.finding.id == "no-entry");
    CHECK(empty.held.empty());
}

TEST_CASE("judge: whatever the code does, this process goes on and says what it was") {
    const Desk desk;
    const Exercise exercise = exercise_with(check_function);
    struct Case {
        const char* body;
        const char* finding;
    };
    for (const auto& [body, finding] : {Case{"int* p = nullptr; return *(volatile int*)p;", "crash"},
                                        {"volatile int zero = 0; return b / zero;", "division-by-zero"},
                                        {"assert(a == 0); return 10;", "aborted"},
                                        {"throw 5;", "aborted"},
                                        {"throw std::runtime_error(\"mine\");", "exception"},
                                        {"std::exit(0);", "exit"},
                                        {"std::_Exit(9);", "exit"}}) {
        CAPTURE(body);
        const Verdict verdict = desk.judge(exercise, function_that(body));
        CHECK(verdict.kind == Verdict::Kind::wrong);
        CHECK(verdict.finding.id == finding);
        CHECK(verdict.finding.what.en != verdict.finding.what.zh);
    }
}

TEST_CASE("judge: a loop without end is stopped, when its time is up or nobody waits any more") {
    const Desk desk;
    const Exercise exercise = exercise_with(check_function);
    Work work = desk.work(exercise, function_that("for (volatile int i = 0;; i = i + 1) std::puts(\"again\");"));
    work.seconds_allowed = 0.5;
    const std::optional<Verdict> verdict = judge(exercise, work);
    REQUIRE(verdict);
    CHECK(verdict->finding.id == "does-not-end");
    CHECK(verdict->run_seconds < 5.0);
    CHECK(verdict->printed.size() <= 8000);
    CHECK(verdict->printed.starts_with("again\n"));
    work.stop = [] { return true; };
    CHECK_FALSE(judge(exercise, work));
}

TEST_CASE("judge: of a long line without an end its own end is kept") {
    const Desk desk;
    const Verdict verdict = desk.judge(exercise_with(check_function),
                                       function_that("for (int i = 0; i < 20000; ++i) std::printf(\"x\"); return 10;"));
    CHECK(verdict.kind == Verdict::Kind::pass);
    CHECK(verdict.printed == std::string(8000, 'x'));
}

TEST_CASE("judge: nothing temporary is left, whatever came of it") {
    const Desk desk;
    const Exercise exercise = exercise_with(check_function);
    const tests::TemporaryFolder folder;
    const Variable temporary("TMPDIR", folder.path.string());
    for (const char* body : {"return 10;", "return 10", "std::abort();"}) {
        desk.judge(exercise, function_that(body));
        CHECK(fs::is_empty(folder.path));
    }
    Work given_up = desk.work(exercise, function_that("return 10;"));
    int asked = 0;
    given_up.stop = [&] { return ++asked > 2; };  // while it compiles
    CHECK_FALSE(judge(exercise, given_up));
    CHECK(fs::is_empty(folder.path));
}

TEST_CASE("judge: no compiler, no place for temporary files: errors that say so") {
    const Desk desk;
    const Exercise exercise = exercise_with(check_function);
    Work work = desk.work(exercise, function_that("return 10;"));
    work.compiler = "/nowhere/c++";
    CHECK_THROWS_WITH_AS(judge(exercise, work), "/nowhere/c++: can't be started", Failure);
    work.compiler = "false";  // fails, and says nothing of the code
    CHECK_THROWS_WITH_AS(judge(exercise, work), "false: failed, not because of your code: ", Failure);
    work.compiler = host_compiler();
    const Variable temporary("TMPDIR", "/nowhere");
    CHECK_THROWS_WITH_AS(judge(exercise, work),
                         "/nowhere: no folder for temporary files can be made there: No such file or directory; TMPDIR "
                         "names another place",
                         Failure);
}

TEST_CASE("attempt: elements that nobody writes are told from those that are, and what is read stays as it is") {
    const Desk desk;
    const Exercise exercise = exercise_with([](Attempt& attempt) {
        const Problem problem = one_head(2, 3, false);
        const Inputs inputs = random_inputs(problem);
        const Output output = attempt.run(problem, inputs);
        const auto written = [](const std::vector<bool>& unwritten) {
            return std::count(unwritten.begin(), unwritten.end(), false);
        };
        if (written(output.o_unwritten) != 32 || written(output.lse_unwritten) != 1 || output.o_unwritten[31] ||
            !output.o_unwritten[32] || output.lse_unwritten[0] || output.o[5] != inputs.q[5] || output.lse[0] != 2.5F ||
            output.report->ctas_run != 1) {
            throw Finding{"other-elements", as_it_is("not those that the kernel writes"), {}};
        }
        all_rows_written(problem, output);
    });
    const Verdict verdict =
        desk.judge(exercise, kernel_that("    const unsigned lane = threadIdx.x;\n"
                                         "    const auto* q = static_cast<const std::uint16_t*>(p.q);\n"
                                         "    store_global(static_cast<std::uint16_t*>(p.o) + lane,\n"
                                         "                 load_global<std::uint16_t>(q + lane));\n"
                                         "    if (lane == 0) store_global(p.lse, 2.5F);"));
    CHECK_MESSAGE(verdict.finding.id == "rows-not-written", verdict.finding.what.en << verdict.compiler_output);
    CHECK(verdict.finding.what.en == "2 of 2 rows of O were never written: rows 0 to 1.");
}

TEST_CASE("attempt: an access past the end of a tensor is one out of bounds, whatever lies there") {
    const Desk desk;
    const Exercise exercise = exercise_with([](Attempt& attempt) {
        const Problem problem = one_head(2, 3, false);
        attempt.run(problem, random_inputs(problem));
    });
    for (const char* body :
         {"    store_global(static_cast<std::uint16_t*>(p.o) + 128 + threadIdx.x, std::uint16_t{1});",
          "    load_global<std::uint16_t>(static_cast<const std::uint16_t*>(p.k) + 192);"}) {
        CAPTURE(body);
        const Verdict verdict = desk.judge(exercise, kernel_that(body));
        CHECK_MESSAGE(verdict.finding.id == "out-of-bounds", verdict.compiler_output);
    }
    const Verdict written = desk.judge(
        exercise,
        kernel_that("    store_global(static_cast<std::uint16_t*>(const_cast<void*>(p.q)), std::uint16_t{1});"));
    CHECK(written.finding.what.en.find("writes Q, which is an input") != std::string::npos);
}
