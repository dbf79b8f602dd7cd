// What the parts of a line of CUDA C++ are, for colouring it: of lines as the kernels have them, without block comments or
// strings that go over several lines.
#pragma once

#include <string_view>
#include <vector>

namespace flashlens::report {

enum class Token { plain, keyword, type, number, string, comment, preprocessor };

/// One for each byte of `line`. Types are what C++ and the kernels have built in, and names that start with a capital, as
/// all types of the project do, and T; longer names in capitals alone are macros.
std::vector<Token> tokens(std::string_view line);

}  // namespace flashlens::report
