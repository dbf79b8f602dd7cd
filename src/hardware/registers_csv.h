// registers.csv as text; the .cpp is generated when the program is built (embed_text.cmake).
#pragma once

#include <string_view>

namespace flashlens::hardware {

std::string_view registers_csv();

}  // namespace flashlens::hardware
