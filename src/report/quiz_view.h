// The quiz as text: a question, what came of the answer, and the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/language.h"
#include "report/terminal.h"
#include "teaching/quiz.h"

namespace flashlens::report {

/// A question that was asked, and what came of it.
struct QuizOutcome {
    teaching::QuizQuestion question;
    std::string given;                           ///< as typed
    std::vector<std::string> follow_up_answers;  ///< of a mock interview
    double points = 0.0;                         ///< 0 to 1
    bool understood = true;                      ///< what was typed is an answer at all
};

/// Below this share of an open question's points it counts as missed.
inline constexpr double quiz_passed = 0.5;

struct QuizRun {
    std::uint64_t seed = 0;
    bool mock = false;
    std::size_t planned = 0;  ///< questions; fewer were asked when the input ended
    std::vector<QuizOutcome> asked;
};

std::string quiz_head(const QuizRun& run, Language language, const Terminal& terminal);
std::string quiz_question(const teaching::QuizQuestion& question, std::size_t number, std::size_t count,
                          Language language, const Terminal& terminal);
/// What stands before the place to type: says what is taken.
std::string quiz_prompt(const teaching::QuizQuestion& question, Language language);
/// Right or wrong, what is right, why, and what shows it.
std::string quiz_verdict(const QuizOutcome& outcome, Language language, const Terminal& terminal);
/// Of an open question: the model answer and the points to give oneself.
std::string quiz_model(const teaching::QuizQuestion& question, Language language, const Terminal& terminal);
/// The score, and what to read of what was missed.
std::string quiz_summary(const QuizRun& run, Language language, const Terminal& terminal);
/// A text in lines, the first one after `first`, the others indented as far.
std::string quiz_lines(const std::string& text, const std::string& first, const Terminal& terminal);

std::string quiz_to_json(const QuizRun& run, Language language);

}  // namespace flashlens::report
