// Questions for a number: the shape and the card are drawn, the answer comes from the same code that explain uses.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "teaching/quiz.h"
#include "teaching/quiz_draw.h"

namespace flashlens::teaching {

struct QuizGenerator {
    std::string_view id;  ///< "splits-n1"; those of files have no n
    std::string_view topic;
    int level;
    void (*make)(Draw& draw, Language language, QuizQuestion& question);
};

std::span<const QuizGenerator> quiz_generators();

/// The question that a generator makes of a seed: the same numbers in both languages.
QuizQuestion drawn_question(const QuizGenerator& generator, std::uint64_t seed, Language language);

}  // namespace flashlens::teaching
