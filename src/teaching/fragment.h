// Which lane of a warp holds which elements of the operands of one mma.m16n8k16, C += A B (PTX ISA, "Matrix Fragments for
// mma.m16n8k16 with floating point type").
#pragma once

namespace flashlens::teaching {

/// A is 16 x 16 (rows of C by k), B 16 x 8 (k by columns of C), C 16 x 8.
enum class Operand { a, b, c };

inline constexpr int operand_rows = 16;  ///< of each
int columns_of(Operand operand);

/// An element's lane, and which of the lane's values of this operand it is: of A's 8 and B's 4 two share a register (value /
/// 2), each of C's 4 has one of its own.
struct FragmentPlace {
    int lane = 0;
    int value = 0;

    friend bool operator==(const FragmentPlace&, const FragmentPlace&) = default;
};

FragmentPlace place_of(Operand operand, int row, int column);

}  // namespace flashlens::teaching
