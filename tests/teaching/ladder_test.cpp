// What is said of each idea, and which files a kernel is made of.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "teaching/kernel_texts.h"
#include "teaching/ladder_code.h"
#include "teaching/ladder_ideas.h"

using namespace flashlens;
using namespace flashlens::teaching;

namespace {

std::vector<std::string> paths(const std::vector<EmbeddedText>& files) {
    std::vector<std::string> result;
    for (const EmbeddedText& file : files) {
        result.emplace_back(file.path);
    }
    return result;
}

}  // namespace

TEST_CASE("ladder: each idea has words, and figures that it is about") {
    std::set<std::string_view> sentences;
    for (const Idea idea : all_ideas()) {
        const IdeaWords& words = words_of(idea);
        CAPTURE(words.title.en);
        CHECK(sentences.insert(words.sentence.en).second);
        CHECK(words.sentence.en.ends_with("."));
        CHECK(words.sentence.zh.ends_with("。"));
        CHECK(words.title.en.size() < 40);
        CHECK_FALSE(words.about.empty());
        CHECK(std::set<std::string_view>(words.about.begin(), words.about.end()).size() == words.about.size());
    }
    CHECK(words_of(Idea::grid).about.front() == "sm-fill");
    CHECK(words_of(Idea::async_copies).about.front() == "mma-beside-copies");
}

TEST_CASE("ladder: a kernel's files are its own and what it includes") {
    CHECK(paths(code_of_variant("v1")) == std::vector<std::string>{"kernels/v1/kernel.cuh", "kernels/v1/output.cuh",
                                                                   "kernels/v1/steps.cuh", "kernels/v1/plan.h"});
    CHECK(paths(code_of_variant("v2")) ==
          std::vector<std::string>{"kernels/v2/kernel.cuh", "kernels/v2/steps.cuh", "kernels/v2/plan.h"});
    const std::vector<std::string> tuned = paths(code_of_variant("v2-tuned"));
    CHECK(std::count(tuned.begin(), tuned.end(), "kernels/v2/steps.cuh") == 1);
    CHECK(std::count(tuned.begin(), tuned.end(), "kernels/v2_tuned/plan.h") == 1);
    CHECK(code_of_variant("v3").empty());
    for (const std::string& rung : graph_variants()) {
        CAPTURE(rung);
        CHECK_FALSE(code_of_variant(rung).empty());
    }
}

TEST_CASE("ladder: which files change") {
    const EmbeddedText kernel{"v1/kernel.cuh", "a\n"}, other{"v2/kernel.cuh", "b\n"};
    const EmbeddedText steps{"v1/steps.cuh", "s\n"}, copy{"v2/steps.cuh", "s\n"};
    const EmbeddedText output{"v1/output.cuh", "o\n"}, rows{"v2/rows.cuh", "r\n"};
    const CodeChange change = code_change({kernel, steps, output}, {rows, other, copy});
    CHECK(change.shared == std::vector<std::string_view>{"v2/steps.cuh"});
    REQUIRE(change.files.size() == 3);
    CHECK(change.files[0].before->path == "v1/kernel.cuh");
    CHECK(change.files[0].after->path == "v2/kernel.cuh");
    CHECK_FALSE(change.files[1].before);
    CHECK(change.files[1].after->path == "v2/rows.cuh");
    CHECK(change.files[2].before->path == "v1/output.cuh");
    CHECK_FALSE(change.files[2].after);
    const CodeChange none = code_change({kernel, steps}, {kernel, steps});
    CHECK(none.files.empty());
    CHECK(none.shared.size() == 2);
    // a file in both stays with itself, though another of that name is there
    const CodeChange both = code_change({kernel, steps}, {other, kernel});
    CHECK(both.shared == std::vector<std::string_view>{"v1/kernel.cuh"});
    REQUIRE(both.files.size() == 2);
    CHECK_FALSE(both.files[0].before);
    CHECK(both.files[0].after->path == "v2/kernel.cuh");
    CHECK(both.files[1].before->path == "v1/steps.cuh");
}
