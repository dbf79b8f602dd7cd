// Which warp has what, and what is loaded when, as the watched copies of the kernels tell (mutants/watch.h).
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "harness.h"
#include "mutants/run_copy.h"
#include "mutants/watch.h"

using namespace flashlens;
using namespace flashlens::kernel_tests;

namespace {

struct RowsLoaded {
    std::vector<int> queries, keys, values;
};

/// The first row of each load of a run of one head.
RowsLoaded rows_loaded(const Output& output, const Problem& p) {
    RowsLoaded rows;
    const auto row_in = [&](const void* tensor, std::int64_t length, const void* at) {
        const std::ptrdiff_t bytes = static_cast<const char*>(at) - static_cast<const char*>(tensor);
        const std::int64_t row = bytes / (p.head_dim * 2);
        return bytes >= 0 && row < length ? std::optional(static_cast<int>(row)) : std::nullopt;
    };
    for (const void* at : loads) {
        if (const auto k_row = row_in(output.k_was_at, p.seqlen_k, at)) {
            rows.keys.push_back(*k_row);
        } else if (const auto v_row = row_in(output.v_was_at, p.seqlen_k, at)) {
            rows.values.push_back(*v_row);
        } else if (const auto q_row = row_in(output.q_was_at, 1 << 20, at)) {
            rows.queries.push_back(*q_row);
        }
    }
    return rows;
}

}  // namespace

TEST_CASE("v1: warp w has keys 16w .. 16w+15 of every 64") {
    // q = 0 weighs all keys alike; in group g of 64 keys, key j has a 1 in column j % 64. Without warp w's P V exactly its
    // keys' columns are missing.
    const Problem p = shape(1, 1, 1, 20, 256, 64);
    for (std::int64_t group = 0; group < 4; ++group) {
        const Inputs inputs = make_inputs(
            p, [](auto...) { return 0.0; }, [](auto...) { return 1.0; },
            [&](auto, auto j, auto, auto d) { return j / 64 == group && j % 64 == d ? 1.0 : 0.0; });
        for (int warp = 0; warp < 4; ++warp) {
            silent_warp = warp;
            const Output output = run_watched("v1", p, inputs, 2);
            silent_warp = -1;
            std::int64_t wrong = 0;
            for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
                for (std::int64_t d = 0; d < 64; ++d) {
                    const bool missing = output.o[at_q(p, 0, i, 0, d)] == 0;
                    wrong += missing != (d / 16 == warp) ? 1 : 0;
                }
            }
            CHECK_MESSAGE(wrong == 0, "keys of group " << group << ", warp " << warp);
        }
    }
}

TEST_CASE("v2 and v2-tuned: warp w has query rows 16w .. 16w+15 of every 64") {
    const Problem p = shape(1, 1, 1, 256, 200, 64);
    const Inputs inputs = make_inputs(
        p, [](auto...) { return 0.0; }, [](auto...) { return 1.0; }, [](auto...) { return 1.0; });
    for (const char* name : {"v2", "tuned"}) {
        for (int warp = 0; warp < 4; ++warp) {
            silent_warp = warp;
            const Output output = run_watched(name, p, inputs, 1);
            silent_warp = -1;
            std::int64_t wrong = 0;
            for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
                const bool missing = output.o[at_q(p, 0, i, 0, 0)] == 0;
                wrong += missing != (i % 64 / 16 == warp) ? 1 : 0;
            }
            CHECK_MESSAGE(wrong == 0, name << ", warp " << warp);
        }
    }
}

TEST_CASE("v1 loads key blocks first to last, and for each its query tiles") {
    const Problem p = shape(1, 1, 1, 80, 300, 64);  // 5 tiles, 3 key blocks
    const Inputs inputs = random_inputs(p);
    const Output output = run_watched("v1", p, inputs, 2);
    const auto [queries, keys, values] = rows_loaded(output, p);
    // two CTAs: tiles 0, 2, 4 and tiles 1, 3; after a CTA's last tile nothing is loaded
    CHECK(keys == std::vector<int>{0, 128, 256, 0, 128, 256});
    CHECK(values == keys);
    CHECK(queries == std::vector<int>{0, 32, 64, 0, 32, 64, 0, 32, 64, 16, 48, 16, 48, 16, 48});
}

TEST_CASE("v2 loads one query block, and key blocks last to first") {
    const Problem p = shape(1, 1, 1, 200, 600, 64);
    const Inputs inputs = random_inputs(p);
    const Output output = run_watched("v2", p, inputs, 1);
    const auto [queries, keys, values] = rows_loaded(output, p);
    CHECK(keys == std::vector<int>{512, 384, 256, 128, 0, 512, 384, 256, 128, 0});
    CHECK(values == keys);
    CHECK(queries == std::vector<int>{0, 128});
}

TEST_CASE("v2-tuned takes the last query block first, and loads key blocks last to first") {
    const Problem p = shape(1, 1, 1, 200, 300, 64);
    const Inputs inputs = random_inputs(p);
    const Output output = run_watched("tuned", p, inputs, 1);
    const auto [queries, keys, values] = rows_loaded(output, p);
    CHECK(keys == std::vector<int>{256, 192, 128, 64, 0, 256, 192, 128, 64, 0});
    CHECK(values == keys);
    CHECK(queries == std::vector<int>{128, 0});
}
