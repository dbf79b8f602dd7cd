// Mistakes in shared memory, each in a small kernel, and the same kernel without the mistake.
#include <array>
#include <vector>

#include "machine.h"

using namespace flashlens::simt;
using namespace flashlens::simt::test;
using Kind = KernelError::Kind;

TEST_CASE("a race between lanes of different warps") {
    const Where write = Where::current();
    const Where read = Where::current();
    const auto kernel = [&](bool right) {
        put(4 * thread(), 0);
        barrier();
        put(4 * thread(), 1, write);
        if (right) {
            barrier();
        }
        const Step step("exchange");
        get(4 * (thread() ^ 32), read);
    };
    const auto error = error_of([&] { run(64, [&] { kernel(false); }); });
    check_report(error, Kind::race,
                 {at(write), at(read), "warp 0 lane", "warp 1 lane", "test_kernel", "block (0, 0, 0)", "shared memory",
                  "step exchange", "store_shared", "load_shared"});
    CHECK_NOTHROW(run(64, [&] { kernel(true); }));
    SUBCASE("is not healed by __syncwarp") {
        CHECK(error_of([&] {
                  run(64, [&] {
                      put(4 * thread(), 0);
                      barrier();
                      put(4 * thread(), 1);
                      sync_warp();
                      get(4 * (thread() ^ 32));
                  });
              }).kind() == Kind::race);
    }
}

TEST_CASE("a race between lanes of one warp") {
    const Where write = Where::current();
    const Where read = Where::current();
    enum class Between { nothing, shuffle, vote, mma, ldmatrix, sync_warp, barrier };
    const auto kernel = [&](Between between) {
        put(4 * thread(), 0);
        put(1024 + 4 * thread(), 0);
        barrier();
        put(4 * thread(), 1, write);
        std::uint32_t registers[4] = {};
        float d[4] = {};
        switch (between) {
            case Between::nothing:
                break;
            case Between::shuffle:
                shuffle_xor(0, 1);
                break;
            case Between::vote:
                any(true);
                break;
            case Between::mma:
                mma_m16n8k16_fp16(d, registers, registers);
                break;
            case Between::ldmatrix:
                ldmatrix_x4(registers, 1024 + 16 * (thread() % 8), false);
                break;
            case Between::sync_warp:
                sync_warp();
                break;
            case Between::barrier:
                barrier();
                break;
        }
        get(4 * ((thread() + 1) % 32), read);
    };
    for (const Between between : {Between::nothing, Between::shuffle, Between::vote, Between::mma, Between::ldmatrix}) {
        const auto error = error_of([&] { run(32, [&] { kernel(between); }); });
        check_report(error, Kind::race, {at(write), at(read), "warp 0 lane"});
    }
    CHECK_NOTHROW(run(32, [&] { kernel(Between::sync_warp); }));
    CHECK_NOTHROW(run(32, [&] { kernel(Between::barrier); }));
}

TEST_CASE("a write over what another lane still reads") {
    const Where read = Where::current();
    const Where write = Where::current();
    const auto kernel = [&](bool right) {
        put(4 * thread(), 1);
        barrier();
        get(4 * ((thread() + 40) % 64), read);
        if (right) {
            barrier();
        }
        put(4 * thread(), 2, write);
    };
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
        LaunchOptions options;
        options.lane_order_seed = seed;
        const auto error = error_of([&] {
            run(
                64, [&] { kernel(false); }, options);
        });
        check_report(error, Kind::race, {at(read), at(write)});
        CHECK_NOTHROW(run(
            64, [&] { kernel(true); }, options));
    }
}

TEST_CASE("two lanes write one word") {
    CHECK(error_of([] { run(32, [] { put(4 * (thread() / 2), 1); }); }).kind() == Kind::race);
    CHECK_NOTHROW(run(32, [] {
        put(4 * thread(), 1);
        put(4 * thread(), 2);
        sync_warp();
        put(4 * (31 - thread()), 3);
    }));
}

TEST_CASE("a lane may read what it wrote, and write what only it read") {
    CHECK_NOTHROW(run(64, [] {
        put(4 * thread(), 7);
        expect(get(4 * thread()) == 7);
        put(4 * thread(), 8);
        expect(get(4 * thread()) == 8);
    }));
}

TEST_CASE("reads of shared memory that nobody wrote") {
    const Where read = Where::current();
    check_report(error_of([&] { run(32, [&] { get(4 * thread(), read); }); }), Kind::unwritten_read,
                 {at(read), "warp 0 lane 0", "at 0", "test_kernel"});
    SUBCASE("by ldmatrix, of one row of 32") {
        const Where load = Where::current();
        const auto kernel = [&](unsigned written) {
            const std::array<std::uint32_t, 4> row{};
            if (thread() < written) {
                store_shared(16 * thread(), row.data(), 16);
            }
            sync_warp();
            std::uint32_t registers[4];
            ldmatrix_x4(registers, 16 * thread(), false, load);
        };
        check_report(error_of([&] { run(32, [&] { kernel(31); }); }), Kind::unwritten_read,
                     {at(load), "warp 0 lane 31", "ldmatrix"});
        CHECK_NOTHROW(run(32, [&] { kernel(32); }));
    }
    SUBCASE("of another CTA on the same thread") {
        LaunchOptions options;
        options.os_threads = 1;
        const auto error = error_of([&] {
            launch("second", {2, 1, 1}, 32, 256, options, [] {
                if (block_index().x == 0) {
                    put(4 * thread(), 1);
                }
                get(4 * thread());
            });
        });
        check_report(error, Kind::unwritten_read, {"block (1, 0, 0)"});
    }
    SUBCASE("gives NaN when nothing is checked") {
        LaunchOptions options;
        options.checks = false;
        run(
            32, [] { expect(get(4 * thread()) == 0xFFFFFFFF); }, options);
    }
}

TEST_CASE("shared memory out of bounds") {
    const Where place = Where::current();
    const std::array<std::uint32_t, 4> row{};
    check_report(error_of([&] { run(32, [&] { put(4096 - 4 * 31 + 4 * thread(), 0, place); }); }), Kind::out_of_bounds,
                 {at(place), "warp 0 lane 31", "4096"});
    check_report(error_of([&] { run(32, [&] { get(4096 + 4 * thread(), place); }); }), Kind::out_of_bounds,
                 {at(place)});
    check_report(error_of([&] { run(32, [&] { get(0xFFFFFFFC, place); }); }), Kind::out_of_bounds, {at(place)});
    check_report(error_of([&] {
                     run(32, [&] {
                         store_shared(16 * thread(), row.data(), 16);
                         sync_warp();
                         std::uint32_t registers[4];
                         ldmatrix_x4(registers, thread() == 5 ? 4096 : 16 * thread(), false, place);
                     });
                 }),
                 Kind::out_of_bounds, {at(place), "warp 0 lane 5"});
    check_report(error_of([&] { run(32, [&] { cp_async_16(4096, row.data(), 0, place); }); }), Kind::out_of_bounds,
                 {at(place)});
    LaunchOptions unchecked;
    unchecked.checks = false;
    CHECK(error_of([&] {
              run(
                  32, [] { put(4096, 0); }, unchecked);
          }).kind() == Kind::out_of_bounds);
    CHECK_NOTHROW(run(32, [] { put(4096 - 128 + 4 * thread(), 0); }));
}

TEST_CASE("misaligned shared accesses") {
    const Where place = Where::current();
    const std::array<std::uint32_t, 4> row{};
    for (const unsigned bytes : {4U, 8U, 16U}) {
        check_report(error_of([&] { run(32, [&] { store_shared(bytes / 2, row.data(), bytes, place); }); }),
                     Kind::misaligned, {at(place), "warp 0 lane 0"});
        CHECK_NOTHROW(run(32, [&] { store_shared(bytes * thread(), row.data(), bytes, place); }));
    }
    check_report(error_of([&] { run(32, [&] { cp_async_16(8, row.data(), 0, place); }); }), Kind::misaligned,
                 {at(place)});
}
