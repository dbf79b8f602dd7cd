// Who owns what, held against the real kernels as they run: which rows a CTA writes when it runs alone, which rows a NaN in V
// reaches, how often the masking code runs, which rows are loaded in which order, whose keys a silent warp leaves out.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "explorer/cta_work.h"
#include "explorer/variant.h"
#include "harness.h"
#include "kernels/run.cuh"
#include "mutants/run_copy.h"
#include "mutants/watch.h"
#include "teaching/cta_traffic.h"
#include "teaching/ownership.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;
using namespace flashlens::teaching;

namespace {

const hardware::Card& card() {
    return hardware::find_card("A100");
}

struct Case {
    Problem problem;
    VariantFacts planned;

    Ownership ownership() const { return {planned, problem}; }
    std::string text() const { return planned.name + " " + text_of(problem); }
};

/// One and many key blocks, tails of queries and keys, more and fewer queries than keys, both alignments, chips with other
/// tiles.
const std::vector<Case>& cases() {
    static const std::vector<Case> all = [] {
        std::vector<Case> made;
        const auto add = [&](const Problem& p, int splits, const hardware::Card& on) {
            for (const char* name : {"v1", "v2", "v2-tuned"}) {
                VariantFacts planned = plan(name, p, on, false, splits);
                if (planned.refusal.empty()) {
                    made.push_back({p, std::move(planned)});
                }
            }
        };
        for (const bool causal : {false, true}) {
            add(shape(1, 2, 1, 256, 512, 64, causal), 3, card());
            add(shape(2, 1, 1, 100, 330, 64, causal), 4, card());
            add(shape(1, 1, 1, 300, 140, 128, causal), 5, hardware::find_card("RTX 3090"));
            add(shape(1, 1, 1, 70, 200, 256, causal), 1, hardware::find_card("H100"));
        }
        add(shape(1, 1, 1, 512, 512, 64, true), 13, card());
        Problem top_left = shape(1, 1, 1, 200, 600, 32, true);
        top_left.align = Align::top_left;
        add(top_left, 2, card());
        return made;
    }();
    return all;
}

bool sees(const Problem& p, std::int64_t row, std::int64_t key) {
    return key < p.seqlen_k && (!p.causal || key <= row + p.diagonal());
}

bool sees_any(const Problem& p, std::int64_t row) {
    return sees(p, row, 0);
}

Output run_real(const Case& c, const Inputs& inputs, const simt::LaunchOptions& options = {}) {
    return run_with(c.problem, inputs, options, [&](const AttentionParams& p, const simt::LaunchOptions& all) {
        const LaunchFacts& launch = c.planned.launch;
        on_cpu::Launcher launcher;
        launcher.options = all;
        REQUIRE(on_cpu::run(
            {c.planned.name, c.problem.dtype, c.problem.causal, launch.tile, launch.splits.value_or(1), launch.order},
            p, launcher));
        return launcher.report;
    });
}

Output run_alone(const Case& c, const Inputs& inputs, const GridPlace& place) {
    simt::LaunchOptions options;
    options.multiplicity = [=](simt::Dim3 block) -> std::uint64_t {
        return block.x == place.x && block.y == place.y && block.z == place.z ? 1 : 0;
    };
    return run_real(c, inputs, options);
}

std::vector<GridPlace> places(const Grid& grid) {
    std::vector<GridPlace> all;
    for (std::int64_t number = 0; number < grid.x * grid.y * grid.z; ++number) {
        all.push_back(place_of(grid, number));
    }
    return all;
}

bool same_word(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

/// The launch of a watched copy (mutants.h): head dim 64, v1 with 128 keys a block, v2-tuned with 64.
Case watched_case(const std::string& name, const Problem& p, int splits) {
    VariantFacts planned;
    planned.name = name == "tuned" ? "v2-tuned" : name;
    planned.launch.tile = {64, name == "v1" ? 16 : 128, name == "tuned" ? 64 : 128, 4};
    if (name == "v1") {
        planned.launch.splits = splits;
    }
    return {p, planned};
}

/// First rows of the loads of a tensor, in order; loads that find no row left are passed over.
std::vector<std::int64_t> rows_loaded(const void* tensor, const Problem& p, std::int64_t rows) {
    std::vector<std::int64_t> result;
    for (const void* at : loads) {
        const auto bytes = static_cast<const char*>(at) - static_cast<const char*>(tensor);
        if (bytes >= 0 && bytes / (2 * p.head_dim) < rows) {
            result.push_back(bytes / (2 * p.head_dim));
        }
    }
    return result;
}

}  // namespace

TEST_CASE("ownership: a CTA that runs alone writes its rows, and no others") {
    for (const Case& c : cases()) {
        const Problem& p = c.problem;
        const Ownership ownership = c.ownership();
        const Inputs inputs = random_inputs(p);
        const Output blank = run_alone(c, inputs, {-1, -1, -1});
        std::vector<int> writers(blank.lse.size());
        for (const GridPlace& place : places(c.planned.launch.grid)) {
            const CtaWork work = work_of(c.planned, p, place);
            const Output alone = run_alone(c, inputs, place);
            std::int64_t wrong = 0;
            for (std::int64_t b = 0; b < p.batch; ++b) {
                for (std::int64_t h = 0; h < p.heads; ++h) {
                    for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
                        const std::size_t at = at_lse(p, b, h, i);
                        const bool written = !same_word(alone.lse[at], blank.lse[at]);
                        const bool o_written = alone.o[at_q(p, b, i, h, 0)] != blank.o[at_q(p, b, i, h, 0)];
                        const bool mine = work.batch == b && work.head == h &&
                                          ownership.owner(i / ownership.unit_rows()) == work.share;
                        wrong += written != mine || o_written != mine ? 1 : 0;
                        writers[at] += written ? 1 : 0;
                    }
                }
            }
            CHECK_MESSAGE(wrong == 0, c.text() << ", CTA " << place.x << " " << place.y << " " << place.z);
        }
        CHECK(std::all_of(writers.begin(), writers.end(), [](int n) { return n == 1; }));
    }
}

TEST_CASE("ownership: a NaN in V reaches exactly the rows whose unit meets its key block") {
    for (const Case& c : cases()) {
        const Problem& p = c.problem;
        const Ownership ownership = c.ownership();
        for (std::int64_t n = 0; n < ownership.key_blocks(); ++n) {
            for (const std::int64_t key : {ownership.keys(n).begin, ownership.keys(n).end - 1}) {
                Inputs inputs = random_inputs(p);
                for (std::int64_t b = 0; b < p.batch; ++b) {
                    for (std::int64_t h = 0; h < p.kv_heads; ++h) {
                        inputs.v[at_k(p, b, key, h, 3)] = 0x7e00;  // fp16 NaN
                    }
                }
                const Output output = run_real(c, inputs);
                std::int64_t wrong = 0;
                for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
                    if (sees_any(p, i)) {  // a row that sees nothing is 0 whatever it met
                        const std::uint16_t o = output.o[at_q(p, p.batch - 1, i, p.heads - 1, 3)];
                        const bool reached = (o & 0x7fffU) > 0x7c00U;
                        const bool met = ownership.fate(i / ownership.unit_rows(), n) != Fate::skipped;
                        wrong += reached != met ? 1 : 0;
                    }
                }
                CHECK_MESSAGE(wrong == 0, c.text() << ", key " << key);
            }
        }
    }
}

TEST_CASE("ownership: fates by the mask's own definition, pair by pair") {
    for (const Case& c : cases()) {
        const Problem& p = c.problem;
        const Ownership ownership = c.ownership();
        INFO(c.text());
        Fates counted;
        for (std::int64_t u = 0; u * ownership.unit_rows() < p.seqlen_q; ++u) {
            for (std::int64_t n = 0; n < ownership.key_blocks(); ++n) {
                bool any = false;
                bool all = true;
                const Span rows = ownership.rows(u);
                for (std::int64_t i = rows.begin; i < rows.end; ++i) {
                    for (std::int64_t j = n * ownership.block_keys(); j < (n + 1) * ownership.block_keys(); ++j) {
                        any = any || sees(p, i, j);
                        all = all && sees(p, i, j);
                    }
                }
                switch (ownership.fate(u, n)) {
                    case Fate::skipped:
                        ++counted.skipped;
                        CHECK_FALSE(any);
                        break;
                    case Fate::hidden:
                        ++counted.hidden;
                        CHECK_FALSE(all);
                        break;
                    case Fate::vain:
                        ++counted.vain;
                        CHECK(all);
                        break;
                    case Fate::plain:
                        ++counted.plain;
                        CHECK(all);
                        CHECK_FALSE(ownership.is_v1());
                        break;
                }
            }
        }
        const Fates total = ownership.fates();
        CHECK(total.skipped == counted.skipped);
        CHECK(total.hidden == counted.hidden);
        CHECK(total.vain == counted.vain);
        CHECK(total.plain == counted.plain);
    }
}

TEST_CASE("ownership: the masking code of each CTA runs as often as said, and it loads as much") {
    for (const Case& c : cases()) {
        const Problem& p = c.problem;
        const Ownership ownership = c.ownership();
        const Inputs inputs = random_inputs(p);
        for (const GridPlace& place : places(c.planned.launch.grid)) {
            const std::int64_t share = work_of(c.planned, p, place).share;
            std::int64_t masked = 0;
            for (std::int64_t u = 0; u < ownership.units(); ++u) {
                if (ownership.owner(u) == share) {
                    masked += ownership.fates(u).hidden + ownership.fates(u).vain;
                }
            }
            const simt::LaunchReport report = run_alone(c, inputs, place).report;
            INFO(c.text() << ", share " << share);
            CHECK(static_cast<std::int64_t>(report.step("apply_mask").fp32_select) ==
                  masked * ownership.unit_rows() * ownership.block_keys());
            const CtaTraffic traffic = traffic_of(ownership, share, p);
            const auto carried_read = static_cast<std::int64_t>(report.step("load o_tmp").global_read_bytes +
                                                                report.step("load lse").global_read_bytes +
                                                                report.step("previous max").global_read_bytes);
            const auto all_read = static_cast<std::int64_t>(report.total.global_read_bytes);
            CHECK(all_read - carried_read == traffic.q_read + traffic.kv_read);
            CHECK(static_cast<std::int64_t>(report.step("load o_tmp").global_read_bytes) == traffic.o_tmp_read);
            CHECK(static_cast<std::int64_t>(report.step("store o_tmp").global_write_bytes) == traffic.o_tmp_written);
            const auto lse_written = static_cast<std::int64_t>(report.step("store lse").global_write_bytes);
            if (ownership.is_v1()) {
                CHECK(static_cast<std::int64_t>(report.total.global_write_bytes) - lse_written ==
                      traffic.o_written + traffic.o_tmp_written);
            }
            const std::vector<Visit> walk = ownership.walk(share, std::numeric_limits<std::int64_t>::max());
            CHECK(ownership.visits(share) == static_cast<std::int64_t>(walk.size()));
            for (std::size_t i = 0; i < walk.size(); ++i) {
                CHECK(ownership.step(walk[i]) == static_cast<std::int64_t>(i) + 1);
            }
        }
    }
}

TEST_CASE("ownership: tiles and key blocks are loaded in the order of the walk") {
    for (const bool causal : {false, true}) {
        for (const char* name : {"v1", "v2", "tuned"}) {
            const int splits = 3;
            const Problem p = shape(1, 1, 1, 300, 600, 64, causal);
            const Case c = watched_case(name, p, splits);
            const Ownership ownership = c.ownership();
            const Output output = run_watched(name, p, random_inputs(p), splits);
            std::vector<std::int64_t> keys;
            std::vector<std::int64_t> queries;
            const bool tuned = c.planned.name == "v2-tuned";
            for (std::int64_t i = 0; i < ownership.shares(); ++i) {
                const std::int64_t share = tuned ? ownership.shares() - 1 - i : i;  // the heaviest first
                std::int64_t block = -1;
                bool first = true;
                for (const Visit& visit : ownership.walk(share, 1000)) {
                    if (visit.key_block != block) {
                        keys.push_back(visit.key_block * ownership.block_keys());
                        block = visit.key_block;
                    }
                    if (first || ownership.is_v1()) {
                        queries.push_back(visit.unit * ownership.unit_rows());
                    }
                    first = false;
                }
            }
            INFO(c.text());
            CHECK(rows_loaded(output.k_was_at, p, p.seqlen_k) == keys);
            CHECK(rows_loaded(output.v_was_at, p, p.seqlen_k) == keys);
            CHECK(rows_loaded(output.q_was_at, p, p.seqlen_q) == queries);
        }
    }
}

TEST_CASE("ownership: what a silent warp leaves out is what it owns") {
    // q = 0: every key counts alike. V[j] marks key j of a group of 64 in column j.
    const Problem p = shape(1, 1, 1, 150, 256, 64);
    for (const char* name : {"v1", "v2", "tuned"}) {
        const Ownership ownership = watched_case(name, p, 2).ownership();
        for (std::int64_t group = 0; group < 4; ++group) {
            const Inputs inputs = make_inputs(
                p, [](auto...) { return 0.0; }, [](auto...) { return 1.0; },
                [&](auto, auto j, auto, auto d) { return j / 64 == group && j % 64 == d ? 1.0 : 0.0; });
            for (int warp = 0; warp < 4; ++warp) {
                silent_warp = warp;
                const Output output = run_watched(name, p, inputs, 2);
                silent_warp = -1;
                std::int64_t wrong = 0;
                for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
                    for (std::int64_t d = 0; d < 64; ++d) {
                        const std::int64_t key = group * 64 + d;
                        const bool missing = output.o[at_q(p, 0, i, 0, d)] == 0;
                        const int owner = ownership.warp_of(i % ownership.unit_rows(), key % ownership.block_keys());
                        wrong += missing != (owner == warp) ? 1 : 0;
                    }
                }
                CHECK_MESSAGE(wrong == 0, name << ", keys of group " << group << ", warp " << warp);
            }
        }
    }
}
