// Counters of small kernels, against values worked out by hand from the hardware's rules.
#include <array>
#include <cmath>
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

TEST_CASE("lanes that part and meet again make one instruction where they are together") {
    const auto counters = run(32, [] {
                              put(4 * thread(), 0);
                              sync_warp();
                              if (thread() % 2 == 0) {
                                  get(4 * thread());
                              }
                              get(4 * thread());
                              for (unsigned i = 0; i < thread() / 8; ++i) {
                                  get(4 * thread());
                              }
                          }).total;
    CHECK(counters.shared_read_bytes == 4 * (16 + 32 + 8 * (0 + 1 + 2 + 3)));
    CHECK(counters.shared_wavefronts() == 1 + 1 + 1 + 3);
}

TEST_CASE("long stretches without a meeting point are counted too") {
    const auto kernel = [](unsigned uneven) {
        put(4 * thread(), 0);
        for (unsigned i = 0; i < 5000 + uneven * thread(); ++i) {
            get(4 * thread());
        }
        shuffle_xor(0, 1);
        barrier();
    };
    const Counters even = run(64, [&] { kernel(0); }).total;
    CHECK(even.shared_wavefronts() == 2 + 2 * 5000);
    CHECK(even.shared_read_bytes == std::uint64_t{64} * 5000 * 4);
    const Counters uneven = run(64, [&] { kernel(1); }).total;
    CHECK(uneven.shared_read_bytes == 4 * (std::uint64_t{64} * 5000 + 63 * 64 / 2));
    CHECK(uneven.shared_wavefronts() == 2 + (5000 + 31) + (5000 + 63));
}

TEST_CASE("meeting points and matrix instructions") {
    const Counters counters = run(96, [] {
                                  std::uint32_t registers[4] = {};
                                  float d[4] = {};
                                  for (unsigned i = 0; i < 3; ++i) {
                                      barrier();
                                  }
                                  sync_warp();
                                  sync_warp();
                                  shuffle_xor(0, 1);
                                  any(true);
                                  mma_m16n8k16_fp16(d, registers, registers);
                                  mma_m16n8k16_bf16(d, registers, registers);
                              }).total;
    CHECK(counters.barriers == 3);
    CHECK(counters.warp_barriers == 2 * 3);
    CHECK(counters.shuffles == 3);
    CHECK(counters.votes == 3);
    CHECK(counters.mma == 2 * 3);
    CHECK(counters.fp32_ops() == 0);
}

TEST_CASE("arithmetic, per thread") {
    const Counters counters = run(32, [] {
                                  f32 a = 2.0F;
                                  const f32 b = 3.0F;
                                  a += b;
                                  a *= b;
                                  const f32 c = a + b - a * b / b;
                                  const f32 d = max(fma(a, b, c), -abs(c));
                                  const f32 e = select(d > a, d, a);
                                  expect(!(e < a) && e >= a && e == e);
                                  const f32 f = exp2(log2(reciprocal(e)));
                                  expect(f.value > 0);
                                  expect(pack_fp16(1.0F, 2.0F) == 0x40003C00);
                                  expect(pack_bf16(1.0F, 2.0F) == 0x40003F80);
                              }).total;
    CHECK(counters.fp32_add == 32 * 3);
    CHECK(counters.fp32_mul == 32 * 2);
    CHECK(counters.fp32_div == 32 * 2);
    CHECK(counters.fp32_fma == 32);
    CHECK(counters.fp32_max == 32);
    CHECK(counters.fp32_select == 32);
    CHECK(counters.fp32_compare == 32 * 4);
    CHECK(counters.exp2 == 32);
    CHECK(counters.log2 == 32);
    CHECK(counters.converts == 32 * 2);
    CHECK(counters.fp32_ops() == 32 * (3 + 2 + 2 + 1 + 1 + 1 + 4 + 2));
}

TEST_CASE("arithmetic: special values") {
    run(32, [] {
        const f32 inf = INFINITY;
        const f32 nan = NAN;
        expect(max(nan, 1.0F).value == 1.0F && max(1.0F, nan).value == 1.0F && std::isnan(max(nan, nan).value));
        expect(max(-inf, -2.0F).value == -2.0F && max(-2.0F, -inf).value == -2.0F);
        expect(exp2(-inf).value == 0.0F && exp2(inf).value == inf.value && std::isnan(exp2(nan).value));
        expect(exp2(f32(3.0F)).value == 8.0F && log2(f32(8.0F)).value == 3.0F && log2(f32(0.0F)).value == -inf.value);
        // one rounding: (1 + 2^-12)^2 - 1 - 2^-11 is 2^-24, which two roundings lose
        const f32 x = 1.0F + 0x1p-12F;
        expect(fma(x, x, -(1.0F + 0x1p-11F)).value == 0x1p-24F);
        expect((x * x - (1.0F + 0x1p-11F)).value == 0.0F);
    });
}

TEST_CASE("what a Step covers is counted there; the innermost wins") {
    const LaunchReport report = run(64, [] {
        f32 a = 1.0F;
        a += a;
        {
            const Step outer("outer");
            put(4 * thread(), 0);
            {
                const Step inner("inner");
                a += a;
                a += a;
                barrier();
                get(4 * thread());
            }
            a *= a;
            shuffle_xor(0, 1);
        }
        const Step last("last");
        a *= a;
    });
    REQUIRE(report.steps.size() == 4);
    CHECK(report.steps[0].name.empty());
    CHECK(report.steps[1].name == "outer");
    CHECK(report.steps[2].name == "inner");
    CHECK(report.steps[3].name == "last");
    Counters outside;
    outside.fp32_add = 64;
    CHECK(report.steps[0].counters == outside);
    Counters outer;
    outer.shared_write_bytes = 256;
    outer.store_wavefronts = 2;
    outer.fp32_mul = 64;
    outer.shuffles = 2;
    CHECK(report.steps[1].counters == outer);
    Counters inner;
    inner.fp32_add = 128;
    inner.barriers = 1;
    inner.shared_read_bytes = 256;
    inner.load_wavefronts = 2;
    CHECK(report.steps[2].counters == inner);
    Counters sum;
    for (const StepCounters& step : report.steps) {
        sum.add(step.counters);
    }
    CHECK(sum == report.total);
}

TEST_CASE("steps come in order of first appearance, whoever runs first") {
    for (const std::uint64_t seed : {0, 5}) {
        for (const unsigned os_threads : {1U, 2U}) {
            LaunchOptions options;
            options.lane_order_seed = seed;
            options.os_threads = os_threads;
            const LaunchReport report = launch("steps", {6, 1, 1}, 64, 0, options, [] {
                if (block_index().x == 5) {
                    const Step step("last block");
                }
                if (thread() == 63) {
                    const Step step("last lane");
                }
                if (thread() == 1) {
                    const Step step("lane one");
                }
                const Step step("all");
                shuffle_xor(0, 1);
            });
            std::vector<std::string> names;
            for (const StepCounters& step : report.steps) {
                names.push_back(step.name);
            }
            CHECK(names == std::vector<std::string>{"", "all", "lane one", "last lane", "last block"});
        }
    }
}

TEST_CASE("a CTA that stands for others is counted as often") {
    LaunchOptions options;
    options.multiplicity = [](Dim3 block) { return block.x == 0 ? 5U : block.x == 3 ? 2U : 0U; };
    const LaunchReport report = launch("classes", {4, 1, 1}, 32, 256, options, [] {
        const Step step("work");
        for (unsigned i = 0; i <= block_index().x; ++i) {
            barrier();
        }
        put(4 * thread(), 0);
    });
    CHECK(report.ctas_run == 2);
    CHECK(report.total.barriers == 5 * 1 + 2 * 4);
    CHECK(report.total.shared_write_bytes == 7 * 128);
    CHECK(report.unique_write_bytes == 0);
}

TEST_CASE("unique bytes: what many CTAs read again is counted once") {
    std::vector<std::uint32_t> in(64);
    std::vector<std::uint32_t> out(256);
    LaunchOptions options;
    options.memory = {{in.data(), in.size() * 4, "in", Region::Use::input},
                      {out.data(), out.size() * 4, "out", Region::Use::output}};
    const LaunchReport report = launch("unique", {8, 1, 1}, 32, 0, options, [&] {
        std::uint32_t value = 0;
        load_global(&value, &in[thread()], 4);
        load_global(&value, &in[thread()], 4);
        store_global(&out[32 * block_index().x + thread()], &value, 4);
    });
    CHECK(report.total.global_read_bytes == 8 * 2 * 128);
    CHECK(report.unique_read_bytes == 128);
    CHECK(report.unique_write_bytes == 8 * 128);
}
