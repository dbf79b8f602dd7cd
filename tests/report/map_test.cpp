// The pictures of who owns what: numbers that are right, lines that fit, documents that parse.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "explorer/explorer.h"
#include "report/map_json.h"
#include "report/map_svg.h"
#include "report/map_view.h"
#include "report/picture.h"
#include "report/width.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::report;
using flashlens::tests::has;

namespace {

const std::vector<MapView> all_views{MapView::ctas, MapView::warps, MapView::lanes, MapView::blocks, MapView::sms};

Comparison planned(std::int64_t seqlen_q, std::int64_t seqlen_k, bool causal, std::int64_t head_dim = 64,
                   const std::vector<std::string>& variants = {}) {
    Request request;
    request.card = "A100";
    request.variants = variants;
    request.problem.batch = 2;
    request.problem.heads = request.problem.kv_heads = 16;
    request.problem.seqlen_q = seqlen_q;
    request.problem.seqlen_k = seqlen_k;
    request.problem.head_dim = head_dim;
    request.problem.causal = causal;
    return explain(request);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

Terminal plain(int columns) {
    return {.columns = columns, .utf8 = true};
}

std::string without_escapes(const std::string& text) {
    std::string result;
    bool escape = false;
    for (const char c : text) {
        escape = escape || c == '\x1b';
        if (!escape) {
            result += c;
        }
        escape = escape && c != 'm';
    }
    return result;
}

/// Numbers that follow `attribute=` in an SVG.
std::vector<double> numbers_of(const std::string& svg, const std::string& attribute) {
    std::vector<double> found;
    const std::string before = " " + attribute + "=\"";
    for (std::size_t at = svg.find(before); at != std::string::npos; at = svg.find(before, at + 1)) {
        found.push_back(std::stod(svg.substr(at + before.size())));
    }
    return found;
}

}  // namespace

TEST_CASE("map: S of 512 x 512, causal, by CTA, in letters") {
    const std::vector<std::string> lines =
        lines_of(show_map(planned(512, 512, true), {MapView::ctas}, Language::en, plain(80)));
    const auto line = [&](const std::string& start) {
        const auto found =
            std::find_if(lines.begin(), lines.end(), [&](const std::string& one) { return one.rfind(start, 0) == 0; });
        REQUIRE_MESSAGE(found != lines.end(), start);
        return found - lines.begin();
    };
    const auto first = line("  0 ");
    // v1: tiles of 16 rows to 13 CTAs in turn, 256 keys a block; v2: blocks of 128 rows, 128 keys a block
    CHECK(has(lines[first], "  0 MMMMMMMMMMMMMMMM................"));
    CHECK(has(lines[first + 13], "  0 MMMMMMMMMMMMMMMM................"));
    CHECK(has(lines[first + 16], "  3 mmmmmmmmmmmmmmmmMMMMMMMMMMMMMMMM"));
    CHECK(has(lines[first + 5], ">  5 MMMMMM 1 MMMMMMM................"));
    CHECK(has(lines[first + 18], ">  5 mmmmmm 2 mmmmmmmMMMMMM 4 MMMMMMM"));
    CHECK(has(lines[first + 31], ">  5 mmmmmm 3 mmmmmmmMMMMMM 5 MMMMMMM"));
    CHECK(has(lines[first], "  0 MMMMMMMM........................"));
    CHECK(has(lines[first + 8], "  1 ########MMMMMMMM................"));
    CHECK(has(lines[first + 27], "## 4 ##### 3 ##### 2 ###MM 1 MMM"));
    const std::string all = show_map(planned(512, 512, true), {MapView::ctas}, Language::en, plain(80));
    CHECK(has(all, "CTA z = 5 (of 13) owns query tiles 5, 18, 31"));
    CHECK(has(all, "of 64 tiles: 16 skipped, 32 masked, 16 masked in vain, 0 unmasked"));
    CHECK(has(all, "of 16 tiles: 6 skipped, 4 masked, 0 masked in vain, 6 unmasked"));
}

TEST_CASE("map: what is not there is not explained") {
    const std::string full = show_map(planned(512, 512, false), {MapView::ctas}, Language::en, plain(80));
    CHECK_FALSE(has(full, ". skipped"));
    CHECK_FALSE(has(full, "M masking code"));  // lengths are multiples of the tiles: the code runs in vain
    CHECK(has(full, "m masking code"));
    CHECK_FALSE(has(full, "cell of several"));
    const std::string large = show_map(planned(8192, 8192, true), {MapView::ctas}, Language::en, plain(80));
    CHECK(has(large, "one character is 256 query rows x 256 keys"));
    CHECK(has(large, "cell of several"));
    CHECK_FALSE(has(large, "the steps of that CTA"));
    CHECK(has(show_map(planned(512, 512, true), {MapView::blocks}, Language::en, plain(80)), "- skipped"));
    CHECK_FALSE(has(show_map(planned(512, 512, false), {MapView::blocks}, Language::en, plain(80)), "- skipped"));
}

TEST_CASE("map: the title over the numbers of CTAs or blocks keeps off the title of the rows") {
    for (const std::int64_t seqlen : {512, 4096, 100000}) {
        const Comparison comparison = planned(seqlen, seqlen, true, 64, {"v2-tuned"});
        CHECK(has(show_map(comparison, {MapView::ctas}, Language::en, plain(80)), "row  block 0"));
        CHECK(has(show_map(comparison, {MapView::ctas}, Language::zh, plain(80)), "行  block 0"));
    }
}

TEST_CASE("map: by warp, a digit for each") {
    const std::string text = show_map(planned(512, 512, true), {MapView::warps}, Language::en, plain(80));
    CHECK(has(text, "\n  0000111122223333000011112222333300001111222233330000111122223333\n"));
    CHECK(has(text, "\n  00000000 + 11111111 + 22222222 + 33333333 = OOOOOOOO\n"));
    CHECK(has(text, "\n  22222222222222222222222222222222   22222222\n"));
    CHECK(has(text, "v1: 4 warps split the keys\n"));
    CHECK(has(text, "v2: 4 warps split the query rows\n"));
    const std::string wide = show_map(planned(512, 512, true, 256), {MapView::warps}, Language::en, plain(80));
    CHECK(has(wide, "v2: 8 warps split the query rows\n"));
    CHECK(has(wide, "\n  7777777777777777   77777777\n"));
    CHECK(has(wide, "v1"));  // which says why it can't
}

TEST_CASE("map: one CTA's blocks, with its steps and bytes") {
    const std::string text = show_map(planned(512, 512, true), {MapView::blocks}, Language::en, plain(80));
    CHECK(has(text, "[  31  ]   [  3   ][  5   ] [  31  ]"));
    CHECK(has(text, "[  5   ]   [  1   ][  -   ] [  5   ]"));
    CHECK(has(text, "[  3   ]   [  4   ][  3   ][  2   ][  1   ] [  3   ]"));
    CHECK(has(text, "each block loaded once, into registers: 2 in all, 131 kB"));  // 2 x 512 x 64 x 2
    CHECK(has(text, "5 in all: 10.2 kB"));                                         // 5 x 16 x 64 x 2
    CHECK(has(text, "8.19 kB written, 8.19 kB read back"));                        // 2 x 16 x 64 x 4
    const std::string one = show_map(planned(512, 100, true), {MapView::blocks}, Language::en, plain(80));
    CHECK(has(one, "no o_tmp"));
}

TEST_CASE("map: CTAs on SMs, every number in its wave, once") {
    const std::string text = show_map(planned(512, 512, true), {MapView::sms}, Language::en, plain(80));
    CHECK(has(text, "SM 0      0 108     1 109 "));
    CHECK(has(text, "SM 91   307 415   308   . "));
    CHECK(has(show_map(planned(512, 512, true), {MapView::sms}, Language::en, plain(200)),
              "CTA 127 is (3, 1, 15), which is batch 1, head 15, query block 3."));
    CHECK(has(text, "wave 2 of 2: 200 CTAs, 92.6 % of its places"));
    CHECK(has(text, "not documented"));
    Comparison many = planned(16384, 512, false);
    const std::string waves = show_map(many, {MapView::sms}, Language::en, plain(120));
    CHECK(has(waves, "... waves 3 to 18 are full"));  // 4096 CTAs of v2 in waves of 216
    CHECK(has(waves, "wave 19 of 19: 208 CTAs"));
}

TEST_CASE("map: no line is wider than the terminal, in any view, language and shape") {
    for (const Comparison& comparison :
         {planned(512, 512, true), planned(300, 700, true, 128, {"v1", "v2", "v2-tuned"}), planned(16384, 16384, true),
          planned(4096, 1, false, 256), planned(1, 4096, true), planned(700, 90, true)}) {
        for (const Language language : {Language::en, Language::zh}) {
            for (const int columns : {20, 40, 80, 120, 200}) {
                for (const bool colour : {false, true}) {
                    Terminal terminal = plain(columns);
                    terminal.colour = colour;
                    const std::string text = show_map(comparison, all_views, language, terminal);
                    CHECK(colour == has(text, "\x1b"));
                    for (const std::string& line : lines_of(without_escapes(text))) {
                        CHECK_MESSAGE(display_width(line) <= columns, columns << ": " << line);
                    }
                }
            }
        }
    }
}

TEST_CASE("map: plain ASCII where the locale is not UTF-8") {
    const std::string text =
        show_map(planned(512, 512, true), all_views, Language::en, {.columns = 30, .utf8 = false, .colour = true});
    CHECK(std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; }));
}

TEST_CASE("map: pictures stay on the paper, letters are large, marks are balanced") {
    for (const Comparison& comparison :
         {planned(512, 512, true), planned(300, 700, true, 128, {"v1", "v2", "v2-tuned"}), planned(16384, 16384, true),
          planned(1, 4096, true), planned(700, 90, true)}) {
        for (const MapView view : all_views) {
            for (const Language language : {Language::en, Language::zh}) {
                const std::string svg = map_to_svg(comparison, view, language);
                INFO(name_of(view));
                CHECK(svg.rfind("<svg ", 0) == 0);
                CHECK(has(svg, "@media (prefers-color-scheme:dark)"));
                CHECK_FALSE(has(svg, "nan"));
                const double height = numbers_of(svg, "height").front();
                CHECK(height >= 720.0);
                for (const char* attribute : {"x", "x1", "x2"}) {
                    for (const double x : numbers_of(svg, attribute)) {
                        CHECK(x >= 0.0);
                        CHECK(x <= 1280.0);
                    }
                }
                for (const char* attribute : {"y", "y1", "y2"}) {
                    for (const double y : numbers_of(svg, attribute)) {
                        CHECK(y >= 0.0);
                        CHECK(y <= height);
                    }
                }
                for (const double size : numbers_of(svg, "font-size")) {
                    CHECK(size >= 14.0);
                }
                CHECK(svg.size() < 2'000'000);
            }
        }
    }
}

TEST_CASE("map: a picture marks the rows of the CTA that is shown, and numbers its steps") {
    const std::string svg = map_to_svg(planned(512, 512, true), MapView::ctas, Language::en);
    std::multiset<std::string> bold;  // step numbers and the CTA's own
    for (const std::string& line : lines_of(svg)) {
        const std::size_t end = line.rfind("</text>");
        if (end != std::string::npos && has(line, "font-weight") && has(line, "font-size=\"16\"")) {
            const std::size_t begin = line.rfind('>', end) + 1;
            bold.insert(line.substr(begin, end - begin));
        }
    }
    // v1: steps 1 .. 5 and three times CTA 5; v2: steps 4 .. 1 and once CTA 3
    CHECK(bold == std::multiset<std::string>{"1", "2", "3", "4", "5", "5", "5", "5", "4", "3", "2", "1", "3"});
}

TEST_CASE("map: JSON has what the pictures show") {
    const auto json = nlohmann::json::parse(map_to_json(planned(512, 512, true), all_views));
    const auto& v1 = json["variants"][0];
    CHECK(v1["by_cta"]["units"].size() == 32);
    CHECK(v1["by_cta"]["units"][18]["owner"] == 5);
    CHECK(v1["by_cta"]["units"][15]["visited"] == 1);
    CHECK(v1["by_cta"]["units"][16]["visited"] == 2);
    CHECK(v1["by_cta"]["meetings"]["masked_in_vain"] == 16);
    CHECK(v1["by_cta"]["walk"].size() == 5);
    CHECK(v1["by_cta"]["walk"][3] == nlohmann::json{{"unit", 18}, {"key_block", 1}});
    CHECK(v1["by_warp"]["split"] == "keys");
    CHECK(v1["by_warp"]["warp_of"][16] == 1);
    CHECK(v1["blocks"]["o_tmp_written_bytes"] == 8192);
    const auto& v2 = json["variants"][1];
    CHECK(v2["by_cta"]["units"][3]["masking_from"] == 3);
    CHECK(v2["by_warp"]["split"] == "rows");
    CHECK(v2["on_sms"]["ctas"].size() == 128);
    CHECK(v2["on_sms"]["ctas"][108]["sm"] == 0);
    CHECK(v2["on_sms"]["ctas"][108]["slot"] == 1);
    CHECK(json["mma_m16n8k16"]["c"][9][3] == nlohmann::json{5, 3});
    const auto some = nlohmann::json::parse(map_to_json(planned(300, 300, true, 256), {MapView::ctas}));
    CHECK_FALSE(some["variants"][0].contains("by_cta"));  // v1 takes no head dim 256
    CHECK(some["variants"][1].contains("by_cta"));
    CHECK_FALSE(some["variants"][1].contains("on_sms"));
    CHECK_FALSE(some.contains("mma_m16n8k16"));
    const auto large = nlohmann::json::parse(map_to_json(planned(1 << 20, 1 << 20, true), all_views));
    CHECK(large["variants"][0]["by_cta"]["query_units"] == 65536);
    CHECK(large["variants"][0]["by_cta"]["units"].size() == 10000);
}

TEST_CASE("pictures of characters: wide ones take two columns, what is too wide is cut and says so") {
    Picture picture;
    picture.put(2, 1, "行 a");
    picture.put(4, 1, "b");
    CHECK(picture.text(plain(80)) == "\n  行ba\n");
    CHECK(picture.columns() == 6);
    CHECK(picture.text(plain(5)) == "\n  行…\n");
    CHECK(picture.text({.columns = 5}) == "\n  行>\n");
    picture.put(0, 0, "red", {.hue = 5, .bold = true});
    CHECK(picture.text({.columns = 80, .colour = true}) == "\x1b[1;31mred\x1b[0m\n  行ba\n");
}
