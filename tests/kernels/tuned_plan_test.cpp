// v2-tuned's tiles and its order of CTAs: what follows from shape and card alone, and that the kernel keeps to it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness.h"
#include "kernels/run.cuh"
#include "kernels/v2_tuned/kernel.cuh"
#include "kernels/v2_tuned/plan.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

/// CUDA C++ programming guide, technical specifications: opt-in maximum of shared memory per block.
const std::vector<std::pair<Chip, int>> chips = {{80, 166912}, {86, 101376},  {89, 101376},
                                                 {90, 232448}, {100, 232448}, {120, 101376}};

using TileNumbers = std::tuple<int, int, int, int>;

TileNumbers numbers(const Tile& tile) {
    return {tile.head_dim, tile.block_m, tile.block_n, tile.warps};
}

/// Every tile that choose_tile gives on some chip, for some head dim and grid.
std::set<TileNumbers> chosen_tiles() {
    std::set<TileNumbers> tiles;
    for (const auto& [chip, most] : chips) {
        for (std::int64_t head_dim = 8; head_dim <= 256; head_dim += 8) {
            for (const int sm_count : {0, 1, 132, 1 << 20}) {
                tiles.insert(numbers(v2_tuned::choose_tile(head_dim, chip, 1000, 8, sm_count)));
            }
        }
    }
    return tiles;
}

/// Whether the instance is there; launches no CTA.
bool is_compiled(const Tile& tile, DType dtype, bool causal) {
    const Problem p = shape(1, 1, 1, 1, 1, 8);
    on_cpu::Launcher launcher;
    bool compiled = false;
    run_with(p, random_inputs(p), {}, [&](AttentionParams params, const simt::LaunchOptions& options) {
        launcher.options = options;
        launcher.options.multiplicity = [](simt::Dim3) -> std::uint64_t { return 0; };
        compiled = on_cpu::run({"v2-tuned", dtype, causal, tile, 1, {}}, params, launcher);
        return launcher.report;
    });
    return compiled;
}

struct HeadAndBlock {
    std::int64_t head, block;
    friend bool operator==(const HeadAndBlock&, const HeadAndBlock&) = default;
};

/// The order as attention.h has it in words: groups of heads; in each the last query blocks of all its heads first; from
/// CTA turn_at on what is left, from its end.
std::vector<HeadAndBlock> in_order(std::int64_t blocks, std::int64_t heads, const CtaOrder& order) {
    std::vector<HeadAndBlock> all;
    for (std::int64_t first = 0; first < heads; first += order.heads_together) {
        for (std::int64_t block = blocks - 1; block >= 0; --block) {
            for (std::int64_t head = first; head < std::min<std::int64_t>(heads, first + order.heads_together);
                 ++head) {
                all.push_back({head, block});
            }
        }
    }
    if (order.turn_at < static_cast<std::int64_t>(all.size())) {
        std::reverse(all.begin() + order.turn_at, all.end());
    }
    return all;
}

constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();

}  // namespace

TEST_CASE("v2-tuned's tiles: by head dim and chip, small ones exactly when large CTAs leave SMs without work") {
    using v2_tuned::choose_tile;
    const auto large = [](std::int64_t head_dim, Chip chip) { return choose_tile(head_dim, chip, 4096, 32, 132); };
    const auto small = [](std::int64_t head_dim, Chip chip) { return choose_tile(head_dim, chip, 512, 1, 132); };
    for (const auto& [chip, most] : chips) {
        CHECK(large(32, chip) == Tile{32, 128, 64, 4});
        CHECK(large(40, chip) == Tile{64, 128, 64, 4});
        CHECK(small(8, chip) == Tile{32, 64, 128, 4});
        // two small blocks of 128 keys an SM, or none
        CHECK(small(64, chip) == (most < 102400 ? large(64, chip) : Tile{64, 64, 128, 4}));
        CHECK(large(128, chip) == Tile{128, 128, chip == 90 || chip == 100 ? 64 : 32, 4});
        CHECK(small(128, chip) == Tile{128, 64, most < 102400 ? 32 : 64, 4});
        CHECK(small(256, chip) == large(256, chip));
    }
    CHECK(large(136, 80) == Tile{256, 128, 32, 8});
    CHECK(large(256, 86) == Tile{256, 64, 32, 4});
    CHECK(large(256, 90) == Tile{256, 128, 64, 8});
    Random random(11);
    for (int i = 0; i < 2000; ++i) {
        const std::int64_t head_dim = 8 * random.between(1, 16);
        const std::int64_t seqlen_q = random.between(1, 3000), heads = random.between(1, 60);
        const auto sm_count = static_cast<int>(random.between(1, 180));
        const Chip chip = random.one_of<Chip>({80, 86, 89, 90, 100, 120});
        std::int64_t large_ctas = 0;
        for (std::int64_t first = 0; first < seqlen_q; first += 128) {
            large_ctas += heads;
        }
        const Tile tile = choose_tile(head_dim, chip, seqlen_q, heads, sm_count);
        const bool has_small_tile = chip == 80 || chip == 90 || chip == 100 || head_dim <= 32 || head_dim > 64;
        CHECK(tile.block_m == (large_ctas <= sm_count && has_small_tile ? 64 : 128));
        CHECK(tile == (large_ctas <= sm_count ? small(head_dim, chip) : large(head_dim, chip)));
    }
}

TEST_CASE("v2-tuned's tiles fit each chip's shared memory, and two CTAs an SM up to head dim 128") {
    // shared memory of an SM, bytes, of which each CTA costs 1 KiB more than it asks for
    const auto of_sm = [](Chip chip) {
        return chip == 80 ? 164 << 10 : chip == 90 || chip == 100 ? 228 << 10 : 100 << 10;
    };
    for (const auto& [chip, most] : chips) {
        for (std::int64_t head_dim = 8; head_dim <= 256; head_dim += 8) {
            for (const int sm_count : {0, 1 << 20}) {
                const int bytes = v2_tuned::shared_bytes(v2_tuned::choose_tile(head_dim, chip, 1000, 8, sm_count));
                const Chip of_chip = chip;
                INFO("D ", head_dim, ", sm_", of_chip, ": ", bytes, " bytes");
                CHECK(bytes <= most);
                const bool room_for_two = head_dim <= (most > 102400 ? 128 : 64);
                CHECK((!room_for_two || 2 * (bytes + 1024) <= of_sm(chip)));
            }
        }
    }
}

TEST_CASE("v2-tuned: what choose_tile can give is compiled, and nothing else") {
    const std::set<TileNumbers> chosen = chosen_tiles();
    std::set<TileNumbers> compiled;
    for (const int head_dim : {16, 32, 64, 96, 128, 192, 256}) {
        for (const int block_m : {16, 32, 64, 96, 128, 192, 256}) {
            for (const int block_n : {16, 32, 64, 96, 128, 192, 256}) {
                for (const int warps : {1, 2, 4, 8, 16}) {
                    const Tile tile{head_dim, block_m, block_n, warps};
                    const bool there = is_compiled(tile, DType::fp16, false);
                    if (there) {
                        compiled.insert(numbers(tile));
                    }
                    if (there || chosen.count(numbers(tile)) > 0) {
                        CHECK(is_compiled(tile, DType::fp16, true) == there);
                        CHECK(is_compiled(tile, DType::bf16, false) == there);
                        CHECK(is_compiled(tile, DType::bf16, true) == there);
                    }
                }
            }
        }
    }
    CHECK(compiled == chosen);
    CHECK(compiled.size() == 11);
}

TEST_CASE("v2-tuned's plan says what its kernel is launched with") {
    std::set<TileNumbers> looked_at;
    const auto expect = [&]<int D, int M, int N, int W>(std::integer_sequence<int, D, M, N, W>) {
        const Tile tile{D, M, N, W};
        CHECK(v2_tuned::shared_bytes(tile) == on_cpu::v2_tuned::Traits<on_cpu::fp16, D, M, N, W>::shared_bytes);
        CHECK(v2_tuned::shared_bytes(tile) == on_cpu::v2_tuned::Traits<on_cpu::bf16, D, M, N, W>::shared_bytes);
        CHECK(v2_tuned::shared_bytes(tile) == (M + 4 * N) * D * 2);  // as the head of kernel.cuh has it
        looked_at.insert(numbers(tile));
    };
    expect(std::integer_sequence<int, 32, 128, 64, 4>());
    expect(std::integer_sequence<int, 32, 64, 128, 4>());
    expect(std::integer_sequence<int, 64, 128, 64, 4>());
    expect(std::integer_sequence<int, 64, 64, 128, 4>());
    expect(std::integer_sequence<int, 128, 128, 64, 4>());
    expect(std::integer_sequence<int, 128, 128, 32, 4>());
    expect(std::integer_sequence<int, 128, 64, 64, 4>());
    expect(std::integer_sequence<int, 128, 64, 32, 4>());
    expect(std::integer_sequence<int, 256, 128, 64, 8>());
    expect(std::integer_sequence<int, 256, 128, 32, 8>());
    expect(std::integer_sequence<int, 256, 64, 32, 4>());
    CHECK(looked_at == chosen_tiles());
}

TEST_CASE("v2-tuned's order: every query block of every head once, heavy ones first, from the turn on light ones") {
    for (const std::int64_t blocks : {1, 2, 3, 7, 16}) {
        for (const std::int64_t heads : {1, 2, 5, 6, 12}) {
            for (const int together : {1, 2, 4, 5, 6, 12}) {
                for (const std::int32_t turn_at : {0, 1, 7, 20, 30, 192, never}) {
                    if (together > heads) {
                        continue;
                    }
                    CtaOrder order;
                    order.heads_together = together;
                    order.turn_at = turn_at;
                    const std::vector<HeadAndBlock> expected = in_order(blocks, heads, order);
                    std::set<std::pair<std::int64_t, std::int64_t>> taken;
                    bool same = true;
                    for (std::int64_t x = 0; x < blocks * heads; ++x) {
                        const v2_tuned::Work work = v2_tuned::work_of(order, blocks * heads, heads, x);
                        same =
                            same && HeadAndBlock{work.head, work.query_block} == expected[static_cast<std::size_t>(x)];
                        taken.insert({work.head, work.query_block});
                    }
                    INFO(blocks, " blocks, ", heads, " heads, ", together, " together, turn at ", turn_at);
                    CHECK(same);
                    CHECK(static_cast<std::int64_t>(taken.size()) == blocks * heads);
                    CHECK(std::all_of(taken.begin(), taken.end(), [&](const auto& t) {
                        return t.first >= 0 && t.first < heads && t.second >= 0 && t.second < blocks;
                    }));
                }
            }
        }
    }
}

TEST_CASE("v2-tuned's order when all CTAs run at once: those that join others are the lighter the heavier these are") {
    // 10 heads of 8 query blocks on 48 SMs, two CTAs each: CTA 48 joins CTA 0, and so on. A query block weighs its number.
    constexpr std::int64_t blocks = 8, heads = 10, sms = 48;
    const CtaOrder order = v2_tuned::choose_order(true, blocks * heads, heads, 1 << 16, sms, 2);
    const auto weight = [&](std::int64_t x) { return v2_tuned::work_of(order, blocks * heads, heads, x).query_block; };
    for (std::int64_t x = 1; x < blocks * heads; ++x) {
        CHECK((x < sms ? weight(x) <= weight(x - 1) : x == sms || weight(x) >= weight(x - 1)));
    }
    CHECK(weight(0) == 7);
    CHECK(weight(sms) == 0);
    CHECK(weight(sms - 1) >= weight(blocks * heads - 1));  // who comes early is never lighter than who joins
}

TEST_CASE("v2-tuned's kernel takes what work_of says") {
    constexpr std::int64_t batch = 2, heads = 3, rows = 300, blocks = 3;
    const Problem p = shape(batch, heads, 1, rows, 5, 8);
    const Inputs inputs = random_inputs(p);
    for (const CtaOrder& order :
         {CtaOrder{}, CtaOrder{6, never}, CtaOrder{4, never}, CtaOrder{4, 7}, CtaOrder{6, 11}}) {
        for (std::int64_t x = 0; x < blocks * batch * heads; ++x) {
            simt::LaunchOptions options;
            options.multiplicity = [=](simt::Dim3 b) -> std::uint64_t {
                return b.x == static_cast<unsigned>(x) ? 1 : 0;
            };
            const auto launch = [&](const AttentionParams& params, const simt::LaunchOptions& all) {
                on_cpu::Launcher launcher;
                launcher.options = all;
                REQUIRE(on_cpu::run({"v2-tuned", p.dtype, p.causal, {32, 128, 64, 4}, 1, order}, params, launcher));
                return launcher.report;
            };
            const Output output = run_with(p, inputs, options, launch);
            const v2_tuned::Work work = v2_tuned::work_of(order, blocks * batch * heads, batch * heads, x);
            std::int64_t wrong = 0, written = 0;
            for (std::int64_t head = 0; head < batch * heads; ++head) {
                for (std::int64_t i = 0; i < rows; ++i) {
                    const bool here = std::abs(output.lse[at_lse(p, head / heads, head % heads, i)]) < 1000.0F;
                    wrong += here != (head == work.head && i / 128 == work.query_block) ? 1 : 0;
                    written += here ? 1 : 0;
                }
            }
            CHECK(wrong == 0);
            CHECK(written == std::min<std::int64_t>(128, rows - 128 * work.query_block));
            CHECK(output.unwritten == (batch * heads * rows - written) * (p.head_dim + 1));
        }
    }
}

TEST_CASE("v2-tuned's choice of an order") {
    using v2_tuned::choose_order;
    Random random(13);
    const std::int64_t l2_bytes = std::int64_t{24} << 20;
    int turned = 0, grouped = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::int64_t heads = random.between(1, 70), blocks = random.between(1, 40);
        const std::int64_t kv_bytes = random.between(1, 1 << random.between(10, 26));
        const auto sm_count = static_cast<int>(random.between(1, 180)), per_sm = static_cast<int>(random.between(1, 4));
        const CtaOrder full = choose_order(false, heads * blocks, heads, kv_bytes, sm_count, per_sm);
        CHECK(full.heads_together == CtaOrder{}.heads_together);
        CHECK(full.turn_at == CtaOrder{}.turn_at);

        const CtaOrder order = choose_order(true, heads * blocks, heads, kv_bytes, sm_count, per_sm);
        CHECK(order.turn_at == (heads * blocks <= sm_count * per_sm ? sm_count : never));
        // Key blocks that a group has for each CTA that runs at once, and the most that one CTA has, in the lightest's.
        const auto keeps_all_busy = [&](std::int64_t group) {
            std::int64_t work = 0;
            for (std::int64_t block = 1; block <= blocks; ++block) {
                work += group * block;
            }
            return work >= blocks * sm_count * per_sm;
        };
        const auto is_good = [&](std::int64_t size) {
            const std::int64_t last = heads % size == 0 ? size : heads % size;
            return (size + 1) * kv_bytes > l2_bytes && keeps_all_busy(size) && keeps_all_busy(last);
        };
        std::int64_t smallest = 1;
        while (smallest < heads && !is_good(smallest)) {
            ++smallest;
        }
        CHECK(order.heads_together == smallest);
        turned += order.turn_at == sm_count ? 1 : 0;
        grouped += order.heads_together < heads ? 1 : 0;
    }
    CHECK((turned > 100 && turned < 2900));
    CHECK((grouped > 100 && grouped < 2900));
    CHECK(choose_order(true, 0, 0, 1000, 108, 2).turn_at == never);  // nothing to order
}
