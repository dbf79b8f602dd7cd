// Cases with known answers: masks, rows without keys, huge logits, NaN and infinity.
#include <doctest/doctest.h>

#include "words.h"

namespace flashlens::reference {
namespace {

struct Both {
    Exact exact_result;
    Plain plain_result;
};

Both run(const Problem& p) {
    const auto rows = all_rows(p.sizes);
    return {exact(p.sizes, p.tensors(), rows), plain(p.sizes, p.tensors(), rows)};
}

/// Both references' first column and LSE of row i.
void check_row(const Both& both, const Sizes& sizes, std::int64_t i, double o, double lse) {
    CAPTURE(i);
    const double plain_o = value_of(both.plain_result.o[i * sizes.head_dim], sizes.type);
    CHECK(both.exact_result.o[i * sizes.head_dim] == doctest::Approx(o).epsilon(1e-12));
    CHECK(plain_o == doctest::Approx(o).epsilon(2e-3));
    if (std::isinf(lse)) {
        CHECK(both.exact_result.lse[i] == lse);
        CHECK(both.plain_result.lse[i] == static_cast<float>(lse));
    } else {
        CHECK(both.exact_result.lse[i] == doctest::Approx(lse).epsilon(1e-12));
        CHECK(both.plain_result.lse[i] == doctest::Approx(lse).epsilon(1e-6));
    }
}

}  // namespace

TEST_CASE("equal logits give the mean of the visible values") {
    struct Lengths {
        std::int64_t q, k;
    };
    for (const bool causal : {false, true}) {
        for (const Lengths& n : {Lengths{2, 5},
                                 {1, 5},
                                 {5, 2},
                                 {100, 163},
                                 {64, 65},
                                 {113, 203},
                                 {257, 129},
                                 {1, 147},
                                 {1023, 1024},
                                 {1024, 1023},
                                 {7, 1},
                                 {1, 1}}) {
            CAPTURE(n.q);
            CAPTURE(n.k);
            const Problem p = ramp(n.q, n.k, causal);
            const Both both = run(p);
            for (std::int64_t i = 0; i < n.q; ++i) {
                const std::int64_t seen = causal ? std::max<std::int64_t>(i + n.k - n.q + 1, 0) : n.k;
                check_row(both, p.sizes, i, seen > 0 ? static_cast<double>(seen + 1) / 2 : 0.0,
                          seen > 0 ? std::log(static_cast<double>(seen)) : -inf);
            }
        }
    }
}

TEST_CASE("rows that see no key are 0 with LSE -inf, even over NaN") {
    Problem p = ramp(5, 2, true);
    p.q[0] = word_of(nan, Type::fp16);
    const Both both = run(p);
    const double expected[] = {0, 0, 0, 1, 1.5};
    const double lse[] = {-inf, -inf, -inf, 0, std::log(2.0)};
    for (std::int64_t i = 0; i < 5; ++i) {
        check_row(both, p.sizes, i, expected[i], lse[i]);
    }
    const Problem none = ramp(3, 0, false);
    for (std::int64_t i = 0; i < 3; ++i) {
        check_row(run(none), none.sizes, i, 0.0, -inf);
    }
}

TEST_CASE("a large logit that comes later takes over") {
    // 255 logits of 0 with V 1, then one of 5 with V 0
    Problem p = random_problem({1, 1, 1, 1, 256, 64, false, 0, 1.0, Type::fp16}, 3);
    std::fill(p.q.begin(), p.q.end(), std::uint16_t{0});
    std::fill(p.k.begin(), p.k.end(), std::uint16_t{0});
    p.q[0] = word_of(1.0, Type::fp16);
    for (std::int64_t j = 128; j < 256; ++j) {
        p.k[j * 64] = word_of(5.0, Type::fp16);
    }
    for (std::int64_t j = 0; j < 256; ++j) {
        std::fill_n(p.v.begin() + j * 64, 64, word_of(j < 128 ? 1.0 : 0.0, Type::fp16));
    }
    check_row(run(p), p.sizes, 0, 1.0 / (1.0 + std::exp(5.0)), std::log(128.0 + 128.0 * std::exp(5.0)));
    CHECK(run(p).exact_result.o[0] == doctest::Approx(0.0066929).epsilon(1e-5));
}

TEST_CASE("logits far beyond exp's range") {
    Problem p = ramp(1, 4, false);
    std::fill(p.q.begin(), p.q.end(), word_of(60.0, Type::fp16));
    std::fill(p.k.begin(), p.k.end(), word_of(60.0, Type::fp16));
    check_row(run(p), p.sizes, 0, 2.5, 8 * 3600 * 0.5 + std::log(4.0));
    std::fill(p.k.begin(), p.k.end(), word_of(-60.0, Type::fp16));
    check_row(run(p), p.sizes, 0, 2.5, -8 * 3600 * 0.5 + std::log(4.0));
}

TEST_CASE("long sums don't drift") {
    Problem p = ramp(1, 4096, false);
    std::fill(p.v.begin(), p.v.end(), word_of(100.0, Type::fp16));
    check_row(run(p), p.sizes, 0, 100.0, std::log(4096.0));
}

TEST_CASE("NaN in Q or in a visible key: the row is NaN; in V: that column; masked or in another head: nothing") {
    for (const Type type : {Type::fp16, Type::bf16}) {
        const Problem clean = random_problem({2, 2, 2, 4, 4, 8, true, 0, 0.5, type}, 12);
        const Both before = run(clean);
        enum class Where { q, k, v };
        for (const Where where : {Where::q, Where::k, Where::v}) {
            Problem p = clean;
            Words& tensor = where == Where::q ? p.q : where == Where::k ? p.k : p.v;
            tensor[p.k_index(1, 2, 0, 3)] = word_of(nan, type);  // batch 1, row or key 2, head 0, dim 3
            const Both both = run(p);
            for (const Row& row : all_rows(p.sizes)) {
                const std::int64_t r = (row.batch * 2 + row.head) * 4 + row.row;
                const bool head = row.batch == 1 && row.head == 0;
                const bool touched = head && (where == Where::q ? row.row == 2 : row.row >= 2);
                const bool lse_nan = touched && where != Where::v;
                CHECK(std::isnan(both.exact_result.lse[r]) == lse_nan);
                CHECK(std::isnan(both.plain_result.lse[r]) == lse_nan);
                for (std::int64_t d = 0; d < 8; ++d) {
                    const bool o_nan = touched && (where != Where::v || d == 3);
                    const std::int64_t at = r * 8 + d;
                    CHECK(std::isnan(both.exact_result.o[at]) == o_nan);
                    CHECK(std::isnan(value_of(both.plain_result.o[at], type)) == o_nan);
                    if (!o_nan) {
                        CHECK(both.exact_result.o[at] == doctest::Approx(before.exact_result.o[at]).epsilon(1e-12));
                    }
                }
            }
        }
    }
}

TEST_CASE("infinite logits: -inf takes no weight; all -inf is NaN with LSE -inf; +inf is NaN") {
    Problem p = ramp(1, 3, false);
    p.q[0] = word_of(1.0, Type::fp16);
    const auto set_first = [&](double a, double b, double c) {
        p.k[0] = word_of(a, Type::fp16);
        p.k[8] = word_of(b, Type::fp16);
        p.k[16] = word_of(c, Type::fp16);
        return run(p);
    };
    std::fill(p.k.begin(), p.k.end(), std::uint16_t{0});
    check_row(set_first(-inf, 0, 0), p.sizes, 0, 2.5, std::log(2.0));
    Both both = set_first(-inf, -inf, -inf);
    CHECK(std::isnan(both.exact_result.o[0]));
    CHECK(both.exact_result.lse[0] == -inf);
    CHECK(std::isnan(value_of(both.plain_result.o[0], Type::fp16)));
    CHECK(both.plain_result.lse[0] == -std::numeric_limits<float>::infinity());
    both = set_first(0, inf, 0);
    CHECK(std::isnan(both.exact_result.o[0]));
    CHECK(both.exact_result.lse[0] == inf);
    CHECK(std::isnan(value_of(both.plain_result.o[0], Type::fp16)));
    CHECK(std::isnan(both.plain_result.lse[0]));
}

TEST_CASE("an infinity in V shows in its column of the rows that see it") {
    Problem p = ramp(4, 4, true);
    p.v[2 * 8 + 5] = word_of(-inf, Type::fp16);
    const Both both = run(p);
    for (std::int64_t i = 0; i < 4; ++i) {
        CHECK((both.exact_result.o[i * 8 + 5] == -inf) == (i >= 2));
        CHECK((value_of(both.plain_result.o[i * 8 + 5], Type::fp16) == -inf) == (i >= 2));
        CHECK(std::isfinite(both.exact_result.o[i * 8 + 4]));
        CHECK(std::isfinite(both.exact_result.o[i * 8 + 5]) == (i < 2));
    }
}

TEST_CASE("visible keys and the list of rows") {
    Sizes sizes{2, 2, 1, 3, 5, 8, true, 2, 1.0, Type::fp16};
    CHECK(visible_keys(sizes, 0) == 3);
    CHECK(visible_keys(sizes, 2) == 5);
    sizes.offset = -2;
    CHECK(visible_keys(sizes, 0) == 0);
    CHECK(visible_keys(sizes, 1) == 0);
    CHECK(visible_keys(sizes, 2) == 1);
    sizes.offset = 100;
    CHECK(visible_keys(sizes, 0) == 5);
    sizes.causal = false;
    CHECK(visible_keys(sizes, 0) == 5);
    const auto rows = all_rows(sizes);
    REQUIRE(rows.size() == 12);
    CHECK(std::is_sorted(rows.begin(), rows.end()));
    CHECK(rows[4] == Row{0, 1, 1});
}

}  // namespace flashlens::reference
