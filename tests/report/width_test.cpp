#include <doctest/doctest.h>

#include <string>

#include "report/width.h"

using namespace flashlens::report;

TEST_CASE("display width") {
    CHECK(display_width("") == 0);
    CHECK(display_width("v1 FlashAttention-1") == 19);
    CHECK(display_width("误差") == 4);
    CHECK(display_width("（0）") == 5);
    CHECK(display_width("µs ×") == 4);
    CHECK(display_width("│─┼") == 3);
    CHECK(display_width("e\u0301") == 1);  // e and a combining acute accent
    CHECK(display_width("한국어") == 6);
    CHECK(display_width("😀") == 2);
    CHECK(display_width("\xff\xfe") == 2);  // no UTF-8: a column each
}

TEST_CASE("lines never pass the width and lose nothing") {
    const std::string texts[] = {
        "one 128-row query block and a word-that-is-far-too-long-for-any-narrow-column at the end",
        "没有 num_splits 的话，v1 只有 8 个 CTA，而 SM 有 108 个；每个 split 都要把 K 和 V 重读一遍。",
        "a",
        "",
        "  two leading blanks",
        "/a/path/without/any/blank/at/all/that/goes/on/and/on",
    };
    const auto squeezed = [](std::string text) {
        std::erase(text, ' ');
        return text;
    };
    for (const std::string& text : texts) {
        for (int width = 2; width < 60; ++width) {
            std::string all;
            for (const std::string& line : wrap(text, width)) {
                CHECK(display_width(line) <= width);
                all += line;
            }
            CHECK(squeezed(all) == squeezed(text));
        }
    }
}

TEST_CASE("where lines break") {
    CHECK(wrap("one two three", 8) == std::vector<std::string>{"one two", "three"});
    CHECK(wrap("一二三四", 4) == std::vector<std::string>{"一二", "三四"});
    CHECK(wrap("一二三，四", 6) == std::vector<std::string>{"一二", "三，四"});  // no comma at the start of a line
    CHECK(wrap("ab\u00a01  c", 5) == std::vector<std::string>{"ab 1", "c"});
    CHECK(wrap("ab 12 %", 6) == std::vector<std::string>{"ab", "12 %"});
    CHECK(wrap("a\nb", 10) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("the widest word is what wrapping keeps whole") {
    CHECK(widest_word("") == 0);
    CHECK(widest_word("a longer word") == 6);
    CHECK(widest_word("end.\nof a line") == 4);
    CHECK(widest_word("for\u00a0(;\u00a0n and so on") == 8);
    CHECK(widest_word("误差") == 2);
    CHECK(widest_word("（误差）") == 4);  // brackets keep to what they hold
}

TEST_CASE("text from outside can't steer the terminal") {
    CHECK(printable("a\x1b[31mb\n") == "a?[31mb?");
    CHECK(printable("数据\x80") == "数据?");
    CHECK(printable("\xc2\x9b") == "?");  // the one-character form of ESC [
}
