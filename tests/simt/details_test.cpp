// What a KernelError has for programs: the places that its report names, one by one.
#include <array>
#include <vector>

#include "machine.h"

using namespace flashlens::simt;
using namespace flashlens::simt::test;
using Kind = KernelError::Kind;

namespace {

Place place(const char* what, const Where& where, unsigned warp, std::uint32_t lanes, bool writes = false,
            const char* step = "") {
    return {what, where.file_name(), where.line(), step, warp, lanes, writes};
}

}  // namespace

TEST_CASE("details of a race: both accesses, whichever came first") {
    const Where write = Where::current();
    const Where read = Where::current();
    const auto error = error_of([&] {
        run(64, [&] {
            put(4 * thread(), 1);
            barrier();
            if (thread() == 35) {
                const Step step("pack");
                put(4 * 7, 2, write);
            } else if (thread() == 7) {
                get(4 * 7, read);
            }
        });
    });
    REQUIRE(error.kind() == Kind::race);
    const KernelError::Details& details = error.details();
    REQUIRE(details.access);
    REQUIRE(details.earlier);
    const bool write_first = details.earlier->writes;
    CHECK((write_first ? details.access : details.earlier) == place("load_shared", read, 0, 1U << 7));
    CHECK((write_first ? details.earlier : details.access) == place("store_shared", write, 1, 1U << 3, true, "pack"));
    CHECK_FALSE(details.earlier_by_others);
    CHECK(details.memory == "shared memory");
    CHECK(details.memory_bytes == 4096);
    CHECK(details.address == 28);
    CHECK(details.bytes == 4);
    CHECK(details.waiting.empty());
}

TEST_CASE("details of a race with a word that many have read") {
    const auto error = error_of([&] {
        run(64, [&] {
            put(4 * thread(), 1);
            barrier();
            get(0);
            shuffle_xor(0, 1);  // all have come so far; it orders no memory
            if (thread() % 32 == 0) {
                put(0, 2);
            }
        });
    });
    CHECK(error.details().earlier_by_others);
    REQUIRE(error.details().access);
    CHECK(error.details().access->writes);
    REQUIRE(error.details().earlier);
    CHECK_FALSE(error.details().earlier->writes);
}

TEST_CASE("details of data that is used before its copy has arrived") {
    std::array<std::uint32_t, 128> words{};
    LaunchOptions options;
    options.memory = {{words.data(), sizeof words, "source", Region::Use::input}};
    const Where issue = Where::current();
    const Where read = Where::current();
    const auto error = error_of([&] {
        run(
            32,
            [&] {
                cp_async_16(64 + 16 * thread(), &words[4 * thread()], 16, issue);
                cp_async_commit();
                get(64 + 16 * thread() + 4, read);
            },
            options);
    });
    REQUIRE(error.kind() == Kind::unfinished_copy);
    CHECK(error.details().access == place("load_shared", read, 0, 1));
    CHECK(error.details().earlier == place("cp_async_16", issue, 0, 1, true));
    CHECK(error.details().address == 68);
    CHECK(error.details().copy_group == 1);
    CHECK(error.details().committed_groups == 1);
    CHECK(error.details().committed_at_wait == 0);
    CHECK(error.details().waits_since_copy == 0);

    const auto of_group = error_of([&] {
        run(
            32,
            [&] {
                for (unsigned group = 0; group < 3; ++group) {
                    cp_async_16(512 * group + 16 * thread(), &words[4 * thread()], 16);
                    if (group < 2) {
                        cp_async_commit();
                    }
                }
                cp_async_wait(1);
                cp_async_wait(1);
                cp_async_commit();
                sync_warp();
                get(16 * thread());
                get(1024 + 16 * thread());
            },
            options);
    });
    CHECK(of_group.details().copy_group == 3);
    CHECK(of_group.details().committed_groups == 3);
    CHECK(of_group.details().committed_at_wait == 2);
    CHECK(of_group.details().waits_since_copy == 2);
}

TEST_CASE("details of a meeting point: who waits where, and who has gone") {
    const Where here = Where::current();
    const Where there = Where::current();
    const auto of_warps = error_of([&] {
        run(96, [&] {
            const Step step("exchange");
            if (thread() < 64) {
                barrier(thread() < 32 ? here : there);
            }
        });
    });
    CHECK(of_warps.kind() == Kind::divergent_barrier);
    CHECK(of_warps.details().kernel == "test_kernel");
    CHECK_FALSE(of_warps.details().access);
    CHECK(of_warps.details().waiting == std::vector<Place>{
                                            place("__syncthreads", here, 0, 0xFFFFFFFF, false, "exchange"),
                                            place("__syncthreads", there, 1, 0xFFFFFFFF, false, "exchange"),
                                            {"", "", 0, "", 2, 0xFFFFFFFF, false},
                                        });
    const auto of_lanes = error_of([&] {
        run(32, [&] {
            if (thread() != 5) {
                shuffle_xor(1, 1, here);
            }
        });
    });
    CHECK(of_lanes.kind() == Kind::missing_lane);
    CHECK(of_lanes.details().waiting ==
          std::vector<Place>{place("shuffle", here, 0, ~(1U << 5)), {"", "", 0, "", 0, 1U << 5, false}});
}

TEST_CASE("details of accesses out of bounds and misaligned") {
    const Where where = Where::current();
    const auto outside = error_of([&] { run(32, [&] { put(4096 + 4 * thread(), 1, where); }); });
    CHECK(outside.kind() == Kind::out_of_bounds);
    CHECK(outside.details().access == place("store_shared", where, 0, 1, true));
    CHECK(outside.details().address == 4096);
    CHECK(outside.details().memory_bytes == 4096);

    std::array<std::uint32_t, 32> words{};
    LaunchOptions options;
    options.memory = {{words.data(), sizeof words, "words", Region::Use::input}};
    const auto of_global = [&](const std::uint32_t* address, unsigned bytes) {
        return error_of([&] {
            run(
                32,
                [&] {
                    std::array<std::uint32_t, 4> to{};
                    load_global(to.data(), address, bytes, where);
                },
                options);
        });
    };
    const auto past = of_global(words.data() + 33, 4);
    CHECK(past.kind() == Kind::out_of_bounds);
    CHECK(past.details().memory == "words");
    CHECK(past.details().memory_bytes == 128);
    CHECK(past.details().address == 132);
    CHECK(past.details().access == place("load_global", where, 0, 1));
    const auto before = of_global(words.data() - 1, 4);
    CHECK(before.details().address == -4);
    const auto crooked = of_global(words.data() + 1, 8);
    CHECK(crooked.kind() == Kind::misaligned);
    CHECK(crooked.details().address == 4);
    CHECK(crooked.details().bytes == 8);
}

TEST_CASE("details of a race between two CTAs") {
    std::array<std::uint32_t, 32> words{};
    LaunchOptions options;
    options.memory = {{words.data(), sizeof words, "words", Region::Use::output}};
    const Where where = Where::current();
    const auto error = error_of([&] {
        launch("test_kernel", {2, 1, 1}, 32, 64, options, [&] {
            const std::uint32_t value = 1;
            store_global(&words[thread()], &value, 4, where);
        });
    });
    CHECK(error.kind() == Kind::race);
    CHECK(error.details().other_cta);
    REQUIRE(error.details().earlier);
    CHECK(error.details().earlier->line == where.line());
    CHECK(error.details().memory == "words");
}

TEST_CASE("the kernel and the block of a report") {
    const auto error = error_of([&] {
        launch("test_kernel", {3, 2, 1}, 32, 64, {}, [] {
            if (block_index().x == 2 && block_index().y == 1) {
                put(64, 1);
            }
        });
    });
    CHECK(error.details().kernel == "test_kernel");
    CHECK(error.details().block.x == 2);
    CHECK(error.details().block.y == 1);
}

TEST_CASE("shared memory that counts as written: a write that comes too late is a race") {
    const Where write = Where::current();
    const Where read = Where::current();
    const auto kernel = [&](bool right) {
        put(4 * thread(), 1, write);
        if (right) {
            barrier();
        }
        get(4 * (63 - thread()), read);
    };
    CHECK(error_of([&] { run(64, [&] { kernel(false); }); }).kind() == Kind::unwritten_read);
    LaunchOptions options;
    options.shared_is_written = true;
    const auto error = error_of([&] {
        run(
            64, [&] { kernel(false); }, options);
    });
    CHECK(error.kind() == Kind::race);
    CHECK(error.details().access == place("store_shared", write, 1, 1, true));
    CHECK(error.details().earlier == place("load_shared", read, 0, 1U << 31));
    CHECK_NOTHROW(run(
        64, [&] { kernel(true); }, options));
    CHECK_NOTHROW(run(
        64, [&] { get(4 * thread()); }, options));
    CHECK(run(64, [&] { kernel(true); }).shared_bytes == 4096);
}
