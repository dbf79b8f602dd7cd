// Reading what somebody answers, strictly, and judging it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "teaching/quiz.h"

namespace flashlens::teaching {

/// A number as typed: its value in the question's base unit, and how far off its own rounding may be. Only what has three
/// significant digits or more, and a unit with a prefix or a decimal point, counts as rounded: 36.1 KiB, 5.44 M, 59.3 %.
struct QuizNumber {
    double value = 0.0;
    double rounding = 0.0;
};

/// "1,234", "1234", "12.5", "1e6"; commas only where thousands have them. Then, with or without a blank, a unit:
/// count: none, K, M, G or T; bytes: none, B, bytes, KB, MB, GB (10^3 ...), KiB, MiB, GiB; percent: none or %;
/// flop: none, K, M, G, T or P, each with or without FLOP or FLOPs; tflops: none, TFLOP/s or TFLOPS; real: none.
std::optional<QuizNumber> read_number(std::string_view text, QuizUnit unit);

/// A letter, upper or lower case, to the index of an option.
std::optional<std::size_t> read_letter(std::string_view text, std::size_t options);

/// Digits alone, first .. last.
std::optional<int> read_index(std::string_view text, int first, int last);

/// Within the tolerance, or within the rounding of what was typed.
bool is_right(const QuizQuestion& question, const QuizNumber& answer);

/// Judges an answer to anything but an open question: nothing where it can't be read.
std::optional<bool> judge(const QuizQuestion& question, std::string_view answer);

/// What to type for all points: "b", "3", "49152".
std::string right_answer(const QuizQuestion& question);

}  // namespace flashlens::teaching
