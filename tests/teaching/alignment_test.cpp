#include "teaching/alignment.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "parts.h"
#include "text.h"

using namespace flashlens::teaching;
using namespace flashlens::teaching::tests;
using flashlens::tests::has;

namespace {

std::string text_at(const Part& part, const Row& row, std::size_t side) {
    const auto& place = row.places[side];
    return place && place->line ? std::string(part.sides[side].excerpts[place->excerpt].lines[*place->line].text) : "";
}

}  // namespace

TEST_CASE("in the main loop what v1 and v2 share stands on one row") {
    const Part part = part_of(Stage::mainloop, Topic::loops, both);
    const std::vector<Row> rows = rows_of(part);
    const std::vector<std::pair<std::string, std::string>> together{
        {"for (int tile", "for (int step"},         {"gemm_q_k<", "gemm_qk<"}, {"apply_mask<", "apply_mask<"},
        {"scale_apply_exp<", "softmax_rescale_o<"}, {" pack<", "convert<"},    {"gemm_o<", "gemm_pv<"}};
    for (const auto& pair : together) {
        CAPTURE(pair.first);
        const auto row =
            std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return has(text_at(part, r, 0), pair.first); });
        REQUIRE(row != rows.end());
        CHECK(has(text_at(part, *row, 1), pair.second));
        CHECK(row->together);
    }
    // v1's merging has no counterpart: no step of v2's stands beside it.
    for (const Row& row : rows) {
        for (const char* alone : {"smem_o.store", "reduce_sum_after_sync", "load_and_normalise", "out.store("}) {
            if (has(text_at(part, row, 0), alone)) {
                CHECK_FALSE(has(text_at(part, row, 1), "<T>("));
            }
        }
    }
    // v2's second loop comes below all of v1's.
    const auto second =
        std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return has(text_at(part, r, 1), "for (; n"); });
    REQUIRE(second != rows.end());
    CHECK(std::all_of(second, rows.end(), [](const Row& row) { return !row.places[0]; }));
    CHECK(has(text_at(part, *(second - 1), 1), "// ... and those that do not"));

    const Part last = part_of(Stage::epilogue, Topic::last_steps, both);
    for (const Row& row : rows_of(last)) {
        if (has(text_at(last, row, 0), "load_and_normalise")) {
            CHECK(has(text_at(last, row, 1), "normalize<"));
        }
        if (has(text_at(last, row, 0), "out.store(")) {
            CHECK(has(text_at(last, row, 1), "store<T>"));
        }
    }
}

TEST_CASE("rows have every heading and every line once and in order, whoever is asked for") {
    const std::vector<Names> choices{{"v1"}, {"v2-tuned"}, {"v1", "v2"}, {"v2", "v1"}, {"v2", "v2-tuned"}, all_three};
    for (const Names& variants : choices) {
        for (const Stage stage : all_stages()) {
            for (const Part& part : parts_of(stage, variants)) {
                std::vector<std::vector<int>> seen(variants.size());
                for (const Row& row : rows_of(part)) {
                    REQUIRE(row.places.size() == variants.size());
                    CHECK(std::any_of(row.places.begin(), row.places.end(),
                                      [](const auto& place) { return place.has_value(); }));
                    for (std::size_t i = 0; i < variants.size(); ++i) {
                        if (row.places[i]) {
                            const Excerpt& excerpt = part.sides[i].excerpts[row.places[i]->excerpt];
                            seen[i].push_back(row.places[i]->line ? excerpt.lines[*row.places[i]->line].number : 0);
                        }
                    }
                }
                for (std::size_t i = 0; i < variants.size(); ++i) {
                    std::vector<int> wanted;
                    for (const Excerpt& excerpt : part.sides[i].excerpts) {
                        wanted.push_back(0);
                        for (int number = excerpt.first(); number <= excerpt.last(); ++number) {
                            wanted.push_back(number);
                        }
                    }
                    CAPTURE(name_of(part.topic));
                    CHECK(seen[i] == wanted);
                }
            }
        }
    }
}

namespace {

std::size_t longest_by_trying(std::span<const Anchor> a, std::span<const Anchor> b) {
    if (a.empty() || b.empty()) {
        return 0;
    }
    std::size_t best = std::max(longest_by_trying(a.subspan(1), b), longest_by_trying(a, b.subspan(1)));
    if (a[0] && a[0] == b[0]) {
        best = std::max(best, 1 + longest_by_trying(a.subspan(1), b.subspan(1)));
    }
    return best;
}

}  // namespace

TEST_CASE("lining up: equal, ascending, as many as there can be") {
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
        const auto sequence = [&] {
            std::vector<Anchor> anchors(random() % 8);
            for (Anchor& anchor : anchors) {
                anchor = random() % 4 == 0 ? Anchor() : Anchor(static_cast<int>(random() % 3));
            }
            return anchors;
        };
        const std::vector<Anchor> a = sequence(), b = sequence();
        const auto pairs = line_up(a, b);
        CHECK(pairs.size() == longest_by_trying(a, b));
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            CHECK(a[pairs[i].first].has_value());
            CHECK(a[pairs[i].first] == b[pairs[i].second]);
            if (i > 0) {
                CHECK(pairs[i].first > pairs[i - 1].first);
                CHECK(pairs[i].second > pairs[i - 1].second);
            }
        }
    }
    const std::vector<Anchor> body{1, 2}, twice{1, 2, 1, 2};
    CHECK(line_up(body, twice) ==
          std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {1, 1}});  // the first of two
}
