// Launches that only count: the counters of a launch with values, and memory untouched.
#include <array>
#include <cstring>
#include <vector>

#include "machine.h"

using namespace flashlens::simt;
using namespace flashlens::simt::test;

namespace {

/// Global memory of a test kernel: 1,024 words to read and as many to write.
struct Memory {
    std::vector<std::uint32_t> in = std::vector<std::uint32_t>(1024, 7);
    std::vector<std::uint32_t> out = std::vector<std::uint32_t>(1024, 9);

    LaunchReport run(bool values, unsigned threads, Dim3 grid, const std::function<void(Memory&)>& lane_main,
                     LaunchOptions options = {}) {
        options.values = values;
        options.memory = {{in.data(), in.size() * 4, "in", Region::Use::input},
                          {out.data(), out.size() * 4, "out", Region::Use::output}};
        return launch("counted", grid, threads, 4096, options, [&] { lane_main(*this); });
    }
};

void check_same(const LaunchReport& counted, const LaunchReport& computed) {
    CHECK(counted.total == computed.total);
    REQUIRE(counted.steps.size() == computed.steps.size());
    for (std::size_t i = 0; i < counted.steps.size(); ++i) {
        CAPTURE(computed.steps[i].name);
        CHECK(counted.steps[i].name == computed.steps[i].name);
        CHECK(counted.steps[i].counters == computed.steps[i].counters);
    }
    CHECK(counted.ctas_run == computed.ctas_run);
}

/// Every instruction, some by part of the lanes, most between others that are meeting points with values.
void every_instruction(Memory& memory) {
    const unsigned t = thread();
    const unsigned lane = t % 32;
    std::uint32_t words[4] = {};
    std::uint32_t fragments[4];
    float d[4] = {};
    {
        const Step step("copies");
        cp_async_16(16 * t, memory.in.data() + 4 * t, t % 3 == 0 ? 0 : 16);
        cp_async_commit();
        cp_async_16(2048 + 16 * (t ^ 1), memory.in.data() + 4 * (t % 8), 16);
        cp_async_commit();
        cp_async_wait(1);
        sync_warp();
        cp_async_wait(0);
        barrier();
    }
    {
        const Step step("matrices");
        ldmatrix_x4(fragments, 16 * t, false);
        mma_m16n8k16_fp16(d, fragments, fragments);
        ldmatrix_x4(fragments, 32 * lane, true);                             // two-way conflicts
        ldmatrix_x4(fragments, 128 * (lane % 16) + 16 * (lane / 8), false);  // eight-way
        mma_m16n8k16_bf16(d, fragments, fragments);
    }
    {
        const Step step("reads");
        if (lane % 4 == 0) {
            load_shared(words, 4 * lane, 4);
        }
        shuffle_xor(words[0], 1);
        load_shared(words, 8 * t, 8);
        if (lane < 7) {
            load_global(words, memory.in.data() + 4 * lane, 16);
        }
        any(lane == 3);
        load_shared(words, 16 * (t ^ 5), 16);
        load_global(words, memory.in.data() + 2 * t, 8);
        for (unsigned i = 0; i < lane % 3; ++i) {
            load_global(words, memory.in.data() + 32 * i + lane, 4);
        }
        barrier();
    }
    f32 x = 1.5F;
    {
        const Step step("arithmetic");
        x = max(fma(x, x, x) - x / 3.0F, x);
        x = select(x > 1.0F, exp2(x), log2(reciprocal(x)));
        words[0] = pack_fp16(x, x) + pack_bf16(x, x);
    }
    const Step step("writes");
    put(4 * t + 8 * lane, words[0]);
    sync_warp();
    if (t % 2 == 0) {
        put(2048 + 64 * (t / 2 % 32), 1);
    }
    store_global(memory.out.data() + 4 * t + 512 * block_index().x, words, 16);
    const std::uint16_t half = 1;
    barrier();
    if (lane == 0) {
        store_global(memory.out.data() + 4 * t + 512 * block_index().x, &half, 2);
    }
}

}  // namespace

TEST_CASE("only counting gives the counters of a launch with values, total and by step") {
    for (const std::uint64_t seed : {0, 3}) {
        for (const unsigned os_threads : {1U, 3U}) {
            LaunchOptions options;
            options.checks = false;  // lanes overlap on purpose
            options.lane_order_seed = seed;
            options.os_threads = os_threads;
            Memory computed;
            Memory counted;
            const LaunchReport with = computed.run(true, 128, {2, 1, 1}, every_instruction, options);
            const LaunchReport without = counted.run(false, 128, {2, 1, 1}, every_instruction, options);
            check_same(without, with);
            // the comparison is of something
            CHECK(without.steps.size() == 6);
            CHECK(without.total.barriers == 2 * 3);
            CHECK(without.total.warp_barriers == 2 * 4 * 2);
            CHECK(without.total.shuffles == 2 * 4);
            CHECK(without.total.votes == 2 * 4);
            CHECK(without.total.ldmatrix == 2 * 4 * 3);
            CHECK(without.total.mma == 2 * 4 * 2);
            CHECK(without.total.cp_async == 2 * 4 * 2);
            CHECK(without.total.bank_conflicts > 0);
        }
    }
}

TEST_CASE("only counting leaves memory untouched and loads zeros") {
    Memory memory;
    const Memory before = memory;
    const LaunchReport report = memory.run(false, 64, {1, 1, 1}, [](Memory& m) {
        std::uint32_t words[4] = {1, 1, 1, 1};
        load_global(words, m.in.data(), 16);
        expect(words[0] == 0 && words[1] == 0 && words[2] == 0 && words[3] == 0);
        put(4 * thread(), 5);
        barrier();
        expect(get(4 * thread()) == 0);
        cp_async_16(16 * thread(), m.in.data(), 16);
        cp_async_commit();
        cp_async_wait(0);
        barrier();
        std::uint32_t fragments[4] = {1, 1, 1, 1};
        ldmatrix_x4(fragments, 16 * (thread() % 32), false);
        expect(fragments[0] == 0 && fragments[1] == 0 && fragments[2] == 0 && fragments[3] == 0);
        float d[4] = {1, 2, 3, 4};
        mma_m16n8k16_fp16(d, fragments, fragments);
        expect(d[0] == 1 && d[1] == 2 && d[2] == 3 && d[3] == 4);
        expect(shuffle_xor(thread(), 1) == thread());
        expect(any(thread() == 1) == (thread() == 1));
        store_global(m.out.data() + 4 * thread(), words, 16);
    });
    CHECK(memory.in == before.in);
    CHECK(memory.out == before.out);
    CHECK(report.total.global_write_bytes == 64 * 16);
    CHECK(report.unique_read_bytes == 0);
    CHECK(report.unique_write_bytes == 0);
}

TEST_CASE("only counting still finds accesses out of bounds, the first in block order") {
    for (const unsigned os_threads : {1U, 4U}) {
        LaunchOptions options;
        options.os_threads = os_threads;
        Memory memory;
        const KernelError error = error_of([&] {
            memory.run(
                false, 64, {8, 1, 1},
                [](Memory& m) {
                    barrier();
                    std::uint32_t word = 0;
                    load_global(&word, m.in.data() + (block_index().x >= 3 ? 1024 : 0) + thread() / 64, 4);
                },
                options);
        });
        check_report(error, KernelError::Kind::out_of_bounds, {"block (3, 0, 0)", "warp 0"});
    }
    const auto shared = [](const std::function<void()>& access) {
        return error_of([&] {
            Memory memory;
            memory.run(false, 32, {1, 1, 1}, [&](Memory&) { access(); });
        });
    };
    std::uint32_t r[4];
    check_report(shared([&] { ldmatrix_x4(r, 4096, false); }), KernelError::Kind::out_of_bounds, {"ldmatrix_x4"});
    check_report(shared([] { put(2, 1); }), KernelError::Kind::misaligned, {"store_shared"});
}

TEST_CASE("only counting, a CTA stands for others, and long stretches stay short in the log") {
    LaunchOptions options;
    options.multiplicity = [](Dim3 block) { return block.x == 1 ? 3U : 0U; };
    const auto kernel = [](Memory& m) {
        put(4 * thread(), 0);
        for (unsigned i = 0; i < 3000 + thread(); ++i) {
            const Step step("loop");
            std::uint32_t word = 0;
            load_global(&word, m.in.data() + thread(), 4);
        }
        shuffle_xor(0, 1);
        barrier();
    };
    Memory computed;
    Memory counted;
    const LaunchReport with = computed.run(true, 96, {2, 1, 1}, kernel, options);
    const LaunchReport without = counted.run(false, 96, {2, 1, 1}, kernel, options);
    check_same(without, with);
    CHECK(without.total.barriers == 3);
    CHECK(without.total.shuffles == 9);
}
