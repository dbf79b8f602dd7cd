// What is said of an attempt at an exercise.
#pragma once

#include <string>
#include <vector>

#include "message.h"

namespace flashlens::practice {

/// What is wrong, in the problem's words.
struct Finding {
    std::string id{};  ///< a stable name of the mistake: "rescale-missing"
    Message what{};    ///< a sentence that names it: which rows, since which key block, what instead of what
    /// What that is known from: figures, lines of the file; a line each.
    std::vector<Message> evidence{};
};

struct Verdict {
    enum class Kind {
        pass,
        wrong,             ///< it ran, and the finding says what is not right
        does_not_compile,  ///< compiler_output says why
    };
    Kind kind = Kind::wrong;
    Finding finding{};              ///< wrong
    std::vector<Message> held{};    ///< what was found right, a line each: all of it, or up to what is wrong
    std::string compiler_output{};  ///< its errors, as it wrote them
    std::string printed{};          ///< what the learner's code printed (its end, where that is long)
    double compile_seconds = 0.0;
    double run_seconds = 0.0;
};

}  // namespace flashlens::practice
