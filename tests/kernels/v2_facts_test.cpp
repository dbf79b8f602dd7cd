// What v2.8.3 does, shown of our v2 by what the machine counts. Expected numbers come from the facts' own formulas.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

struct Expected {
    std::uint64_t ctas = 0;
    std::uint64_t blocks = 0;         // key blocks, over all CTAs
    std::uint64_t masked_blocks = 0;  // those in the masked loop
    std::uint64_t keys = 0;           // of those blocks
    std::uint64_t working_rows = 0;   // valid query rows of CTAs that see a key
};

Expected expected_of(const Problem& p, const Tile& tile) {
    Expected e;
    for (std::int64_t first = 0; first < p.seqlen_q; first += tile.block_m) {
        std::int64_t keys = p.seqlen_k;
        std::int64_t need_mask = 1;
        if (p.causal) {
            keys = std::clamp<std::int64_t>(first + tile.block_m + p.diagonal(), 0, p.seqlen_k);
            const bool multiples = p.seqlen_q % tile.block_m == 0 && p.seqlen_k % tile.block_n == 0;
            need_mask = (tile.block_m + tile.block_n - 1) / tile.block_n + (multiples ? 0 : 1);
        }
        const std::int64_t blocks = (keys + tile.block_n - 1) / tile.block_n;
        ++e.ctas;
        e.blocks += static_cast<std::uint64_t>(blocks);
        e.masked_blocks += static_cast<std::uint64_t>(std::min(blocks, need_mask));
        e.keys += static_cast<std::uint64_t>(std::min(blocks * tile.block_n, p.seqlen_k));
        e.working_rows +=
            static_cast<std::uint64_t>(blocks > 0 ? std::min<std::int64_t>(tile.block_m, p.seqlen_q - first) : 0);
    }
    const auto heads = static_cast<std::uint64_t>(p.batch * p.heads);
    for (std::uint64_t* count : {&e.ctas, &e.blocks, &e.masked_blocks, &e.keys, &e.working_rows}) {
        *count *= heads;
    }
    return e;
}

struct Ran {
    Problem p;
    std::uint64_t head_dim, padded, block_m, block_n, warps;
    Expected expected;
    simt::LaunchReport report;

    simt::Counters in(const std::string& name) const { return report.step(name); }
    std::uint64_t rows() const { return static_cast<std::uint64_t>(p.batch * p.heads * p.seqlen_q); }
};

const std::vector<Ran>& runs() {
    static const std::vector<Ran> all = [] {
        std::vector<Ran> ran;
        const auto add = [&](const Problem& p, Chip chip = 80) {
            const How how{.variant = Variant::v2, .chip = chip};
            const Tile tile = tile_of(p, how);
            ran.push_back({p, static_cast<std::uint64_t>(p.head_dim), static_cast<std::uint64_t>(tile.head_dim),
                           static_cast<std::uint64_t>(tile.block_m), static_cast<std::uint64_t>(tile.block_n),
                           static_cast<std::uint64_t>(tile.warps), expected_of(p, tile),
                           run(p, random_inputs(p), how).report});
        };
        for (const bool causal : {false, true}) {
            add(shape(1, 2, 1, 300, 600, 64, causal));
            add(shape(2, 1, 1, 256, 384, 128, causal));
            add(shape(1, 1, 1, 130, 300, 96, causal), 86);
            add(shape(1, 1, 1, 128, 128, 32, causal));
            add(shape(1, 1, 1, 500, 140, 40, causal));
            add(shape(1, 1, 1, 100, 200, 256, causal));
            add(shape(1, 1, 1, 70, 130, 200, causal), 90);
        }
        return ran;
    }();
    return all;
}

}  // namespace

TEST_CASE("v2: two barriers a key block, and one before O is stored") {
    for (const Ran& r : runs()) {
        CHECK_MESSAGE(r.report.total.barriers == 2 * r.expected.blocks + r.expected.ctas, text_of(r.p));
    }
}

TEST_CASE("v2: masking code runs in the few blocks that need it, and nowhere else") {
    for (const Ran& r : runs()) {
        CHECK_MESSAGE(r.in("apply_mask").fp32_select == r.expected.masked_blocks * r.block_m * r.block_n, text_of(r.p));
    }
    const auto masked = [](std::int64_t seqlen, bool causal) {
        const Problem p = shape(1, 1, 1, seqlen, seqlen, 64, causal);
        const simt::LaunchReport report = run(p, random_inputs(p), {.variant = Variant::v2}).report;
        return report.step("apply_mask").fp32_select / (128 * 128);
    };
    CHECK(masked(512, false) == 4);  // 4 query blocks, one key block each, of 16
    CHECK(masked(512, true) == 4);   // the diagonal runs through the corners
    CHECK(masked(511, true) == 7);   // one more each, but the first query block has only one
}

TEST_CASE("v2: one division a row and lane of its quad, in the epilogue, and no other") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        CHECK(r.in("epilogue").fp32_div == r.expected.ctas * r.block_m * 4);
        CHECK(r.report.total.fp32_div == r.in("epilogue").fp32_div);
    }
}

TEST_CASE("v2: the row maximum is shared by a quad every key block, the row sum once, at the end") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        // a warp instruction serves 8 rows; two shuffles
        const std::uint64_t per_reduction = r.block_m / 8 * 2;
        CHECK(r.in("softmax_rescale_o").shuffles == r.expected.blocks * per_reduction);
        CHECK(r.in("epilogue").shuffles == r.expected.ctas * per_reduction);
        CHECK(r.report.total.shuffles == (r.expected.blocks + r.expected.ctas) * per_reduction);
    }
}

TEST_CASE("v2: no warp tells another of its rows: softmax and P touch no shared memory") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        CHECK(r.in("softmax_rescale_o").shared_bytes() == 0);
        CHECK(r.in("convert").shared_bytes() == 0);
        CHECK(r.in("apply_mask").shared_bytes() == 0);
        // between the products nothing is stored: all that is written is what cp.async brings, and O once
        const std::uint64_t copied = r.report.total.cp_async * 32 * 16;
        CHECK(r.report.total.shared_write_bytes == copied + r.expected.ctas * r.block_m * r.padded * 2);
        // P V reads V only, each warp all of it, once for its rows: a fragment serves all its MMA tiles
        CHECK(r.in("gemm_pv").shared_read_bytes == r.expected.blocks * r.warps * r.block_n * r.padded * 2);
        // Q K^T reads each row of Q by its warp, K by every warp
        CHECK(r.in("gemm_qk").shared_read_bytes ==
              r.expected.blocks * (r.block_m + r.warps * r.block_n) * r.padded * 2);
    }
}

TEST_CASE("v2: all of Q, K and V comes by cp.async, each key block once a CTA") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        CHECK(r.report.total.cp_async > 0);
        CHECK(r.report.total.global_read_instructions == 0);  // those that are not cp.async
        CHECK(r.report.total.global_read_bytes == (r.expected.working_rows + 2 * r.expected.keys) * r.head_dim * 2);
    }
}

TEST_CASE("v2: only O and lse are written, once") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        CHECK(r.report.total.global_write_bytes == r.rows() * (r.head_dim * 2 + 4));
        CHECK(r.report.unique_write_bytes == r.report.total.global_write_bytes);
    }
}

TEST_CASE("v2: products, exponentials, no bank conflicts") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        const std::uint64_t mma = r.expected.blocks * r.block_m * r.block_n * r.padded / (16 * 8 * 16);
        CHECK(r.in("gemm_qk").mma == mma);
        CHECK(r.in("gemm_pv").mma == mma);
        CHECK(r.report.total.bank_conflicts == 0);
        // one a score, and one a row, block and lane of the quad for the rescale
        CHECK(r.report.total.exp2 == r.expected.blocks * r.block_m * (r.block_n + 4));
    }
}
