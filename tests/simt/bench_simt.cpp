// How fast the CPU machine executes: a loop with the mix of a FlashAttention kernel (per key block of 128 keys and head
// dim 64, a warp has 32 query rows), though not its mathematics. Prints GFLOP/s of the matrix products over wall time.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "simt/launch.h"

using namespace flashlens::simt;

namespace {

constexpr unsigned key_blocks = 8;
constexpr unsigned tile_bytes = 128 * 64 * 2;

std::uint32_t swizzled(unsigned row, unsigned chunk) {
    return row * 128 + ((chunk ^ (row % 8)) * 16);
}

void attention_like(const std::uint16_t* keys, float* out) {
    const unsigned thread = thread_index().x;
    const unsigned lane = thread % 32;
    const auto load_tile = [&](unsigned block, unsigned base) {
        for (unsigned i = 0; i < 8; ++i) {
            const unsigned chunk = i * 128 + thread;
            cp_async_16(base + swizzled(chunk / 8, chunk % 8), keys + (block * 1024 + chunk) * 8, 16);
        }
        cp_async_commit();
    };
    float acc_o[2][8][4] = {};
    std::uint32_t q[2][4][4];
    for (auto& tile : q) {
        for (auto& fragment : tile) {
            for (auto& r : fragment) {
                r = 0x3C003C00;
            }
        }
    }
    f32 row_max[4];
    f32 row_sum[4];
    for (unsigned i = 0; i < 4; ++i) {
        row_max[i] = -1e30F;
        row_sum[i] = 0.0F;
    }
    for (unsigned block = 0; block < key_blocks; ++block) {
        float acc_s[2][16][4] = {};
        {
            const Step step("load");
            load_tile(block, 0);
            load_tile(block, tile_bytes);
            cp_async_wait(0);
            barrier();
        }
        {
            const Step step("gemm_qk");
            for (unsigned k = 0; k < 4; ++k) {
                for (unsigned n = 0; n < 16; n += 2) {
                    std::uint32_t b[4];
                    ldmatrix_x4(b, swizzled(n * 8 + lane % 16, 2 * k + lane / 16), false);
                    for (unsigned m = 0; m < 2; ++m) {
                        mma_m16n8k16_fp16(acc_s[m][n], q[m][k], b);
                        mma_m16n8k16_fp16(acc_s[m][n + 1], q[m][k], b + 2);
                    }
                }
            }
        }
        {
            const Step step("softmax");
            for (unsigned row = 0; row < 4; ++row) {
                f32 m = row_max[row];
                for (unsigned n = 0; n < 16; ++n) {
                    m = max(m, acc_s[row / 2][n][row % 2 * 2]);
                    m = max(m, acc_s[row / 2][n][row % 2 * 2 + 1]);
                }
                for (unsigned mask = 1; mask <= 2; mask *= 2) {
                    m = max(m, std::bit_cast<float>(shuffle_xor(std::bit_cast<std::uint32_t>(m.value), mask)));
                }
                const f32 scale = exp2((row_max[row] - m) * 0.1F);
                row_max[row] = m;
                row_sum[row] *= scale;
                for (unsigned n = 0; n < 8; ++n) {
                    acc_o[row / 2][n][row % 2 * 2] = (f32(acc_o[row / 2][n][row % 2 * 2]) * scale).value;
                    acc_o[row / 2][n][row % 2 * 2 + 1] = (f32(acc_o[row / 2][n][row % 2 * 2 + 1]) * scale).value;
                }
                const f32 scaled = m * 0.1F;
                for (unsigned n = 0; n < 16; ++n) {
                    for (unsigned i = 0; i < 2; ++i) {
                        float& s = acc_s[row / 2][n][row % 2 * 2 + i];
                        const f32 p = exp2(fma(s, 0.1F, -scaled));
                        s = p.value;
                        row_sum[row] += p;
                    }
                }
            }
        }
        {
            const Step step("gemm_pv");
            for (unsigned k = 0; k < 8; ++k) {
                std::uint32_t p[2][4];
                for (unsigned m = 0; m < 2; ++m) {
                    for (unsigned i = 0; i < 4; ++i) {
                        const float* s = &acc_s[m][2 * k + i / 2][i % 2 * 2];
                        p[m][i] = pack_fp16(s[0], s[1]);
                    }
                }
                for (unsigned n = 0; n < 8; n += 2) {
                    std::uint32_t b[4];
                    ldmatrix_x4(b, tile_bytes + swizzled(k * 16 + lane % 16, n + lane / 16), true);
                    for (unsigned m = 0; m < 2; ++m) {
                        mma_m16n8k16_fp16(acc_o[m][n], p[m], b);
                        mma_m16n8k16_fp16(acc_o[m][n + 1], p[m], b + 2);
                    }
                }
            }
        }
        barrier();
    }
    float* mine = out + (block_index().x * 128 + thread) * 64;
    for (unsigned m = 0; m < 2; ++m) {
        for (unsigned n = 0; n < 8; ++n) {
            store_global(mine + (m * 8 + n) * 4, acc_o[m][n], 16);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned os_threads = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1;
    const unsigned ctas = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 32;
    std::vector<std::uint16_t> keys(key_blocks * 128 * 64);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = static_cast<std::uint16_t>(0x3000 + i * 7919 % 1024);
    }
    std::vector<float> out(ctas * 128 * 64);
    for (const bool checks : {true, true, true, false}) {
        LaunchOptions options;
        options.os_threads = os_threads;
        options.checks = checks;
        options.memory = {{keys.data(), keys.size() * 2, "keys", Region::Use::input},
                          {out.data(), out.size() * 4, "out", Region::Use::output}};
        const LaunchReport report = launch("attention_like", {ctas, 1, 1}, 128, 2 * tile_bytes, options,
                                           [&] { attention_like(keys.data(), out.data()); });
        const double gflops = static_cast<double>(report.total.mma) * 4096 / report.wall_us / 1e3;
        std::printf("%u thread(s), checks %-3s  %7.1f ms  %6.2f GFLOP/s  %.2f per thread\n", os_threads,
                    checks ? "on" : "off", report.wall_us / 1e3, gflops, gflops / os_threads);
    }
    return 0;
}
