// The checks that guard the kernels notice what they are there for: altered copies of the real kernels, one alteration
// each (mutants/mutants.cmake), and what each must lead to.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness.h"
#include "mutants/run_copy.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;
using Kind = simt::KernelError::Kind;

namespace {

/// The tests use the mutants' tiles, whatever the shape: v1 takes 128 keys a block for up to 128 keys only, and v2-tuned
/// has an order of its own. So the unaltered copy is the watched one.
Output run_unaltered(const std::string& name, const Problem& p, const Inputs& inputs) {
    return run_watched(name.substr(0, name.find('_')), p, inputs);
}

Output run_mutant(const std::string& name, const Problem& p, const Inputs& inputs) {
    return name.ends_with("_watched") ? run_unaltered(name, p, inputs)
                                      : run_copy(find_copy(mutants(), name), p, inputs, 2);
}

/// GQA, tails of queries and keys, several blocks of both, some rows with huge logits if asked.
Problem problem_of(bool causal) {
    return shape(1, 4, 2, 150, 418, 40, causal);
}

/// Logits that rise by 2^17 from each 64 keys to the 64 before them, as v2-tuned takes them, in the rows that are chosen.
template <class Chosen>
Inputs rising_inputs(const Problem& p, const Chosen& chosen) {
    Inputs inputs = random_inputs(p);
    const double step = 17.0 / (p.scale * std::log2(std::exp(1.0)));
    for (std::int64_t b = 0; b < p.batch; ++b) {
        for (std::int64_t h = 0; h < p.heads; ++h) {
            for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
                inputs.q[at_q(p, b, i, h, 0)] = round_to(chosen(i) ? 8.0 : 0.0, p.dtype);
            }
        }
        for (std::int64_t h = 0; h < p.kv_heads; ++h) {
            for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
                const std::int64_t level = p.seqlen_k / 64 - j / 64;
                inputs.k[at_k(p, b, j, h, 0)] = round_to(step / 8.0 * static_cast<double>(level), p.dtype);
            }
        }
    }
    return inputs;
}

Inputs inputs_of(const Problem& p, bool huge_logits) {
    Inputs inputs = random_inputs(p);
    for (std::size_t i = 0; huge_logits && i < inputs.q.size(); ++i) {
        const auto row = static_cast<double>(i / static_cast<std::size_t>(p.heads * p.head_dim));
        inputs.q[i] = round_to(60000.0 - 32.0 * row, p.dtype);
    }
    for (std::size_t i = 0; huge_logits && i < inputs.k.size(); ++i) {
        inputs.k[i] = round_to(60000.0, p.dtype);
    }
    return inputs;
}

}  // namespace

TEST_CASE("unaltered copies are right, with huge logits too") {
    for (const char* name : {"v1_watched", "v2_watched", "tuned_watched"}) {
        for (const bool causal : {false, true}) {
            for (const bool huge_logits : {false, true}) {
                const Problem p = problem_of(causal);
                const Inputs inputs = inputs_of(p, huge_logits);
                expect_right(p, inputs, run_unaltered(name, p, inputs), name);
            }
            const Inputs rising = rising_inputs(problem_of(causal), [](auto) { return true; });
            expect_right(problem_of(causal), rising, run_unaltered(name, problem_of(causal), rising), name);
        }
    }
}

TEST_CASE("mutants: tiles stored plainly show as bank conflicts, and only so") {
    const Problem p = shape(1, 1, 1, 100, 300, 64);
    const Inputs inputs = random_inputs(p);
    for (const char* name : {"v1_plain_tiles", "v2_plain_tiles", "v1_plain_smem_o"}) {
        const Output right = run_unaltered(name, p, inputs);
        const Output altered = run_mutant(name, p, inputs);
        CHECK(right.report.total.bank_conflicts == 0);
        CHECK_MESSAGE(altered.report.total.bank_conflicts > 0, name);
        CHECK(altered.report.total.shared_wavefronts() ==
              right.report.total.shared_wavefronts() + altered.report.total.bank_conflicts);
        CHECK(same_bits(right, altered));
    }
    // ldmatrix of 8 rows of 128 bytes on the same banks takes 8 passes instead of 1
    const simt::Counters v2 = run_mutant("v2_plain_tiles", p, inputs).report.step("gemm_pv");
    CHECK(v2.bank_conflicts == 7 * 4 * v2.ldmatrix);
}

TEST_CASE("mutants: one shuffle more is counted, exactly") {
    const Problem p = shape(1, 1, 1, 100, 300, 64);  // 7 tiles of 16 rows, 3 key blocks
    const Inputs inputs = random_inputs(p);
    const auto more = [&](const char* name) {
        const Output right = run_unaltered(name, p, inputs);
        const Output altered = run_mutant(name, p, inputs);
        CHECK(same_bits(right, altered));
        return altered.report.total.shuffles - right.report.total.shuffles;
    };
    CHECK(more("v1_extra_shuffle") == 7 * 3 * 4 * 2);  // tiles, key blocks, warps, a lane's rows
    CHECK(more("v2_extra_shuffle") == 3 * 4 * 4);      // key blocks, warps, a lane's rows
}

TEST_CASE("mutants: maxima that are raised without need are counted") {
    const Problem p = shape(1, 1, 1, 100, 300, 64);  // 4 warps, 5 key blocks
    const Inputs inputs = random_inputs(p);
    const auto raises = [&](const char* name) {
        const Output output = run_mutant(name, p, inputs);
        expect_right(p, inputs, output, name);
        return output.report.step("raise_max").shuffles / 8;  // 2 for each of a lane's 4 rows
    };
    CHECK(raises("tuned_watched") == 4);
    CHECK(raises("tuned_no_room") > 4 + 4);
}

TEST_CASE("mutants: neighbours raised along with a row show in their bits") {
    const Problem p = shape(1, 1, 1, 128, 300, 64);
    const auto neighbours_changed = [&](const char* name) {
        const Inputs one_rises = rising_inputs(p, [](auto i) { return i == 37; });
        const Output plain = run_mutant(name, p, rising_inputs(p, [](auto) { return false; }));
        const Output output = run_mutant(name, p, one_rises);
        expect_right(p, one_rises, output, name);
        std::set<std::int64_t> rows;
        for (std::size_t i = 0; i < output.o.size(); ++i) {
            if (output.o[i] != plain.o[i]) {
                rows.insert(static_cast<std::int64_t>(i) / p.head_dim);
            }
        }
        CHECK(rows.count(37) == 1);
        // no warp but its own: rows 32 .. 47 and 96 .. 111
        CHECK(std::all_of(rows.begin(), rows.end(), [](auto i) { return i % 64 / 16 == 2; }));
        return rows.size() - 1;
    };
    CHECK(neighbours_changed("tuned_watched") == 0);
    CHECK(neighbours_changed("tuned_raises_neighbours") > 0);
}

TEST_CASE("mutants: what breaks CUDA's rules is reported as what it is") {
    struct Expected {
        std::string name;
        std::vector<Kind> kinds;
    };
    const std::vector<Expected> all = {{"v1_barrier_moved", {Kind::race, Kind::unwritten_read}},
                                       {"v2_barrier_moved", {Kind::race, Kind::unwritten_read}},
                                       {"tuned_wide_barrier_moved", {Kind::race}},
                                       {"tuned_loads_into_its_own_stage", {Kind::race, Kind::unfinished_copy}},
                                       {"v2_waits_for_too_few", {Kind::unfinished_copy}},
                                       {"tuned_waits_for_too_few", {Kind::unfinished_copy}},
                                       {"v1_reads_past_the_keys", {Kind::out_of_bounds}},
                                       {"v2_reads_past_the_keys", {Kind::out_of_bounds}},
                                       {"v2_reads_past_the_queries", {Kind::out_of_bounds}},
                                       {"v2_reads_past_head_dim", {Kind::out_of_bounds}}};
    for (const Expected& expected : all) {
        const Problem p = problem_of(false);
        std::optional<Kind> kind;
        std::string report = "nothing was reported";
        try {
            // one head, so that a row past the last is past the tensor
            Problem one = p;
            one.heads = one.kv_heads = 1;
            run_mutant(expected.name, one, random_inputs(one));
        } catch (const simt::KernelError& error) {
            kind = error.kind();
            report = error.what();
        }
        const bool fits = kind && std::count(expected.kinds.begin(), expected.kinds.end(), *kind) > 0;
        CHECK_MESSAGE(fits, expected.name << ": " << report);
    }
}

TEST_CASE("mutants: what leaves something out is found unwritten, or read before it was written") {
    for (const char* name : {"v1_last_pass_missed", "v1_skips_a_tile"}) {
        const Problem p = problem_of(true);
        const Inputs inputs = random_inputs(p);
        bool noticed = false;
        try {
            const Output output = run_mutant(name, p, inputs);
            noticed = output.unwritten > 0 || judge(p, inputs, output).verdict == Verdict::fail;
        } catch (const simt::KernelError& error) {
            noticed = error.kind() == Kind::unwritten_read;
        }
        CHECK_MESSAGE(noticed, name);
    }
}

TEST_CASE("mutants: CTAs that take what is another's, or nobody's, are reported") {
    const Problem p = problem_of(true);  // 4 heads, which v2-tuned's mutants take in threes, of 2 query blocks
    struct Expected {
        std::string name;
        Kind kind;
    };
    for (const Expected& expected : {Expected{"tuned_turns_to_the_start", Kind::race},
                                     {"tuned_block_of_a_large_group", Kind::race},
                                     {"tuned_last_group_as_large", Kind::out_of_bounds}}) {
        std::optional<Kind> kind;
        try {
            run_mutant(expected.name, p, random_inputs(p));
        } catch (const simt::KernelError& error) {
            kind = error.kind();
        }
        CHECK_MESSAGE(kind == expected.kind, expected.name);
    }
}

TEST_CASE("mutants: what is wrong fails the verdict") {
    struct Wrong {
        std::string name;
        bool causal;
        bool huge_logits = false;
        bool sharp = false;
        bool may_be_reported = false;  // what it reads then may be what nobody wrote
        bool rising = false;
    };
    const std::vector<Wrong> all = {
        // v1's maximum starts from lse, which is above every logit so far: only a key that outweighs
        // all before it together makes a rescale by anything but 1
        {"v1_no_rescale", false, false, true},
        {"v1_last_pass_too_early", true},
        {"v2_no_rescale_of_o", false},
        {"v2_no_rescale_of_l", false},
        {"v2_sum_of_one_lane", false},
        {"v1_one_key_fewer", true},
        {"v2_one_key_fewer", true},
        {"v1_one_key_more", true},
        {"v2_one_key_more", true},
        {"v1_a_key_past_the_last", false},
        {"v2_a_key_past_the_last", false},
        {"v2_one_masked_block_fewer", true},
        {"v1_wrong_kv_head", false},
        {"v2_wrong_kv_head", false},
        {"v1_huge_logits_forgotten", false, true, false, true},
        {"v2_huge_logits_forgotten", false, true},
        {"v1_other_warps_values", false},
        {.name = "tuned_never_raises", .causal = false},
        {.name = "tuned_raises_once", .causal = false, .rising = true},
        {.name = "tuned_no_rescale_of_o", .causal = false, .rising = true},
        {.name = "tuned_no_rescale_of_l", .causal = false, .rising = true},
        {.name = "tuned_too_much_room", .causal = false, .rising = true},
        {.name = "tuned_one_masked_block_fewer", .causal = false},
        {.name = "tuned_one_masked_block_fewer", .causal = true},
        {.name = "tuned_huge_logits_forgotten", .causal = false, .huge_logits = true}};
    for (const Wrong& wrong : all) {
        Problem p = problem_of(wrong.causal);
        p.dist = wrong.sharp ? Distribution::sharp : Distribution::normal;
        const Inputs inputs =
            wrong.rising ? rising_inputs(p, [](auto) { return true; }) : inputs_of(p, wrong.huge_logits);
        bool noticed = false;
        try {
            const ErrorReport error = judge(p, inputs, run_mutant(wrong.name, p, inputs));
            noticed = error.verdict == Verdict::fail;
        } catch (const simt::KernelError& error) {
            noticed = wrong.may_be_reported;
        }
        CHECK_MESSAGE(noticed, wrong.name);
    }
}

TEST_CASE("every mutant is tried") {
    CHECK(mutants().size() == 3 + 2 + 2 + 11 + 2 + 3 + 16 + 7);
}
