// Markdown on a terminal: nothing too wide, nothing raw, whatever the lesson.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/document_text.h"
#include "report/styled_text.h"
#include "report/width.h"
#include "teaching/document.h"
#include "teaching/lesson.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::report;
using namespace flashlens::tests;

namespace {

constexpr Terminal plain_80{80, true, false, false};

DocumentText shown(const std::string& markdown, Terminal terminal = plain_80, bool answers = true) {
    return document_text(teaching::parse_document(markdown), {Language::en, "lessons/en", answers}, terminal);
}

std::string joined(const DocumentText& text) {
    std::string result;
    for (const std::string& line : text.lines) {
        result += line + "\n";
    }
    return result;
}

std::string without_codes(const std::string& line) {
    std::string result;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\x1b') {
            i = line.find('m', i);
        } else {
            result += line[i];
        }
    }
    return result;
}

}  // namespace

TEST_CASE("every lesson, in every width: no line is too wide, no Markdown is left, commands are found") {
    for (const Language language : {Language::en, Language::zh}) {
        for (const teaching::Lesson& lesson : teaching::lessons(language)) {
            const auto page = teaching::parse_document(lesson.markdown);
            for (const int columns : {40, 80, 120, 200}) {
                for (const bool utf8 : {true, false}) {
                    const DocumentText text =
                        document_text(page, {language, "lessons/en", true}, {columns, utf8, utf8, true});
                    CAPTURE(lesson.path);
                    CAPTURE(columns);
                    REQUIRE(text.blocks.size() == text.lines.size());
                    CHECK(std::is_sorted(text.blocks.begin(), text.blocks.end()));
                    CHECK(text.has_answers);
                    CHECK(text.sections.size() > 3);
                    for (const std::string& line : text.lines) {
                        const std::string bare = without_codes(line);
                        CAPTURE(bare);
                        REQUIRE(display_width(bare) <= columns);
                        CHECK_FALSE(has(bare, "<!--"));
                        CHECK_FALSE(has(bare, "**"));
                        CHECK_FALSE(has(bare, "]("));
                        CHECK_FALSE(has(bare, "<summary>"));
                        CHECK((utf8 || !has(line, "\x1b")));
                    }
                    for (const auto& command : text.commands) {
                        CHECK(has(without_codes(text.lines.at(command.line)), command.text.substr(0, 14)));
                        CHECK((command.text.starts_with("flashlens ") || command.text.starts_with("./run.sh")));
                    }
                    for (const std::size_t section : text.sections) {
                        CHECK_FALSE(without_codes(text.lines.at(section)).empty());
                    }
                }
            }
        }
    }
}

TEST_CASE("prose is wrapped at 100 columns at most, and a line's end in Chinese is no blank") {
    std::string words;
    for (int i = 0; i < 60; ++i) {
        words += "word ";
    }
    for (const std::string& line : shown(words, {200, true, false, false}).lines) {
        CHECK(display_width(line) <= 100);
    }
    CHECK(shown("速度\n一路升到\nv2，\nv1 为止\n").lines == std::vector<std::string>{"速度一路升到 v2，v1 为止"});
}

TEST_CASE("code, bold and italic: escape codes with colours, backquotes without") {
    CHECK(joined(shown("**a** *b* `c d`\n")) == "a b `c d`\n");
    CHECK(joined(shown("**a** *b* `c`\n", {80, true, true, true})) ==
          "\x1b[1ma\x1b[0m \x1b[3mb\x1b[0m \x1b[38;5;31mc\x1b[0m\n");
}

TEST_CASE("links are numbered, each target once, and listed at the end of their section") {
    CHECK(joined(shown("## A\n\nSee [one](../../kernels/v1/plan.h#L3), [two](http://x.org/a), "
                       "[one](../../kernels/v1/plan.h#L3).\n\n"
                       "## B\n\n[two](http://x.org/a)\n")) ==
          "A\n─\n\nSee one[1], two[2], one[1].\n\n[1] kernels/v1/plan.h#L3\n[2] http://x.org/a\n\nB\n─\n\ntwo[2]\n\n"
          "[2] http://x.org/a\n");
}

TEST_CASE("lists hang, nested ones too") {
    CHECK(joined(shown("9. one\n10. two\n    - a b\n    - c\n\nend\n", {20, false, false, false})) ==
          "9. one\n10. two\n    * a b\n    * c\n\nend\n");
    CHECK(joined(shown("- one two three\n\n- four\n", {12, true, false, false})) == "• one two\n  three\n\n• four\n");
    CHECK(joined(shown("> a\n>\n> b\n", plain_80)) == "│ a\n│\n│ b\n");
}

TEST_CASE("a command that is too wide goes on after a backslash, and pastes as it was") {
    const std::string command = "flashlens sweep --gpu H200 --seqlen 128:16384:x2 -b 1 -H 8 --variants v1,v2";
    const DocumentText text = shown("```sh\n" + command + "\n```\n", {40, true, false, false});
    REQUIRE(text.commands.size() == 1);
    CHECK(text.commands[0].text == command);
    std::string pasted;
    for (const std::string& line : text.lines) {
        CHECK(display_width(line) <= 40);
        const std::string part = line.substr(pasted.empty() ? 2 : 4);
        pasted += part.ends_with(" \\") ? part.substr(0, part.size() - 1) : part;
    }
    CHECK(pasted == command);
    CHECK(text.lines.size() > 2);
    CHECK(has(text.lines[0], "--gpu H200 \\"));  // an option and its value stay together
}

TEST_CASE("what a program printed stays as it is, where it fits") {
    CHECK(joined(shown("```text\n  a  │ b\n\n*x*\n```\n")) == "  a  │ b\n\n*x*\n");
    CHECK(joined(shown("```text\nabcdef\n```\n", {4, true, false, false})) == "abcdef\n");
    CHECK(shown("```text\nabcdefghijkl\n```\n", {10, true, false, false}).lines ==
          std::vector<std::string>{"abcdefghij", "kl"});
}

TEST_CASE("tables: aligned columns; wrapped ones, with a rule between rows; at last a row below the other") {
    const std::string table = "| name | n |\n| --- | ---: |\n| one two three | 7 |\n| 四五 | 42 |\n";
    CHECK(joined(shown(table)) == "name            n\n─────────────  ──\none two three   7\n四五           42\n");
    const DocumentText narrow = shown(table, {16, true, false, false});
    CHECK(joined(narrow) ==
          "name           n\n────────────  ──\none two        7\nthree\n┈┈┈┈┈┈┈┈┈┈┈┈  ┈┈\n四五          42\n");
    CHECK(joined(shown("| aaaaa | bbbbb | ccccc |\n| --- | --- | --- |\n| 11111 | 22222 | 33333 |\n",
                       {12, false, false, false})) == "aaaaa: 11111\n  bbbbb:\n  22222\n  ccccc:\n  33333\n");
}

TEST_CASE("answers can be hidden, and a figure is a line that names its file") {
    const std::string page = "Why?\n\n<details><summary>Answer</summary>\n\nSo.\n\n</details>\n";
    CHECK(joined(shown(page)) == "Why?\n\n▾ Answer\n\nSo.\n");
    CHECK(joined(shown(page, plain_80, false)) == "Why?\n\n▸ Answer (o shows it)\n");
    CHECK(shown(page, plain_80, false).has_answers);
    CHECK_FALSE(shown("x\n").has_answers);
    CHECK(joined(shown("![a curve](../figures/7.svg)\n")) == "▧ figure: a curve (lessons/figures/7.svg)\n");
}

TEST_CASE("C++ is coloured") {
    const std::string code = "```cpp\nconst int x = 1;  // one\n```\n";
    CHECK(joined(shown(code)) == "const int x = 1;  // one\n");
    const std::string coloured = joined(shown(code, {80, true, true, true}));
    CHECK(has(coloured, "\x1b["));
    CHECK(without_codes(coloured) == joined(shown(code)));
}

TEST_CASE("wrapped text keeps its styles, whatever wrapping leaves out") {
    const StyledText text{{"one two\u00a0", ""}, {"three four", "1"}};
    const auto lines = wrap_styled(text, 9, {80, true, true, true});
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].text == "one");
    CHECK(lines[1].text == "two \x1b[1mthree\x1b[0m");
    CHECK(lines[1].width == 9);
    CHECK(lines[2].text == "\x1b[1mfour\x1b[0m");
    CHECK(width_of(text) == 18);
    CHECK(widest_word({{"ab 中文cde，f", ""}}) >= 3);
}
