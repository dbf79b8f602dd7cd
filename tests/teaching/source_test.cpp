#include "teaching/source.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "explorer/explorer.h"
#include "explorer/variant.h"
#include "parts.h"
#include "text.h"

using namespace flashlens::teaching;
using namespace flashlens::teaching::tests;
using flashlens::tests::has;

namespace {

std::string line_on_disk(std::string_view path, int number) {
    std::ifstream file(FLASHLENS_ROOT "/" + std::string(path));
    std::string line;
    for (int i = 0; i < number; ++i) {
        REQUIRE(std::getline(file, line));
    }
    return line;
}

/// The texts of a side, one after the other.
std::string text_of(const Side& side) {
    std::string text;
    for (const Excerpt& excerpt : side.excerpts) {
        for (const CodeLine& line : excerpt.lines) {
            text += std::string(line.text) + "\n";
        }
    }
    return text;
}

}  // namespace

TEST_CASE("the variants are the explorer's") {
    const std::vector<std::string> names(source_variants().begin(), source_variants().end());
    CHECK(names == flashlens::all_variants());
}

TEST_CASE("every stage has lines of every variant, as they stand in the files") {
    for (const Stage stage : all_stages()) {
        CAPTURE(name_of(stage));
        std::map<std::string, int> lines;
        for (const Part& part : parts_of(stage, all_three)) {
            CAPTURE(name_of(part.topic));
            REQUIRE(part.sides.size() == 3);
            for (const Side& side : part.sides) {
                for (const Excerpt& excerpt : side.excerpts) {
                    REQUIRE_FALSE(excerpt.lines.empty());
                    for (std::size_t i = 0; i < excerpt.lines.size(); ++i) {
                        CHECK(excerpt.lines[i].number == excerpt.first() + static_cast<int>(i));
                        CHECK(excerpt.lines[i].text == line_on_disk(excerpt.path, excerpt.lines[i].number));
                    }
                    lines[side.variant] += static_cast<int>(excerpt.lines.size());
                }
            }
        }
        for (const std::string& variant : all_three) {
            CAPTURE(variant);
            CHECK(lines[variant] > 4);
        }
    }
}

TEST_CASE("what the stages are about is in them") {
    struct Expected {
        Stage stage;
        Topic topic;
        std::string variant;
        Names names;
    };
    const std::vector<Expected> all{
        {Stage::launch, Topic::grid, "v1", {"const Grid grid{p.batch, p.heads, num_splits}", "// grid "}},
        {Stage::launch, Topic::grid, "v2", {"const Grid grid{", "Traits::block_m", "// grid "}},
        {Stage::launch, Topic::grid, "v2-tuned", {"const Grid grid{", "// grid "}},
        {Stage::launch, Topic::splits, "v1", {"num_splits_heuristic", "m - 1 / m", "0.95 * best"}},
        {Stage::launch, Topic::splits, "v2", {"tile.block_m"}},
        {Stage::launch, Topic::tiles, "v1", {"choose_tile", "128 : 256"}},
        {Stage::launch, Topic::tiles, "v2", {"choose_tile", "{64, 128, 128, 4}"}},
        {Stage::mainloop, Topic::before_loop, "v1", {"frag_k;", "frag_v;"}},
        {Stage::mainloop, Topic::before_loop, "v2", {"acc_o;", "m, l;", "clear<T>"}},
        {Stage::mainloop,
         Topic::loops,
         "v1",
         {"gemm_q_k", "apply_mask", "reduce_max", "scale_apply_exp", "reduce_sum_before_sync", "pack", "gemm_o",
          "smem_o.store", "__syncthreads", "reduce_sum_after_sync", "load_and_normalise(smem_o", "out.store("}},
        {Stage::mainloop,
         Topic::loops,
         "v2",
         {"gemm_qk", "apply_mask", "softmax_rescale_o", "convert", "gemm_pv", "cp_async_wait", "__syncthreads"}},
        {Stage::mainloop, Topic::loops, "v2-tuned", {"gemm_qk", "apply_mask", "raise_max", "exponentiate", "gemm_pv"}},
        {Stage::warps, Topic::traits, "v1", {"warps = 4", "// warps "}},
        {Stage::warps, Topic::traits, "v2", {"mmas_m = BlockM / (16 * Warps)", "// warps "}},
        {Stage::warps, Topic::rows_and_keys, "v1", {"g * 64 + warp_index() * 16"}},
        {Stage::warps, Topic::rows_and_keys, "v2", {"(i * T::warps + warp_index()) * 16"}},
        {Stage::warps, Topic::row_maximum, "v1", {"smem_max.store(m)", "quad_max", "smem_max.max_of"}},
        {Stage::warps, Topic::row_maximum, "v2", {"quad_max"}},
        {Stage::warps, Topic::row_sum, "v1", {"quad_sum", "smem_sum.store(sum)", "smem_sum.sum_of"}},
        {Stage::warps, Topic::row_sum, "v2", {"l[i][e / 2] +="}},
        {Stage::warps, Topic::warp_output, "v1", {"struct SmemO", "store_shared", "load_shared"}},
        {Stage::warps, Topic::warp_output, "v2", {"acc_o += P V", "*= rescale"}},
        {Stage::warps, Topic::quad_shuffles, "v2", {"shuffle_xor(value, 1)", "shuffle_xor(value, 2)"}},
        {Stage::epilogue, Topic::last_steps, "v1", {"smem_o.store", "out.store("}},
        {Stage::epilogue, Topic::last_steps, "v2", {"normalize<", "store<T>"}},
        {Stage::epilogue, Topic::normalisation, "v1", {"smem_o.load", "reciprocal(sum[i])"}},
        {Stage::epilogue, Topic::normalisation, "v2", {"reciprocal(sum)", "quad_sum(l[i][half])"}},
        {Stage::epilogue, Topic::log_sum_exp, "v1", {"log_sum(sum[pass])"}},
        {Stage::epilogue, Topic::log_sum_exp, "v2", {"log2(sum) * ln_2"}},
        {Stage::epilogue, Topic::write_out, "v1", {"o_tmp", "Element::pack"}},
        {Stage::epilogue, Topic::write_out, "v2", {"store_global"}},
        {Stage::epilogue, Topic::between_passes, "v1", {"load_global<f32x4>(carried.o_tmp"}},
    };
    for (const Expected& expected : all) {
        const std::string text = text_of(part_of(expected.stage, expected.topic, {expected.variant}).sides.front());
        CAPTURE(name_of(expected.topic));
        CAPTURE(expected.variant);
        for (const std::string& name : expected.names) {
            CAPTURE(name);
            CHECK(has(text, name));
        }
    }
    // v2 writes nothing between passes: the shared memory and the barriers of v1's merging are not in it.
    CHECK(part_of(Stage::epilogue, Topic::between_passes, both).sides[1].excerpts.empty());
    CHECK_FALSE(has(text_of(part_of(Stage::warps, Topic::row_maximum, both).sides[1]), "smem"));
    CHECK(parts_of(Stage::epilogue, Names{"v2"}).size() == 4);  // a part that nobody has anything to is none
}

TEST_CASE("every step of every kernel is found; no barrier and no step is lost") {
    for (const std::string& variant : all_three) {
        CAPTURE(variant);
        std::set<Step> found;
        std::set<std::string> names;
        std::vector<Part> parts = parts_of(Stage::mainloop, Names{variant});
        parts.push_back(part_of(Stage::epilogue, Topic::last_steps, {variant}));
        for (const Part& part : parts) {
            for (const Excerpt& excerpt : part.sides.front().excerpts) {
                for (const CodeLine& line : excerpt.lines) {
                    const std::string code(line.text.substr(0, line.text.find("//")));
                    CAPTURE(code);
                    const bool waits = has(code, "__syncthreads()") || has(code, "cp_async_wait<");
                    const bool barrier = !line.steps.empty() && line.steps.front() == Step::barrier;
                    CHECK(waits == barrier);
                    // In the loops a call of a function template is a step; before them v2-tuned prepares more.
                    const bool call = part.topic != Topic::before_loop && has(code, "<T>(") && code.back() == ';';
                    if (call) {
                        CHECK_FALSE(line.steps.empty());
                    }
                    CHECK(line.steps.empty() == line.step_name.empty());
                    if (!line.steps.empty()) {
                        CHECK(line.step_name.data() >= line.text.data());
                        CHECK(line.step_name.data() + line.step_name.size() <= line.text.data() + line.text.size());
                        names.insert(std::string(line.step_name));
                        found.insert(line.steps.begin(), line.steps.end());
                    }
                }
            }
        }
        for (const Step step : all_steps()) {
            CAPTURE(name_of(step));
            const bool only_v1 = step == Step::merge;
            CHECK(found.count(step) == (only_v1 && variant != "v1" ? 0 : 1));
        }
        for (const StepName& step : step_names(variant)) {
            CAPTURE(step.name);
            CHECK(names.count(std::string(step.name.substr(0, step.name.find(' ')))) == 1);
        }
    }
}

TEST_CASE("letters are told apart") {
    std::set<char> letters;
    std::set<std::string_view> names;
    for (const Step step : all_steps()) {
        letters.insert(letter_of(step));
        names.insert(name_of(step));
    }
    CHECK(letters.size() == all_steps().size());
    CHECK(names.size() == all_steps().size());
    CHECK(letter_of(Step::load) == 'A');
    CHECK(letter_of(Step::write) == 'M');
}
