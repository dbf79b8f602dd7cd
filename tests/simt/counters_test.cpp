// Counters of small kernels, against values worked out by hand: instructions, arithmetic, steps, CTAs that stand for others.
// Those of memory accesses: memory_counters_test.cpp.
#include <cmath>
#include <vector>

#include "machine.h"

using namespace flashlens::simt;
using namespace flashlens::simt::test;

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

TEST_CASE("an m16n8k8 is an mma, and half the FLOPs, with values or without") {
    const auto kernel = [] {
        std::uint32_t registers[4] = {};
        float d[4] = {};
        mma_m16n8k16_fp16(d, registers, registers);
        for (unsigned i = 0; i < 3; ++i) {
            mma_m16n8k8_fp16(d, registers, registers);
        }
        convert_fp16(1.0F);
    };
    for (const bool values : {false, true}) {
        LaunchOptions options;
        options.values = values;
        options.checks = values;
        const Counters counters = run(64, kernel, options).total;
        CHECK(counters.mma == 2 * 4);
        CHECK(counters.mma_k8 == 2 * 3);
        CHECK(counters.mma_flops() == 2 * (2 * 16 * 8 * 16 + 3 * 2 * 16 * 8 * 8));
        CHECK(counters.converts == 64);
    }
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
