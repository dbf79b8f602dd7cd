#include "simt/matrix.h"

#include <bit>
#include <cmath>

#include "simt/rounding.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace flashlens::simt {
namespace {

enum class Type { fp16, bf16 };

float canonical(float value) {
    return std::isnan(value) ? std::bit_cast<float>(0x7FFFFFFFU) : value;
}

/// depth: 16, or 8.
template <Type type, unsigned depth = 16>
void mma_portable(const MatrixOperands& operands) {
    const auto widen = [](std::uint32_t half) {
        const auto bits = static_cast<std::uint16_t>(half);
        return type == Type::fp16 ? from_fp16(bits) : from_bf16(bits);
    };
    float a[16][16];
    float b[16][8];
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned g = lane / 4;
        const unsigned t = lane % 4;
        for (unsigned i = 0; i < depth / 4; ++i) {
            const std::uint32_t pair = operands.a[lane][i];
            float* element = &a[g + i % 2 * 8][2 * t + i / 2 * 8];
            element[0] = widen(pair & 0xFFFF);
            element[1] = widen(pair >> 16);
        }
        for (unsigned i = 0; i < depth / 8; ++i) {
            const std::uint32_t pair = operands.b[lane][i];
            b[2 * t + 8 * i][g] = widen(pair & 0xFFFF);
            b[2 * t + 8 * i + 1][g] = widen(pair >> 16);
        }
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned i = 0; i < 4; ++i) {
            const unsigned row = lane / 4 + i / 2 * 8;
            const unsigned column = lane % 4 * 2 + i % 2;
            float sum = operands.d[lane][i];
            for (unsigned k = 0; k < depth; ++k) {
                // fp16 products are exact in fp32; bf16 ones are too, until they leave its range.
                sum = type == Type::fp16 ? sum + a[row][k] * b[k][column] : std::fma(a[row][k], b[k][column], sum);
            }
            operands.d[lane][i] = canonical(sum);
        }
    }
}

#if defined(__x86_64__)
#define FLASHLENS_AVX2 __attribute__((target("avx2,fma,f16c")))

template <Type type>
FLASHLENS_AVX2 inline __m256 widen(__m128i halves) {
    if constexpr (type == Type::fp16) {
        return _mm256_cvtph_ps(halves);
    } else {
        return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
    }
}

/// A lane's registers of A: four, or two.
template <unsigned depth>
FLASHLENS_AVX2 inline __m128i load(const std::uint32_t* registers) {
    const auto* from = reinterpret_cast<const __m128i*>(registers);
    return depth == 16 ? _mm_loadu_si128(from) : _mm_loadl_epi64(from);
}

/// A as 16 rows of 16 floats (of m16n8k8 8, and the others are not written). Four lanes of a row group hold, register by
/// register, 8 neighbouring elements of a row.
template <Type type, unsigned depth>
FLASHLENS_AVX2 inline void gather_a(const MatrixOperands& operands, float (&a)[16][16]) {
    for (unsigned g = 0; g < 8; ++g) {
        const __m128i t0 = load<depth>(operands.a[4 * g]);
        const __m128i t1 = load<depth>(operands.a[4 * g + 1]);
        const __m128i t2 = load<depth>(operands.a[4 * g + 2]);
        const __m128i t3 = load<depth>(operands.a[4 * g + 3]);
        const __m128i low01 = _mm_unpacklo_epi32(t0, t1);
        const __m128i low23 = _mm_unpacklo_epi32(t2, t3);
        _mm256_store_ps(&a[g][0], widen<type>(_mm_unpacklo_epi64(low01, low23)));
        _mm256_store_ps(&a[g + 8][0], widen<type>(_mm_unpackhi_epi64(low01, low23)));
        if (depth == 8) {
            continue;
        }
        const __m128i high01 = _mm_unpackhi_epi32(t0, t1);
        const __m128i high23 = _mm_unpackhi_epi32(t2, t3);
        _mm256_store_ps(&a[g][8], widen<type>(_mm_unpacklo_epi64(high01, high23)));
        _mm256_store_ps(&a[g + 8][8], widen<type>(_mm_unpackhi_epi64(high01, high23)));
    }
}

/// Eight rows of eight 16-bit elements, transposed.
FLASHLENS_AVX2 inline void transpose(__m128i (&rows)[8]) {
    __m128i pairs[8];
    __m128i quads[8];
    for (unsigned i = 0; i < 4; ++i) {
        pairs[2 * i] = _mm_unpacklo_epi16(rows[2 * i], rows[2 * i + 1]);
        pairs[2 * i + 1] = _mm_unpackhi_epi16(rows[2 * i], rows[2 * i + 1]);
    }
    for (unsigned i = 0; i < 2; ++i) {
        quads[4 * i] = _mm_unpacklo_epi32(pairs[4 * i], pairs[4 * i + 2]);
        quads[4 * i + 1] = _mm_unpackhi_epi32(pairs[4 * i], pairs[4 * i + 2]);
        quads[4 * i + 2] = _mm_unpacklo_epi32(pairs[4 * i + 1], pairs[4 * i + 3]);
        quads[4 * i + 3] = _mm_unpackhi_epi32(pairs[4 * i + 1], pairs[4 * i + 3]);
    }
    for (unsigned i = 0; i < 4; ++i) {
        rows[2 * i] = _mm_unpacklo_epi64(quads[i], quads[i + 4]);
        rows[2 * i + 1] = _mm_unpackhi_epi64(quads[i], quads[i + 4]);
    }
}

/// B as 16 rows (k) of 8 floats (of m16n8k8 8 rows). The four lanes of a group hold a column.
template <Type type, unsigned depth>
FLASHLENS_AVX2 inline void gather_b(const MatrixOperands& operands, float (&b)[16][8]) {
    __m128i first[8];   // column by column, k = 0..7
    __m128i second[8];  // k = 8..15
    for (unsigned g = 0; g < 8; ++g) {
        const auto pair = [&](unsigned t) {
            const std::uint32_t* from = operands.b[4 * g + t];
            return depth == 16 ? _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))
                               : _mm_cvtsi32_si128(static_cast<int>(*from));
        };
        const __m128i t01 = _mm_unpacklo_epi32(pair(0), pair(1));
        const __m128i t23 = _mm_unpacklo_epi32(pair(2), pair(3));
        first[g] = _mm_unpacklo_epi64(t01, t23);
        second[g] = _mm_unpackhi_epi64(t01, t23);
    }
    transpose(first);
    for (unsigned k = 0; k < 8; ++k) {
        _mm256_store_ps(b[k], widen<type>(first[k]));
    }
    if (depth == 16) {
        transpose(second);
        for (unsigned k = 0; k < 8; ++k) {
            _mm256_store_ps(b[k + 8], widen<type>(second[k]));
        }
    }
}

template <Type type, unsigned depth = 16>
FLASHLENS_AVX2 void mma_avx2(const MatrixOperands& operands) {
    alignas(32) float a[16][16];
    alignas(32) float b[16][8];
    gather_a<type, depth>(operands, a);
    gather_b<type, depth>(operands, b);

    __m256 low[8];   // rows 0..7 of D
    __m256 high[8];  // rows 8..15
    for (unsigned g = 0; g < 8; ++g) {
        const __m128 t0 = _mm_loadu_ps(operands.d[4 * g]);
        const __m128 t1 = _mm_loadu_ps(operands.d[4 * g + 1]);
        const __m128 t2 = _mm_loadu_ps(operands.d[4 * g + 2]);
        const __m128 t3 = _mm_loadu_ps(operands.d[4 * g + 3]);
        low[g] = _mm256_set_m128(_mm_movelh_ps(t2, t3), _mm_movelh_ps(t0, t1));
        high[g] = _mm256_set_m128(_mm_movehl_ps(t3, t2), _mm_movehl_ps(t1, t0));
    }
    for (unsigned k = 0; k < depth; ++k) {
        const __m256 row = _mm256_load_ps(b[k]);
        for (unsigned g = 0; g < 8; ++g) {
            low[g] = _mm256_fmadd_ps(_mm256_broadcast_ss(&a[g][k]), row, low[g]);
        }
    }
    for (unsigned k = 0; k < depth; ++k) {
        const __m256 row = _mm256_load_ps(b[k]);
        for (unsigned g = 0; g < 8; ++g) {
            high[g] = _mm256_fmadd_ps(_mm256_broadcast_ss(&a[g + 8][k]), row, high[g]);
        }
    }
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FFFFFFF));
    for (unsigned g = 0; g < 8; ++g) {
        const __m256 l = _mm256_blendv_ps(low[g], nan, _mm256_cmp_ps(low[g], low[g], _CMP_UNORD_Q));
        const __m256 h = _mm256_blendv_ps(high[g], nan, _mm256_cmp_ps(high[g], high[g], _CMP_UNORD_Q));
        const __m128 l01 = _mm256_castps256_ps128(l);
        const __m128 l23 = _mm256_extractf128_ps(l, 1);
        const __m128 h01 = _mm256_castps256_ps128(h);
        const __m128 h23 = _mm256_extractf128_ps(h, 1);
        _mm_storeu_ps(operands.d[4 * g], _mm_movelh_ps(l01, h01));
        _mm_storeu_ps(operands.d[4 * g + 1], _mm_movehl_ps(h01, l01));
        _mm_storeu_ps(operands.d[4 * g + 2], _mm_movelh_ps(l23, h23));
        _mm_storeu_ps(operands.d[4 * g + 3], _mm_movehl_ps(h23, l23));
    }
}

FLASHLENS_AVX2 std::uint32_t pack_fp16_f16c(float low, float high) {
    const __m128 values = _mm_setr_ps(low, high, 0.0F, 0.0F);
    const auto packed = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT)));
    if (low != low || high != high) [[unlikely]] {
        return pack_fp16_portable(low, high);
    }
    return packed;
}

/// Every processor with AVX2 has F16C, for which Clang has no name here.
bool has_avx2() {
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}
#endif

}  // namespace

void mma_fp16_portable(const MatrixOperands& operands) {
    mma_portable<Type::fp16>(operands);
}

void mma_bf16_portable(const MatrixOperands& operands) {
    mma_portable<Type::bf16>(operands);
}

void mma_k8_fp16_portable(const MatrixOperands& operands) {
    mma_portable<Type::fp16, 8>(operands);
}

std::uint32_t pack_fp16_portable(float low, float high) {
    return to_fp16(low) | std::uint32_t{to_fp16(high)} << 16;
}

MatrixFunction mma_fp16() {
#if defined(__x86_64__)
    if (has_avx2()) {
        return mma_avx2<Type::fp16>;
    }
#endif
    return mma_fp16_portable;
}

MatrixFunction mma_bf16() {
#if defined(__x86_64__)
    if (has_avx2()) {
        return mma_avx2<Type::bf16>;
    }
#endif
    return mma_bf16_portable;
}

MatrixFunction mma_k8_fp16() {
#if defined(__x86_64__)
    if (has_avx2()) {
        return mma_avx2<Type::fp16, 8>;
    }
#endif
    return mma_k8_fp16_portable;
}

PackFunction pack_fp16_function() {
#if defined(__x86_64__)
    if (has_avx2()) {
        return pack_fp16_f16c;
    }
#endif
    return pack_fp16_portable;
}

}  // namespace flashlens::simt
