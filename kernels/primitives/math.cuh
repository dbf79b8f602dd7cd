// fp32 arithmetic on registers, and the 16-bit element types.
#pragma once

#include "kernels/attention.h"
#include "kernels/primitives/machine.cuh"

namespace flashlens::FLASHLENS_MACHINE {

constexpr float log2_e = 1.44269504088896340736F;
constexpr float ln_2 = 0.69314718055994530942F;
constexpr float infinity = __builtin_huge_valf();

}  // namespace flashlens::FLASHLENS_MACHINE

#ifdef __CUDACC__

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace flashlens::on_gpu {

FLASHLENS_INLINE f32 fma(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
FLASHLENS_INLINE f32 max(f32 a, f32 b) { return fmaxf(a, b); }  // a NaN operand gives the other
FLASHLENS_INLINE f32 abs(f32 a) { return fabsf(a); }
FLASHLENS_INLINE f32 select(bool predicate, f32 a, f32 b) { return predicate ? a : b; }

/// ex2.approx: 2 ulp, 0 for -inf.
FLASHLENS_INLINE f32 exp2(f32 a) {
    f32 result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
    return result;
}

/// lg2.approx: -inf for 0.
FLASHLENS_INLINE f32 log2(f32 a) {
    f32 result;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
    return result;
}

/// rcp.approx: 1 ulp, inf for 0.
FLASHLENS_INLINE f32 reciprocal(f32 a) {
    f32 result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a));
    return result;
}

/// fp16 as tag: how two fp32 become one register of two 16-bit values (cvt.rn.f16x2.f32), low in bits 0..15, and the first
/// chip that has the instructions for it.
struct fp16 {
    static constexpr Chip chip = 80;
    static FLASHLENS_INLINE std::uint32_t pack(f32 low, f32 high) {
        std::uint32_t pair;
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
        return pair;
    }
};

/// bf16 as tag: cvt.rn.bf16x2.f32
struct bf16 {
    static constexpr Chip chip = 80;
    static FLASHLENS_INLINE std::uint32_t pack(f32 low, f32 high) {
        std::uint32_t pair;
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
        return pair;
    }
};

/// fp16 as sm_75 (Turing) has it: one conversion for each number, cvt.rn.f16.f32.
struct fp16_sm75 {
    static constexpr Chip chip = 75;
    static FLASHLENS_INLINE std::uint32_t pack(f32 low, f32 high) {
        std::uint32_t pair;
        asm("{.reg .b16 l, h; cvt.rn.f16.f32 l, %1; cvt.rn.f16.f32 h, %2; mov.b32 %0, {l, h};}"
            : "=r"(pair)
            : "f"(low), "f"(high));
        return pair;
    }
};

}  // namespace flashlens::on_gpu

#else

namespace flashlens::FLASHLENS_MACHINE {

using simt::abs;
using simt::exp2;
using simt::fma;
using simt::log2;
using simt::max;
using simt::reciprocal;
using simt::select;

struct fp16 {
    static constexpr Chip chip = 80;
    static std::uint32_t pack(f32 low, f32 high) { return simt::pack_fp16(low, high); }
};

struct bf16 {
    static constexpr Chip chip = 80;
    static std::uint32_t pack(f32 low, f32 high) { return simt::pack_bf16(low, high); }
};

struct fp16_sm75 {
    static constexpr Chip chip = 75;
    static std::uint32_t pack(f32 low, f32 high) { return simt::convert_fp16(low) | simt::convert_fp16(high) << 16; }
};

}  // namespace flashlens::FLASHLENS_MACHINE

#endif
