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

std::vector<std::string> paths(const KernelCode& code) {
    std::vector<std::string> result;
    for (const EmbeddedText& file : code.files) {
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
    using Paths = std::vector<std::string>;
    CHECK(paths(code_of_variant("v1")) ==
          Paths{"kernels/v1/kernel.cuh", "kernels/v1/output.cuh", "kernels/v1/steps.cuh"});
    CHECK(paths(code_of_variant("v2")) == Paths{"kernels/v2/kernel.cuh", "kernels/v2/steps.cuh"});
    CHECK(paths(code_of_variant("v2-tuned")) ==
          Paths{"kernels/v2_tuned/kernel.cuh", "kernels/v2_tuned/steps.cuh", "kernels/v2/steps.cuh"});
    CHECK(code_of_variant("v3").files.empty());
    for (const std::string& rung : graph_variants()) {
        CAPTURE(rung);
        REQUIRE_FALSE(code_of_variant(rung).files.empty());
        CHECK(code_of_variant(rung).files.front().path == code_of_variant(rung).folder + "kernel.cuh");
    }
    CHECK(paths(code_of_variant("row-warps")) == paths(code_of_variant("wide-warps")));
}

TEST_CASE("ladder: which files change") {
    const EmbeddedText kernel{"v1/kernel.cuh", "a\n"}, other{"v2/kernel.cuh", "b\n"};
    const EmbeddedText steps{"v1/steps.cuh", "s\n"}, copy{"v2/steps.cuh", "s\n"};
    const EmbeddedText output{"v1/output.cuh", "o\n"}, rows{"v2/rows.cuh", "r\n"}, load{"load.cuh", "l\n"};
    const auto change_of = [](std::vector<EmbeddedText> before, std::vector<EmbeddedText> after) {
        return code_change({"v1/", std::move(before)}, {"v2/", std::move(after)});
    };
    const CodeChange change = change_of({kernel, steps, output}, {rows, other, copy, load});
    CHECK(change.shared == std::vector<std::string_view>{"v2/steps.cuh"});
    REQUIRE(change.files.size() == 4);
    CHECK(change.files[0].before->path == "v1/kernel.cuh");
    CHECK(change.files[0].after->path == "v2/kernel.cuh");
    CHECK_FALSE(change.files[1].before);
    CHECK(change.files[1].after->path == "v2/rows.cuh");
    CHECK(change.files[1].own);
    CHECK(change.files[2].after->path == "load.cuh");
    CHECK_FALSE(change.files[2].own);
    CHECK(change.files[3].before->path == "v1/output.cuh");
    CHECK_FALSE(change.files[3].after);
    const CodeChange none = change_of({kernel, steps}, {kernel, steps});
    CHECK(none.files.empty());
    CHECK(none.shared.size() == 2);
    // a file in both stays with itself, though another of that name is there; and of two that stand elsewhere none
    // takes the other's place
    const CodeChange both = change_of({kernel, steps}, {other, kernel, {"x/steps.cuh", "t\n"}});
    CHECK(both.shared == std::vector<std::string_view>{"v1/kernel.cuh"});
    REQUIRE(both.files.size() == 3);
    CHECK_FALSE(both.files[0].before);
    CHECK(both.files[0].after->path == "v2/kernel.cuh");
    CHECK_FALSE(both.files[1].before);
    CHECK(both.files[2].before->path == "v1/steps.cuh");
}
