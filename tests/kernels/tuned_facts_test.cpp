// What v2-tuned says it does differently from v2, shown by what the machine counts. Expected numbers come from the facts'
// own formulas, and from a walk over the logits in fp64 that knows when a maximum has to be raised.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "harness.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

struct Expected {
    std::uint64_t ctas = 0;
    std::uint64_t working_ctas = 0;   // that see a key
    std::uint64_t blocks = 0;         // key blocks, over all CTAs
    std::uint64_t masked_blocks = 0;  // those with a key that some row of the CTA doesn't see
    std::uint64_t keys = 0;           // of those blocks
    std::uint64_t working_rows = 0;   // valid query rows of CTAs that see a key
    std::uint64_t raises = 0;         // a warp's, of the maxima of one key block
};

/// Keys 0 .. visible-1 are seen by query i, which may lie past the last.
std::int64_t visible(const Problem& p, std::int64_t i) {
    return p.causal ? std::clamp<std::int64_t>(i + p.diagonal() + 1, 0, p.seqlen_k) : p.seqlen_k;
}

/// One head's logits, unscaled; rows past the last query are zeros.
class Logits {
public:
    Logits(const Problem& p, const Inputs& inputs, std::int64_t batch, std::int64_t head)
        : keys_(p.seqlen_k), queries_(p.seqlen_q), s_(static_cast<std::size_t>(p.seqlen_q * p.seqlen_k)) {
        std::vector<double> k;
        for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
            for (std::int64_t d = 0; d < p.head_dim; ++d) {
                k.push_back(widen(inputs.k[at_k(p, batch, j, head * p.kv_heads / p.heads, d)], p.dtype));
            }
        }
        std::vector<double> q(static_cast<std::size_t>(p.head_dim));
        for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
            for (std::size_t d = 0; d < q.size(); ++d) {
                q[d] = widen(inputs.q[at_q(p, batch, i, head, static_cast<std::int64_t>(d))], p.dtype);
            }
            for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
                double& s = s_[static_cast<std::size_t>(i * keys_ + j)];
                for (std::size_t d = 0; d < q.size(); ++d) {
                    s += q[d] * k[static_cast<std::size_t>(j) * q.size() + d];
                }
            }
        }
    }

    /// Of keys first .. end - 1; -infinity when there are none.
    double largest(std::int64_t i, std::int64_t first, std::int64_t end) const {
        double most = -std::numeric_limits<double>::infinity();
        for (std::int64_t j = first; j < end; ++j) {
            most = std::max(most, i < queries_ ? s_[static_cast<std::size_t>(i * keys_ + j)] : 0.0);
        }
        return most;
    }

private:
    std::int64_t keys_, queries_;
    std::vector<double> s_;
};

/// Raises of all warps of a CTA: a warp raises in a key block when a score of some row of its lies 2^8 above the row's
/// maximum, or is the row's first; rows that asked, and no others, then have the largest score so far.
std::uint64_t raises_of(const Problem& p, const Tile& tile, const Logits& logits, std::int64_t first_row,
                        std::int64_t blocks) {
    const double room = 8.0 / (p.scale * std::log2(std::exp(1.0)));
    std::map<std::int64_t, double> m;  // by row within the block
    std::uint64_t raises = 0;
    for (std::int64_t n = blocks - 1; n >= 0; --n) {
        std::vector<bool> asked(static_cast<std::size_t>(tile.warps));
        for (std::int64_t r = 0; r < tile.block_m; ++r) {
            const std::int64_t end = std::min(visible(p, first_row + r), (n + 1) * tile.block_n);
            const double largest = logits.largest(first_row + r, n * tile.block_n, end);
            const auto before = m.find(r);
            if (before != m.end()) {
                REQUIRE(std::abs(largest - before->second - room) > 1e-4 * room);  // fp32 decides the same
            }
            if (std::isfinite(largest) && (before == m.end() || largest > before->second + room)) {
                m[r] = largest;
                asked[static_cast<std::size_t>(r / 16 % tile.warps)] = true;
            }
        }
        raises += static_cast<std::uint64_t>(std::count(asked.begin(), asked.end(), true));
    }
    return raises;
}

Expected expected_of(const Problem& p, const Inputs& inputs, const Tile& tile) {
    Expected e;
    for (std::int64_t head = 0; head < p.batch * p.heads; ++head) {
        const Logits logits(p, inputs, head / p.heads, head % p.heads);
        for (std::int64_t first = 0; first < p.seqlen_q; first += tile.block_m) {
            const std::int64_t seen = visible(p, first + tile.block_m - 1);
            const std::int64_t blocks = (seen + tile.block_n - 1) / tile.block_n;
            ++e.ctas;
            e.blocks += static_cast<std::uint64_t>(blocks);
            e.keys += static_cast<std::uint64_t>(std::min(blocks * tile.block_n, p.seqlen_k));
            e.raises += raises_of(p, tile, logits, first, blocks);
            for (std::int64_t n = 0; n < blocks; ++n) {
                bool all_see_all = true;
                for (std::int64_t r = 0; r < tile.block_m; ++r) {
                    all_see_all = all_see_all && visible(p, first + r) >= (n + 1) * tile.block_n;
                }
                e.masked_blocks += all_see_all ? 0 : 1;
            }
            if (blocks > 0) {
                ++e.working_ctas;
                e.working_rows += static_cast<std::uint64_t>(std::min<std::int64_t>(tile.block_m, p.seqlen_q - first));
            }
        }
    }
    return e;
}

struct Ran {
    Problem p;
    std::uint64_t head_dim, padded, block_m, block_n, warps;
    Expected expected;
    simt::LaunchReport report;

    simt::Counters in(const std::string& name) const { return report.step(name); }
    /// Columns of Q whose operands stay in registers.
    std::uint64_t kept_columns() const { return padded <= 64 ? padded : padded > 128 ? 96 : 0; }
    /// Threads that work out, before the first key block, how far a score may lie above m: bf16's maxima lie ahead.
    std::uint64_t first_rooms() const { return p.dtype == DType::fp16 ? expected.ctas * warps * 32 : 0; }
    std::uint64_t rows() const { return static_cast<std::uint64_t>(p.batch * p.heads * p.seqlen_q); }
    std::uint64_t rows_of_warp() const { return block_m / warps; }
    /// Warp instructions that share one value a row among the quads of `of_rows` rows: each serves 8 rows; two shuffles.
    static std::uint64_t shuffles(std::uint64_t of_rows) { return of_rows / 8 * 2; }
};

Ran ran(const Problem& p, const Inputs& inputs, Chip chip, int sm_count) {
    const How how{.variant = Variant::v2_tuned, .chip = chip, .sm_count = sm_count};
    const Tile tile = tile_of(p, how);
    return {p,
            static_cast<std::uint64_t>(p.head_dim),
            static_cast<std::uint64_t>(tile.head_dim),
            static_cast<std::uint64_t>(tile.block_m),
            static_cast<std::uint64_t>(tile.block_n),
            static_cast<std::uint64_t>(tile.warps),
            expected_of(p, inputs, tile),
            run(p, inputs, how).report};
}

constexpr int large = 0, small = 1000;  // SMs: so few, or so many, that choose_tile takes large, or small, query blocks

/// Every tile; tails of queries and keys, rows and whole CTAs that see nothing.
const std::vector<Ran>& runs() {
    static const std::vector<Ran> all = [] {
        std::vector<Ran> ran_so_far;
        const auto add = [&](const Problem& p, Chip chip, int sm_count) {
            ran_so_far.push_back(ran(p, random_inputs(p), chip, sm_count));
        };
        for (const bool causal : {false, true}) {
            add(shape(1, 2, 1, 300, 600, 64, causal), 80, large);
            add(shape(1, 2, 1, 150, 600, 64, causal), 80, small);
            add(shape(1, 1, 1, 500, 140, 40, causal), 80, large);
            add(shape(1, 1, 1, 128, 128, 32, causal), 80, large);
            add(shape(2, 2, 1, 70, 300, 24, causal), 80, small);
            add(shape(2, 1, 1, 256, 384, 128, causal), 90, large);
            add(shape(1, 1, 1, 130, 300, 96, causal), 86, large);
            add(shape(1, 1, 1, 130, 300, 96, causal), 86, small);
            add(shape(1, 1, 1, 100, 200, 128, causal), 80, small);
            add(shape(1, 1, 1, 100, 200, 256, causal), 80, large);
            add(shape(1, 1, 1, 70, 130, 200, causal), 90, large);
            add(shape(1, 1, 1, 70, 130, 256, causal), 86, large);
            add(shape(1, 1, 1, 200, 300, 64, causal, DType::bf16), 90, large);
        }
        return ran_so_far;
    }();
    return all;
}

}  // namespace

TEST_CASE("v2-tuned: one barrier a key block, one for Q where it stays in registers, two around O") {
    for (const Ran& r : runs()) {
        const std::uint64_t for_q = r.kept_columns() > 0 ? r.expected.working_ctas : 0;
        CHECK_MESSAGE(r.report.total.barriers == r.expected.blocks + for_q + 2 * r.expected.ctas, text_of(r.p));
    }
}

TEST_CASE("v2-tuned: maxima are shared by a quad, and acc_o rescaled, only when one is raised") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        const std::uint64_t raised_rows = r.expected.raises * r.rows_of_warp();
        CHECK(r.in("raise_max").shuffles == Ran::shuffles(raised_rows));
        CHECK(r.in("epilogue").shuffles == Ran::shuffles(r.expected.ctas * r.block_m));
        CHECK(r.report.total.shuffles == r.in("raise_max").shuffles + r.in("epilogue").shuffles);
        // whether to raise is asked in every key block; whether a logit is huge, when one is raised
        CHECK(r.report.total.votes == r.expected.blocks * r.warps + r.expected.raises);
        // acc_o, each once; l, m c and the old m c by each lane of the quad; and 2^8 in units of S by each lane
        CHECK(r.in("raise_max").fp32_mul == raised_rows * (r.padded + 3 * 4) + r.expected.raises * 32);
        // nothing else is multiplied before the epilogue
        CHECK(r.report.total.fp32_mul - r.in("raise_max").fp32_mul - r.in("epilogue").fp32_mul == r.first_rooms());
    }
}

// Where the last key block, which comes first, holds only a few keys, their maximum may be far too small.
TEST_CASE("v2-tuned: random logits without a mask raise in each warp's first key block, and never again") {
    int looked_at = 0;
    for (const Ran& r : runs()) {
        if (!r.p.causal) {
            CHECK_MESSAGE(r.in("raise_max").shuffles == Ran::shuffles(r.expected.working_ctas * r.block_m),
                          text_of(r.p));
            CHECK(r.expected.blocks > r.expected.working_ctas);
            ++looked_at;
        }
    }
    CHECK(looked_at == 13);
}

TEST_CASE("v2-tuned: rows whose logits grow by more than 2^8 are raised there, and only they") {
    // Logits of five rows in units of 2, key block by key block, as they are taken: from the last to the first.
    struct Row {
        std::int64_t row;
        std::vector<double> levels;
    };
    const std::vector<Row> rows = {{5, {0, 9, 9, 18, 0}},            // warp 0: raised at first, by 9, by 9
                                   {37, {0, 7, 7.5, 15, 22}},        // warp 2: at first, by 15
                                   {90, {0, -50, -9, 0, 8.5}},       // warp 1: at first, by 8.5
                                   {101, {0, 0, 100, 0, 0}},         // warp 2: at first, by 100
                                   {200, {12, 0, 0, 0, 30}}};        // warp 0 of the second CTA: at first, by 18
    const std::uint64_t raises = (3 + 2 + 3 + 1) + (2 + 1 + 1 + 1);  // of warps 0 .. 3
    Problem p = shape(1, 1, 1, 256, 5 * 64, 64);
    p.scale = std::log(2.0);
    Inputs inputs = random_inputs(p);
    for (std::uint16_t& word : inputs.q) {
        word = round_to(0.2 * widen(word, p.dtype), p.dtype);
    }
    for (std::size_t column = 0; column < rows.size(); ++column) {
        const auto d = static_cast<std::int64_t>(column);
        for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
            inputs.q[at_q(p, 0, i, 0, d)] = 0;
        }
        for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
            inputs.k[at_k(p, 0, j, 0, d)] =
                round_to(rows[column].levels[static_cast<std::size_t>(4 - j / 64)], p.dtype);
        }
    }
    Inputs with_levels = inputs;
    for (std::size_t column = 0; column < rows.size(); ++column) {
        for (std::int64_t d = 0; d < p.head_dim; ++d) {
            with_levels.q[at_q(p, 0, rows[column].row, 0, d)] =
                round_to(d == static_cast<std::int64_t>(column) ? 1.0 : 0.0, p.dtype);
        }
    }
    for (const int sm_count : {large, small}) {
        const How how{.variant = Variant::v2_tuned, .sm_count = sm_count};
        const Output plain = run(p, inputs, how), leveled = run(p, with_levels, how);
        expect_right(p, with_levels, leveled, "v2-tuned");
        CHECK(leveled.report.step("raise_max").shuffles ==
              ran(p, with_levels, how.chip, sm_count).expected.raises *
                  Ran::shuffles(static_cast<std::uint64_t>(tile_of(p, how).block_m / 4)));
        if (sm_count == large) {
            CHECK(plain.report.step("raise_max").shuffles == 8 * Ran::shuffles(32));
            CHECK(leveled.report.step("raise_max").shuffles == raises * Ran::shuffles(32));
        }
        // and no neighbour notices, not by a bit
        for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
            const bool leveled_row = std::any_of(rows.begin(), rows.end(), [&](const Row& r) { return r.row == i; });
            bool same = plain.lse[at_lse(p, 0, 0, i)] == leveled.lse[at_lse(p, 0, 0, i)];
            for (std::int64_t d = 0; d < p.head_dim; ++d) {
                same = same && plain.o[at_q(p, 0, i, 0, d)] == leveled.o[at_q(p, 0, i, 0, d)];
            }
            CHECK_MESSAGE(same != leveled_row, "row " << i);
        }
    }
}

TEST_CASE("v2-tuned: masking code runs in the key blocks that some row doesn't see whole, and nowhere else") {
    for (const Ran& r : runs()) {
        CHECK_MESSAGE(r.in("apply_mask").fp32_select == r.expected.masked_blocks * r.block_m * r.block_n, text_of(r.p));
    }
    const auto masked = [](std::int64_t seqlen_q, std::int64_t seqlen_k, bool causal) {
        const Problem p = shape(1, 1, 1, seqlen_q, seqlen_k, 64, causal);
        const How how{.variant = Variant::v2_tuned, .sm_count = large};
        return run(p, random_inputs(p), how).report.step("apply_mask").fp32_select / (128 * 64);
    };
    CHECK(masked(512, 512, false) == 0);
    CHECK(masked(512, 511, false) == 4);             // 4 query blocks, the last key block each
    CHECK(masked(512, 512, true) == 4 * 2);          // the diagonal runs through the corners of 128 x 64
    CHECK(masked(500, 512, true) == 3 + 3 + 3 + 2);  // it doesn't; the last query block would reach past the keys
}

TEST_CASE(
    "v2-tuned: Q's operands are loaded once up to head dim 64, of 96 columns at 256; others anew for each key block") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        const std::uint64_t row_bytes = r.padded * 2;
        const std::uint64_t q_once = r.expected.working_ctas * r.block_m * r.kept_columns() * 2;
        const std::uint64_t q_each_block = r.expected.blocks * r.block_m * (r.padded - r.kept_columns()) * 2;
        const std::uint64_t k = r.expected.blocks * r.warps * r.block_n * row_bytes;  // by every warp
        CHECK(r.in("").ldmatrix * 512 == q_once);
        CHECK(r.in("gemm_qk").ldmatrix * 512 == k + q_each_block);
        CHECK(r.in("gemm_pv").ldmatrix * 512 == k);  // V has K's size
        CHECK(r.report.total.ldmatrix * 512 == 2 * k + q_once + q_each_block);
        // beside ldmatrix only O is read from shared memory, and beside cp.async only O is written there
        const std::uint64_t o = r.expected.ctas * r.block_m * row_bytes;
        CHECK(r.report.total.shared_write_bytes == r.report.total.cp_async * 32 * 16 + o);
        CHECK(r.report.total.shared_read_bytes == r.report.total.ldmatrix * 512 + r.rows() * r.head_dim * 2);
    }
}

TEST_CASE("v2-tuned: all of Q, K and V comes by cp.async, each key block once a CTA") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        const std::uint64_t row_bytes = r.head_dim * 2;
        CHECK(r.report.total.global_read_instructions == 0);  // those that are not cp.async
        CHECK(r.report.total.global_read_bytes == (r.expected.working_rows + 2 * r.expected.keys) * row_bytes);
        CHECK(r.report.total.cp_async * 32 * 16 ==
              (r.expected.working_ctas * r.block_m + 2 * r.expected.blocks * r.block_n) * r.padded * 2);
    }
}

TEST_CASE("v2-tuned: only O and lse are written, once") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        CHECK(r.report.total.global_write_bytes == r.rows() * (r.head_dim * 2 + 4));
        CHECK(r.report.unique_write_bytes == r.report.total.global_write_bytes);
    }
}

TEST_CASE("v2-tuned: products, exponentials, conversions, no bank conflicts") {
    for (const Ran& r : runs()) {
        INFO(text_of(r.p));
        const std::uint64_t scores = r.expected.blocks * r.block_m * r.block_n;
        CHECK(r.in("gemm_qk").mma == scores * r.padded / (16 * 8 * 16));
        CHECK(r.in("gemm_pv").mma == r.in("gemm_qk").mma);
        CHECK(r.report.total.mma == 2 * r.in("gemm_qk").mma);
        CHECK(r.report.total.bank_conflicts == 0);
        // one exponential a score, and one a row and lane of its quad where maxima are raised
        CHECK(r.in("exponentiate").exp2 == scores);
        CHECK(r.in("exponentiate").fp32_fma == scores);
        CHECK(r.in("exponentiate").converts == scores / 2);
        CHECK(r.report.total.exp2 == scores + r.expected.raises * r.rows_of_warp() * 4);
        // the largest of each lane's columns: one maximum fewer than scores, for each of the four lanes of a row
        CHECK(r.in("max_has_grown").fp32_max == scores - r.expected.blocks * r.block_m * 4);
        // one division a row and lane of its quad at the end, and those that say what room there is
        CHECK(r.in("epilogue").fp32_div == r.expected.ctas * r.block_m * 4);
        CHECK(r.report.total.fp32_div - r.in("epilogue").fp32_div == r.first_rooms() + r.expected.raises * 32);
    }
}
