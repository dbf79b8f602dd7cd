// The sentences of real comparisons: the explorer's own, on random shapes and every card, and small ones that really
// run.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "claims_check.h"
#include "explorer/explorer.h"
#include "report/comparison_view.h"
#include "report/why.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::report;
using namespace flashlens::tests;

namespace {

std::int64_t between(std::mt19937_64& generator, std::int64_t smallest, std::int64_t largest) {
    return smallest + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(largest - smallest + 1));
}

/// Lengths of any magnitude up to 2^bits.
std::int64_t length(std::mt19937_64& generator, int bits) {
    return between(generator, 1, std::int64_t{1} << between(generator, 0, bits));
}

Request any_request(std::mt19937_64& generator, int length_bits, int head_bits) {
    Request request;
    Problem& p = request.problem;
    p.batch = length(generator, head_bits);
    p.kv_heads = length(generator, head_bits);
    p.heads = p.kv_heads * between(generator, 1, 4);
    p.seqlen_q = length(generator, length_bits);
    p.seqlen_k = generator() % 2 == 0 ? p.seqlen_q : length(generator, length_bits);
    p.head_dim = 8 * between(generator, 1, 32);
    p.causal = generator() % 2 == 0;
    p.align = generator() % 4 == 0 ? Align::top_left : Align::bottom_right;
    p.dtype = generator() % 2 == 0 ? DType::fp16 : DType::bf16;
    if (generator() % 4 == 0) {
        request.splits = static_cast<int>(between(generator, 1, 64));
    }
    const auto& cards = hardware::cards();
    request.card = cards[generator() % cards.size()].name;
    return request;
}

void check(const Comparison& comparison) {
    const auto known = figures(comparison);
    for (const Language language : {Language::en, Language::zh}) {
        for (const Sentence& sentence : why(comparison, language, "flashlens ladder")) {
            check_sentence(sentence, known);
        }
    }
}

Comparison explained(const char* card, std::int64_t batch, std::int64_t heads, std::int64_t seqlen_q,
                     std::int64_t seqlen_k) {
    Request request;
    request.card = card;
    request.problem.batch = batch;
    request.problem.heads = request.problem.kv_heads = heads;
    request.problem.seqlen_q = seqlen_q;
    request.problem.seqlen_k = seqlen_k;
    return explain(request);
}

std::string text_of(const Comparison& comparison) {
    std::string text;
    for (const Sentence& sentence : why(comparison, Language::en)) {
        text += sentence.text + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("every sentence about a thousand random shapes and cards is true") {
    std::mt19937_64 generator(42);
    int spoken = 0;
    for (int run = 0; run < 1000; ++run) {
        const Request request = any_request(generator, 15, 6);
        try {
            const Comparison comparison = explain(request);
            check(comparison);
            CHECK(why(comparison, Language::en).size() >= 2);
            ++spoken;
        } catch (const UsageError&) {
            // a shape that no variant runs on that card
        }
    }
    CHECK(spoken > 700);
}

TEST_CASE("every sentence about what really ran is true") {
    std::mt19937_64 generator(43);
    for (int run = 0; run < 12; ++run) {
        Request request = any_request(generator, 7, 1);
        request.problem.head_dim = 8 * between(generator, 1, 8);
        request.machine = MachineChoice::cpu;
        request.card = "A100";
        const Comparison comparison = compare(request);
        CHECK(comparison.variants.front().counted.has_value());
        check(comparison);
    }
}

TEST_CASE("A100, B1 H12 S4096 D64: both fill the card") {
    const Comparison comparison = explained("A100", 1, 12, 4096, 4096);
    check(comparison);
    const std::string text = text_of(comparison);
    CHECK(has(text, "both give every one of the 108 SMs work"));
    CHECK_FALSE(has(text, "idle"));
}

TEST_CASE("RTX 3090, B1 H32 Sq1: v2 has no more parallelism") {
    const Comparison comparison = explained("RTX 3090", 1, 32, 1, 4096);
    check(comparison);
    const std::string text = text_of(comparison);
    CHECK(has(text, "fill the same 32 of 82 SMs"));
    CHECK(has(text, "holds the whole query length of 1"));
}

TEST_CASE("which change matters, of shapes that really run") {
    Request request;
    request.machine = MachineChoice::cpu;
    request.verify = Verify::off;
    Problem& p = request.problem;
    p.batch = 1;
    const auto said = [&] {
        const Comparison comparison = compare(request);
        check(comparison);
        return text_of(comparison);
    };
    SUBCASE("one long head, in few splits") {
        request.splits = 2;
        p.heads = p.kv_heads = 1;
        p.seqlen_q = p.seqlen_k = 1024;
        CHECK(has(
            said(),
            "the grid matters most by these figures: of the 108 SMs, v2 gives work to 8 (8 CTAs with work), v1 to 2 "));
    }
    SUBCASE("as many SMs under either") {
        request.splits = 4;
        p.heads = p.kv_heads = 2;
        p.seqlen_q = p.seqlen_k = 512;
        CHECK(has(said(), "warps over query rows with key blocks inside matter most"));
        p.causal = true;
        CHECK(has(said(), "warps over query rows with key blocks inside matter most"));
    }
    SUBCASE("short: one key block") {
        request.splits = 2;
        p.heads = p.kv_heads = 2;
        p.seqlen_q = p.seqlen_k = 256;
        const std::string text = said();
        CHECK(has(text, "warps over query rows matter most"));
        CHECK(has(text, "the order of the loops saves nothing"));
    }
    SUBCASE("one query") {
        p.heads = p.kv_heads = 2;
        p.seqlen_q = 1;
        p.seqlen_k = 1024;
        CHECK(has(said(), "None of the changes from v1 to v2 stands out here: both give 2 of the 108 SMs work"));
    }
    SUBCASE("only v2 runs") {
        p.head_dim = 256;
        p.seqlen_q = p.seqlen_k = 256;
        CHECK_FALSE(has(said(), "changes"));
    }
}
