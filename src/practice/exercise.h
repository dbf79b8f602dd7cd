// The exercises of lessons/exercises, as they were when the program was built.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bilingual.h"
#include "embedded_text.h"
#include "teaching/document.h"

namespace flashlens::practice {

class Attempt;

struct Exercise {
    int number = 0;
    std::string_view name{};      ///< "08-running-maximum": of its folder, and of the learner's file but for .cu
    std::string_view given{};     ///< the file to edit, as it is handed out
    std::string_view solution{};  ///< one that passes
    bool runs_on_gpu = false;     ///< it has a kernel; others are functions of the host alone
    /// Tries what the learner wrote, and throws a Finding at the first thing that is not right.
    void (*check)(Attempt&) = nullptr;
};

/// All of them, by number: 1, 2, 3, ...
std::span<const Exercise> exercises();

/// What lessons/exercises/NN-name/en.md or zh.md says of it.
struct Statement {
    std::string title{};
    std::vector<teaching::Block> task{};
    std::vector<std::vector<teaching::Block>> hints{};  ///< each says more than the one before
    std::vector<teaching::Block> after{};               ///< to be read beside the solution
};

Statement statement(const Exercise& exercise, Language language);

/// What an exercise's file includes, each by its path: "exercise.cuh", "kernels/v2/kernel.cuh", "simt/launch.h".
std::vector<EmbeddedText> exercise_headers();

}  // namespace flashlens::practice
