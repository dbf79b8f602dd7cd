// The matrix unit: what mma.sync.m16n8k16, or sm_75's m16n8k8, does to the registers of a warp's 32 lanes. No fibers, no
// counting.
//
// Where elements live (PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type"), lane = 4 g + t:
//   A (16 x 16), two elements a register:  a[0] row g,   columns 2t, 2t+1      a[1] row g+8, columns 2t, 2t+1
//                                          a[2] row g,   columns 2t+8, 2t+9    a[3] row g+8, columns 2t+8, 2t+9
//   B (16 x 8):                            b[0] column g, rows 2t, 2t+1        b[1] column g, rows 2t+8, 2t+9
//   D (16 x 8), fp32:                      d[0], d[1] row g, columns 2t, 2t+1  d[2], d[3] row g+8, the same columns
// m16n8k8 takes the first halves: a[0], a[1] (A is 16 x 8) and b[0] (B is 8 x 8).
#pragma once

#include <cstdint>

namespace flashlens::simt {

/// The 32 lanes' operands: d[lane] points to 4 floats, a[lane] to 4 registers, b[lane] to 2 (m16n8k8: to 2 and 1).
struct MatrixOperands {
    float* d[32];
    const std::uint32_t* a[32];
    const std::uint32_t* b[32];
};

/// d += a b. Every sum starts from d and adds the exact products for k = 0, 1, .. 15 (7), rounding each time to fp32. A NaN
/// result is 0x7FFFFFFF, as on a GPU. The portable functions and those for AVX2 agree bit for bit, and so do one m16n8k16
/// and the two m16n8k8 of its halves.
using MatrixFunction = void (*)(const MatrixOperands& operands);

void mma_fp16_portable(const MatrixOperands& operands);
void mma_bf16_portable(const MatrixOperands& operands);
void mma_k8_fp16_portable(const MatrixOperands& operands);

/// The fastest for this processor.
MatrixFunction mma_fp16();
MatrixFunction mma_bf16();
MatrixFunction mma_k8_fp16();

/// cvt.rn.f16x2.f32 for this processor: `low` in bits 0..15.
using PackFunction = std::uint32_t (*)(float low, float high);
std::uint32_t pack_fp16_portable(float low, float high);
PackFunction pack_fp16_function();

}  // namespace flashlens::simt
