// From a learner's file to a verdict.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "practice/exercise.h"
#include "practice/verdict.h"

namespace flashlens::practice {

enum class Machine { cpu, gpu };

/// What the host compiler is told of an exercise's file, but for the folder of headers: an editor may be told the same.
extern const std::array<const char*, 7> compile_flags;

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

/// The words of the command that compiles the file into a library, in the file's folder.
std::vector<std::string> compile_command(const Work& work, const std::filesystem::path& library);

/// The host compiler to take: the one that built this program where it is still there (what it makes fits this program),
/// else the first of c++, g++, clang++ on PATH. Throws Failure, which says what to install.
std::string host_compiler();

/// nvcc, on PATH or where the CUDA toolkit puts it. Throws Failure.
std::string cuda_compiler();

}  // namespace flashlens::practice
