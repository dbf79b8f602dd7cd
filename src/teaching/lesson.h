// The lessons, as they were when the program was built.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bilingual.h"
#include "embedded_text.h"

namespace flashlens::teaching {

/// lessons/en/*.md and lessons/zh/*.md, and the lecture's scripts.
std::span<const EmbeddedText> lesson_texts();

struct Lesson {
    int number = 0;
    std::string title{};
    std::string question{};   ///< what its first paragraph asks
    std::string_view path{};  ///< from the project's root: "lessons/en/7-where-v2-wins.md"
    std::string_view markdown{};
};

/// Those of a language, in order.
std::vector<Lesson> lessons(Language language);

}  // namespace flashlens::teaching
