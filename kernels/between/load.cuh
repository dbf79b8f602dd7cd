// Copies from global to shared memory that wait: through registers, as all kernels before v2 have them.
#pragma once

#include "kernels/v2/steps.cuh"

namespace flashlens::FLASHLENS_MACHINE::between {

/// v2's tiles and operands, and no cp.async.
template <class Element, int HeadDim, int BlockM, int BlockN, int Warps>
struct Traits : v2::Traits<Element, HeadDim, BlockM, BlockN, Warps> {
    static constexpr bool async_copies = false;
};

/// Copies rows first_row .. of one head into a tile; what lies past `rows` or past head_dim becomes zero. For all to see
/// after the next barrier.
template <class T, int Rows, int Columns>
FLASHLENS_INLINE void load(const SharedTile<Rows, Columns>& tile, const HeadRows& from, int first_row, int rows,
                           int head_dim) {
    static_assert(!T::async_copies);
    v2::load_async<T>(tile, from, first_row, rows, head_dim);
}

}  // namespace flashlens::FLASHLENS_MACHINE::between
