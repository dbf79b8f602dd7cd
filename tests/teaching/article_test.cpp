#include "teaching/article.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "teaching/kernel_file.h"
#include "text.h"

using namespace flashlens::teaching;
using flashlens::tests::has;

namespace {

std::string code_at(const ArticleBeside& beside, int number) {
    for (const Excerpt& excerpt : beside.ours) {
        if (number >= excerpt.first() && number <= excerpt.last()) {
            return std::string(code_of(excerpt.lines[static_cast<std::size_t>(number - excerpt.first())].text));
        }
    }
    return "";
}

/// The lines of ours that the article's line with `text` in it stands for; the n-th such line, from 0.
std::vector<std::string> ours_of(const ArticleBeside& beside, std::string_view text, int n = 0) {
    const auto article = article_loop(beside.variant);
    for (std::size_t i = 0; i < article.size(); ++i) {
        if (has(article[i].text, text) && n-- == 0) {
            std::vector<std::string> codes;
            for (const int number : beside.stands_for[i]) {
                codes.push_back(code_at(beside, number));
            }
            return codes;
        }
    }
    FAIL(text);
    return {};
}

}  // namespace

TEST_CASE("every step of the article's loops stands for lines of ours, but the one that there is nothing to do for") {
    for (const char* variant : {"v1", "v2"}) {
        CAPTURE(variant);
        const ArticleBeside beside = article_beside(variant);
        const auto article = article_loop(variant);
        REQUIRE(beside.stands_for.size() == article.size());
        std::set<int> taken;
        for (std::size_t i = 0; i < article.size(); ++i) {
            CAPTURE(article[i].text);
            const bool nothing = article[i].text.empty() || has(article[i].text, "unpack_noscale");
            CHECK(beside.stands_for[i].empty() == nothing);
            CHECK(article[i].nothing_to_do == has(article[i].text, "unpack_noscale"));
            for (const int number : beside.stands_for[i]) {
                CHECK_FALSE(code_at(beside, number).empty());
                CHECK(taken.insert(number).second);
            }
        }
        // All that has code is either taken or left out.
        for (const ArticleBeside::LeftOut& group : beside.left_out) {
            CHECK(std::is_sorted(group.lines.begin(), group.lines.end()));
            for (const int number : group.lines) {
                CHECK(taken.insert(number).second);
            }
        }
        for (const Excerpt& excerpt : beside.ours) {
            for (const CodeLine& line : excerpt.lines) {
                const bool code = code_of(line.text).find_first_not_of(" {}") != std::string_view::npos;
                if (code) {
                    CAPTURE(line.text);
                    CHECK(taken.count(line.number) == 1);
                }
            }
        }
    }
    CHECK(article_has("v1"));
    CHECK_FALSE(article_has("v2-tuned"));
    CHECK_THROWS_AS(article_loop("v2-tuned"), std::logic_error);
}

TEST_CASE("what the article's lines stand for") {
    const ArticleBeside v1 = article_beside("v1");
    CHECK(ours_of(v1, "gmem_k.load(); gmem_q").size() == 3);
    CHECK(has(ours_of(v1, "for (int l").front(), "l += splits"));
    CHECK(has(ours_of(v1, "gemm_q_k").front(), "gemm_q_k<T>"));
    const auto reduce_max = ours_of(v1, "reduce_max(");
    REQUIRE(reduce_max.size() == 3);
    CHECK(has(reduce_max[1], "__syncthreads()"));
    CHECK(has(ours_of(v1, "gemm_cl").front(), "gemm_o<T>"));
    CHECK(has(ours_of(v1, "smem_o.load").front(), "load_and_normalise(smem_o"));
    CHECK(has(ours_of(v1, "store O or temporary O").front(), "out.store("));
    CHECK(ours_of(v1, "}").front() == "    }");

    const ArticleBeside v2 = article_beside("v2");
    CHECK(has(ours_of(v2, "clear(acc_o)").front(), "clear<T>(acc_o"));
    CHECK(has(ours_of(v2, "for (masking_step").front(), "cta.masked_blocks"));
    CHECK(has(ours_of(v2, "gemm_A_in_regs").front(), "gemm_pv<T>"));
    CHECK(ours_of(v2, "softmax_rescale_o", 0) == ours_of(v2, "softmax_rescale_o", 1));
    CHECK(ours_of(v2, "}", 0).front() == "    }");
    CHECK(ours_of(v2, "}", 1).front() == "    }");
    const auto epilogue = ours_of(v2, "// epilogue");
    REQUIRE(epilogue.size() == 2);
    CHECK(has(epilogue[0], "normalize<"));
    CHECK(has(epilogue[1], "store<T>"));
}

TEST_CASE("what the article leaves out is named: barriers, waits, loads") {
    const auto barriers = [](const ArticleBeside& beside) {
        std::vector<std::string> codes;
        for (const ArticleBeside::LeftOut& group : beside.left_out) {
            if (group.step == Step::barrier) {
                for (const int number : group.lines) {
                    codes.push_back(code_at(beside, number));
                }
            }
        }
        return codes;
    };
    // v1 has seven barriers; the article shows two and has a third inside reduce_max.
    CHECK(barriers(article_beside("v1")).size() == 4);
    // Of v2's four barriers in the loops, the one before the store, and its four waits it shows none.
    const auto v2 = barriers(article_beside("v2"));
    CHECK(std::count_if(v2.begin(), v2.end(), [](const auto& code) { return has(code, "__syncthreads"); }) == 5);
    CHECK(std::count_if(v2.begin(), v2.end(), [](const auto& code) { return has(code, "cp_async_wait"); }) == 4);
    // The rest comes last.
    CHECK_FALSE(article_beside("v1").left_out.back().step.has_value());
}

TEST_CASE("rows: the article's lines and ours, each once and in order, together where they belong together") {
    for (const char* variant : {"v1", "v2"}) {
        const ArticleBeside beside = article_beside(variant);
        std::size_t article = 0, ours = 0;
        for (const ArticleBeside::Row& row : beside.rows) {
            CHECK((row.article || row.ours));
            int number = 0;
            if (row.ours) {
                number = beside.ours[row.ours->excerpt].lines[*row.ours->line].number;
                ++ours;
            }
            if (row.article) {
                CHECK(*row.article == article++);
                const auto& numbers = beside.stands_for[*row.article];
                if (!numbers.empty()) {
                    CHECK(numbers.front() == number);
                }
            }
        }
        CHECK(article == article_loop(variant).size());
        std::size_t all = 0;
        for (const Excerpt& excerpt : beside.ours) {
            all += excerpt.lines.size();
        }
        CHECK(ours == all);
    }
}
