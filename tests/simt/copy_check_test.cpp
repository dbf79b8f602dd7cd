// cp.async: the data arrives at the wait that covers it, and what may happen to its destination before and after.
#include <numeric>
#include <vector>

#include "machine.h"

using namespace flashlens::simt;
using namespace flashlens::simt::test;
using Kind = KernelError::Kind;

namespace {

/// 64 rows of 16 bytes in global memory: word i is 100 + i.
struct Source {
    std::vector<std::uint32_t> words = std::vector<std::uint32_t>(256);
    LaunchOptions options;

    Source() {
        std::iota(words.begin(), words.end(), 100);
        options.memory = {{words.data(), words.size() * 4, "source", Region::Use::input}};
    }
    const std::uint32_t* row(unsigned i) const { return &words[4 * i]; }
};

}  // namespace

TEST_CASE("the wait that a copy needs") {
    const Source source;
    const Where issue = Where::current();
    const Where read = Where::current();
    const Where wait = Where::current();
    const auto kernel = [&](bool waits) {
        cp_async_16(16 * thread(), source.row(thread()), 16, issue);
        cp_async_commit();
        if (waits) {
            cp_async_wait(0, wait);
        }
        barrier();
        expect(get(16 * (63 - thread()) + 4, read) == 100 + 4 * (63 - thread()) + 1);
    };
    check_report(error_of([&] {
                     run(
                         64, [&] { kernel(false); }, source.options);
                 }),
                 Kind::unfinished_copy, {at(issue), at(read), "warp", "lane", "test_kernel"});
    CHECK_NOTHROW(run(
        64, [&] { kernel(true); }, source.options));

    SUBCASE("left out by an Omission") {
        LaunchOptions options = source.options;
        options.omissions = {{Omission::What::cp_async_wait, wait.line()}};
        CHECK(error_of([&] {
                  run(
                      64, [&] { kernel(true); }, options);
              }).kind() == Kind::unfinished_copy);
        options.omissions = {{Omission::What::cp_async_wait, wait.line() + 1}};
        CHECK_NOTHROW(run(
            64, [&] { kernel(true); }, options));
        options.omissions = {{Omission::What::cp_async_wait, wait.line(), "elsewhere.h"}};
        CHECK_NOTHROW(run(
            64, [&] { kernel(true); }, options));
    }
}

TEST_CASE("a wait is not a barrier: another lane's copy") {
    const Source source;
    const Where place = Where::current();
    const auto kernel = [&](unsigned distance, bool right) {
        put(16 * thread(), 0);
        barrier();
        cp_async_16(16 * thread(), source.row(thread()), 16);
        cp_async_commit();
        cp_async_wait(0);
        if (right) {
            barrier(place);
        }
        get(16 * ((thread() + distance) % 64));
    };
    for (const unsigned distance : {1U, 32U}) {
        for (const std::uint64_t seed : {0, 1, 2, 3, 4}) {
            LaunchOptions options = source.options;
            options.lane_order_seed = seed;
            const Kind kind = error_of([&] {
                                  run(
                                      64, [&] { kernel(distance, false); }, options);
                              }).kind();
            CHECK((kind == Kind::race || kind == Kind::unfinished_copy));  // by who comes first
            CHECK_NOTHROW(run(
                64, [&] { kernel(distance, true); }, options));
            options.omissions = {{Omission::What::barrier, place.line()}};
            CHECK_THROWS_AS(run(
                                64, [&] { kernel(distance, true); }, options),
                            KernelError);
        }
    }
    CHECK_NOTHROW(run(
        64, [&] { kernel(0, false); }, source.options));  // its own copy needs no barrier
}

TEST_CASE("a copy over data that is still being read") {
    const Source source;
    const Where read = Where::current();
    const Where issue = Where::current();
    const auto kernel = [&](bool right) {
        put(16 * thread(), 1);
        barrier();
        if (thread() < 32) {
            get(16 * thread(), read);
        }
        if (right) {
            barrier();
        }
        if (thread() >= 32) {
            cp_async_16(16 * (thread() - 32), source.row(thread()), 16, issue);
        }
    };
    bool reader_came_first = false;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        LaunchOptions options = source.options;
        options.lane_order_seed = seed;
        const auto error = error_of([&] {
            run(
                64, [&] { kernel(false); }, options);
        });
        reader_came_first |= error.kind() == Kind::race;
        CHECK((error.kind() == Kind::race || error.kind() == Kind::unfinished_copy));
        const std::string report = error.what();
        CHECK(report.find(at(read)) != std::string::npos);
        CHECK(report.find(at(issue)) != std::string::npos);
        CHECK_NOTHROW(run(
            64, [&] { kernel(true); }, options));
    }
    CHECK(reader_came_first);
}

TEST_CASE("ldmatrix of data that a copy still brings") {
    const Source source;
    const auto kernel = [&](bool right) {
        cp_async_16(16 * thread(), source.row(thread()), 16);
        cp_async_commit();
        cp_async_wait(right ? 0 : 1);
        sync_warp();
        std::uint32_t registers[4];
        ldmatrix_x4(registers, 16 * thread(), false);
        expect(registers[1] == source.row(8 + thread() / 4)[thread() % 4]);
    };
    CHECK(error_of([&] {
              run(
                  32, [&] { kernel(false); }, source.options);
          }).kind() == Kind::unfinished_copy);
    CHECK_NOTHROW(run(
        32, [&] { kernel(true); }, source.options));
}

TEST_CASE("a write over a copy that is under way") {
    const Source source;
    CHECK(error_of([&] {
              run(
                  32,
                  [&] {
                      cp_async_16(16 * thread(), source.row(thread()), 16);
                      put(16 * thread(), 0);
                  },
                  source.options);
          }).kind() == Kind::unfinished_copy);
    CHECK(error_of([&] {
              run(
                  32,
                  [&] {
                      cp_async_16(16 * thread(), source.row(thread()), 16);
                      cp_async_16(16 * thread(), source.row(thread()), 16);
                  },
                  source.options);
          }).kind() == Kind::unfinished_copy);
}

TEST_CASE("groups: a wait covers all but the newest, and only what was committed") {
    const Source source;
    const auto kernel = [&](unsigned pending, unsigned reads) {
        for (unsigned group = 0; group < 3; ++group) {
            cp_async_16(16 * (32 * group + thread()), source.row(thread() + group), 16);
            if (group < 2) {
                cp_async_commit();
            }
        }
        cp_async_wait(pending);
        expect(get(16 * (32 * reads + thread())) == 100 + 4 * (thread() + reads));
    };
    const auto runs = [&](unsigned pending, unsigned reads) {
        run(
            32, [&] { kernel(pending, reads); }, source.options);
    };
    CHECK_NOTHROW(runs(1, 0));
    CHECK_NOTHROW(runs(0, 0));
    CHECK_NOTHROW(runs(0, 1));
    struct Case {
        unsigned pending;
        unsigned reads;
    };
    for (const Case c : {Case{1, 1}, Case{2, 0}, Case{9, 0}, Case{0, 2}}) {
        CHECK(error_of([&] { runs(c.pending, c.reads); }).kind() == Kind::unfinished_copy);
    }
}

TEST_CASE("before it arrives the destination holds NaN; a source of zero bytes is not read and fills with zeros") {
    const Source source;
    LaunchOptions options = source.options;
    options.checks = false;
    run(
        32,
        [&] {
            put(16 * thread(), 5);
            cp_async_16(16 * thread(), source.row(thread()), 16);
            expect(get(16 * thread()) == 0xFFFFFFFF);
        },
        options);
    const LaunchReport report = run(
        32,
        [&] {
            cp_async_16(16 * thread(), nullptr, 0);
            cp_async_commit();
            cp_async_wait(0);
            expect(get(16 * thread() + 12) == 0);
        },
        source.options);
    CHECK(report.total.global_read_bytes == 0);
    CHECK(report.unique_read_bytes == 0);
}

TEST_CASE("the source is read when the copy arrives") {
    std::vector<std::uint32_t> words(128, 1);
    LaunchOptions options;
    options.memory = {{words.data(), words.size() * 4, "words", Region::Use::scratch}};
    run(
        32,
        [&] {
            const std::uint32_t before[4] = {1, 1, 1, 1};
            const std::uint32_t after = 2;
            store_global(&words[4 * thread()], before, 16);
            cp_async_16(16 * thread(), &words[4 * thread()], 16);
            cp_async_commit();
            store_global(&words[4 * thread()], &after, 4);
            cp_async_wait(0);
            expect(get(16 * thread()) == 2);
        },
        options);
}

TEST_CASE("the source of a copy is checked like a load") {
    const Source source;
    const Where place = Where::current();
    check_report(error_of([&] {
                     run(
                         32, [&] { cp_async_16(0, source.row(64), 16, place); }, source.options);
                 }),
                 Kind::out_of_bounds, {at(place), "0 bytes past the end of source"});
    check_report(error_of([&] {
                     run(
                         32, [&] { cp_async_16(0, source.row(0) + 1, 16, place); }, source.options);
                 }),
                 Kind::misaligned, {at(place)});
}

TEST_CASE("matrix products while a copy is on its way are counted") {
    const Source source;
    LaunchOptions counting = source.options;
    counting.values = false;
    for (const LaunchOptions& options : {source.options, counting}) {
        const LaunchReport report = run(
            64,
            [&] {
                float d[4] = {};
                const std::uint32_t fragments[4] = {};
                const auto mma = [&] { mma_m16n8k16_fp16(d, fragments, fragments); };
                mma();  // nothing yet
                cp_async_16(16 * thread(), source.row(thread()), 16);
                mma();
                cp_async_commit();
                mma();
                cp_async_16(2048 + 16 * thread(), source.row(thread()), 16);
                cp_async_commit();
                cp_async_wait(1);
                mma();  // the second is
                cp_async_commit();
                cp_async_wait(1);
                mma();  // both have arrived; the third group is empty
                cp_async_wait(0);
                mma();
            },
            options);
        CHECK(report.total.mma == 2 * 6);
        CHECK(report.total.mma_beside_copies == 2 * 3);
    }
}
