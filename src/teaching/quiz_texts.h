#pragma once

#include "embedded_text.h"

namespace flashlens::teaching {

/// The files of lessons/quiz, as built.
std::span<const EmbeddedText> quiz_texts();

}  // namespace flashlens::teaching
