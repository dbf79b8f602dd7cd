// The matrix unit, ldmatrix and the conversions, against definitions in double precision and Eigen's 16-bit types.
#include <Eigen/Core>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "machine.h"
#include "simt/matrix.h"
#include "simt/rounding.h"

using namespace flashlens::simt;
using namespace flashlens::simt::test;

namespace {

struct Fragments {
    std::uint32_t a[32][4];
    std::uint32_t b[32][2];
    float d[32][4];

    MatrixOperands operands() {
        MatrixOperands result;
        for (unsigned lane = 0; lane < 32; ++lane) {
            result.a[lane] = a[lane];
            result.b[lane] = b[lane];
            result.d[lane] = d[lane];
        }
        return result;
    }
};

/// Matrices as 16-bit patterns, put where PTX says that the lanes hold them.
struct Matrices {
    std::uint16_t a[16][16];
    std::uint16_t b[16][8];
    float c[16][8];

    Fragments fragments() const {
        Fragments f;
        const auto pair = [](std::uint16_t low, std::uint16_t high) { return low | std::uint32_t{high} << 16; };
        for (unsigned lane = 0; lane < 32; ++lane) {
            const unsigned group = lane >> 2;
            const unsigned in_group = lane % 4;
            // "row = groupID for ai where i in {0,1,4,5}, groupID + 8 otherwise;
            //  col = threadID_in_group * 2 + (i & 1) for i < 4, + 8 for i >= 4"
            std::uint16_t ai[8];
            for (unsigned i = 0; i < 8; ++i) {
                const unsigned row = i == 0 || i == 1 || i == 4 || i == 5 ? group : group + 8;
                const unsigned column = in_group * 2 + (i & 1) + (i >= 4 ? 8 : 0);
                ai[i] = a[row][column];
            }
            for (unsigned r = 0; r < 4; ++r) {
                f.a[lane][r] = pair(ai[2 * r], ai[2 * r + 1]);
            }
            // "row = threadID_in_group * 2 + (i & 1) for i < 2, + 8 for i >= 2; col = groupID"
            std::uint16_t bi[4];
            for (unsigned i = 0; i < 4; ++i) {
                bi[i] = b[in_group * 2 + (i & 1) + (i >= 2 ? 8 : 0)][group];
            }
            f.b[lane][0] = pair(bi[0], bi[1]);
            f.b[lane][1] = pair(bi[2], bi[3]);
            for (unsigned i = 0; i < 4; ++i) {
                f.d[lane][i] = c[i < 2 ? group : group + 8][in_group * 2 + (i & 1)];
            }
        }
        return f;
    }

    static float result(const Fragments& f, unsigned row, unsigned column) {
        return f.d[row % 8 * 4 + column / 2][row / 8 * 2 + column % 2];
    }
};

float widened(std::uint16_t bits, bool bf16) {
    return bf16 ? static_cast<float>(Eigen::numext::bit_cast<Eigen::bfloat16>(bits))
                : static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits));
}

std::uint16_t narrowed(float value, bool bf16) {
    return bf16 ? Eigen::numext::bit_cast<std::uint16_t>(Eigen::bfloat16(value))
                : Eigen::numext::bit_cast<std::uint16_t>(Eigen::half(value));
}

/// d = c + a b on every path: the portable function, the one this processor gets, and the instruction in a kernel.
std::vector<Fragments> all_paths(const Matrices& m, bool bf16) {
    std::vector<Fragments> results(3, m.fragments());
    (bf16 ? mma_bf16_portable : mma_fp16_portable)(results[0].operands());
    (bf16 ? mma_bf16() : mma_fp16())(results[1].operands());
    run(32, [&] {
        Fragments& f = results[2];
        (bf16 ? mma_m16n8k16_bf16 : mma_m16n8k16_fp16)(f.d[thread()], f.a[thread()], f.b[thread()], Where::current());
    });
    return results;
}

bool same_bits(const Fragments& x, const Fragments& y) {
    using Bits = std::array<std::uint32_t, 32 * 4>;
    return std::bit_cast<Bits>(x.d) == std::bit_cast<Bits>(y.d);
}

void check_against_double(const Matrices& m, bool bf16) {
    const std::vector<Fragments> results = all_paths(m, bf16);
    CHECK(same_bits(results[0], results[1]));
    CHECK(same_bits(results[0], results[2]));
    for (unsigned row = 0; row < 16; ++row) {
        for (unsigned column = 0; column < 8; ++column) {
            double sum = m.c[row][column];
            double magnitude = std::fabs(sum);
            for (unsigned k = 0; k < 16; ++k) {
                const double product = double{widened(m.a[row][k], bf16)} * double{widened(m.b[k][column], bf16)};
                sum += product;
                magnitude += std::fabs(product);
            }
            const float got = Matrices::result(results[0], row, column);
            if (std::isnan(sum)) {
                CHECK(std::bit_cast<std::uint32_t>(got) == 0x7FFFFFFF);
            } else if (std::isinf(sum)) {
                CHECK(static_cast<double>(got) == sum);
            } else {
                // 16 roundings of fp32, and one step of its subnormal numbers each
                CHECK(std::fabs(got - sum) <= 16 * (0x1p-24 * magnitude + 0x1p-149));
            }
        }
    }
}

template <typename Element>
Matrices filled(Element element) {
    Matrices m;
    for (auto& row : m.a) {
        for (auto& x : row) {
            x = element();
        }
    }
    for (auto& row : m.b) {
        for (auto& x : row) {
            x = element();
        }
    }
    for (auto& row : m.c) {
        for (auto& x : row) {
            x = 0.0F;
        }
    }
    return m;
}

}  // namespace

TEST_CASE("mma puts every element where PTX says") {
    // Powers of two as marks: A has a single 1, B counts, so that D's row is B's row.
    for (const bool bf16 : {false, true}) {
        for (unsigned k = 0; k < 16; ++k) {
            Matrices m = filled([] { return std::uint16_t{0}; });
            const unsigned row = (5 * k + 3) % 16;
            m.a[row][k] = narrowed(1.0F, bf16);
            for (unsigned i = 0; i < 16; ++i) {
                for (unsigned n = 0; n < 8; ++n) {
                    m.b[i][n] = narrowed(static_cast<float>(8 * i + n + 1), bf16);
                    m.c[i][n] = static_cast<float>(1000 * i);
                }
            }
            for (const Fragments& f : all_paths(m, bf16)) {
                for (unsigned i = 0; i < 16; ++i) {
                    for (unsigned n = 0; n < 8; ++n) {
                        const float expected = static_cast<float>(1000 * i + (i == row ? 8 * k + n + 1 : 0));
                        CHECK(Matrices::result(f, i, n) == expected);
                    }
                }
            }
        }
    }
}

TEST_CASE("mma against double precision: random normal numbers") {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    for (const bool bf16 : {false, true}) {
        for (unsigned i = 0; i < 50; ++i) {
            Matrices m = filled([&] { return narrowed(normal(random), bf16); });
            for (auto& row : m.c) {
                for (auto& x : row) {
                    x = 10 * normal(random);
                }
            }
            check_against_double(m, bf16);
        }
    }
}

TEST_CASE("mma against double precision: any bit pattern, subnormal numbers, infinities and NaN among them") {
    std::mt19937 random(4);
    for (const bool bf16 : {false, true}) {
        for (unsigned i = 0; i < 200; ++i) {
            // every fourth: all patterns; else subnormal and small ones, where fp32 rounds nothing away
            const std::uint32_t mask = i % 4 == 0 ? 0xFFFF : (bf16 ? 0x9FFF : 0x83FF);
            Matrices m = filled([&] { return static_cast<std::uint16_t>(random() & mask); });
            if (bf16) {
                // keep the sums within fp32, whose overflow depends on the order of summation
                for (auto& row : m.a) {
                    for (auto& x : row) {
                        x = (x & 0x7F80) != 0x7F80 ? static_cast<std::uint16_t>(x & 0xBFFF) : x;
                    }
                }
            }
            check_against_double(m, bf16);
        }
    }
}

TEST_CASE("mma: terms that cancel") {
    for (const bool bf16 : {false, true}) {
        Matrices m = filled([] { return std::uint16_t{0}; });
        for (unsigned row = 0; row < 16; ++row) {
            for (unsigned k = 0; k < 16; ++k) {
                m.a[row][k] = narrowed(k % 2 == 0 ? 1024.0F : -1024.0F, bf16);
            }
            m.a[row][15] = narrowed(-1023.0F - 1.0F + static_cast<float>(row % 2) * 8.0F, bf16);
        }
        for (auto& row : m.b) {
            for (auto& x : row) {
                x = narrowed(1024.0F, bf16);
            }
        }
        for (const Fragments& f : all_paths(m, bf16)) {
            CHECK(Matrices::result(f, 0, 0) == 0.0F);
            CHECK(Matrices::result(f, 1, 3) == 8.0F * 1024.0F);
        }
        check_against_double(m, bf16);
    }
}

TEST_CASE("mma: each operation is rounded in turn, from d on, for k ascending") {
    Matrices m = filled([] { return std::uint16_t{0}; });
    m.c[0][0] = 0x1p24F;  // where fp32 steps by 2
    for (unsigned k = 0; k < 16; ++k) {
        m.a[0][k] = narrowed(1.0F, false);
        m.b[k][0] = narrowed(k < 15 ? 1.0F : 3.0F, false);
    }
    // 2^24 + 1 goes back to 2^24 (even) fifteen times; + 3 is a tie between 2^24 + 2 and + 4, and 4 is even
    for (const Fragments& f : all_paths(m, false)) {
        CHECK(Matrices::result(f, 0, 0) == 0x1p24F + 4.0F);
    }
}

TEST_CASE("mma.m16n8k8 of both halves is mma.m16n8k16, bit for bit") {
    // "Matrix Fragments for mma.m16n8k8": A's row is groupID for a0 and a1, + 8 for a2 and a3, its column threadID_in_group
    // * 2 + (i & 1); B's row is threadID_in_group * 2 + (i & 1), its column groupID. That is the first half of m16n8k16's.
    std::mt19937 random(6);
    for (unsigned i = 0; i < 200; ++i) {
        // every other: any bit pattern, infinities and NaN among them
        std::normal_distribution<float> normal;
        const Matrices m = filled([&] {
            return i % 2 == 0 ? static_cast<std::uint16_t>(random() & 0xFFFF) : narrowed(normal(random), false);
        });
        const Fragments whole = all_paths(m, false)[0];
        std::vector<Fragments> halves(3, m.fragments());
        for (unsigned half = 0; half < 2; ++half) {
            for (unsigned path = 0; path < 2; ++path) {
                MatrixOperands operands = halves[path].operands();
                for (unsigned lane = 0; lane < 32; ++lane) {
                    operands.a[lane] += 2 * half;
                    operands.b[lane] += half;
                }
                (path == 0 ? mma_k8_fp16_portable : mma_k8_fp16())(operands);
            }
        }
        run(32, [&] {
            Fragments& f = halves[2];
            mma_m16n8k8_fp16(f.d[thread()], &f.a[thread()][0], &f.b[thread()][0]);
            mma_m16n8k8_fp16(f.d[thread()], &f.a[thread()][2], &f.b[thread()][1]);
        });
        for (const Fragments& f : halves) {
            CHECK(same_bits(f, whole));
        }
    }
}

TEST_CASE("mma.m16n8k8 reads two registers of A and one of B, and multiplies 8 columns by 8 rows") {
    // The operands end where their memory does.
    std::vector<std::uint32_t> a(64), b(32);
    std::vector<float> d(128, 0.0F);
    for (unsigned lane = 0; lane < 32; ++lane) {
        // A[row][k] = row + 1 for k = 3, else 0: lanes with t = 1 have it in the high half of both registers
        a[2 * lane] = lane % 4 == 1 ? std::uint32_t{narrowed(static_cast<float>(lane / 4 + 1), false)} << 16 : 0;
        a[2 * lane + 1] = lane % 4 == 1 ? std::uint32_t{narrowed(static_cast<float>(lane / 4 + 9), false)} << 16 : 0;
        // B[k][column] = 16 k + column
        const unsigned k = lane % 4 * 2, column = lane / 4;
        b[lane] = narrowed(static_cast<float>(16 * k + column), false) |
                  std::uint32_t{narrowed(static_cast<float>(16 * (k + 1) + column), false)} << 16;
    }
    for (const MatrixFunction mma : {mma_k8_fp16_portable, mma_k8_fp16()}) {
        MatrixOperands operands;
        std::fill(d.begin(), d.end(), 0.0F);
        for (unsigned lane = 0; lane < 32; ++lane) {
            operands.a[lane] = &a[2 * lane];
            operands.b[lane] = &b[lane];
            operands.d[lane] = &d[4 * lane];
        }
        mma(operands);
        for (unsigned lane = 0; lane < 32; ++lane) {
            for (unsigned i = 0; i < 4; ++i) {
                const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
                CHECK(d[4 * lane + i] == static_cast<float>((row + 1) * (16 * 3 + column)));
            }
        }
    }
}

TEST_CASE("ldmatrix gives lane 4g + t elements 2t, 2t + 1 of row g; of column g when transposed") {
    for (const bool transposed : {false, true}) {
        std::uint32_t registers[32][4];
        run(32, [&] {
            std::uint16_t row[8];
            for (unsigned i = 0; i < 8; ++i) {
                row[i] = static_cast<std::uint16_t>(100 * thread() + i);
            }
            store_shared(16 * (31 - thread()), row, 16);  // rows lie anywhere: addresses find them
            sync_warp();
            ldmatrix_x4(registers[thread()], 16 * (31 - thread()), transposed);
        });
        for (unsigned lane = 0; lane < 32; ++lane) {
            for (unsigned matrix = 0; matrix < 4; ++matrix) {
                const unsigned g = lane / 4;
                const unsigned t = lane % 4;
                const auto element = [&](unsigned row, unsigned column) { return 100 * (8 * matrix + row) + column; };
                const unsigned low = transposed ? element(2 * t, g) : element(g, 2 * t);
                const unsigned high = transposed ? element(2 * t + 1, g) : element(g, 2 * t + 1);
                CHECK(registers[lane][matrix] == (low | high << 16));
            }
        }
    }
}

TEST_CASE("widening: every 16-bit pattern") {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float fp16 = widened(half, false);
        const float bf16 = widened(half, true);
        const bool same = std::isnan(fp16) ? std::isnan(from_fp16(half)) : from_fp16(half) == fp16;
        REQUIRE(same);
        REQUIRE(std::bit_cast<std::uint32_t>(from_bf16(half)) == std::bit_cast<std::uint32_t>(bf16));
    }
}

TEST_CASE("rounding: around every 16-bit number, its ties among them") {
    const PackFunction pack = pack_fp16_function();
    const auto check = [&](float value) {
        const std::uint32_t fp16 = to_fp16(value);
        REQUIRE(pack(value, -value) == (fp16 | (std::isnan(value) ? fp16 : fp16 ^ 0x8000) << 16));
        if (std::isnan(value)) {
            REQUIRE(fp16 == 0x7FFF);
            REQUIRE(to_bf16(value) == 0x7FFF);
            return;
        }
        REQUIRE(fp16 == narrowed(value, false));
        REQUIRE(to_bf16(value) == narrowed(value, true));
    };
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        for (const bool bf16 : {false, true}) {
            const float value = widened(static_cast<std::uint16_t>(bits), bf16);
            const float next = widened(static_cast<std::uint16_t>(bits + 1), bf16);
            check(value);
            if (std::isfinite(value) && std::isfinite(next) && bits % 0x8000 != 0x7FFF) {
                const auto middle = static_cast<float>((double{value} + double{next}) / 2);
                check(middle);
                check(std::nextafter(middle, value));
                check(std::nextafter(middle, next));
            }
        }
    }
    std::mt19937 random(5);
    for (unsigned i = 0; i < 300000; ++i) {
        check(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    }
    check(std::numeric_limits<float>::infinity());
    check(std::bit_cast<float>(0x7FFF8C22U));
    CHECK(to_bf16(3.14F) == narrowed(3.140625F, true));
    CHECK(to_fp16(0x1p-15F) == 0x0200);
    CHECK(to_fp16(65519.0F) == 0x7BFF);
    CHECK(to_fp16(65520.0F) == 0x7C00);
}
