// Which lane holds what, held against what the CPU machine's mma does with matrices of a single one.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>

#include "simt/matrix.h"
#include "teaching/fragment.h"

using namespace flashlens;
using namespace flashlens::teaching;

namespace {

constexpr std::uint32_t one = 0x3c00;  // fp16

/// The registers of a warp, as mma.m16n8k16 takes them.
struct Registers {
    std::array<std::array<float, 4>, 32> c{};
    std::array<std::array<std::uint32_t, 4>, 32> a{};
    std::array<std::array<std::uint32_t, 2>, 32> b{};

    void put_a(const FragmentPlace& p) { put(a, p); }
    void put_b(const FragmentPlace& p) { put(b, p); }
    void multiply() {
        simt::MatrixOperands operands{};
        for (std::size_t lane = 0; lane < 32; ++lane) {
            operands.d[lane] = c[lane].data();
            operands.a[lane] = a[lane].data();
            operands.b[lane] = b[lane].data();
        }
        simt::mma_fp16_portable(operands);
    }
    float at(const FragmentPlace& p) const {
        return c[static_cast<std::size_t>(p.lane)][static_cast<std::size_t>(p.value)];
    }
    double sum() const {
        double sum = 0;
        for (const auto& lane : c) {
            for (const float value : lane) {
                sum += value;
            }
        }
        return sum;
    }

private:
    template <class Lanes>
    static void put(Lanes& lanes, const FragmentPlace& p) {
        lanes[static_cast<std::size_t>(p.lane)][static_cast<std::size_t>(p.value / 2)] |= one << 16 * (p.value % 2);
    }
};

}  // namespace

TEST_CASE("fragments: (row, k) of A times (k, column) of B lands at (row, column) of C, and nowhere else") {
    for (int row = 0; row < 16; ++row) {
        for (int column = 0; column < 8; ++column) {
            for (int k = 0; k < 16; ++k) {
                Registers warp;
                warp.put_a(place_of(Operand::a, row, k));
                warp.put_b(place_of(Operand::b, k, column));
                warp.multiply();
                const bool right = warp.at(place_of(Operand::c, row, column)) == 1.0F && warp.sum() == 1.0;
                CHECK_MESSAGE(right, row << " " << column << " " << k);
            }
        }
    }
}

TEST_CASE("fragments: an element of A with the wrong k of B gives nothing") {
    for (int k = 0; k < 16; ++k) {
        for (int other = 0; other < 16; ++other) {
            Registers warp;
            warp.put_a(place_of(Operand::a, 3, k));
            warp.put_b(place_of(Operand::b, other, 5));
            warp.multiply();
            CHECK(warp.sum() == (k == other ? 1.0 : 0.0));
        }
    }
}

TEST_CASE("fragments: as the PTX ISA has them, by lane") {
    // "Matrix Fragments for mma.m16n8k16 with floating point type": groupID = laneid >> 2, threadID_in_group = laneid % 4
    for (int lane = 0; lane < 32; ++lane) {
        const int group = lane >> 2;
        const int thread = lane % 4;
        for (int i = 0; i < 8; ++i) {
            const int row = (0 <= i && i < 2) || (4 <= i && i < 6) ? group : group + 8;
            const int column = i < 4 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8;
            CHECK(place_of(Operand::a, row, column) == FragmentPlace{lane, i});
        }
        for (int i = 0; i < 4; ++i) {
            const int k = i < 2 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8;
            CHECK(place_of(Operand::b, k, group) == FragmentPlace{lane, i});
            CHECK(place_of(Operand::c, i < 2 ? group : group + 8, thread * 2 + (i & 1)) == FragmentPlace{lane, i});
        }
    }
}

TEST_CASE("fragments: a row of C lies in the four lanes of a quad, which two shuffles of xor 1 and 2 join") {
    for (int row = 0; row < 16; ++row) {
        for (int column = 0; column < 8; ++column) {
            const int lane = place_of(Operand::c, row, column).lane;
            const int first = place_of(Operand::c, row, 0).lane;
            CHECK(first % 4 == 0);
            CHECK((lane ^ first) < 4);
        }
    }
}

TEST_CASE("fragments: two neighbouring C are an A, lane by lane: so P need not leave the registers") {
    for (int row = 0; row < 16; ++row) {
        for (int column = 0; column < 16; ++column) {
            const FragmentPlace c = place_of(Operand::c, row, column % 8);
            const FragmentPlace a = place_of(Operand::a, row, column);
            CHECK(a.lane == c.lane);
            CHECK(a.value == c.value + 4 * (column / 8));
        }
    }
}
