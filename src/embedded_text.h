#pragma once

#include <span>
#include <string_view>

namespace flashlens {

/// A file of the project as it was when the program was built (cmake/FlashlensEmbed.cmake).
struct EmbeddedText {
    std::string_view path;  ///< from the project's root: "kernels/v1/kernel.cuh"
    std::string_view text;
};

}  // namespace flashlens
