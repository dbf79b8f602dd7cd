// sm_75's instances (Turing): the same kernels in that chip's instructions, right where the others are.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "harness.h"
#include "kernels/run.cuh"
#include "kernels/v1/kernel.cuh"
#include "kernels/v1/plan.h"
#include "kernels/v2/kernel.cuh"
#include "kernels/v2/plan.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

constexpr Chip sm75 = 75;
const std::vector<Variant> both = {Variant::v1, Variant::v2};

Output run_sm75(const Problem& p, const Inputs& inputs, Variant variant, int splits = 2) {
    return run(p, inputs, {.variant = variant, .splits = splits, .chip = sm75});
}

/// What a launch counted, beside what follows from v2's loops.
struct Ran {
    Problem p;
    std::uint64_t padded, block_m, block_n, warps;
    std::uint64_t ctas = 0, blocks = 0;          // key blocks, over all CTAs
    std::uint64_t rows_read = 0, keys_read = 0;  // of Q, and of K (as many of V)
    simt::LaunchReport report = {};
};

Ran v2_on_sm75(const Problem& p) {
    const Tile tile = tile_of(p, {.variant = Variant::v2, .chip = sm75});
    Ran r{p, static_cast<std::uint64_t>(tile.head_dim), static_cast<std::uint64_t>(tile.block_m),
          static_cast<std::uint64_t>(tile.block_n), static_cast<std::uint64_t>(tile.warps)};
    const auto heads = static_cast<std::uint64_t>(p.batch * p.heads);
    for (std::int64_t first = 0; first < p.seqlen_q; first += tile.block_m) {
        const std::int64_t seen =
            p.causal ? std::clamp<std::int64_t>(first + tile.block_m + p.diagonal(), 0, p.seqlen_k) : p.seqlen_k;
        const std::int64_t blocks = (seen + tile.block_n - 1) / tile.block_n;
        r.ctas += heads;
        r.blocks += heads * static_cast<std::uint64_t>(blocks);
        r.keys_read += heads * static_cast<std::uint64_t>(std::min(blocks * tile.block_n, p.seqlen_k));
        const std::int64_t rows = std::min<std::int64_t>(tile.block_m, p.seqlen_q - first);
        r.rows_read += blocks > 0 ? heads * static_cast<std::uint64_t>(rows) : 0;
    }
    r.report = run_sm75(p, random_inputs(p), Variant::v2).report;
    return r;
}

std::vector<Ran> v2_runs() {
    std::vector<Ran> ran;
    for (const bool causal : {false, true}) {
        for (const Problem& p : {shape(1, 2, 1, 300, 600, 64, causal), shape(2, 1, 1, 128, 256, 128, causal),
                                 shape(1, 1, 1, 130, 300, 96, causal), shape(1, 1, 1, 128, 128, 32, causal),
                                 shape(1, 1, 1, 300, 140, 40, causal), shape(1, 1, 1, 100, 200, 256, causal)}) {
            ran.push_back(v2_on_sm75(p));
        }
    }
    return ran;
}

}  // namespace

TEST_CASE("sm_75: tiles, and 64 KiB of shared memory that two CTAs share up to head dim 128") {
    // v1.0.9 takes the same tiles there as elsewhere; v2's, (block_m + 2 block_n) D 2 bytes, are this project's.
    for (const bool causal : {false, true}) {
        CHECK(v2::choose_tile(8, sm75, causal) == Tile{32, 128, 128, 4});
        CHECK(v2::choose_tile(64, sm75, causal) == Tile{64, 128, 64, 4});
        CHECK(v2::choose_tile(72, sm75, causal) == Tile{128, 64, 32, 4});
        CHECK(v2::choose_tile(256, sm75, causal) == Tile{256, 64, 32, 4});
    }
    const auto bytes = [](int head_dim) { return v2::shared_bytes(v2::choose_tile(head_dim, sm75, false)); };
    CHECK(bytes(32) == 24576);
    CHECK(bytes(64) == 32768);
    CHECK(bytes(128) == 32768);
    CHECK(bytes(256) == 65536);
    using on_cpu::fp16_sm75;
    CHECK(on_cpu::v2::Traits<fp16_sm75, 32, 128, 128, 4>::shared_bytes == 24576);
    CHECK(on_cpu::v2::Traits<fp16_sm75, 64, 128, 64, 4>::shared_bytes == 32768);
    CHECK(on_cpu::v2::Traits<fp16_sm75, 128, 64, 32, 4>::shared_bytes == 32768);
    CHECK(on_cpu::v2::Traits<fp16_sm75, 256, 64, 32, 4>::shared_bytes == 65536);
    for (int head_dim = 8; head_dim <= 128; head_dim += 8) {
        CHECK(2 * bytes(head_dim) <= 64 * 1024);
        CHECK(v1::shared_bytes(v1::choose_tile(head_dim, 4096), 4096) <= 64 * 1024);
    }
}

TEST_CASE("sm_75: what is compiled: fp16, and no v2-tuned") {
    const Problem p = shape(1, 1, 1, 1, 0, 64);
    const auto exists = [&](const char* variant, DType dtype, const Tile& tile) {
        on_cpu::Launcher launcher;
        launcher.options.multiplicity = [](simt::Dim3) -> std::uint64_t { return 0; };
        AttentionParams params;
        params.batch = params.heads = params.kv_heads = params.seqlen_q = 1;
        params.head_dim = tile.head_dim;
        return on_cpu::run({variant, dtype, p.causal, tile, 1, {}, sm75}, params, launcher);
    };
    CHECK(exists("v1", DType::fp16, {64, 16, 256, 4}));
    CHECK(exists("v2", DType::fp16, {64, 128, 64, 4}));
    CHECK_FALSE(exists("v2", DType::fp16, {64, 128, 128, 4}));  // sm_80's
    for (const char* variant : {"v1", "v2", "v2-tuned"}) {
        CHECK_FALSE(exists(variant, DType::bf16, {64, 128, 64, 4}));
        CHECK_FALSE(exists(variant, DType::bf16, {64, 16, 256, 4}));
    }
    CHECK_FALSE(exists("v2-tuned", DType::fp16, {64, 128, 64, 4}));
}

TEST_CASE("sm_75: v1 does what it does elsewhere, with twice the mma and twice the conversions of half the size") {
    for (const bool causal : {false, true}) {
        for (const Problem& p : {shape(1, 2, 1, 100, 600, 64, causal), shape(1, 1, 1, 64, 128, 32, causal),
                                 shape(2, 1, 1, 80, 300, 128, causal), shape(1, 1, 1, 200, 530, 40, causal)}) {
            INFO(text_of(p));
            const Inputs inputs = random_inputs(p);
            const Output there = run(p, inputs, {.variant = Variant::v1, .splits = 3});
            const Output here = run_sm75(p, inputs, Variant::v1, 3);
            CHECK(same_bits(here, there));
            const simt::Counters& counted = here.report.total;
            CHECK(counted.mma == 2 * there.report.total.mma);
            CHECK(counted.mma_k8 == counted.mma);
            CHECK(there.report.total.mma_k8 == 0);
            CHECK(counted.mma_flops() == there.report.total.mma_flops());
            CHECK(counted.mma_flops() == 2 * 16 * 8 * 8 * counted.mma);
            CHECK(counted.converts == 2 * there.report.total.converts);
            CHECK(counted.cp_async == 0);
            simt::Counters rest = counted;
            rest.mma = there.report.total.mma;
            rest.mma_k8 = 0;
            rest.converts = there.report.total.converts;
            CHECK(rest == there.report.total);
        }
    }
}

TEST_CASE("sm_75: v2 does what it does elsewhere, its copies through registers") {
    for (const Ran& r : v2_runs()) {
        INFO(text_of(r.p));
        const simt::Counters& counted = r.report.total;
        const std::uint64_t scores = r.blocks * r.block_m * r.block_n;
        // block_m x block_n x padded multiply-adds a key block, for each product; an m16n8k8 does 16 x 8 x 8
        CHECK(counted.mma == 2 * scores * r.padded / (16 * 8 * 8));
        CHECK(counted.mma_k8 == counted.mma);
        CHECK(counted.cp_async == 0);
        CHECK(counted.cp_async_read_bytes == 0);
        CHECK(counted.cp_async_wavefronts == 0);
        CHECK(counted.barriers == 2 * r.blocks + r.ctas);
        CHECK(counted.bank_conflicts == 0);
        // Q once, K and V of each block once a CTA: read by 16 bytes a lane, stored with zeros for what lies past the end
        CHECK(counted.global_read_bytes ==
              (r.rows_read + 2 * r.keys_read) * static_cast<std::uint64_t>(r.p.head_dim) * 2);
        CHECK(counted.global_read_instructions > 0);
        const std::uint64_t working = r.rows_read > 0 && r.blocks > 0 ? r.ctas : 0;
        const std::uint64_t copied = (working * r.block_m + 2 * r.blocks * r.block_n) * r.padded * 2;
        const bool all_work = !r.p.causal || r.p.seqlen_q <= r.p.seqlen_k;  // else some CTAs load no Q
        CHECK((!all_work || counted.shared_write_bytes == copied + r.ctas * r.block_m * r.padded * 2));
        CHECK(counted.exp2 == scores + r.blocks * r.block_m * 4);
        CHECK(counted.fp32_div == r.ctas * r.block_m * 4);
        // P and O, one number a conversion
        CHECK(counted.converts == scores + r.ctas * r.block_m * r.padded);
        CHECK(counted.global_write_bytes == static_cast<std::uint64_t>(r.p.batch * r.p.heads * r.p.seqlen_q) *
                                                (static_cast<std::uint64_t>(r.p.head_dim) * 2 + 4));
    }
}

TEST_CASE("sm_75: v2 with sm_80's tile, which it has at head dim 32, gives the same bits") {
    for (const bool causal : {false, true}) {
        for (const Problem& p : {shape(2, 4, 2, 150, 333, 32, causal), shape(1, 1, 1, 300, 70, 24, causal)}) {
            const Inputs inputs = random_inputs(p);
            CHECK(same_bits(run_sm75(p, inputs, Variant::v2), run(p, inputs, {.variant = Variant::v2})));
        }
    }
}

TEST_CASE("sm_75: every head dim, tails, both masks and alignments, GQA: right against fp64") {
    for (std::int64_t head_dim = 8; head_dim <= 256; head_dim += head_dim < 128 ? 8 : 32) {
        for (const bool causal : {false, true}) {
            const Problem p = shape(1, 2, 1, 67, 139, head_dim, causal);
            expect_right(p, random_inputs(p), 3, sm75);
        }
    }
    for (const auto& [seqlen_q, seqlen_k] :
         {std::pair{1, 1}, {1, 300}, {300, 1}, {15, 17}, {33, 65}, {129, 127}, {257, 255}, {130, 40}, {20, 0}}) {
        for (const std::int64_t head_dim : {40, 128}) {
            Problem p = shape(2, 3, 1, seqlen_q, seqlen_k, head_dim);
            expect_right(p, random_inputs(p), 2, sm75);
            p.causal = true;
            expect_right(p, random_inputs(p), 2, sm75);
            p.align = Align::top_left;
            expect_right(p, random_inputs(p), 2, sm75);
        }
    }
    for (const Distribution dist : {Distribution::sharp, Distribution::uniform, Distribution::ones}) {
        Problem p = shape(1, 6, 2, 150, 400, 64, true);
        p.dist = dist;
        expect_right(p, random_inputs(p), 5, sm75);
    }
}

TEST_CASE("sm_75: huge logits, and a NaN that is seen, come out as the reference has them") {
    for (const std::int64_t head_dim : {40, 128}) {
        for (const double k : {60.0, 6e4, -6e4}) {
            const Problem p = shape(1, 1, 1, 18, 300, head_dim, true);
            const auto constant = [](double value) { return [=](auto, auto, auto, auto) { return value; }; };
            const auto ramp = [](auto, auto row, auto, auto) { return static_cast<double>(row + 1); };
            expect_right(p, make_inputs(p, constant(std::abs(k)), constant(k), ramp), 3, sm75);
        }
        const Problem p = shape(2, 2, 2, 24, 300, head_dim);
        Inputs inputs = random_inputs(p);
        inputs.q[at_q(p, 1, 17, 1, 5)] = round_to(std::numeric_limits<double>::quiet_NaN(), p.dtype);
        inputs.v[at_k(p, 0, 291, 0, 39)] = round_to(std::numeric_limits<double>::infinity(), p.dtype);
        expect_right(p, inputs, 2, sm75);
    }
}

TEST_CASE("sm_75: rows that see nothing: O 0 and lse -inf") {
    const Problem p = shape(1, 1, 1, 5, 2, 64, true);
    const auto zero = [](auto, auto, auto, auto) { return 0.0; };
    const auto ramp = [](auto, auto row, auto, auto) { return static_cast<double>(row + 1); };
    for (const Variant variant : both) {
        const Output output = run_sm75(p, make_inputs(p, zero, zero, ramp), variant);
        const double expected[] = {0.0, 0.0, 0.0, 1.0, 1.5};
        for (std::int64_t i = 0; i < 5; ++i) {
            CHECK(widen(output.o[at_q(p, 0, i, 0, 63)], p.dtype) == expected[i]);
            CHECK((i >= 3 || output.lse[static_cast<std::size_t>(i)] == -std::numeric_limits<float>::infinity()));
        }
        CHECK(output.lse[4] == doctest::Approx(std::log(2.0)));
    }
}

TEST_CASE("sm_75: v2's barriers are needed there, too") {
    // Lines of the loops' four barriers and the one before O is stored, as omission_test.cpp finds them for sm_80.
    const Problem p = shape(1, 1, 1, 130, 700, 64, true);
    const Inputs inputs = random_inputs(p);
    std::vector<unsigned> lines;
    for (unsigned line = 60; line < 130; ++line) {
        How how{.variant = Variant::v2, .chip = sm75};
        how.options.omissions = {{simt::Omission::What::barrier, line, "v2/kernel.cuh"}};
        try {
            run(p, inputs, how);
        } catch (const simt::KernelError& error) {
            CHECK_MESSAGE(error.kind() == simt::KernelError::Kind::race, error.what());
            lines.push_back(line);
        }
    }
    CHECK(lines.size() == 5);
}
