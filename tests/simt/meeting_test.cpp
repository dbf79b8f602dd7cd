// Meeting points: what happens when all lanes come, and what is said when one doesn't.
#include <vector>

#include "machine.h"

using namespace flashlens::simt;
using namespace flashlens::simt::test;
using Kind = KernelError::Kind;

TEST_CASE("__syncthreads in divergent code") {
    const Where place = Where::current();
    SUBCASE("half of a warp returns instead") {
        check_report(error_of([&] {
                         run(64, [&] {
                             if (thread() < 48) {
                                 barrier(place);
                             }
                         });
                     }),
                     Kind::divergent_barrier,
                     {at(place), "warp 1 lanes 0-15 wait at __syncthreads", "warp 1 lanes 16-31 returned",
                      "test_kernel", "block (0, 0, 0)"});
    }
    SUBCASE("a whole warp returns instead") {
        check_report(error_of([&] {
                         run(64, [&] {
                             if (thread() < 32) {
                                 barrier(place);
                             }
                         });
                     }),
                     Kind::divergent_barrier,
                     {at(place), "warp 0 lanes 0-31 wait at __syncthreads", "warp 1 lanes 0-31 returned"});
    }
    SUBCASE("two branches with a barrier each, within a warp") {
        const Where other = Where::current();
        check_report(error_of([&] { run(64, [&] { barrier(thread() % 2 == 0 ? place : other); }); }),
                     Kind::divergent_barrier, {at(place), at(other), "lanes 0, 2, 4, 6,", "lanes 1, 3, 5,"});
    }
    SUBCASE("two branches with a barrier each, by warps") {
        const Where other = Where::current();
        check_report(error_of([&] { run(64, [&] { barrier(thread() < 32 ? place : other); }); }),
                     Kind::divergent_barrier, {at(place), at(other), "warp 0 lanes 0-31", "warp 1 lanes 0-31"});
    }
    SUBCASE("in code that all lanes run") {
        CHECK(run(64, [&] { barrier(place); }).total.barriers == 1);
    }
}

TEST_CASE("a lane that never comes to a warp-wide instruction") {
    const Where place = Where::current();
    const Where elsewhere = Where::current();
    const auto meet = [&](unsigned which, const Where& where) {
        std::uint32_t registers[4] = {};
        float d[4] = {};
        switch (which) {
            case 0:
                shuffle_xor(1, 1, where);
                break;
            case 1:
                any(true, where);
                break;
            case 2:
                sync_warp(where);
                break;
            case 3:
                ldmatrix_x4(registers, 16 * (thread() % 32), false, where);
                break;
            case 4:
                mma_m16n8k16_fp16(d, registers, registers, where);
                break;
            case 5:
                mma_m16n8k16_bf16(d, registers, registers, where);
                break;
        }
    };
    const std::string names[] = {"shuffle", "vote", "__syncwarp", "ldmatrix", "mma (fp16)", "mma (bf16)"};
    const auto fill = [] {
        const std::uint32_t zeros[4] = {};
        store_shared(16 * thread(), zeros, 16);
        barrier();
    };
    for (unsigned which = 0; which < 6; ++which) {
        for (const std::uint64_t seed : {0, 7}) {
            LaunchOptions options;
            options.lane_order_seed = seed;
            const auto error = error_of([&] {
                run(
                    64,
                    [&] {
                        fill();
                        if (thread() == 37) {
                            return;
                        }
                        const Step step("work");
                        meet(which, place);
                    },
                    options);
            });
            check_report(error, Kind::missing_lane,
                         {at(place) + ", step work", "warp 1 lanes 0-4, 6-31 wait at " + names[which],
                          "warp 1 lanes 5 returned", "block (0, 0, 0)", "test_kernel"});
            check_report(error_of([&] {
                             run(
                                 64,
                                 [&] {
                                     fill();
                                     meet(which, thread() == 5 ? elsewhere : place);
                                 },
                                 options);
                         }),
                         Kind::missing_lane, {at(place), at(elsewhere), "warp 0 lanes 0-4, 6-31 wait", "lanes 5 wait"});
            check_report(error_of([&] {
                             run(
                                 64,
                                 [&] {
                                     fill();
                                     thread() == 5 ? barrier(elsewhere) : meet(which, place);
                                 },
                                 options);
                         }),
                         Kind::missing_lane, {at(place), at(elsewhere), "lanes 5 wait at __syncthreads"});
            CHECK_NOTHROW(run(
                64,
                [&] {
                    fill();
                    meet(which, place);
                },
                options));
        }
    }
    SUBCASE("another instruction on the same line is no match") {
        CHECK(error_of([&] { run(32, [&] { meet(thread() < 16 ? 0 : 1, place); }); }).kind() == Kind::missing_lane);
    }
}

TEST_CASE("shuffles and votes") {
    std::vector<std::uint32_t> seen(64);
    std::vector<int> votes(64);
    for (const unsigned mask : {1U, 2U, 16U, 31U}) {
        run(64, [&] {
            seen[thread()] = shuffle_xor(thread() * 10, mask);
            const bool first = any(thread() == 40);
            const bool second = any(false);
            votes[thread()] = (first ? 1 : 0) + (second ? 2 : 0);
        });
        for (unsigned t = 0; t < 64; ++t) {
            CHECK(seen[t] == (t ^ mask) * 10);
            CHECK(votes[t] == (t >= 32 ? 1 : 0));
        }
    }
}

TEST_CASE("a barrier left out by an Omission") {
    const Where place = Where::current();
    LaunchOptions options;
    options.omissions = {{Omission::What::barrier, place.line()}};
    CHECK(run(
              64, [&] { barrier(place); }, options)
              .total.barriers == 0);
    CHECK(run(
              64, [&] { barrier(); }, options)
              .total.barriers == 1);
    options.omissions.front().file = "meeting_test.cpp";
    CHECK(run(
              64, [&] { barrier(place); }, options)
              .total.barriers == 0);
    options.omissions.front().file = "other.h";
    CHECK(run(
              64, [&] { barrier(place); }, options)
              .total.barriers == 1);
}
