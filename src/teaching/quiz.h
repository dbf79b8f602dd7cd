// Questions for somebody who prepares for an interview: what they are, and how those of lessons/quiz are read. The numbers
// of others are drawn (quiz_numbers.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bilingual.h"

namespace flashlens::teaching {

enum class QuizKind {
    choice,  ///< one of the options
    number,  ///< drawn and computed
    line,    ///< which line of the code is wrong
    run,     ///< a figure of what a command prints
    open,    ///< a model answer, and points that one gives oneself
};

/// "choice", "number", ...
std::string_view name_of(QuizKind kind);

enum class QuizUnit { count, bytes, percent, flop, tflops, real };

struct QuizOption {
    std::string text;
    bool right = false;
};

struct QuizFollowUp {
    std::string question;
    std::string answer;
};

/// In one language. What a kind does not have is empty.
struct QuizQuestion {
    std::string id;     ///< "splits-2"
    std::string topic;  ///< "splits"
    int level = 1;      ///< 1 to 3
    QuizKind kind = QuizKind::choice;
    std::string text;  ///< paragraphs with an empty line between them
    std::vector<std::string> code;
    std::vector<QuizOption> options;
    int right_line = 0;          ///< of the code, from 1
    std::string figure;          ///< run: a field of what the command says with --json -, as "v2.ctas"
    std::string figure_command;  ///< run
    double value = 0.0;          ///< number: what is right; run: once the command has run
    double tolerance = 0.0;      ///< a share of the value
    QuizUnit unit = QuizUnit::count;
    std::string why;
    std::string model;  ///< open
    std::vector<QuizFollowUp> follow_ups;
    std::vector<std::string> grades;  ///< open: a point each
    std::string show;                 ///< the command that shows it
    std::vector<int> read;            ///< numbers of lessons
    /// Of drawn numbers: everything that the answer follows from, by name.
    std::vector<std::pair<std::string, double>> drawn;
};

/// "grid", "splits", ...: in the order of the kernels' story.
std::span<const std::string_view> quiz_topics();

/// The questions of a file as lessons/README.md describes them. Its name says the topic: lessons/quiz/en/TOPIC.md. Throws
/// Failure, "FILE:LINE: what is wrong".
std::vector<QuizQuestion> parse_quiz(std::string_view path, std::string_view text);

/// Those of the files that were there when the program was built, by topic.
std::vector<QuizQuestion> quiz_questions(Language language);

/// What is asked for by a figure of this name: "smem_bytes" is in bytes, "sm_fill" a share.
QuizUnit unit_of_figure(std::string_view figure);

}  // namespace flashlens::teaching
