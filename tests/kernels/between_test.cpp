// What each kernel between v1 and v2 changes, and what it leaves alone, shown by bits and by what the machine counts.
// Expected numbers come from the changes' own formulas.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

/// One key block and many, tails of both lengths, both masks, rows that see nothing, padded head dims, grouped heads.
std::vector<Problem> shapes() {
    std::vector<Problem> all;
    for (const bool causal : {false, true}) {
        all.push_back(shape(1, 2, 1, 300, 600, 64, causal));
        all.push_back(shape(2, 1, 1, 256, 384, 128, causal));
        all.push_back(shape(1, 1, 1, 128, 128, 32, causal));
        all.push_back(shape(1, 1, 1, 500, 140, 40, causal));
    }
    return all;
}

Output run_it(const Problem& p, Variant variant, int splits = 2, Chip chip = 80) {
    return run(p, random_inputs(p), {.variant = variant, .splits = splits, .chip = chip});
}

simt::Counters total(const Output& output) {
    return output.report.total;
}

/// Keys that a row sees.
std::int64_t keys_of(const Problem& p, std::int64_t row) {
    return p.causal ? std::clamp<std::int64_t>(row + 1 + p.diagonal(), 0, p.seqlen_k) : p.seqlen_k;
}

std::uint64_t heads_of(const Problem& p) {
    return static_cast<std::uint64_t>(p.batch * p.heads);
}

/// Valid rows times the key blocks that come after each of them: how often O of a row goes to o_tmp. A tile goes on until
/// its last row, valid or not, has all its keys.
std::uint64_t trips(const Problem& p, std::int64_t tile_rows, std::int64_t block_n) {
    std::int64_t rows = 0;
    for (std::int64_t first = 0; first < p.seqlen_q; first += tile_rows) {
        const std::int64_t keys = keys_of(p, first + tile_rows - 1);
        const std::int64_t passes = std::max<std::int64_t>((keys + block_n - 1) / block_n, 1);
        rows += (passes - 1) * std::min(tile_rows, p.seqlen_q - first);
    }
    return static_cast<std::uint64_t>(rows) * heads_of(p);
}

std::uint64_t through_memory(const Output& output) {
    return output.report.step("store o_tmp").global_write_bytes;
}

}  // namespace

TEST_CASE("query-blocks: other CTAs do what v1's do, bit for bit") {
    for (const Problem& p : shapes()) {
        const Output v1 = run_it(p, Variant::v1, 3);
        const Output blocks = run_it(p, Variant::query_blocks);
        INFO(text_of(p));
        CHECK(same_bits(v1, blocks));
        CHECK(blocks.report.ctas_run == static_cast<std::uint64_t>((p.seqlen_q + 127) / 128) * heads_of(p));
        CHECK(total(blocks).mma == total(v1).mma);
        CHECK(total(blocks).exp2 == total(v1).exp2);
        CHECK(through_memory(blocks) == through_memory(v1));
        CHECK(blocks.report.step("smem_o.store").shared_write_bytes ==
              v1.report.step("smem_o.store").shared_write_bytes);
    }
}

TEST_CASE("row-warps and wide-warps: warps exchange nothing, O still goes through memory") {
    for (const Variant variant : {Variant::row_warps, Variant::wide_warps}) {
        for (const Problem& p : shapes()) {
            const How how{.variant = variant};
            const Tile tile = tile_of(p, how);
            const Output output = run(p, random_inputs(p), how);
            const simt::Counters all = total(output);
            INFO(name_of(variant), "  ", text_of(p));
            std::uint64_t passes = 0, blocks = 0;  // of key blocks over query tiles; of CTAs
            std::uint64_t kv_rows = 0;
            for (std::int64_t first = 0; first < p.seqlen_q; first += 128) {
                const std::int64_t rows = std::min<std::int64_t>(128, p.seqlen_q - first);
                const std::int64_t tiles = (rows + tile.block_m - 1) / tile.block_m;
                const std::int64_t keys = keys_of(p, first + tiles * tile.block_m - 1);
                const std::int64_t of_cta = std::max<std::int64_t>((keys + tile.block_n - 1) / tile.block_n, 1);
                blocks += static_cast<std::uint64_t>(of_cta);
                kv_rows += static_cast<std::uint64_t>(of_cta * tile.block_n);
                for (std::int64_t n = 0; n < of_cta; ++n) {
                    for (std::int64_t t = 0; t < tiles; ++t) {
                        const std::int64_t last = first + (t + 1) * tile.block_m - 1;
                        passes += n == 0 || keys_of(p, last) > n * tile.block_n ? 1 : 0;
                    }
                }
            }
            const auto ctas = static_cast<std::uint64_t>((p.seqlen_q + 127) / 128);
            const auto row_bytes = static_cast<std::uint64_t>(tile.head_dim) * 2;
            CHECK(all.barriers == (2 * blocks - ctas) * heads_of(p));
            // into shared memory: Q once, K and V of each block once, and nothing else
            CHECK(all.shared_write_bytes == (ctas * 128 + 2 * kv_rows) * row_bytes * heads_of(p));
            // out of it: each warp its rows of Q and all of K and V, for every 16 rows of an m16n8k16 or for 32
            const std::uint64_t of_pass = static_cast<std::uint64_t>(tile.block_m + 2 * 4 * tile.block_n) * row_bytes;
            CHECK(all.shared_read_bytes == passes * of_pass * heads_of(p));
            CHECK(through_memory(output) ==
                  trips(p, tile.block_m, tile.block_n) * static_cast<std::uint64_t>(p.head_dim) * 4);
        }
    }
}

TEST_CASE("wide-warps: half the reads of K and V, twice the trips of O") {
    const Problem p = shape(1, 1, 1, 256, 1024, 64);
    const Output narrow = run_it(p, Variant::row_warps);
    const Output wide = run_it(p, Variant::wide_warps);
    const auto kv_reads = [](const Output& o) {
        return o.report.step("gemm_qk").shared_read_bytes + o.report.step("gemm_pv").shared_read_bytes;
    };
    // Q's 128 bytes a row are read once for each key block
    CHECK(kv_reads(narrow) - std::uint64_t{256} * 128 * 4 == 2 * (kv_reads(wide) - std::uint64_t{256} * 128 * 8));
    CHECK(through_memory(narrow) == std::uint64_t{256} * 64 * 4 * 3);
    CHECK(through_memory(wide) == std::uint64_t{256} * 64 * 4 * 7);
}

TEST_CASE("from swapped-loops on O and lse are written once, and nothing is read but Q, K and V, once for each CTA") {
    for (const Variant variant :
         {Variant::swapped_loops, Variant::late_norm, Variant::masked_loop, Variant::v2, Variant::swapped_narrow,
          Variant::key_warps, Variant::async_swapped, Variant::async_late_norm, Variant::async_masked_loop}) {
        for (const Problem& p : shapes()) {
            const Output output = run_it(p, variant);
            const std::uint64_t rows = heads_of(p) * static_cast<std::uint64_t>(p.seqlen_q);
            INFO(name_of(variant), "  ", text_of(p));
            CHECK(total(output).global_write_bytes == rows * (static_cast<std::uint64_t>(p.head_dim) * 2 + 4));
            if (!p.causal) {  // Q once, K and V once for each CTA
                const std::uint64_t kv = output.report.ctas_run * static_cast<std::uint64_t>(p.seqlen_k) * 2;
                CHECK(total(output).global_read_bytes == (rows + kv) * static_cast<std::uint64_t>(p.head_dim) * 2);
            }
        }
    }
}

TEST_CASE("late normalisation: one division a row; before it, one a row and key block") {
    for (const Problem& p : shapes()) {
        const How how{.variant = Variant::late_norm};
        const Tile tile = tile_of(p, how);
        const Output early = run_it(p, Variant::swapped_loops);
        const Output late = run_it(p, Variant::late_norm);
        INFO(text_of(p));
        std::uint64_t blocks = 0;
        for (std::int64_t first = 0; first < p.seqlen_q; first += tile.block_m) {
            blocks +=
                static_cast<std::uint64_t>((keys_of(p, first + tile.block_m - 1) + tile.block_n - 1) / tile.block_n);
        }
        const auto ctas = static_cast<std::uint64_t>((p.seqlen_q + tile.block_m - 1) / tile.block_m);
        const std::uint64_t of_block =
            static_cast<std::uint64_t>(tile.block_m) * 4 * heads_of(p);  // a quad's four lanes
        CHECK(total(early).fp32_div == blocks * of_block);
        CHECK(total(late).fp32_div == ctas * of_block);
        CHECK(total(early).mma == total(late).mma);
        CHECK(total(early).exp2 == total(late).exp2);
        CHECK(total(early).shared_bytes() == total(late).shared_bytes());
    }
}

TEST_CASE("masked-loop: only blocks that need it are masked, and it is v2 bit for bit") {
    for (const Problem& p : shapes()) {
        const Output always = run_it(p, Variant::late_norm);
        const Output needed = run_it(p, Variant::masked_loop);
        const Output v2 = run_it(p, Variant::v2);
        INFO(text_of(p));
        CHECK(same_bits(needed, v2));
        CHECK(needed.report.step("apply_mask").fp32_select == v2.report.step("apply_mask").fp32_select);
        CHECK(needed.report.step("apply_mask").fp32_select <= always.report.step("apply_mask").fp32_select);
        CHECK(total(needed).mma == total(always).mma);
        CHECK(total(needed).fp32_ops() == total(v2).fp32_ops());
    }
    const Problem p = shape(1, 1, 1, 128, 1024, 64);  // eight key blocks, one of them masked
    CHECK(run_it(p, Variant::late_norm).report.step("apply_mask").fp32_select ==
          8 * run_it(p, Variant::masked_loop).report.step("apply_mask").fp32_select);
}

TEST_CASE("v2 alone, and those that take copies first, have products beside copies") {
    const Problem p = shape(1, 1, 1, 256, 512, 64);
    for (const Variant variant :
         {Variant::v1, Variant::query_blocks, Variant::row_warps, Variant::wide_warps, Variant::swapped_loops,
          Variant::late_norm, Variant::masked_loop, Variant::swapped_narrow, Variant::key_warps}) {
        INFO(name_of(variant));
        CHECK(total(run_it(p, variant)).cp_async == 0);
    }
    for (const Variant variant : {Variant::v2, Variant::async_swapped, Variant::async_late_norm,
                                  Variant::async_masked_loop, Variant::v1_grid}) {
        const simt::Counters all = total(run_it(p, variant));
        INFO(name_of(variant));
        CHECK(all.cp_async > 0);
        CHECK(all.mma_beside_copies > all.mma / 2);
    }
}

TEST_CASE("another order: what does the same work has the same bits") {
    for (const Problem& p : shapes()) {
        const Output v2 = run_it(p, Variant::v2);
        INFO(text_of(p));
        CHECK(same_bits(run_it(p, Variant::async_late_norm), v2));
        CHECK(same_bits(run_it(p, Variant::async_masked_loop), run_it(p, Variant::async_swapped)));
        for (const int splits : {1, 2, 7}) {
            CHECK(same_bits(run_it(p, Variant::v1_grid, splits), v2));
        }
    }
}

TEST_CASE("key-warps: the four warps meet once, in the end") {
    const Problem few = shape(1, 1, 1, 64, 128, 64);  // one key block
    const Problem many = shape(1, 1, 1, 64, 1024, 64);
    const auto merged = [](const Output& o) { return o.report.step("merge").shared_bytes(); };
    CHECK(merged(run_it(few, Variant::key_warps)) > 0);
    CHECK(merged(run_it(few, Variant::key_warps)) == merged(run_it(many, Variant::key_warps)));
    // v1's meet on every pass
    CHECK(run_it(many, Variant::v1).report.step("smem_o.store").shared_bytes() >
          3 * run_it(few, Variant::v1).report.step("smem_o.store").shared_bytes());
}
