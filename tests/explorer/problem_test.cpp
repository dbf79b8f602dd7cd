// Which problems can be asked, and how many pairs and FLOPs they have.
#include "explorer/problem.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

namespace flashlens {
namespace {

/// What validate says of the problem; empty when it takes it.
std::string refusal(const Problem& problem) {
    try {
        validate(problem);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

bool says(const std::string& message, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
        if (message.find(part) == std::string::npos) {
            MESSAGE("'" << message << "' lacks '" << part << "'");
            return false;
        }
    }
    return true;
}

Problem with_lengths(std::int64_t q, std::int64_t k) {
    Problem problem;
    problem.seqlen_q = q;
    problem.seqlen_k = k;
    return problem;
}

std::int64_t pairs_one_by_one(const Problem& p) {
    std::int64_t count = 0;
    const std::int64_t shift = p.align == Align::bottom_right ? p.seqlen_k - p.seqlen_q : 0;
    for (std::int64_t i = 0; i < p.seqlen_q; ++i) {
        for (std::int64_t j = 0; j < p.seqlen_k; ++j) {
            count += !p.causal || j <= i + shift ? 1 : 0;
        }
    }
    return count;
}

}  // namespace

TEST_CASE("ordinary problems and sizes of zero can be asked") {
    CHECK(refusal({}) == "");
    CHECK(refusal(with_lengths(0, 5)) == "");
    CHECK(refusal(with_lengths(5, 0)) == "");
    Problem none;
    none.batch = 0;
    CHECK(refusal(none) == "");
    none = {};
    none.heads = 0;
    none.kv_heads = 0;
    CHECK(refusal(none) == "");
    for (std::int64_t dim = 8; dim <= 256; dim += 8) {
        Problem problem;
        problem.head_dim = dim;
        CHECK(refusal(problem) == "");
    }
}

TEST_CASE("a negative size is refused with its option and value") {
    Problem problem;
    problem.batch = -1;
    CHECK(says(refusal(problem), {"--batch", "-1", "0 or more"}));
    problem = {};
    problem.heads = -8;
    CHECK(says(refusal(problem), {"--heads", "-8"}));
    problem = {};
    problem.kv_heads = -2;
    CHECK(says(refusal(problem), {"--kv-heads", "-2"}));
    CHECK(says(refusal(with_lengths(-3, 5)), {"--seqlen-q", "-3"}));
    CHECK(says(refusal(with_lengths(5, -3)), {"--seqlen-k", "-3"}));
}

TEST_CASE("heads that KV heads don't divide are refused, both numbers named") {
    struct Case {
        std::int64_t heads;
        std::int64_t kv_heads;
    };
    for (const Case& c : {Case{33, 2}, Case{3, 2}, Case{8, 0}, Case{2, 8}, Case{12, 5}}) {
        Problem problem;
        problem.heads = c.heads;
        problem.kv_heads = c.kv_heads;
        CHECK(
            says(refusal(problem), {"--heads " + std::to_string(c.heads), "--kv-heads " + std::to_string(c.kv_heads)}));
    }
    for (const Case& c : {Case{8, 1}, Case{8, 2}, Case{8, 8}, Case{33, 11}}) {
        Problem problem;
        problem.heads = c.heads;
        problem.kv_heads = c.kv_heads;
        CHECK(refusal(problem) == "");
    }
}

TEST_CASE("a head dimension that isn't a multiple of 8 up to 256 is refused, the nearest ones named") {
    struct Case {
        std::int64_t dim;
        std::vector<std::string> works;
    };
    for (const Case& c :
         {Case{46, {"40 or 48"}}, Case{63, {"56 or 64"}}, Case{257, {"256 would work"}}, Case{0, {"8 would work"}},
          Case{-8, {"8 would work"}}, Case{4, {"8 would work"}}, Case{255, {"248 or 256"}}, Case{9, {"8 or 16"}}}) {
        Problem problem;
        problem.head_dim = c.dim;
        CHECK(says(refusal(problem), {"--head-dim " + std::to_string(c.dim), "multiple of 8"}));
        CHECK(says(refusal(problem), c.works));
    }
}

TEST_CASE("a scale must be positive and finite in fp32") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    for (const double scale : {0.0, -0.0, -4.0, nan, inf, -inf, 1e39, 1e-46}) {
        Problem problem;
        problem.scale = scale;
        CHECK(says(refusal(problem), {"--scale", "positive", "0.125"}));
    }
    for (const double scale : {0.5, 1e-40, 1e38}) {
        Problem problem;
        problem.scale = scale;
        CHECK(refusal(problem) == "");
    }
}

TEST_CASE("products beyond 63 bits are refused with every option that is in them") {
    const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    CHECK(says(refusal(with_lengths(largest, 1)), {"--seqlen-q " + std::to_string(largest), "63 bits"}));
    CHECK(says(refusal(with_lengths(1, largest)), {"--seqlen-k", "63 bits"}));
    // Each tensor fits; the FLOPs, 4 x 64 x 8 x 2^56, don't.
    CHECK(says(refusal(with_lengths(1LL << 28, 1LL << 28)), {"FLOPs", "--seqlen-q", "--seqlen-k", "--head-dim"}));
    CHECK(refusal(with_lengths(1LL << 25, 1LL << 25)) == "");
    Problem batches;
    batches.batch = largest;
    CHECK(says(refusal(batches), {"--batch", "63 bits"}));
}

TEST_CASE("visible pairs are those counted one by one") {
    for (std::int64_t q = 0; q <= 12; ++q) {
        for (std::int64_t k = 0; k <= 12; ++k) {
            for (const bool causal : {false, true}) {
                for (const Align align : {Align::bottom_right, Align::top_left}) {
                    Problem problem = with_lengths(q, k);
                    problem.causal = causal;
                    problem.align = align;
                    CAPTURE(q);
                    CAPTURE(k);
                    CAPTURE(causal);
                    CHECK(visible_pairs(problem) == pairs_one_by_one(problem));
                }
            }
        }
    }
    Problem square = with_lengths(1 << 30, 1 << 30);
    square.causal = true;
    CHECK(visible_pairs(square) == (1LL << 59) + (1LL << 29));  // n (n + 1) / 2
}

TEST_CASE("FLOPs are four per pair, head, batch and dimension") {
    Problem problem = with_lengths(2, 5);
    problem.causal = true;  // 4 + 5 pairs
    problem.batch = 3;
    problem.heads = 2;
    problem.kv_heads = 1;
    problem.head_dim = 8;
    CHECK(flops(problem) == 4 * 3 * 2 * 8 * 9);
    problem = with_lengths(4096, 4096);
    CHECK(flops(problem) == 34359738368);  // B 1, H 8, D 64
}

}  // namespace flashlens
