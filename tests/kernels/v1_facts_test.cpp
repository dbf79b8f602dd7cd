// What v1.0.9 does, shown of our v1 by what the machine counts. Expected numbers come from the facts' own formulas.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

/// How often things happen, by v1's loops as described: key blocks outside, every num_splits-th query tile inside.
struct Expected {
    std::uint64_t barriers = 0;
    std::uint64_t passes = 0;           // a tile against a key block
    std::uint64_t earlier_rows = 0;     // rows of passes but a row's last (as many: but its first)
    std::uint64_t rows = 0;             // of all tiles
    std::uint64_t query_rows_read = 0;  // a tile's rows, once a pass
    std::uint64_t keys_read = 0;        // a block's keys, once for each CTA that works on it
};

Expected expected_of(const Problem& p, std::int64_t block_n, std::int64_t splits) {
    Expected e;
    const std::int64_t tiles = (p.seqlen_q + 15) / 16;
    const std::int64_t blocks = std::max<std::int64_t>(1, (p.seqlen_k + block_n - 1) / block_n);
    for (std::int64_t z = 0; z < splits; ++z) {
        for (std::int64_t n = 0; n < blocks; ++n) {
            std::uint64_t visits = 0;
            for (std::int64_t tile = z; tile < tiles; tile += splits) {
                // all but the tiles above the diagonal: tiles whose last row doesn't see the block's first key
                if (!p.causal || n == 0 || n * block_n <= tile * 16 + 15 + p.diagonal()) {
                    const auto rows = static_cast<std::uint64_t>(std::min<std::int64_t>(16, p.seqlen_q - tile * 16));
                    ++visits;
                    e.query_rows_read += rows;
                    (n == 0 ? e.rows : e.earlier_rows) += rows;
                }
            }
            if (visits > 0) {
                // 3 a block, one more when it is not the first, one more on its first tile, 2 a tile
                e.barriers += 3 + (n > 0 ? 1 : 0) + 1 + 2 * visits;
                e.keys_read += static_cast<std::uint64_t>(std::min(block_n, p.seqlen_k - n * block_n));
            }
            e.passes += visits;
        }
    }
    const auto heads = static_cast<std::uint64_t>(p.batch * p.heads);
    for (std::uint64_t* count : {&e.barriers, &e.passes, &e.earlier_rows, &e.rows, &e.query_rows_read, &e.keys_read}) {
        *count *= heads;
    }
    return e;
}

struct Ran {
    Problem p;
    std::uint64_t head_dim, padded, block_n;
    Expected expected;
    simt::LaunchReport report;

    simt::Counters in(const std::string& name) const { return report.step(name); }
    /// Of o_tmp and lse.
    std::uint64_t carried_read_bytes() const {
        return in("load o_tmp").global_read_bytes + in("load lse").global_read_bytes +
               in("previous max").global_read_bytes;
    }
};

/// Several shapes: one key block and many, tails of both, causal and not, a padded head dim.
const std::vector<Ran>& runs() {
    static const std::vector<Ran> all = [] {
        std::vector<Ran> ran;
        const auto add = [&](const Problem& p, int splits) {
            const How how{.variant = Variant::v1, .splits = splits};
            const Tile tile = tile_of(p, how);
            ran.push_back({p, static_cast<std::uint64_t>(p.head_dim), static_cast<std::uint64_t>(tile.head_dim),
                           static_cast<std::uint64_t>(tile.block_n), expected_of(p, tile.block_n, splits),
                           run(p, random_inputs(p), how).report});
        };
        for (const bool causal : {false, true}) {
            add(shape(1, 2, 1, 100, 600, 64, causal), 3);
            add(shape(2, 1, 1, 300, 300, 128, causal), 1);
            add(shape(1, 1, 1, 64, 128, 32, causal), 2);
            add(shape(1, 1, 1, 600, 530, 40, causal), 4);
        }
        Problem top_left = shape(1, 1, 1, 530, 600, 64, true);
        top_left.align = Align::top_left;
        add(top_left, 2);
        return ran;
    }();
    return all;
}

}  // namespace

TEST_CASE("v1: barriers by formula") {
    for (const Ran& r : runs()) {
        CHECK_MESSAGE(r.report.total.barriers == r.expected.barriers, text_of(r.p));
    }
}

TEST_CASE("v1: o_tmp is fp32, written on every pass but the last, read on every pass but the first") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        const std::uint64_t o_tmp = r.expected.earlier_rows * r.head_dim * 4;
        CHECK(r.in("store o_tmp").global_write_bytes == o_tmp);
        // lse comes with it: each row's by the four lanes of its quad, in each of the four warps
        CHECK(r.carried_read_bytes() - r.expected.earlier_rows * 16 * 4 == o_tmp);
        CHECK((r.p.seqlen_k > static_cast<std::int64_t>(r.block_n)) == (o_tmp > 0));
    }
}

TEST_CASE("v1: lse is written on every pass, O once, and nothing else") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        const std::uint64_t o = r.expected.rows * r.head_dim * 2;
        CHECK(r.in("store O").global_write_bytes == o);
        CHECK(r.in("store lse").global_write_bytes == (r.expected.rows + r.expected.earlier_rows) * 4);
        CHECK(r.report.total.global_write_bytes ==
              o + r.expected.earlier_rows * r.head_dim * 4 + (r.expected.rows + r.expected.earlier_rows) * 4);
        const bool several = r.expected.earlier_rows > 0;
        if (several && !r.p.causal) {
            CHECK(r.report.unique_write_bytes == r.expected.rows * (r.head_dim * 2 + r.head_dim * 4 + 4));
        }
    }
}

TEST_CASE("v1: normalises on every pass") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        // every lane that reads a part of a row back divides once for it: padded / 4 lanes a row
        CHECK(r.in("normalise").fp32_div == r.expected.passes * 16 * (r.padded / 4));
        // apart from the maximum that comes from lse / scale, there is no other division
        CHECK(r.report.total.fp32_div - r.in("load o_tmp").fp32_div - r.in("previous max").fp32_div ==
              r.in("normalise").fp32_div);
    }
}

TEST_CASE("v1: masking code runs on every tile") {
    for (const Ran& r : runs()) {
        CHECK_MESSAGE(r.in("apply_mask").fp32_select == r.expected.passes * 16 * r.block_n, text_of(r.p));
    }
}

TEST_CASE("v1: four partial outputs and 16 x 4 statistics meet in shared memory, on every tile") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        CHECK(r.in("smem_o.store").shared_write_bytes == r.expected.passes * 4 * 16 * r.padded * 4);
        CHECK(r.in("smem_o.load").shared_read_bytes == r.expected.passes * 4 * 16 * r.padded * 4);
        CHECK(r.in("reduce_max").shared_write_bytes == r.expected.passes * 16 * 4 * 4);
        CHECK(r.in("reduce_sum_before_sync").shared_write_bytes == r.expected.passes * 16 * 4 * 4);
        // each of 128 threads reads one warp's float, of one row a pass; 16 rows of padded / 4 threads are padded / 32 passes
        CHECK(r.in("reduce_max").shared_read_bytes == r.expected.passes * 128 * 2 * 4);
        CHECK(r.in("reduce_sum_after_sync").shared_read_bytes == r.expected.passes * 128 * (r.padded / 32) * 4);
        CHECK(r.in("reduce_max_after_sync").shared_read_bytes >= r.in("reduce_sum_after_sync").shared_read_bytes);
    }
}

TEST_CASE("v1: row reductions shuffle on every tile, before the exchange and after it") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        // 4 warps, a lane's 2 rows, 2 shuffles for the four lanes of a quad; 1 row a pass where O is read back
        const auto read_back = r.expected.passes * 4 * 2 * (r.padded / 32);
        CHECK(r.in("reduce_max").shuffles == r.expected.passes * 16 * 2);
        CHECK(r.in("reduce_sum_before_sync").shuffles == r.expected.passes * 16);
        CHECK(r.in("reduce_max_after_sync").shuffles == read_back);
        CHECK(r.in("reduce_sum_after_sync").shuffles == read_back);
        CHECK(r.report.total.shuffles == r.expected.passes * 48 + 2 * read_back);
    }
}

TEST_CASE("v1: K, V and P stay in registers: of shared memory the products read Q alone") {
    for (const Ran& r : runs()) {
        for (const char* step : {"pack", "gemm_o"}) {
            CHECK(r.in(step).shared_bytes() == 0);
            CHECK(r.in(step).ldmatrix == 0);
        }
        // Each of 4 warps reads the 16 rows' columns, 16 at a time; the first 16 before the product begins.
        CHECK(r.in("gemm_q_k").ldmatrix == r.expected.passes * 4 * (r.padded / 16 - 1));
        CHECK(r.in("gemm_q_k").shared_bytes() == r.in("gemm_q_k").ldmatrix * 16 * 16 * 2);
        // 16 x block_n x padded multiply-adds a pass, for each product; an mma does 16 x 8 x 16
        CHECK(r.in("gemm_q_k").mma == r.expected.passes * 16 * r.block_n * r.padded / (16 * 8 * 16));
        CHECK(r.in("gemm_o").mma == r.in("gemm_q_k").mma);
        CHECK(r.report.total.mma == 2 * r.in("gemm_q_k").mma);
    }
}

TEST_CASE("v1: no cp.async; each CTA reads a key block once, and Q once a pass") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        CHECK(r.report.total.cp_async == 0);
        const std::uint64_t read = r.report.total.global_read_bytes - r.carried_read_bytes();
        CHECK(read == (2 * r.expected.keys_read + r.expected.query_rows_read) * r.head_dim * 2);
    }
}

TEST_CASE("v1: what a split costs is reading K and V again") {
    const Problem p = shape(1, 1, 1, 480, 600, 64);
    const Inputs inputs = random_inputs(p);
    const auto read = [&](int splits) {
        const simt::LaunchReport report = run(p, inputs, {.variant = Variant::v1, .splits = splits}).report;
        return report.total.global_read_bytes;
    };
    const std::uint64_t k_and_v = 2 * 600 * 64 * 2;
    for (const int splits : {2, 7, 30}) {
        CHECK(read(splits) - read(1) == static_cast<std::uint64_t>(splits - 1) * k_and_v);
    }
}

TEST_CASE("v1: no bank conflicts in tiles, one exponential a score, one fma before it") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        CHECK(r.report.total.bank_conflicts == 0);
        CHECK(r.in("scale_apply_exp").exp2 == r.expected.passes * 16 * r.block_n);
        CHECK(r.in("scale_apply_exp").fp32_fma == r.expected.passes * 16 * r.block_n);
    }
}
