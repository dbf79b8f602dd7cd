// Markdown as blocks and spans.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "teaching/document.h"

using namespace flashlens::teaching;
using Kind = Block::Kind;

namespace {

std::vector<Kind> kinds(const std::vector<Block>& blocks) {
    std::vector<Kind> result;
    for (const Block& block : blocks) {
        result.push_back(block.kind);
    }
    return result;
}

}  // namespace

TEST_CASE("headings, paragraphs and the styles of words") {
    const auto page =
        parse_document("# A *title*\n\nSome **bold `x<y>`** text, a [link `f`](../a.h#L3)\nand &lt;.\n\n---\n");
    REQUIRE(kinds(page) == std::vector{Kind::heading, Kind::paragraph, Kind::rule});
    CHECK(page[0].level == 1);
    CHECK(plain_text(page[0].spans) == "A title");
    CHECK(page[0].spans[1].emphasis);
    const Spans& spans = page[1].spans;
    REQUIRE(spans.size() == 7);
    CHECK(spans[1].text == "bold ");
    CHECK(spans[1].strong);
    CHECK_FALSE(spans[1].code);
    CHECK(spans[2].text == "x<y>");
    CHECK(spans[2].strong);
    CHECK(spans[2].code);
    CHECK(spans[4].target == "../a.h#L3");
    CHECK(spans[5].target == "../a.h#L3");
    CHECK(spans[5].code);
    CHECK(spans[6].text == "\nand <.");
    CHECK(spans[6].target.empty());
    CHECK(plain_text(spans) == "Some bold x<y> text, a link f and <.");
}

TEST_CASE("lists in lists, quotes, code") {
    const auto page =
        parse_document("3. one\n   - a\n   - b\n4. two\n\n> said\n\n```sh\nflashlens map\n\nx <!-- y -->\n```\n");
    REQUIRE(kinds(page) == std::vector{Kind::list, Kind::quote, Kind::code});
    CHECK(page[0].ordered);
    CHECK(page[0].first == 3);
    CHECK(page[0].tight);
    REQUIRE(page[0].children.size() == 2);
    CHECK(kinds(page[0].children[0].children) == std::vector{Kind::paragraph, Kind::list});
    CHECK_FALSE(page[0].children[0].children[1].ordered);
    CHECK(plain_text(page[0].children[1].children[0].spans) == "two");
    CHECK(plain_text(page[1].children[0].spans) == "said");
    CHECK(page[2].language == "sh");
    CHECK(page[2].text == "flashlens map\n\nx <!-- y -->\n");
    CHECK_FALSE(parse_document("- a\n\n- b\n")[0].tight);
}

TEST_CASE("a table, and a comment right below it") {
    const auto page =
        parse_document("| a | b |\n| :-: | ---: |\n| `1|2` | 3 |\n| x | y |\n<!-- rows:\n| no | row |\n-->\nafter\n");
    REQUIRE(kinds(page) == std::vector{Kind::table, Kind::paragraph});
    CHECK(page[0].columns == std::vector{Align::centre, Align::right});
    REQUIRE(page[0].rows.size() == 3);
    CHECK(plain_text(page[0].rows[0][1]) == "b");
    CHECK(plain_text(page[0].rows[2][0]) == "x");
    CHECK(plain_text(page[1].spans) == "after");
}

TEST_CASE("comments vanish: below a paragraph, within a list, in a line") {
    CHECK(parse_document("one\n<!-- a\nb -->\n\ntwo\n").size() == 2);
    const auto list = parse_document("1. one\n   <!-- a -->\n2. two\n");
    REQUIRE(list.size() == 1);
    CHECK(list[0].tight);
    CHECK(list[0].children.size() == 2);
    CHECK(plain_text(parse_document("one <!-- a --> two\n")[0].spans) == "one  two");
}

TEST_CASE("details hold what stands between their tags") {
    const auto page = parse_document(
        "**1.** Why?\n\n<details><summary>Answer</summary>\n\nSo.\n\n```text\n<b>\n```\n\n</details>\n\n**2.** And?\n");
    REQUIRE(kinds(page) == std::vector{Kind::paragraph, Kind::details, Kind::paragraph});
    CHECK(plain_text(page[1].spans) == "Answer");
    REQUIRE(kinds(page[1].children) == std::vector{Kind::paragraph, Kind::code});
    CHECK(page[1].children[1].text == "<b>\n");
    CHECK(parse_document("<details><summary>A</summary>\n\nopen\n")[0].children.size() == 1);
    CHECK(parse_document("</details>\n\nx\n").size() == 1);
}

TEST_CASE("an image is a span with its target") {
    const auto page = parse_document("![the curve](../figures/a.svg)\n");
    REQUIRE(page[0].spans.size() == 1);
    CHECK(page[0].spans[0].image);
    CHECK(page[0].spans[0].text == "the curve");
    CHECK(page[0].spans[0].target == "../figures/a.svg");
    CHECK(parse_document("").empty());
}
