#pragma once

#include "embedded_text.h"

namespace flashlens::practice {

/// The files of lessons/exercises, and of src/simt what a kernel includes; as built.
std::span<const EmbeddedText> exercise_texts();

}  // namespace flashlens::practice
