// Exercises as text: what is asked, what came of an attempt, hints, the solution, and how far somebody is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "practice/exercise.h"
#include "practice/folder.h"
#include "practice/verdict.h"
#include "report/language.h"
#include "report/terminal.h"

namespace flashlens::report {

/// An exercise as somebody meets it.
struct PracticePage {
    const practice::Exercise* exercise = nullptr;
    practice::Statement statement{};
    practice::State state = practice::State::untouched;
    std::string file{};     ///< the learner's: its path
    std::string code{};     ///< and what is in it
    std::string command{};  ///< that judges it: "flashlens practice 3", with --folder where it must be
    std::size_t hints_taken = 0;
    bool keys = false;  ///< whoever shows it says what to press, so no command is named
};

/// How far somebody is with all of them.
struct PracticeProgress {
    int passed = 0;
    int all = 0;
    std::string next{};          ///< the title of what comes next; empty: all are passed
    std::string next_command{};  ///< "flashlens practice 4"
};

/// A row of the list.
struct PracticeRow {
    std::string name{};  ///< "03-online-softmax"
    std::string title{};
    practice::State state = practice::State::untouched;
    std::string passed_at{};
    std::size_t hints_taken = 0;
    std::size_t hints = 0;
};

using Lines = std::vector<std::string>;

Lines practice_task(const PracticePage& page, Language language, const Terminal& terminal);
/// Those taken so far.
Lines practice_hints(const PracticePage& page, Language language, const Terminal& terminal);
Lines practice_solution(const PracticePage& page, Language language, const Terminal& terminal);
Lines practice_verdict(const PracticePage& page, const practice::Verdict& verdict, const PracticeProgress& progress,
                       Language language, const Terminal& terminal);
/// How many have passed, and what comes next.
Lines practice_progress(const PracticeProgress& progress, Language language, const Terminal& terminal);
std::string practice_list(const std::vector<PracticeRow>& rows, Language language, const Terminal& terminal);

/// What was asked of an exercise, and its answer; the same keys whatever was asked.
struct PracticeAnswer {
    PracticePage page{};
    PracticeProgress progress{};
    std::optional<practice::Verdict> verdict{};  ///< it was judged
    bool on_gpu = false;
    bool shows_task = false;
    bool shows_hints = false;
    bool shows_solution = false;
};
std::string practice_to_json(const PracticeAnswer& answer, Language language);
std::string practice_list_to_json(const std::vector<PracticeRow>& rows, const PracticeProgress& progress,
                                  const std::string& folder, Language language);

/// Lessons that it speaks of ("lesson 2", "第 2 课"), but for its hints: in order, each once.
std::vector<int> lessons_named(const practice::Statement& statement);

}  // namespace flashlens::report
