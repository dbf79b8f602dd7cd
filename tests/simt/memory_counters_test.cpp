// Counters of memory accesses, shared and global, against values worked out by hand from the hardware's rules.
#include <vector>

#include "machine.h"

using namespace flashlens::simt;
using namespace flashlens::simt::test;

namespace {

/// One warp loads `bytes` per lane from the addresses that `address` gives; only lanes below `lanes` take part.
Counters shared_load(unsigned bytes, unsigned lanes, unsigned (*address)(unsigned lane)) {
    LaunchOptions options;
    options.checks = false;  // nobody writes first, and lanes may overlap
    return run(
               32,
               [&] {
                   std::uint32_t to[4];
                   if (thread() < lanes) {
                       load_shared(to, address(thread()), bytes);
                   }
               },
               options)
        .total;
}

struct Expected {
    std::uint64_t wavefronts;
    std::uint64_t conflicts;
};

void check(const Counters& counters, Expected expected, std::uint64_t bytes) {
    CHECK(counters.shared_wavefronts() == expected.wavefronts);
    CHECK(counters.load_wavefronts + counters.ldmatrix_wavefronts == expected.wavefronts);
    CHECK(counters.bank_conflicts == expected.conflicts);
    CHECK(counters.shared_read_bytes == bytes);
    CHECK(counters.shared_write_bytes == 0);
}

}  // namespace

TEST_CASE("bank conflicts of 4-byte loads") {
    check(shared_load(4, 32, [](unsigned i) { return 4 * i; }), {1, 0}, 128);
    check(shared_load(4, 32, [](unsigned i) { return 4 * (31 - i) + 64; }), {1, 0}, 128);
    check(shared_load(4, 32, [](unsigned i) { return 8 * i; }), {2, 1}, 128);               // 2-way
    check(shared_load(4, 32, [](unsigned i) { return 16 * i; }), {4, 3}, 128);              // 4-way
    check(shared_load(4, 32, [](unsigned i) { return 32 * i; }), {8, 7}, 128);              // 8-way
    check(shared_load(4, 32, [](unsigned i) { return 128 * i % 4096; }), {32, 31}, 128);    // 32-way
    check(shared_load(4, 32, [](unsigned i) { return 12 * i; }), {1, 0}, 128);              // an odd stride
    check(shared_load(4, 32, [](unsigned) { return 64U; }), {1, 0}, 128);                   // broadcast
    check(shared_load(4, 32, [](unsigned i) { return i < 16 ? 0U : 128U; }), {2, 1}, 128);  // two words of one bank
    check(shared_load(4, 32, [](unsigned i) { return i < 16 ? 0U : 132U; }), {1, 0}, 128);  // two banks
    check(shared_load(4, 5, [](unsigned i) { return 128 * i; }), {5, 4}, 20);
    check(shared_load(4, 0, [](unsigned i) { return i; }), {0, 0}, 0);
}

TEST_CASE("bank conflicts of 8- and 16-byte loads") {
    check(shared_load(8, 32, [](unsigned i) { return 8 * i; }), {2, 0}, 256);
    check(shared_load(8, 32, [](unsigned i) { return 16 * i; }), {4, 2}, 256);
    check(shared_load(8, 32, [](unsigned i) { return i % 16 * 8 + i / 16 * 1024; }), {2, 0}, 256);  // halves apart
    check(shared_load(8, 32, [](unsigned i) { return i / 8 % 2 * 128; }), {2, 1}, 256);  // two words of one bank
    check(shared_load(8, 16, [](unsigned i) { return 8 * i; }), {1, 0}, 128);
    check(shared_load(16, 32, [](unsigned i) { return 16 * i; }), {4, 0}, 512);
    check(shared_load(16, 32, [](unsigned i) { return 32 * i; }), {8, 4}, 512);
    check(shared_load(16, 32, [](unsigned i) { return 128 * (i % 32) % 4096; }), {32, 28}, 512);
    check(shared_load(16, 8, [](unsigned i) { return 16 * i; }), {1, 0}, 128);
    check(shared_load(16, 9, [](unsigned i) { return 16 * i; }), {2, 0}, 144);
}

TEST_CASE("wide loads of lanes that pair up go through the banks together") {
    // 8 bytes: all 32 lanes; 16 bytes: 16 lanes
    check(shared_load(8, 32, [](unsigned) { return 0U; }), {1, 0}, 256);
    check(shared_load(8, 32, [](unsigned i) { return i / 2 * 8; }), {1, 0}, 256);                // i and i ^ 1
    check(shared_load(8, 32, [](unsigned i) { return (i / 4 * 2 + i % 2) * 8; }), {1, 0}, 256);  // i and i ^ 2
    check(shared_load(8, 32, [](unsigned i) { return i % 2 * 128; }), {2, 1}, 256);              // ... of one bank
    check(shared_load(16, 32, [](unsigned) { return 0U; }), {2, 0}, 512);
    check(shared_load(16, 32, [](unsigned i) { return i / 4 * 16; }), {2, 0}, 512);  // v1's row statistics
    check(shared_load(16, 32, [](unsigned i) { return i / 2 * 128; }), {16, 14}, 512);
    check(shared_load(16, 32, [](unsigned i) { return i / 16 * 16; }), {2, 0}, 512);
    // the same way for all lanes, or not at all: half of them i ^ 1 and half i ^ 2
    check(shared_load(16, 32, [](unsigned i) { return (i < 16 ? i / 2 : 8 + i / 4 * 2 + i % 2) * 16; }), {4, 0}, 512);
    check(shared_load(8, 32, [](unsigned i) { return i % 16 * 8; }), {2, 0}, 256);  // i and i ^ 16 are no pair
    check(shared_load(8, 32, [](unsigned i) { return i / 8 * 32 + i % 4 * 8; }), {2, 0}, 256);  // nor i and i ^ 4
}

TEST_CASE("a lane whose partner is inactive has nobody to disagree with") {
    const auto every_second = [](unsigned step) {
        LaunchOptions options;
        options.checks = false;
        return run(
                   32,
                   [step] {
                       std::uint32_t to[4];
                       if (thread() % step == 0) {
                           load_shared(to, 16 * thread(), 16);
                       }
                   },
                   options)
            .total;
    };
    check(every_second(1), {4, 0}, 32 * 16);
    check(every_second(2), {4, 2}, 16 * 16);  // all do; lanes 0 and 8 want the same banks
    check(every_second(8), {4, 2}, 4 * 16);
}

TEST_CASE("stores go through the same banks") {
    const Counters counters = run(32, [] { put(32 * thread(), 0); }).total;
    CHECK(counters.store_wavefronts == 8);
    CHECK(counters.shared_wavefronts() == 8);
    CHECK(counters.bank_conflicts == 7);
    CHECK(counters.shared_write_bytes == 128);
    CHECK(counters.shared_bytes() == 128);
}

TEST_CASE("lanes that write the same place do not pair up") {
    LaunchOptions options;
    options.checks = false;
    const Counters counters = run(
                                  32,
                                  [] {
                                      const std::uint32_t value[4] = {};
                                      store_shared(0, value, 16);
                                      store_shared(0, value, 8);
                                  },
                                  options)
                                  .total;
    CHECK(counters.store_wavefronts == 4 + 2);
    CHECK(counters.bank_conflicts == 0);
}

TEST_CASE("ldmatrix: each of its four matrices is eight rows of 16 bytes") {
    LaunchOptions options;
    options.checks = false;
    const auto load = [&](unsigned (*address)(unsigned lane)) {
        return run(
                   32,
                   [&] {
                       std::uint32_t registers[4];
                       ldmatrix_x4(registers, address(thread()), false);
                   },
                   options)
            .total;
    };
    const Counters packed = load([](unsigned i) { return 16 * i; });
    CHECK(packed.ldmatrix == 1);
    CHECK(packed.ldmatrix_wavefronts == 4);
    check(packed, {4, 0}, 512);
    check(load([](unsigned i) { return 128 * i % 4096; }), {32, 28}, 512);
    check(load([](unsigned i) { return (128 * i + 16 * ((i / 8) ^ (i % 8))) % 4096; }), {4, 0}, 512);  // swizzled
    check(load([](unsigned i) { return 144 * (i % 8) + 16 * (i / 8); }), {4, 0}, 512);                 // padded rows
    check(load([](unsigned i) { return 64 * (i % 8) + 16 * (i / 8); }), {16, 12}, 512);
}

TEST_CASE("sectors and bytes of global accesses") {
    std::vector<std::uint32_t> data(4096);
    LaunchOptions options;
    options.memory = {{data.data(), data.size() * 4, "data", Region::Use::scratch}};
    options.checks = false;
    const auto access = [&](unsigned bytes, unsigned lanes, unsigned (*offset)(unsigned lane), bool write) {
        return run(
            32,
            [&] {
                std::uint32_t value[4] = {};
                char* at = reinterpret_cast<char*>(data.data()) + offset(thread());
                if (thread() < lanes) {
                    write ? store_global(at, value, bytes) : load_global(value, at, bytes);
                }
            },
            options);
    };
    struct Case {
        unsigned bytes;
        unsigned lanes;
        unsigned (*offset)(unsigned lane);
        std::uint64_t sectors;
        std::uint64_t unique;
    };
    const std::vector<Case> cases = {
        {4, 32, [](unsigned i) { return 4 * i; }, 4, 128},
        {4, 32, [](unsigned i) { return 4 * i + 16; }, 5, 128},  // shifted by half a sector
        {4, 32, [](unsigned i) { return 8 * i; }, 8, 128},
        {4, 32, [](unsigned i) { return 32 * i; }, 32, 128},
        {4, 32, [](unsigned i) { return 512 * (i % 8) + 4 * (i / 8); }, 8, 128},  // not in order
        {4, 32, [](unsigned) { return 400U; }, 1, 4},
        {16, 32, [](unsigned i) { return 16 * i; }, 16, 512},
        {16, 32, [](unsigned i) { return 16 * i + 16; }, 17, 512},
        {16, 32, [](unsigned i) { return 128 * (i / 8) + 16 * (i % 8); }, 16, 512},
        {16, 7, [](unsigned i) { return 16 * i; }, 4, 112},
        {8, 32, [](unsigned i) { return 8 * i; }, 8, 256},
        {2, 32, [](unsigned i) { return 2 * i; }, 2, 64},
    };
    for (const Case& c : cases) {
        const LaunchReport read = access(c.bytes, c.lanes, c.offset, false);
        CHECK(read.total.global_read_bytes == c.bytes * c.lanes);
        CHECK(read.total.global_read_sectors == c.sectors);
        CHECK(read.total.global_read_instructions == 1);
        CHECK(read.total.cp_async_read_sectors == 0);
        CHECK(read.total.global_write_bytes == 0);
        CHECK(read.unique_read_bytes == c.unique);
        CHECK(read.unique_write_bytes == 0);
        const LaunchReport written = access(c.bytes, c.lanes, c.offset, true);
        CHECK(written.total.global_write_bytes == c.bytes * c.lanes);
        CHECK(written.total.global_write_sectors == c.sectors);
        CHECK(written.total.global_write_instructions == 1);
        CHECK(written.total.global_read_sectors == 0);
        CHECK(written.unique_write_bytes == c.unique);
    }
}

TEST_CASE("where the host puts a region does not change its sectors") {
    std::vector<std::uint32_t> data(256);
    for (unsigned shift = 0; shift < 64; shift += 4) {  // words: 16-byte steps
        LaunchOptions options;
        options.memory = {{data.data() + shift, 128 * 4, "data", Region::Use::input}};
        const Counters counters = run(
                                      32,
                                      [&] {
                                          std::uint32_t to[4];
                                          load_global(to, data.data() + shift + 4 * thread(), 16);
                                          cp_async_16(16 * thread(), data.data() + shift + 4 * thread(), 16);
                                      },
                                      options)
                                      .total;
        CHECK(counters.global_read_sectors == 16 + 16);
        CHECK(counters.cp_async_read_sectors == 16);
    }
}

TEST_CASE("a load counts the sectors of the warp, cp.async those of each pair of lanes") {
    // Four rows of 40 elements, 80 bytes or two and a half sectors, side by side; 8 lanes to a row, 5 have a piece of it.
    const auto row_of_40 = [](unsigned i) { return i % 8 < 5 ? int(80 * (i / 8) + 16 * (i % 8)) : -1; };
    struct Case {
        int (*offset)(unsigned lane);  // -1: the lane has no source
        std::uint64_t loaded;
        std::uint64_t copied;
    };
    const std::vector<Case> cases = {
        {row_of_40, 10,
         2 * (3 + 5)},  // from a sector's start 2 pairs and a lane; from its middle each lane has its own
        {[](unsigned i) { return int(16 * i); }, 16, 16},
        {[](unsigned i) { return int(16 * i + 16); }, 17, 32},               // no two neighbours share one
        {[](unsigned i) { return int(16 * (i ^ 1)); }, 16, 16},              // whichever comes first
        {[](unsigned i) { return int(16 * ((i + 31) % 32)); }, 16, 32},      // 1 and 2 share one, and are no pair
        {[](unsigned i) { return i == 7 ? 48 : -1; }, 1, 1},                 // a lane alone
        {[](unsigned i) { return i % 4 != 3 ? int(16 * i) : -1; }, 16, 16},  // every other pair is half there
        {[](unsigned) { return 64; }, 1, 16},
        {[](unsigned) { return -1; }, 0, 0},
    };
    std::vector<std::uint32_t> data(1024);
    LaunchOptions options;
    options.memory = {{data.data(), data.size() * 4, "data", Region::Use::input}};
    for (const Case& c : cases) {
        const auto at = [&](int offset) { return reinterpret_cast<char*>(data.data()) + offset; };
        const Counters loads = run(
                                   32,
                                   [&] {
                                       std::uint32_t to[4];
                                       if (const int offset = c.offset(thread()); offset >= 0) {
                                           load_global(to, at(offset), 16);
                                       }
                                   },
                                   options)
                                   .total;
        CHECK(loads.global_read_sectors == c.loaded);
        CHECK(loads.cp_async_read_sectors == 0);
        const Counters copies = run(
                                    32,
                                    [&] {
                                        const int offset = c.offset(thread());
                                        cp_async_16(16 * thread(), at(offset < 0 ? 0 : offset), offset < 0 ? 0 : 16);
                                    },
                                    options)
                                    .total;
        CHECK(copies.cp_async == 1);
        CHECK(copies.cp_async_read_sectors == c.copied);
        CHECK(copies.global_read_sectors == c.copied);
    }
}

TEST_CASE("loads from two tensors are two instructions, though one line makes both") {
    std::vector<std::uint32_t> a(512);
    std::vector<std::uint32_t> b(512);
    LaunchOptions options;
    options.memory = {{a.data(), a.size() * 4, "a", Region::Use::input},
                      {b.data(), b.size() * 4, "b", Region::Use::input}};
    const auto load_rows = [](const std::uint32_t* from, unsigned rows) {
        for (unsigned row = 0; row < rows; ++row) {
            std::uint32_t to[4];
            load_global(to, from + 128 * row + 4 * thread(), 16);
        }
    };
    // Lanes 0..6 have a second row of a. It is not what the other lanes do at that time: load from b.
    const Counters counters = run(
                                  32,
                                  [&] {
                                      load_rows(a.data(), thread() < 7 ? 2 : 1);
                                      load_rows(b.data(), 1);
                                  },
                                  options)
                                  .total;
    CHECK(counters.global_read_instructions == 3);
    CHECK(counters.global_read_sectors == 16 + 4 + 16);  // lanes 6 and 7 share one of b's
    CHECK(counters.global_read_bytes == 16 * (32 + 7 + 32));
}

TEST_CASE("cp.async reads global memory and writes shared memory") {
    std::vector<std::uint32_t> data(256);
    LaunchOptions options;
    options.memory = {{data.data(), data.size() * 4, "data", Region::Use::input}};
    const Counters counters =
        run(
            64,
            [&] {
                // 24 lanes of each warp have a source; rows of 32 bytes in shared memory
                cp_async_16(32 * thread(), data.data() + 4 * (thread() % 32), thread() % 32 < 24 ? 16 : 0);
                cp_async_commit();
                cp_async_wait(0);
            },
            options)
            .total;
    CHECK(counters.cp_async == 2);
    CHECK(counters.global_read_bytes == 2 * 24 * 16);
    CHECK(counters.global_read_sectors == 2 * 12);
    CHECK(counters.cp_async_read_bytes == 2 * 24 * 16);
    CHECK(counters.cp_async_read_sectors == 2 * 12);
    CHECK(counters.global_read_instructions == 0);
    CHECK(counters.shared_write_bytes == 64 * 16);
    CHECK(counters.cp_async_wavefronts == 2 * 8);
    CHECK(counters.shared_wavefronts() == 2 * 8);
    CHECK(counters.bank_conflicts == 2 * 4);
}
