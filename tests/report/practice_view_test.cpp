#include "report/practice_view.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "practice/exercise.h"
#include "report/code_difference.h"
#include "report/terminal.h"
#include "teaching/document.h"

using namespace flashlens;

TEST_CASE("lines of two files, paired") {
    const auto word = [](const std::string& left, const std::string& right) {
        std::vector<std::string> a;
        std::vector<std::string> b;
        for (const char c : left) {
            a.emplace_back(1, c);
        }
        for (const char c : right) {
            b.emplace_back(1, c);
        }
        std::string result;
        for (const report::LinePair& pair : report::paired(a, b)) {
            result += pair.same() ? "=" + a[*pair.left] : pair.left ? "-" + a[*pair.left] : "+" + b[*pair.right];
        }
        return result;
    };
    CHECK(word("", "").empty());
    CHECK(word("ab", "ab") == "=a=b");
    CHECK(word("", "ab") == "+a+b");
    CHECK(word("ab", "") == "-a-b");
    CHECK(word("axb", "ayb") == "=a-x+y=b");
    CHECK(word("abcd", "acd") == "=a-b=c=d");
    CHECK(word("aa", "aaa") == "=a=a+a");
    CHECK(word("xabcy", "uabcv") == "-x+u=a=b=c-y+v");
    const report::Terminal terminal{80, true, false, false};
    CHECK(report::differences("a\nb\n", "a  \nb\r\n", terminal).empty());
    CHECK(report::differences("// x\na\n", "a\n  // y\n\n", terminal).empty());
    CHECK(report::differences("// x\na\n", "b\n", terminal).size() == 3);
    CHECK(report::differences("a\n", "b\n", terminal) == std::vector<std::string>{"   1 - a", "   1 + b"});
}

TEST_CASE("lessons that a statement speaks of") {
    practice::Statement statement;
    statement.task = teaching::parse_document(
        "Lesson 3, and [lesson 5](../x.md).\n\n- lesson 3 again\n\nLesson 4, lessons 6 and 8.\n");
    statement.after = teaching::parse_document("第 2 课；第7课。不是第 1 行。");
    CHECK(report::lessons_named(statement) == std::vector<int>{3, 5, 4, 6, 8, 2, 7});
}
