#pragma once

#include "embedded_text.h"

namespace flashlens::teaching {

/// The kernels' files, as built: what `source` shows is what runs.
std::span<const EmbeddedText> kernel_texts();

}  // namespace flashlens::teaching
