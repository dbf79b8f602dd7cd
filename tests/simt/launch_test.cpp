#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "simt/launch.h"

using namespace flashlens::simt;

TEST_CASE("every lane of every CTA runs once and finds its place") {
    std::vector<std::uint32_t> out(3 * 2 * 2 * 64, 0);
    LaunchOptions options;
    options.memory = {{out.data(), out.size() * 4, "out", Region::Use::output}};
    const LaunchReport report = launch("where", {3, 2, 2}, 64, 0, options, [&] {
        const Dim3 b = block_index();
        const Dim3 g = grid_size();
        const unsigned index = ((b.z * g.y + b.y) * g.x + b.x) * 64 + thread_index().x;
        const std::uint32_t value = index + 1;
        store_global(&out[index], &value, 4);
    });
    std::vector<std::uint32_t> expected(out.size());
    std::iota(expected.begin(), expected.end(), 1);
    CHECK(out == expected);
    CHECK(report.ctas_run == 12);
    CHECK(report.total.global_write_bytes == 12 * 64 * 4);
    CHECK(report.unique_write_bytes == 12 * 64 * 4);
    CHECK(report.total.global_write_instructions == 24);
    CHECK(report.total.global_write_sectors == 24 * 4);
}

TEST_CASE("shuffles, votes, barriers and shared memory work together") {
    std::vector<std::uint32_t> out(128, 0);
    LaunchOptions options;
    options.memory = {{out.data(), out.size() * 4, "out", Region::Use::output}};
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
        options.lane_order_seed = seed;
        const LaunchReport report = launch("mix", {1, 1, 1}, 128, 512, options, [&] {
            const unsigned t = thread_index().x;
            std::uint32_t sum = t;
            for (unsigned mask = 1; mask < 32; mask *= 2) {
                sum += shuffle_xor(sum, mask);
            }
            const bool last_warp = any(t == 127);
            store_shared(4 * t, &sum, 4);
            barrier();
            std::uint32_t other = 0;
            load_shared(&other, 4 * (127 - t), 4);
            other += last_warp ? 1000000 : 0;
            store_global(&out[t], &other, 4);
        });
        for (unsigned t = 0; t < 128; ++t) {
            const unsigned w = 3 - t / 32;
            CHECK(out[t] == 32 * 32 * w + 496 + (t >= 96 ? 1000000 : 0));
        }
        CHECK(report.total.shuffles == 20);
        CHECK(report.total.votes == 4);
        CHECK(report.total.barriers == 1);
    }
}
