// Which rows the reference checks.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "explorer/verdict.h"

using namespace flashlens;
using reference::Row;

namespace {

bool has(const std::vector<Row>& rows, const Row& row) {
    return std::binary_search(rows.begin(), rows.end(), row);
}

}  // namespace

TEST_CASE("all rows where they are cheap") {
    const Problem small{.batch = 2, .heads = 4, .kv_heads = 4, .seqlen_q = 100, .seqlen_k = 100};
    CHECK(choose_rows(small).size() == 800);
    CHECK(choose_rows(small) == reference::all_rows(reference_sizes(small)));
    CHECK(choose_rows({.batch = 1, .heads = 8, .kv_heads = 8, .seqlen_q = 1024, .seqlen_k = 1024}).size() == 8192);
    CHECK(choose_rows({.batch = 0}).empty());
    CHECK(choose_rows({.heads = 0, .kv_heads = 0}).empty());
    CHECK(choose_rows({.seqlen_q = 0}).empty());
}

TEST_CASE("a sample holds the edges, several heads and batches, and rows between") {
    Problem problem{.batch = 8, .heads = 16, .kv_heads = 4, .seqlen_q = 4000, .seqlen_k = 3000, .head_dim = 128};
    problem.causal = true;
    const std::vector<Row> rows = choose_rows(problem);
    CHECK(std::is_sorted(rows.begin(), rows.end()));
    CHECK(std::adjacent_find(rows.begin(), rows.end()) == rows.end());
    CHECK(rows == choose_rows(problem));
    for (const std::int64_t batch : {0, 4, 7}) {
        for (const std::int64_t head : {0, 3, 4, 8, 15}) {
            // first, last; around the first row that sees a key (1000) and the first that sees all (3999); tile edges
            for (const std::int64_t row : {0, 3999, 999, 1000, 1001, 3998, 127, 128, 63, 64, 15, 16, 3967, 3968}) {
                CHECK(has(rows, {batch, head, row}));
            }
        }
    }
    std::set<std::pair<std::int64_t, std::int64_t>> heads;
    std::set<std::int64_t> places_in_tile;
    double cost = 0.0;
    for (const Row& row : rows) {
        heads.insert({row.batch, row.head});
        places_in_tile.insert(row.row % 128);
        cost += 4.0 * 128 * static_cast<double>(std::clamp<std::int64_t>(row.row - 999, 0, 3000));
        CHECK(row.row >= 0);
        CHECK(row.row < 4000);
    }
    CHECK(heads.size() == 8 * 16);
    CHECK(places_in_tile.size() == 128);
    CHECK(cost <= default_reference_flops);
}

TEST_CASE("whatever the shape, a sample keeps its budget and has the first and the last row") {
    for (const std::int64_t lengths : {4096, 65536, 1 << 20, 1 << 27}) {
        for (const std::int64_t batch : {1, 3, 65536}) {
            const Problem problem{
                .batch = batch, .heads = 8, .kv_heads = 2, .seqlen_q = lengths, .seqlen_k = lengths, .head_dim = 128};
            const std::vector<Row> rows = choose_rows(problem);
            REQUIRE(!rows.empty());
            CHECK(has(rows, {0, 0, 0}));
            CHECK(has(rows, {0, 0, lengths - 1}));
            const double per_row = 4.0 * 128 * static_cast<double>(lengths);
            CHECK(static_cast<double>(rows.size()) * per_row <= std::max(default_reference_flops, 4 * per_row));
        }
    }
}

TEST_CASE("a smaller budget gives fewer rows") {
    const Problem problem{.seqlen_q = 1024, .seqlen_k = 1024};
    CHECK(choose_rows(problem, 1e8).size() < choose_rows(problem, 1e9).size());
    CHECK(choose_rows(problem, 0.0).size() == 2);
}
