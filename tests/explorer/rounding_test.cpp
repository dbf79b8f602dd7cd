// Rounding numbers to fp16 and bf16, and back.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "explorer/inputs.h"

namespace flashlens {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// The word's value from its fields, as IEEE 754 has it: fp16 has 5 exponent and 10 fraction bits, bf16 has 8 and 7.
double from_fields(unsigned word, DType dtype) {
    const int fraction_bits = dtype == DType::fp16 ? 10 : 7;
    const int exponent_bits = 15 - fraction_bits;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = static_cast<int>(word >> fraction_bits) & ((1 << exponent_bits) - 1);
    const int fraction = static_cast<int>(word) & ((1 << fraction_bits) - 1);
    const double sign = (word & 0x8000U) != 0 ? -1.0 : 1.0;
    if (exponent == (1 << exponent_bits) - 1) {
        return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * inf;
    }
    const int significand = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
    return sign * std::ldexp(significand, std::max(exponent, 1) - bias - fraction_bits);
}

/// Checks every pair of neighbouring words: each value, their midpoint, and the doubles next to the midpoint.
void check_all_words(DType dtype, unsigned largest_finite) {
    int wrong = 0;
    for (unsigned word = 0; word <= largest_finite; ++word) {
        const double low = from_fields(word, dtype);
        // Past the largest finite number the next would-be number, and infinity's word, are what rounding aims at.
        const double high =
            word < largest_finite ? from_fields(word + 1, dtype) : 2 * low - from_fields(word - 1, dtype);
        const double middle = (low + high) / 2;
        const unsigned even = word % 2 == 0 ? word : word + 1;
        wrong += widen(static_cast<std::uint16_t>(word), dtype) != low ? 1 : 0;
        wrong += widen(static_cast<std::uint16_t>(word | 0x8000U), dtype) != -low ? 1 : 0;
        wrong += round_to(low, dtype) != word ? 1 : 0;
        wrong += round_to(-low, dtype) != (word | 0x8000U) ? 1 : 0;
        wrong += round_to(middle, dtype) != even ? 1 : 0;
        wrong += round_to(-middle, dtype) != (even | 0x8000U) ? 1 : 0;
        wrong += round_to(std::nextafter(middle, 0.0), dtype) != word ? 1 : 0;
        wrong += round_to(std::nextafter(middle, inf), dtype) != word + 1 ? 1 : 0;
        wrong += round_to(-std::nextafter(middle, inf), dtype) != (word + 1) + 0x8000U ? 1 : 0;
    }
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("fp16: every value, every tie, and the doubles beside every tie") {
    check_all_words(DType::fp16, 0x7BFF);
}

TEST_CASE("bf16: every value, every tie, and the doubles beside every tie") {
    check_all_words(DType::bf16, 0x7F7F);
}

TEST_CASE("known words") {
    CHECK(widen(round_to(3.14, DType::bf16), DType::bf16) == 3.140625);
    CHECK(round_to(0x1p-15, DType::fp16) == 0x0200);
    CHECK(round_to(65520.0, DType::fp16) == 0x7C00);
    CHECK(widen(round_to(65519.99, DType::fp16), DType::fp16) == 65504.0);
    CHECK(round_to(-0.0, DType::fp16) == 0x8000);
    CHECK(round_to(1e300, DType::bf16) == 0x7F80);
    CHECK(round_to(-1e300, DType::fp16) == 0xFC00);
    CHECK(round_to(1e-300, DType::fp16) == 0x0000);
    CHECK(round_to(-1e-300, DType::bf16) == 0x8000);
    CHECK(round_to(inf, DType::fp16) == 0x7C00);
    CHECK(round_to(-inf, DType::bf16) == 0xFF80);
}

TEST_CASE("one rounding, not two") {
    // 1 + 2^-11 + 2^-40: through fp32 it would become the tie 1 + 2^-11 and then 1.
    CHECK(round_to(1.0 + 0x1p-11 + 0x1p-40, DType::fp16) == 0x3C01);
    CHECK(round_to(1.0 + 0x1p-11 - 0x1p-40, DType::fp16) == 0x3C00);
    CHECK(round_to(1.0 + 0x3p-11 - 0x1p-40, DType::fp16) == 0x3C01);
    CHECK(round_to(1.0 + 0x1p-8 + 0x1p-40, DType::bf16) == 0x3F81);
    CHECK(round_to(1.0 + 0x3p-8 - 0x1p-40, DType::bf16) == 0x3F81);
    CHECK(round_to(65520.0 - 1e-9, DType::fp16) == 0x7BFF);
}

TEST_CASE("a NaN stays one, whatever its payload") {
    // Cutting 0x7FFF8C22 to 16 bits after adding half a step would carry into the sign: -0.
    for (const std::uint32_t bits : {0x7FFF8C22U, 0x7F800001U, 0xFF800001U, 0xFFFFFFFFU, 0x7FC00000U}) {
        const auto value = static_cast<double>(std::bit_cast<float>(bits));
        for (const DType dtype : {DType::fp16, DType::bf16}) {
            CHECK(std::isnan(widen(round_to(value, dtype), dtype)));
        }
    }
    for (unsigned word = 0; word <= 0xFFFF; ++word) {
        for (const DType dtype : {DType::fp16, DType::bf16}) {
            if (std::isnan(from_fields(word, dtype)) != std::isnan(widen(static_cast<std::uint16_t>(word), dtype))) {
                FAIL("word " << word);
            }
        }
    }
}

}  // namespace flashlens
