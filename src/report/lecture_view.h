// A step of the lecture on a screen.
#pragma once

#include <string>
#include <vector>

#include "report/language.h"
#include "report/terminal.h"
#include "teaching/lecture.h"

namespace flashlens::report {

/// What a command of a step printed.
struct Printed {
    std::string command;
    std::vector<std::string> lines;
};

/// Title and place ("3/21"), the step's text in bold, what its commands printed, its tables, and with `notes` what is
/// said. Lines of at most the terminal's width, but for what the commands printed.
std::vector<std::string> lecture_screen(const teaching::Lecture& lecture, std::size_t step,
                                        const std::vector<Printed>& printed, bool notes, Language language,
                                        const Terminal& terminal);

}  // namespace flashlens::report
