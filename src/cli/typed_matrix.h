// Matrices typed on the command line.
#pragma once

#include <string_view>

#include "teaching/walk.h"

namespace flashlens::cli {

/// "0 5; 1 -inf": rows with semicolons between them, numbers with blanks or commas. Only where `minus_inf` is true may a
/// number be -inf; all others are finite in fp16, and come out as it rounds them. Throws UsageError for anything else.
teaching::Matrix typed_matrix(std::string_view option, std::string_view text, bool minus_inf);

}  // namespace flashlens::cli
