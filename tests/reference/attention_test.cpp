// Both references against attention written as three loops in long double, and the laws that attention obeys.
#include "reference/attention.h"

#include <doctest/doctest.h>

#include <numeric>
#include <stdexcept>

#include "words.h"

namespace flashlens::reference {
namespace {

struct Loops {
    std::vector<long double> o;
    std::vector<long double> lse;
};

Loops three_loops(const Problem& p) {
    const Sizes& s = p.sizes;
    Loops result;
    for (std::int64_t b = 0; b < s.batch; ++b) {
        for (std::int64_t h = 0; h < s.heads; ++h) {
            for (std::int64_t i = 0; i < s.seqlen_q; ++i) {
                const std::int64_t kv_head = h * s.kv_heads / s.heads;
                std::vector<long double> o(s.head_dim, 0.0L);
                long double sum = 0.0L;
                for (std::int64_t j = 0; j < s.seqlen_k; ++j) {
                    if (s.causal && j > i + s.offset) {
                        continue;
                    }
                    long double dot = 0.0L;
                    for (std::int64_t d = 0; d < s.head_dim; ++d) {
                        dot += static_cast<long double>(value_of(p.q[p.q_index(b, i, h, d)], s.type)) *
                               value_of(p.k[p.k_index(b, j, kv_head, d)], s.type);
                    }
                    const long double weight = std::exp(dot * static_cast<long double>(s.scale));
                    sum += weight;
                    for (std::int64_t d = 0; d < s.head_dim; ++d) {
                        o[d] += weight * value_of(p.v[p.k_index(b, j, kv_head, d)], s.type);
                    }
                }
                for (const long double element : o) {
                    result.o.push_back(sum > 0 ? element / sum : 0.0L);
                }
                result.lse.push_back(std::log(sum));
            }
        }
    }
    return result;
}

Exact exact_of(const Problem& p) {
    return exact(p.sizes, p.tensors(), all_rows(p.sizes));
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = a[i] == b[i] ? 0.0 : std::fabs(a[i] - b[i]);
        largest = difference <= largest ? largest : difference;  // keeps a NaN
    }
    return largest;
}

Sizes random_sizes(std::mt19937& generator) {
    const auto upto = [&](std::int64_t n) { return static_cast<std::int64_t>(generator() % (n + 1)); };
    Sizes s;
    s.batch = 1 + upto(1);
    s.kv_heads = 1 + upto(2);
    s.heads = s.kv_heads * (1 + upto(2));
    s.seqlen_q = upto(40);
    s.seqlen_k = upto(3) == 0 ? upto(3) : upto(90);
    s.head_dim = 1 + upto(70);
    s.causal = upto(1) == 1;
    s.offset = upto(1) == 1 ? s.seqlen_k - s.seqlen_q : upto(60) - 30;
    s.scale = 0.05 * static_cast<double>(1 + upto(12));
    s.type = upto(1) == 1 ? Type::fp16 : Type::bf16;
    return s;
}

}  // namespace

TEST_CASE("fp64 and plain attention agree with three loops on random shapes") {
    std::mt19937 generator(20);
    for (unsigned round = 0; round < 150; ++round) {
        const Problem p = random_problem(random_sizes(generator), round);
        const Loops loops = three_loops(p);
        const auto rows = all_rows(p.sizes);
        const Exact e = exact(p.sizes, p.tensors(), rows);
        const Plain f = plain(p.sizes, p.tensors(), rows);
        REQUIRE(e.o.size() == loops.o.size());
        REQUIRE(e.lse.size() == loops.lse.size());
        REQUIRE(f.o.size() == loops.o.size());
        // |V| <= 2: P's and O's rounding move O by at most u (2 + 2), fp32 by far less.
        const double u = p.sizes.type == Type::fp16 ? 0x1p-11 : 0x1p-8;
        int wrong = 0;
        for (std::size_t i = 0; i < loops.o.size(); ++i) {
            const auto expected = static_cast<double>(loops.o[i]);
            wrong += std::fabs(e.o[i] - expected) <= 1e-13 ? 0 : 1;
            wrong += std::fabs(value_of(f.o[i], p.sizes.type) - expected) <= 4.1 * u + 1e-4 ? 0 : 1;
        }
        for (std::size_t r = 0; r < loops.lse.size(); ++r) {
            const auto expected = static_cast<double>(loops.lse[r]);
            const bool none = expected == -inf;
            wrong += (none ? e.lse[r] == -inf : std::fabs(e.lse[r] - expected) <= 1e-12) ? 0 : 1;
            wrong += (none ? f.lse[r] == -std::numeric_limits<float>::infinity()
                           : std::fabs(f.lse[r] - expected) <= 1e-5 * (1 + std::fabs(expected)))
                         ? 0
                         : 1;
        }
        CAPTURE(round);
        CHECK(wrong == 0);
    }
}

TEST_CASE("plain attention has rounding errors of the type's size, no more and no less") {
    for (const Type type : {Type::fp16, Type::bf16}) {
        const Problem p = random_problem({1, 2, 1, 64, 200, 64, false, 0, 0.125, type}, 5);
        const auto rows = all_rows(p.sizes);
        const Exact e = exact(p.sizes, p.tensors(), rows);
        const Plain f = plain(p.sizes, p.tensors(), rows);
        double largest = 0.0;
        for (std::size_t i = 0; i < e.o.size(); ++i) {
            largest = std::max(largest, std::fabs(value_of(f.o[i], type) - e.o[i]));
        }
        const double u = type == Type::fp16 ? 0x1p-11 : 0x1p-8;
        CHECK(largest < 4 * u);
        CHECK(largest > 0.05 * u);
    }
}

TEST_CASE("the order of keys doesn't matter") {
    const Problem p = random_problem({2, 4, 2, 9, 300, 24, false, 0, 0.3, Type::fp16}, 6);
    std::vector<std::int64_t> order(300);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    Problem shuffled = p;
    for (std::int64_t b = 0; b < 2; ++b) {
        for (std::int64_t j = 0; j < 300; ++j) {
            for (std::int64_t h = 0; h < 2; ++h) {
                for (std::int64_t d = 0; d < 24; ++d) {
                    shuffled.k[p.k_index(b, j, h, d)] = p.k[p.k_index(b, order[j], h, d)];
                    shuffled.v[p.k_index(b, j, h, d)] = p.v[p.k_index(b, order[j], h, d)];
                }
            }
        }
    }
    CHECK(largest_difference(exact_of(p).o, exact_of(shuffled).o) < 1e-13);
    CHECK(largest_difference(exact_of(p).lse, exact_of(shuffled).lse) < 1e-13);
}

TEST_CASE("a constant added to every logit moves LSE by itself and leaves O") {
    Problem p = random_problem({1, 1, 1, 12, 50, 16, true, 38, 0.25, Type::bf16}, 7);
    // dimension 0: q 8, k 0, then k 4: every logit grows by 8 x 4 x 0.25
    for (std::int64_t i = 0; i < 12; ++i) {
        p.q[p.q_index(0, i, 0, 0)] = word_of(8.0, Type::bf16);
    }
    for (const double k : {0.0, 4.0}) {
        for (std::int64_t j = 0; j < 50; ++j) {
            p.k[p.k_index(0, j, 0, 0)] = word_of(k, Type::bf16);
        }
        static Exact before;
        const Exact now = exact_of(p);
        if (k == 0.0) {
            before = now;
            continue;
        }
        CHECK(largest_difference(before.o, now.o) < 1e-13);
        for (std::size_t r = 0; r < now.lse.size(); ++r) {
            CHECK(now.lse[r] - before.lse[r] == doctest::Approx(8.0).epsilon(1e-12));
        }
    }
}

TEST_CASE("a batch alone is that batch of the whole, bit for bit") {
    const Problem p = random_problem({3, 2, 2, 20, 30, 16, true, 10, 0.25, Type::fp16}, 8);
    Problem one = p;
    one.sizes.batch = 1;
    const auto middle = [](const Words& all) {
        const auto part = static_cast<std::ptrdiff_t>(all.size() / 3);
        return Words(all.begin() + part, all.begin() + 2 * part);
    };
    one.q = middle(p.q);
    one.k = middle(p.k);
    one.v = middle(p.v);
    const Exact whole = exact_of(p);
    const Exact alone = exact_of(one);
    CHECK(std::equal(alone.o.begin(), alone.o.end(), whole.o.begin() + 2 * 20 * 16));
    CHECK(std::equal(alone.lse.begin(), alone.lse.end(), whole.lse.begin() + 2 * 20));
}

TEST_CASE("grouped heads are those of repeated KV heads") {
    const Problem grouped = random_problem({2, 6, 2, 11, 25, 8, false, 0, 0.5, Type::fp16}, 9);
    Problem repeated = grouped;
    repeated.sizes.kv_heads = 6;
    repeated.k.resize(2 * 25 * 6 * 8);
    repeated.v.resize(2 * 25 * 6 * 8);
    for (std::int64_t b = 0; b < 2; ++b) {
        for (std::int64_t j = 0; j < 25; ++j) {
            for (std::int64_t h = 0; h < 6; ++h) {
                for (std::int64_t d = 0; d < 8; ++d) {
                    repeated.k[repeated.k_index(b, j, h, d)] = grouped.k[grouped.k_index(b, j, h < 3 ? 0 : 1, d)];
                    repeated.v[repeated.k_index(b, j, h, d)] = grouped.v[grouped.k_index(b, j, h < 3 ? 0 : 1, d)];
                }
            }
        }
    }
    CHECK(exact_of(grouped).o == exact_of(repeated).o);
    CHECK(exact_of(grouped).lse == exact_of(repeated).lse);
}

TEST_CASE("some rows alone are those rows of all, in the order asked for, on any number of threads") {
    const Problem p = random_problem({2, 4, 2, 150, 1100, 16, true, 950, 0.25, Type::fp16}, 10);
    const auto all = all_rows(p.sizes);
    const Exact whole = exact_of(p);
    CHECK(exact(p.sizes, p.tensors(), all, 1).o == whole.o);
    CHECK(exact(p.sizes, p.tensors(), all, 5).o == whole.o);
    std::vector<Row> some{{1, 3, 149}, {0, 0, 0}, {0, 0, 1}, {1, 2, 77}, {0, 0, 0}};
    const Exact part = exact(p.sizes, p.tensors(), some);
    const Plain plain_part = plain(p.sizes, p.tensors(), some);
    const Plain plain_whole = plain(p.sizes, p.tensors(), all);
    for (std::size_t r = 0; r < some.size(); ++r) {
        const std::int64_t at = (some[r].batch * 4 + some[r].head) * 150 + some[r].row;
        CHECK(part.lse[r] == doctest::Approx(whole.lse[at]).epsilon(1e-14));
        CHECK(plain_part.lse[r] == doctest::Approx(plain_whole.lse[at]).epsilon(1e-6));
        for (std::int64_t d = 0; d < 16; ++d) {
            CHECK(std::fabs(part.o[r * 16 + d] - whole.o[at * 16 + d]) < 1e-13);
            CHECK(std::fabs(value_of(plain_part.o[r * 16 + d], Type::fp16) -
                            value_of(plain_whole.o[at * 16 + d], Type::fp16)) < 2e-3);
        }
    }
}

TEST_CASE("arguments that don't fit are refused") {
    Problem p = random_problem({1, 4, 2, 3, 5, 8, false, 0, 1.0, Type::fp16}, 11);
    CHECK_THROWS_AS(exact(p.sizes, p.tensors(), std::vector<Row>{{0, 4, 0}}), std::invalid_argument);
    CHECK_THROWS_AS(exact(p.sizes, p.tensors(), std::vector<Row>{{0, 0, -1}}), std::invalid_argument);
    CHECK_THROWS_AS(plain(p.sizes, p.tensors(), std::vector<Row>{{1, 0, 0}}), std::invalid_argument);
    Sizes sizes = p.sizes;
    sizes.kv_heads = 3;
    CHECK_THROWS_AS(exact(sizes, p.tensors(), {}), std::invalid_argument);
    p.k.pop_back();
    CHECK_THROWS_AS(exact(p.sizes, p.tensors(), all_rows(p.sizes)), std::invalid_argument);
}

}  // namespace flashlens::reference
