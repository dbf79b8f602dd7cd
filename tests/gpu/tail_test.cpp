// Every instance at lengths just beside the edges of its tiles. The suite "tails" is small, for compute-sanitizer's tools
// too; together its cases meet every pair of lengths. "every pair of lengths" gives each instance all of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "explorer/explorer.h"
#include "kernels/between/plan.h"
#include "kernels/v2_tuned/plan.h"
#include "on_card.h"

using namespace flashlens;
using namespace flashlens::gpu_tests;
using kernel_tests::shape;

namespace {

constexpr std::array<std::int64_t, 6> lengths = {1, 7, 33, 65, 129, 300};

struct Instance {
    Variant variant;
    Tile tile;
};

/// Those between v1 and v2, with this card's tiles: they are compiled for no other.
void add_kernels_between(std::vector<Instance>& found, int head_dim, const Problem& p) {
    for (const std::string& name : names_between()) {
        if (p.dtype == DType::bf16 && between::is_other_order(name)) {
            continue;
        }
        for (const std::int64_t keys : {100, 1000}) {
            const Tile tile = between::choose_tile(name, head_dim, keys, chip(), p.causal);
            const Variant variant = kernel_tests::variant_named(name);
            const bool known = std::any_of(found.begin(), found.end(),
                                           [&](const Instance& i) { return i.variant == variant && i.tile == tile; });
            if (!known) {
                found.push_back({variant, tile});
            }
        }
    }
}

/// By padded head dim. v2's and v2-tuned's are those of all chips, as far as this card has the shared memory.
std::vector<Instance> instances(int head_dim, const Problem& p) {
    std::vector<Instance> found;
    if (head_dim <= 128) {
        found.push_back({Variant::v1, {head_dim, 16, 128, 4}});
    }
    if (head_dim <= 64) {
        found.push_back({Variant::v1, {head_dim, 16, 256, 4}});
    }
    const std::vector<Tile> of_sm75 = {{32, 128, 128, 4}, {64, 128, 64, 4}, {128, 64, 32, 4}, {256, 64, 32, 4}};
    const std::vector<Tile> of_others = {{32, 128, 128, 4}, {64, 128, 128, 4}, {128, 128, 64, 4}, {128, 64, 64, 4},
                                         {128, 128, 32, 4}, {256, 64, 64, 4},  {256, 128, 64, 8}};
    const std::vector<Tile>& of_v2 = chip() < 80 ? of_sm75 : of_others;
    for (const Tile& tile : of_v2) {
        // Q, one block of K and one of V, two bytes each
        const int bytes = (tile.block_m + 2 * tile.block_n) * tile.head_dim * 2;
        if (tile.head_dim == head_dim && bytes <= card().max_shared_bytes_per_cta) {
            found.push_back({Variant::v2, tile});
        }
    }
    const bool has_tuned = chip() >= 80;
    if (has_tuned && head_dim <= between::max_head_dim) {
        add_kernels_between(found, head_dim, p);
    }
    for (const Chip chip : has_tuned ? std::vector<Chip>{80, 90, 120} : std::vector<Chip>{}) {
        for (const int sm_count : {0, 1 << 20}) {  // no grid is small for the one, every grid for the other
            const Tile tile = v2_tuned::choose_tile(head_dim, chip, 1, 1, sm_count);
            const bool known = std::any_of(found.begin(), found.end(), [&](const Instance& i) {
                return i.variant == Variant::v2_tuned && i.tile == tile;
            });
            if (!known && v2_tuned::shared_bytes(tile) <= card().max_shared_bytes_per_cta) {
                found.push_back({Variant::v2_tuned, tile});
            }
        }
    }
    return found;
}

std::string text_of(const Instance& i) {
    return kernel_tests::name_of(i.variant) + " tile " + std::to_string(i.tile.block_m) + "x" +
           std::to_string(i.tile.block_n) + " for head dim " + std::to_string(i.tile.head_dim);
}

void expect_all_right(const Problem& p, int splits) {
    const int padded = p.head_dim <= 32 ? 32 : p.head_dim <= 64 ? 64 : p.head_dim <= 128 ? 128 : 256;
    const std::vector<Instance> tested = instances(padded, p);
    std::vector<gpu::Call> calls;
    for (const Instance& instance : tested) {
        calls.push_back(call_of(p, instance.variant, instance.tile, splits));
    }
    const Inputs inputs = random_inputs(p);
    const ReferenceRun reference = run_reference(p, inputs, reference::all_rows(reference_sizes(p)));
    const std::vector<Output> outputs = run_all(calls, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        expect_right_at(p, inputs, outputs[i], reference, text_of(tested[i]));
    }
}

/// For each mask, alignment and type: every length of Q, with every length of K or, of the six, one that moves on.
void expect_tails_right(std::int64_t head_dim, bool every_pair) {
    std::size_t turn = 0;
    for (const DType dtype : every_type()) {
        for (int mask = 0; mask < 3; ++mask, ++turn) {
            for (std::size_t i = 0; i < lengths.size(); ++i) {
                for (std::size_t j = 0; j < lengths.size(); ++j) {
                    if (!every_pair && (i + j) % lengths.size() != turn % lengths.size()) {
                        continue;
                    }
                    Problem p = shape(1, 2, 1, lengths[i], lengths[j], head_dim, mask > 0, dtype);
                    p.align = mask == 2 ? Align::top_left : Align::bottom_right;
                    p.seed = turn;
                    expect_all_right(p, 1 + static_cast<int>((i + turn) % 3));
                }
            }
        }
    }
}

}  // namespace

TEST_SUITE("tails") {
    TEST_CASE("tails, head dims to 32") {
        expect_tails_right(32, false);
    }
    TEST_CASE("tails, head dims to 64") {
        expect_tails_right(40, false);  // padded
    }
    TEST_CASE("tails, head dims to 128") {
        expect_tails_right(128, false);
    }
    TEST_CASE("tails, head dims to 256") {
        expect_tails_right(200, false);  // padded
    }
}

TEST_SUITE("every pair of lengths") {
    TEST_CASE("every pair of lengths, every instance, whole head dims and padded ones") {
        for (const std::int64_t head_dim : {8, 32, 56, 64, 72, 128, 136, 256}) {
            expect_tails_right(head_dim, true);
        }
    }
}
