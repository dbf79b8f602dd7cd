// What a learner's file is compiled with.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "practice/judge.h"

namespace flashlens::practice {

/// What the host compiler is told of an exercise's file, but for the folder of headers: an editor may be told the same.
extern const std::array<const char*, 7> compile_flags;

/// The words of the command that compiles the file into a library, in the file's folder.
std::vector<std::string> compile_command(const Work& work, const std::filesystem::path& library);

/// The host compiler to take: the one that built this program where it is still there (what it makes fits this program),
/// else the first of c++, g++, clang++ on PATH. Throws Failure, which says what to install.
std::string host_compiler();

/// nvcc, on PATH or where the CUDA toolkit puts it. Throws Failure.
std::string cuda_compiler();

}  // namespace flashlens::practice
