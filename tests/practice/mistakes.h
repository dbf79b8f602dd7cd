// Typical mistakes, as changes to the solutions: tests/practice/mistakes/NN-name.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flashlens::practice_tests {

/// Lines of the solution that stand there once, and what stands there instead.
struct Change {
    std::string from;
    std::string to;
};

struct TypicalMistake {
    std::string finding;  ///< the id of what has to be said
    std::string about;
    std::vector<Change> changes;
};

/// What is expected of an exercise.
///
///     given: rescale-missing              what is said of the file as it is handed out
///     == rescale-inverse: upside down     a mistake: the finding, and what it is
///     -            const f32 rescale = exp2((m_old - m_safe) * c);
///     +            const f32 rescale = exp2((m_safe - m_old) * c);
///
/// Lines that begin with - are looked for in the solution, as they follow each other, and give way to those with + after
/// them; there may be several such pairs. Other lines are blank or begin with #.
struct Expected {
    std::string given;
    std::vector<TypicalMistake> mistakes;
};

/// Throws std::runtime_error, "line 3: ...", for what is not written like this.
Expected parse_expected(std::string_view text);

/// Throws std::runtime_error where a change's lines are not there exactly once.
std::string with_mistake(std::string solution, const TypicalMistake& mistake);

}  // namespace flashlens::practice_tests
