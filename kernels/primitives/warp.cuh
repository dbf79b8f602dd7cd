// What lanes of a warp tell each other without memory.
#pragma once

#include "kernels/primitives/math.cuh"

#ifdef __CUDACC__

namespace flashlens::on_gpu {

FLASHLENS_INLINE f32 shuffle_xor(f32 value, int lane_mask) { return __shfl_xor_sync(0xffffffffU, value, lane_mask); }
FLASHLENS_INLINE bool warp_any(bool predicate) { return __any_sync(0xffffffffU, predicate) != 0; }

}  // namespace flashlens::on_gpu

#else

#include <bit>

namespace flashlens::FLASHLENS_MACHINE {

inline f32 shuffle_xor(f32 value, int lane_mask, simt::Where where = simt::Where::current()) {
    const auto bits = std::bit_cast<std::uint32_t>(value.value);
    return std::bit_cast<float>(simt::shuffle_xor(bits, static_cast<unsigned>(lane_mask), where));
}
inline bool warp_any(bool predicate, simt::Where where = simt::Where::current()) { return simt::any(predicate, where); }

}  // namespace flashlens::FLASHLENS_MACHINE

#endif

namespace flashlens::FLASHLENS_MACHINE {

// A row of an m16n8 accumulator lies in the four lanes of a quad (lanes 4g .. 4g+3): two shuffles reduce it.

FLASHLENS_INLINE f32 quad_max(f32 value) {
    value = max(value, shuffle_xor(value, 1));
    return max(value, shuffle_xor(value, 2));
}

FLASHLENS_INLINE f32 quad_sum(f32 value) {
    value += shuffle_xor(value, 1);
    return value + shuffle_xor(value, 2);
}

}  // namespace flashlens::FLASHLENS_MACHINE
