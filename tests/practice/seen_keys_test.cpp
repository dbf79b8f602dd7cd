// What mistakes in a mask are told by: which keys each row sees under v2's walk over key blocks.
#include "practice/seen_keys.h"

#include <doctest/doctest.h>

#include "practice/weights.h"

using namespace flashlens;
using namespace flashlens::practice;

namespace {

bool top_left(const Problem& p, std::int64_t i, std::int64_t j) {
    return j < p.seqlen_k && j <= i;
}

bool everything(const Problem&, std::int64_t, std::int64_t) {
    return true;
}

Finding finding_of(const std::vector<SeenRun>& runs, const std::vector<MaskMistake>& mistakes) {
    try {
        hold_keys(runs, mistakes);
    } catch (const Finding& finding) {
        return finding;
    }
    return {};
}

}  // namespace

TEST_CASE("keys under the right mask: a row's own, none past the end, none for rows that see nothing") {
    const SeenKeys tail = keys_under(one_head(3, 70, false), really_sees);
    CHECK(tail.of_row(2).size() == 70);
    CHECK(tail.count[2] == 70.0);
    CHECK(tail.past_end(2) == 0.0);
    const SeenKeys causal = keys_under(one_head(200, 330, true), really_sees);
    CHECK(causal.of_row(0).size() == 131);
    CHECK(causal.of_row(199).back() == 329);
    const SeenKeys short_of_keys = keys_under(one_head(300, 200, true), really_sees);
    CHECK(short_of_keys.count[99] == 0.0);
    CHECK(short_of_keys.of_row(100) == std::vector<std::int64_t>{0});
}

TEST_CASE("without masking code the zeros past the end count, and only keys of visited blocks are seen") {
    const SeenKeys tail = keys_under(one_head(3, 70, false), everything);
    CHECK(tail.count[0] == 128.0);
    CHECK(tail.past_end(0) == 58.0);
    CHECK(keys_under(one_head(200, 330, true), everything).of_row(0).back() == 319);  // row 127 sees key 257
    CHECK(keys_under(one_head(300, 200, true), everything).count[299] == 256.0);
}

TEST_CASE("the mask code runs only on the last blocks: a wrong diagonal leaves those before them as they are") {
    CHECK(keys_under(one_head(200, 330, true), top_left).of_row(0).back() == 127);
    CHECK(keys_under(one_head(256, 256, true), top_left).of_row(200).back() == 200);
    CHECK(keys_under(one_head(3, 150, false), [](const Problem&, std::int64_t, std::int64_t) { return false; })
              .of_row(0)
              .back() == 127);
}

TEST_CASE("a mistake is named where it fits all runs, and placed where none does") {
    const std::vector<MaskMistake> mistakes{{"nothing", as_it_is("nothing is masked."), everything},
                                            {"top-left", as_it_is("the diagonal is top-left."), top_left}};
    std::vector<SeenRun> runs;
    for (const Problem& problem : {one_head(128, 128, true), one_head(100, 50, true)}) {
        runs.push_back({problem, keys_under(problem, top_left)});
    }
    const Finding named = finding_of(runs, mistakes);
    CHECK(named.id == "top-left");
    CHECK(named.what.en == "Row 0 should see nothing, and something counts in its l: the diagonal is top-left.");

    runs[1].keys = keys_under(runs[1].problem, everything);
    CHECK(finding_of(runs, mistakes).id == "mask-wrong");
    runs[1].keys = keys_under(runs[1].problem, really_sees);
    CHECK(finding_of(runs, mistakes).id == "");  // for as many queries as keys both diagonals are one

    runs[0].keys.uneven = SeenKeys::Uneven{3, 2, 1, 1.5};
    CHECK(finding_of(runs, mistakes).id == "scores-changed");
}

TEST_CASE("keys past the end are counted in words") {
    const Problem problem = one_head(2, 63, false);
    const Finding finding = finding_of({{problem, keys_under(problem, everything)}}, {});
    CHECK(finding.what.en == "Row 0 counts 1 key past the last one.");
    CHECK(finding.evidence.front().en.find("add up to 0.9844, not to 1. The rest went to 1 key past the end") !=
          std::string::npos);
}
