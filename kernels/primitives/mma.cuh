// The tensor-core product of one warp: mma.sync.aligned.m16n8k16.row.col, 16-bit inputs, fp32 sums (PTX ISA, "Matrix
// Fragments for mma.m16n8k16").
//
// With g = lane / 4 and t = lane % 4, each lane holds
//   A, 16x16:  a[0] = (row g,   k 2t..2t+1)    a[1] = (row g+8, k 2t..2t+1)
//              a[2] = (row g,   k 2t+8..2t+9)  a[3] = (row g+8, k 2t+8..2t+9)
//   B, 16x8:   b[0] = (k 2t..2t+1, column g)   b[1] = (k 2t+8..2t+9, column g)
//   C, 16x8:   c[0], c[1] = (row g, column 2t, 2t+1)   c[2], c[3] = (row g+8, column 2t, 2t+1)
//
// sm_75 has mma.m16n8k8 instead, whose operands are halves of these ("Matrix Fragments for mma.m16n8k8"): a[0..1] and b[0]
// are k 0..7, a[2..3] and b[1] k 8..15. So two of them are the one product, and nothing else has to know.
#pragma once

#include "kernels/primitives/math.cuh"

#ifdef __CUDACC__

namespace flashlens::on_gpu {

template <class Element>
FLASHLENS_INLINE void mma(f32 (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t* b);

template <>
FLASHLENS_INLINE void mma<fp16>(f32 (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <>
FLASHLENS_INLINE void mma<bf16>(f32 (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <>
FLASHLENS_INLINE void mma<fp16_sm75>(f32 (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t* b) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
    }
}

}  // namespace flashlens::on_gpu

#else

#include <type_traits>

namespace flashlens::FLASHLENS_MACHINE {

template <class Element>
inline void mma(f32 (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t* b,
                simt::Where where = simt::Where::current()) {
    if constexpr (std::is_same_v<Element, fp16>) {
        simt::mma_m16n8k16_fp16(&c[0].value, a, b, where);
    } else if constexpr (std::is_same_v<Element, fp16_sm75>) {
        simt::mma_m16n8k8_fp16(&c[0].value, &a[0], &b[0], where);
        simt::mma_m16n8k8_fp16(&c[0].value, &a[2], &b[1], where);
    } else {
        simt::mma_m16n8k16_bf16(&c[0].value, a, b, where);
    }
}

}  // namespace flashlens::FLASHLENS_MACHINE

#endif
