// Mistakes in global memory, each in a small kernel, and the same kernel without the mistake.
#include <vector>

#include "machine.h"

using namespace flashlens::simt;
using namespace flashlens::simt::test;
using Kind = KernelError::Kind;

namespace {

struct Memory {
    std::vector<std::uint32_t> in = std::vector<std::uint32_t>(128, 3);
    std::vector<std::uint32_t> out = std::vector<std::uint32_t>(128, 0);
    std::vector<std::uint32_t> scratch = std::vector<std::uint32_t>(128, 0);
    LaunchOptions options;

    Memory() {
        options.memory = {{in.data(), in.size() * 4, "in", Region::Use::input},
                          {out.data(), out.size() * 4, "out", Region::Use::output},
                          {scratch.data(), scratch.size() * 4, "scratch", Region::Use::scratch}};
    }
};

std::uint32_t load(const std::uint32_t* from, Where where = Where::current()) {
    std::uint32_t value = 0;
    load_global(&value, from, 4, where);
    return value;
}

void store(std::uint32_t* to, std::uint32_t value, Where where = Where::current()) {
    store_global(to, &value, 4, where);
}

}  // namespace

TEST_CASE("global memory out of bounds") {
    Memory m;
    const Where place = Where::current();
    check_report(error_of([&] {
                     run(
                         32, [&] { load(m.in.data() + 97 + thread(), place); }, m.options);
                 }),
                 Kind::out_of_bounds, {at(place), "warp 0 lane 31", "0 bytes past the end of in", "test_kernel"});
    check_report(error_of([&] {
                     run(
                         32, [&] { load(m.in.data() + 130, place); }, m.options);
                 }),
                 Kind::out_of_bounds, {"8 bytes past the end of in (512 bytes)"});
    check_report(error_of([&] {
                     run(
                         32, [&] { load(m.in.data() - 2, place); }, m.options);
                 }),
                 Kind::out_of_bounds, {"8 bytes before in"});
    check_report(error_of([&] {
                     run(
                         32, [&] { store(m.out.data() + 128, 1, place); }, m.options);
                 }),
                 Kind::out_of_bounds, {at(place), "past the end of out"});
    std::uint32_t pair[4];
    check_report(error_of([&] {
                     run(
                         32, [&] { load_global(pair, m.in.data() + 126, 16, place); }, m.options);
                 }),
                 Kind::out_of_bounds, {at(place), "across the end of in"});
    CHECK_NOTHROW(run(
        32, [&] { load(m.in.data() + 96 + thread(), place); }, m.options));
    LaunchOptions nothing;
    check_report(error_of([&] {
                     run(
                         32, [&] { load(m.in.data(), place); }, nothing);
                 }),
                 Kind::out_of_bounds, {"names no memory"});
}

TEST_CASE("a write to an input") {
    Memory m;
    const Where place = Where::current();
    check_report(error_of([&] {
                     run(
                         32, [&] { store(&m.in[thread()], 1, place); }, m.options);
                 }),
                 Kind::out_of_bounds, {at(place), "in, which is an input", "warp 0 lane 0"});
    CHECK(m.in[0] == 3);
    CHECK_NOTHROW(run(
        32, [&] { store(&m.out[thread()], 1); }, m.options));
}

TEST_CASE("misaligned global accesses") {
    Memory m;
    const Where place = Where::current();
    std::uint32_t to[4];
    for (const unsigned bytes : {2U, 4U, 8U, 16U}) {
        const char* half_way = reinterpret_cast<const char*>(m.in.data()) + 16 + bytes / 2;
        check_report(error_of([&] {
                         run(
                             32, [&] { load_global(to, half_way, bytes, place); }, m.options);
                     }),
                     Kind::misaligned, {at(place), "of in"});
        CHECK_NOTHROW(run(
            32, [&] { load_global(to, m.in.data() + 4, bytes); }, m.options));
    }
}

TEST_CASE("a read of scratch or output that nobody wrote") {
    Memory m;
    const Where read = Where::current();
    const auto kernel = [&](std::vector<std::uint32_t>& region, bool writes) {
        if (writes) {
            store(&region[thread()], 1);
        }
        load(&region[thread()], read);
    };
    for (auto* region : {&m.scratch, &m.out}) {
        check_report(error_of([&] {
                         run(
                             64, [&] { kernel(*region, false); }, m.options);
                     }),
                     Kind::unwritten_read, {at(read), "warp 0 lane 0", "at offset 0 of"});
        CHECK_NOTHROW(run(
            64, [&] { kernel(*region, true); }, m.options));
    }
    SUBCASE("half a word of it") {
        check_report(error_of([&] {
                         run(
                             32,
                             [&] {
                                 const std::uint16_t half = 1;
                                 store_global(&m.scratch[thread()], &half, 2);
                                 load(&m.scratch[thread()], read);
                             },
                             m.options);
                     }),
                     Kind::unwritten_read, {at(read)});
    }
}

TEST_CASE("a race between lanes of a CTA in global memory") {
    Memory m;
    const Where write = Where::current();
    const Where read = Where::current();
    enum class Between { nothing, sync_warp, barrier };
    const auto kernel = [&](Between between, unsigned distance) {
        store(&m.scratch[thread()], 0);
        barrier();
        store(&m.scratch[thread()], 1, write);
        if (between == Between::sync_warp) {
            sync_warp();
        } else if (between == Between::barrier) {
            barrier();
        }
        load(&m.scratch[thread() ^ distance], read);
    };
    const auto runs = [&](Between between, unsigned distance) {
        run(
            64, [&] { kernel(between, distance); }, m.options);
    };
    check_report(error_of([&] { runs(Between::nothing, 1); }), Kind::race, {at(write), at(read), "of scratch"});
    check_report(error_of([&] { runs(Between::nothing, 32); }), Kind::race, {at(write), at(read), "of scratch"});
    check_report(error_of([&] { runs(Between::sync_warp, 32); }), Kind::race, {at(write), at(read)});
    CHECK_NOTHROW(runs(Between::nothing, 0));
    CHECK_NOTHROW(runs(Between::sync_warp, 1));
    CHECK_NOTHROW(runs(Between::barrier, 33));
}

TEST_CASE("two CTAs and one address") {
    Memory m;
    const Where write = Where::current();
    const Where read = Where::current();
    for (const unsigned os_threads : {1U, 2U}) {
        LaunchOptions options = m.options;
        options.os_threads = os_threads;
        const auto two = [&](const std::function<void()>& body) {
            launch("two_ctas", {2, 1, 1}, 32, 0, options, body);
        };
        const auto error = error_of([&] { two([&] { store(&m.out[thread()], 1, write); }); });
        check_report(error, Kind::race, {at(write), "another block", "two_ctas"});
        CHECK(error_of([&] {
                  two([&] {
                      store(&m.out[64 * block_index().x + thread()], 1, write);
                      load(&m.out[thread()], read);
                  });
              }).kind() != Kind::out_of_bounds);
        CHECK_NOTHROW(two([&] {
            store(&m.out[64 * block_index().x + thread()], load(&m.in[thread()]));
            load(&m.out[64 * block_index().x + thread()]);
        }));
    }
    SUBCASE("the second reads what the first wrote") {
        LaunchOptions options = m.options;
        options.os_threads = 1;
        const auto error = error_of([&] {
            launch("two_ctas", {2, 1, 1}, 32, 0, options, [&] {
                if (block_index().x == 0) {
                    store(&m.out[thread()], 1, write);
                } else {
                    load(&m.out[thread()], read);
                }
            });
        });
        check_report(error, Kind::race, {at(write), at(read), "block (1, 0, 0)"});
    }
}

TEST_CASE("neighbouring halves of a word belong to two lanes") {
    std::vector<std::uint16_t> out(64, 0);
    LaunchOptions options;
    options.memory = {{out.data(), out.size() * 2, "out", Region::Use::output}};
    const auto kernel = [&](unsigned index) {
        const auto value = static_cast<std::uint16_t>(thread());
        store_global(&out[thread()], &value, 2);
        store_global(&out[thread()], &value, 2);
        std::uint16_t back = 0;
        load_global(&back, &out[index], 2);
        expect(back == index);
    };
    CHECK_NOTHROW(run(
        64, [&] { kernel(thread()); }, options));
    CHECK(out[63] == 63);
    SUBCASE("the same half does not") {
        const auto same = [&] {
            const std::uint16_t value = 1;
            store_global(&out[thread() / 2 * 2], &value, 2);
        };
        CHECK(error_of([&] { run(32, same, options); }).kind() == Kind::race);
    }
}

TEST_CASE("without checks, bounds are still kept") {
    Memory m;
    m.options.checks = false;
    CHECK(error_of([&] {
              run(
                  32, [&] { load(m.in.data() + 128); }, m.options);
          }).kind() == Kind::out_of_bounds);
    CHECK_NOTHROW(run(
        32, [&] { load(&m.scratch[thread()]); }, m.options));
}
