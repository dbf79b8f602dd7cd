// The lecture: a script in steps, as it was when the program was built (lessons/lecture/en.md and zh.md).
#pragma once

#include <string>
#include <vector>

#include "bilingual.h"
#include "teaching/document.h"

namespace flashlens::teaching {

/// What is shown at a time, and what is said to it.
struct LectureStep {
    std::string title{};
    std::vector<Block> text{};            ///< the lines that are seen: paragraphs and lists
    std::vector<std::string> commands{};  ///< what they print is shown below
    std::vector<Block> figures{};         ///< tables and code, below that
    std::vector<Block> notes{};           ///< what is said
    int seconds = 0;                      ///< how long that takes
};

struct Lecture {
    std::string title;
    std::vector<LectureStep> steps;
};

/// In a script, "# " is the title, "## " begins a step, a block marked sh has the commands, and a quote the notes; its
/// first words, in bold, say the seconds: "> **40 s.** ...".
Lecture read_lecture(std::string_view markdown);

Lecture lecture(Language language);

}  // namespace flashlens::teaching
