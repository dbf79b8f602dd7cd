#pragma once

#include "embedded_text.h"

namespace flashlens::hardware {

/// registers.csv alone.
std::span<const EmbeddedText> registers_csv();

}  // namespace flashlens::hardware
