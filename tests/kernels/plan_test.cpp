// Tiles, shared memory, grids and v1's num_splits: what follows from the shape alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "harness.h"
#include "kernels/v1/kernel.cuh"
#include "kernels/v1/plan.h"
#include "kernels/v2/kernel.cuh"
#include "kernels/v2/plan.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

/// Every block of the grid that was launched.
std::vector<simt::Dim3> blocks_of(const Problem& p, How how) {
    std::vector<simt::Dim3> blocks;
    how.options.multiplicity = [&](simt::Dim3 block) -> std::uint64_t {
        blocks.push_back(block);
        return 0;
    };
    run(p, random_inputs(p), how);
    return blocks;
}

struct Written {
    std::set<std::int64_t> batches, heads, rows;
};

/// What the CTA at `block` alone writes of O.
Written written_by(const Problem& p, How how, simt::Dim3 block) {
    how.options.multiplicity = [=](simt::Dim3 b) -> std::uint64_t {
        return b.x == block.x && b.y == block.y && b.z == block.z ? 1 : 0;
    };
    const Output output = run(p, random_inputs(p), how);
    const Output everything = run(p, random_inputs(p), {.variant = how.variant, .splits = how.splits});
    Written written;
    for (std::int64_t b = 0; b < p.batch; ++b) {
        for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
            for (std::int64_t h = 0; h < p.heads; ++h) {
                // equal to the whole run's, which no left-over pattern is
                if (output.o[at_q(p, b, i, h, 0)] == everything.o[at_q(p, b, i, h, 0)] &&
                    output.lse[at_lse(p, b, h, i)] == everything.lse[at_lse(p, b, h, i)]) {
                    written.batches.insert(b);
                    written.heads.insert(h);
                    written.rows.insert(i);
                }
            }
        }
    }
    return written;
}

}  // namespace

TEST_CASE("shared memory per CTA: 18560, 36992, 41600 and 24576, 49152, 65536 bytes") {
    const auto v1_bytes = [](int head_dim) { return v1::shared_bytes(v1::choose_tile(head_dim, 4096), 4096); };
    CHECK(v1_bytes(32) == 18560);
    CHECK(v1_bytes(64) == 36992);
    CHECK(v1_bytes(128) == 41600);
    const auto v2_bytes = [](int head_dim) { return v2::shared_bytes(v2::choose_tile(head_dim, 90, false)); };
    CHECK(v2_bytes(32) == 24576);
    CHECK(v2_bytes(64) == 49152);
    CHECK(v2_bytes(128) == 65536);
    CHECK(v2_bytes(256) == 98304);
    // 128 bytes for log-sum-exps only with more than one key block
    CHECK(v1::shared_bytes(v1::choose_tile(64, 256), 256) == 36992 - 128);
    CHECK(v1::shared_bytes(v1::choose_tile(64, 257), 257) == 36992);
}

TEST_CASE("the plans say what the kernels are launched with") {
    using on_cpu::fp16;
    const auto expect_v1 = [](const Tile& tile, int several_blocks, int one_block) {
        CHECK(v1::shared_bytes(tile, tile.block_n + 1) == several_blocks);
        CHECK(v1::shared_bytes(tile, tile.block_n) == one_block);
    };
    using on_cpu::v1::Traits;
    expect_v1({32, 16, 128, 4}, Traits<fp16, 32, 128>::shared_bytes(false), Traits<fp16, 32, 128>::shared_bytes(true));
    expect_v1({32, 16, 256, 4}, Traits<fp16, 32, 256>::shared_bytes(false), Traits<fp16, 32, 256>::shared_bytes(true));
    expect_v1({64, 16, 128, 4}, Traits<fp16, 64, 128>::shared_bytes(false), Traits<fp16, 64, 128>::shared_bytes(true));
    expect_v1({64, 16, 256, 4}, Traits<fp16, 64, 256>::shared_bytes(false), Traits<fp16, 64, 256>::shared_bytes(true));
    expect_v1({128, 16, 128, 4}, Traits<fp16, 128, 128>::shared_bytes(false),
              Traits<fp16, 128, 128>::shared_bytes(true));
    CHECK(v2::shared_bytes({32, 128, 128, 4}) == on_cpu::v2::Traits<fp16, 32, 128, 128, 4>::shared_bytes);
    CHECK(v2::shared_bytes({64, 128, 128, 4}) == on_cpu::v2::Traits<fp16, 64, 128, 128, 4>::shared_bytes);
    CHECK(v2::shared_bytes({128, 128, 64, 4}) == on_cpu::v2::Traits<fp16, 128, 128, 64, 4>::shared_bytes);
    CHECK(v2::shared_bytes({128, 128, 32, 4}) == on_cpu::v2::Traits<fp16, 128, 128, 32, 4>::shared_bytes);
    CHECK(v2::shared_bytes({128, 64, 64, 4}) == on_cpu::v2::Traits<fp16, 128, 64, 64, 4>::shared_bytes);
    CHECK(v2::shared_bytes({256, 64, 64, 4}) == on_cpu::v2::Traits<fp16, 256, 64, 64, 4>::shared_bytes);
    CHECK(v2::shared_bytes({256, 128, 64, 8}) == on_cpu::v2::Traits<fp16, 256, 128, 64, 8>::shared_bytes);
}

TEST_CASE("tiles of v1.0.9 and v2.8.3, and every chip's fits its shared memory") {
    CHECK(v1::choose_tile(32, 128) == Tile{32, 16, 128, 4});
    CHECK(v1::choose_tile(32, 129) == Tile{32, 16, 256, 4});
    CHECK(v1::choose_tile(40, 4096) == Tile{64, 16, 256, 4});
    CHECK(v1::choose_tile(64, 100) == Tile{64, 16, 128, 4});
    CHECK(v1::choose_tile(72, 4096) == Tile{128, 16, 128, 4});
    CHECK(v2::choose_tile(32, 80, false) == Tile{32, 128, 128, 4});
    CHECK(v2::choose_tile(64, 90, true) == Tile{64, 128, 128, 4});
    for (const Chip chip : {80, 90, 100}) {
        CHECK(v2::choose_tile(128, chip, false) == Tile{128, 128, 64, 4});
        CHECK(v2::choose_tile(128, chip, true) == Tile{128, 128, 64, 4});
    }
    for (const Chip chip : {86, 89, 120}) {
        CHECK(v2::choose_tile(128, chip, false) == Tile{128, 128, 32, 4});
        CHECK(v2::choose_tile(128, chip, true) == Tile{128, 64, 64, 4});
    }
    CHECK(v2::choose_tile(256, 90, false) == Tile{256, 64, 64, 4});
    CHECK(v2::choose_tile(256, 80, false) == Tile{256, 128, 64, 8});
    // CUDA C++ programming guide, technical specifications: opt-in maximum of shared memory per block
    for (const auto& [chip, most] :
         {std::pair{80, 166912}, {86, 101376}, {89, 101376}, {90, 232448}, {100, 232448}, {120, 101376}}) {
        for (int head_dim = 8; head_dim <= 256; head_dim += 8) {
            CHECK(v2::shared_bytes(v2::choose_tile(head_dim, chip, false)) <= most);
            CHECK(v2::shared_bytes(v2::choose_tile(head_dim, chip, true)) <= most);
            if (head_dim <= 128) {
                CHECK(v1::shared_bytes(v1::choose_tile(head_dim, 4096), 4096) <= most);
            }
        }
    }
}

TEST_CASE("v1's num_splits on an H200, as measured of the official kernel") {
    struct Measured {
        std::int64_t batch, heads, seqlen;
        int head_dim, splits, causal_splits;
    };
    const std::vector<Measured> measured = {
        {32, 32, 512, 64, 1, 1},   {16, 32, 1024, 64, 1, 1},  {8, 32, 2048, 64, 1, 1},   {4, 32, 4096, 64, 2, 2},
        {2, 32, 8192, 64, 4, 4},   {1, 32, 16384, 64, 8, 8},  {32, 16, 512, 128, 1, 1},  {16, 16, 1024, 128, 1, 1},
        {8, 16, 2048, 128, 2, 2},  {4, 16, 4096, 128, 4, 4},  {2, 16, 8192, 128, 8, 8},  {1, 16, 16384, 128, 16, 16},
        {4, 64, 4096, 32, 3, 1},   {1, 1, 16384, 64, 29, 29}, {1, 4, 16384, 64, 29, 29}, {1, 8, 8192, 128, 29, 29},
        {2, 40, 1024, 64, 13, 13}, {1, 8, 4096, 64, 29, 29}};
    constexpr int sm_count = 132;
    for (const Measured& m : measured) {
        const int most = v1::max_splits(m.seqlen);
        const int ctas = m.head_dim == 32 ? 3 : 2;  // per SM, as the driver gave them for the official kernel
        CHECK_MESSAGE(v1::num_splits_heuristic(m.batch * m.heads, sm_count, ctas, most) == m.splits,
                      m.batch << " " << m.heads << " " << m.seqlen << " " << m.head_dim);
        CHECK_MESSAGE(v1::num_splits_heuristic(m.batch * m.heads, sm_count, 2, most) == m.causal_splits,
                      m.batch << " " << m.heads << " " << m.seqlen << " " << m.head_dim << " causal");
    }
    // the source's own example: 48 heads on 108 SMs
    CHECK(v1::num_splits_heuristic(48, 108, 1, 30) == 9);
    CHECK(v1::num_splits_heuristic(48, 108, 2, 30) == 9);
}

TEST_CASE("v1's num_splits by the rule: the smallest within 95 % of the best efficiency") {
    Random random(7);
    for (int i = 0; i < 2000; ++i) {
        const std::int64_t heads = random.between(1, 600);
        const auto sms = static_cast<int>(random.between(16, 180));
        const auto per_sm = static_cast<int>(random.between(1, 4));
        // in integers: waves / ceil(waves) = heads s / (places ceil(heads s / places))
        const std::int64_t places = static_cast<std::int64_t>(sms) * per_sm;
        const auto whole = [&](std::int64_t s) { return places * ((heads * s + places - 1) / places); };
        std::int64_t best = 1;
        for (std::int64_t s = 2; s <= 30; ++s) {
            best = heads * s * whole(best) > heads * best * whole(s) ? s : best;
        }
        const auto close = [&](std::int64_t s) {  // e(s) / e(best) against 95 %
            return 100 * s * whole(best) - 95 * best * whole(s);
        };
        const auto splits = static_cast<std::int64_t>(v1::num_splits_heuristic(heads, sms, per_sm, 30));
        CHECK(close(splits) >= 0);
        for (std::int64_t s = 1; s < splits; ++s) {
            CHECK(close(s) <= 0);
        }
    }
}

TEST_CASE("v1's max_splits is 30, whatever the length") {
    for (std::int64_t seqlen = 1; seqlen <= 5000; ++seqlen) {
        CHECK(v1::max_splits(seqlen) == 30);
    }
    CHECK(v1::max_splits(std::int64_t{1} << 40) == 30);
}

TEST_CASE("v1's grid: (batch, heads, num_splits); CTA z takes query tiles z, z + num_splits, ...") {
    const Problem p = shape(2, 3, 1, 100, 300, 64);
    const How how{.variant = Variant::v1, .splits = 5};
    std::set<std::tuple<unsigned, unsigned, unsigned>> blocks;
    for (const simt::Dim3 b : blocks_of(p, how)) {
        CHECK((b.x < 2 && b.y < 3 && b.z < 5));
        blocks.insert({b.x, b.y, b.z});
    }
    CHECK(blocks.size() == 2 * 3 * 5);
    for (const simt::Dim3 block : {simt::Dim3{0, 0, 0}, {1, 2, 1}, {1, 0, 4}}) {
        std::set<std::int64_t> rows;
        for (std::int64_t i = 0; i < 100; ++i) {
            if (i / 16 % 5 == block.z) {
                rows.insert(i);
            }
        }
        const Written written = written_by(p, how, block);
        CHECK(written.batches == std::set<std::int64_t>{block.x});
        CHECK(written.heads == std::set<std::int64_t>{block.y});
        CHECK(written.rows == rows);
    }
}

TEST_CASE("v1: a CTA whose first tile lies past the last row does nothing at all") {
    for (const bool causal : {false, true}) {
        const Problem p = shape(1, 1, 1, 100, 300, 64, causal);  // 7 tiles
        How how{.variant = Variant::v1, .splits = 30};
        how.options.multiplicity = [](simt::Dim3 b) -> std::uint64_t { return b.z >= 7 ? 1 : 0; };
        const Output output = run(p, random_inputs(p), how);
        CHECK(output.report.ctas_run == 23);
        CHECK(output.report.total == simt::Counters{});
    }
}

TEST_CASE("v2's grid: (query blocks, batch, heads)") {
    const Problem p = shape(2, 3, 1, 300, 200, 64);
    const How how{.variant = Variant::v2};
    std::set<std::tuple<unsigned, unsigned, unsigned>> blocks;
    for (const simt::Dim3 b : blocks_of(p, how)) {
        CHECK((b.x < 3 && b.y < 2 && b.z < 3));
        blocks.insert({b.x, b.y, b.z});
    }
    CHECK(blocks.size() == 3 * 2 * 3);
    for (const simt::Dim3 block : {simt::Dim3{0, 0, 0}, {2, 1, 1}, {1, 0, 2}}) {
        const Written written = written_by(p, how, block);
        CHECK(written.batches == std::set<std::int64_t>{block.y});
        CHECK(written.heads == std::set<std::int64_t>{block.z});
        CHECK(*written.rows.begin() == 128 * block.x);
        CHECK(*written.rows.rbegin() == std::min<std::int64_t>(128 * block.x + 127, 299));
        CHECK(static_cast<std::int64_t>(written.rows.size()) == *written.rows.rbegin() - *written.rows.begin() + 1);
    }
}
