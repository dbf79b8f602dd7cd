// From a learner's file to a verdict.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "practice/exercise.h"
#include "practice/verdict.h"

namespace flashlens::practice {

enum class Machine { cpu, gpu };

struct Work {
    std::filesystem::path file{};     ///< the learner's
    std::filesystem::path headers{};  ///< a folder that holds exercise_headers()
    Machine machine = Machine::cpu;
    std::string compiler{};                   ///< host_compiler(), or cuda_compiler() for a GPU
    std::string gpu_architecture = "native";  ///< what nvcc compiles for: the card that is here, or "sm_90"
    /// A run that takes longer is stopped: it does not end.
    double seconds_allowed = 30.0;
    /// Asked some times a second, from this thread; true: the attempt is given up.
    std::function<bool()> stop{};
};

/// Compiles the file and runs the exercise's check on it, in a process of its own: whatever the learner's code does, this
/// one goes on. Nothing where `stop` said so. Throws Failure where the compiler can't be started, does not end or fails by
/// itself, where there is no room for temporary files, and where there is no GPU to run on.
std::optional<Verdict> judge(const Exercise& exercise, const Work& work);

}  // namespace flashlens::practice
