// A matrix of 16-bit elements in shared memory, and the pieces of it that feed the tensor cores.
#pragma once

#include "kernels/primitives/memory.cuh"

namespace flashlens::FLASHLENS_MACHINE {

/// Rows x Columns elements, row-major, in chunks of 8 elements (16 bytes). The base is aligned to a row.
///
/// ldmatrix reads one column of chunks from 8 consecutive rows at a time. Stored plainly, those 8 chunks would share
/// the same 4 of the 32 banks as soon as a row is 128 bytes or longer: 8 passes instead of 1. So chunk c of row r is
/// kept in place c ^ swizzle(r), which spreads any 8 consecutive rows over all banks.
template <int Rows, int Columns>
struct SharedTile {
    static constexpr int row_bytes = Columns * 2;
    static constexpr int chunks_per_row = Columns / 8;
    static constexpr int bytes = Rows * row_bytes;
    static constexpr int rows_per_128_bytes = row_bytes >= 128 ? 1 : 128 / row_bytes;
    static constexpr int swizzle_span = chunks_per_row < 8 ? chunks_per_row : 8;

    SharedAddress base;

    /// What a row's chunk numbers are XORed with. Repeats every 8 rows (at most).
    static FLASHLENS_INLINE int swizzle(int row) { return (row / rows_per_128_bytes) % swizzle_span; }

    /// Address of chunk `chunk` of row `row`.
    FLASHLENS_INLINE SharedAddress chunk(int row, int chunk) const {
        return base + row * row_bytes + (chunk ^ swizzle(row)) * 16;
    }

    // The three ways a 16x16 piece becomes operands. row and column are those of its top left corner, multiples of 16.
    // A lane's place within the piece never changes, and XOR with the column leaves it alone: one lane address serves
    // all pieces. The swizzle moves chunks within 128 bytes only, so that the column needs no XOR beyond them: at most four
    // addresses in registers, and what is added to them is a constant of the instruction.

    /// A operand of an mma: rows are M, columns are K.
    FLASHLENS_INLINE void load_a(std::uint32_t (&a)[4], int row, int column) const {
        const int lane = lane_index();
        ldmatrix_x4(a, piece(lane % 16, lane / 16, row, column));
    }

    /// B operands of two neighbouring n-tiles, from a tile whose rows are N and whose columns are K (K of Q K^T):
    /// b[0..1] is the one of rows row..row+7, b[2..3] that of row+8..row+15.
    FLASHLENS_INLINE void load_b(std::uint32_t (&b)[4], int row, int column) const {
        const int lane = lane_index();
        ldmatrix_x4(b, piece(lane % 8 + lane / 16 * 8, lane / 8 % 2, row, column));
    }

    /// B operands of two neighbouring n-tiles, from a tile whose rows are K and whose columns are N (V of P V):
    /// b[0..1] is the one of columns column..column+7, b[2..3] that of column+8..column+15.
    FLASHLENS_INLINE void load_b_trans(std::uint32_t (&b)[4], int row, int column) const {
        const int lane = lane_index();
        ldmatrix_x4_trans(b, piece(lane % 16, lane / 16, row, column));
    }

private:
    FLASHLENS_INLINE SharedAddress piece(int lane_row, int lane_chunk, int row, int column) const {
        const SharedAddress lane_address = chunk(lane_row, lane_chunk);
        const int bytes = column * 2;
        return (lane_address ^ (bytes % 128)) + (bytes / 128 * 128 + row * row_bytes);
    }
};

}  // namespace flashlens::FLASHLENS_MACHINE
