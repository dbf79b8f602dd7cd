// 16-bit floating-point numbers, rounded and widened without help from the processor. Round to nearest, ties to even;
// what is too large becomes infinite; a NaN stays a NaN (and becomes the one that a GPU makes, 0x7FFF).
#pragma once

#include <bit>
#include <cstdint>

namespace flashlens::simt {

inline std::uint16_t to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7FFFFFFF) > 0x7F800000) {
        return 0x7FFF;
    }
    return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

inline float from_bf16(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

inline std::uint16_t to_fp16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000;
    const std::uint32_t magnitude = bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) {
        return 0x7FFF;
    }
    if (magnitude >= 0x47800000) {  // 65536 and up; 65520..65535 round up to infinity below
        return static_cast<std::uint16_t>(sign | 0x7C00);
    }
    if (magnitude < 0x38800000) {
        // Below 2^-14 fp16 has steps of 2^-24. Adding 0.5 puts that step at the last bit of an fp32, which rounds
        // there.
        const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
        return static_cast<std::uint16_t>(sign |
                                          (std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5F)));
    }
    const std::uint32_t rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1);
    return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

inline float from_fp16(std::uint16_t bits) {
    const std::uint32_t sign = std::uint32_t{bits & 0x8000U} << 16;
    const std::uint32_t magnitude = bits & 0x7FFFU;
    if (magnitude >= 0x7C00) {  // infinity, NaN
        return std::bit_cast<float>(sign | 0x7F800000 | (magnitude & 0x3FF) << 13);
    }
    // As an fp32 with the exponent 112 too small; the product with 2^112 is exact, subnormal numbers included.
    const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(scaled));
}

}  // namespace flashlens::simt
