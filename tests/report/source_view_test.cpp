#include "report/source_view.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "report/code_cell.h"
#include "report/code_lexer.h"
#include "report/width.h"
#include "teaching/article.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::report;
using namespace flashlens::tests;

namespace {

using teaching::Stage;

Terminal terminal(int columns, bool utf8 = true, bool colour = false) {
    Terminal result;
    result.columns = columns;
    result.utf8 = utf8;
    result.colour = colour;
    return result;
}

SourceQuestion everything(std::vector<std::string> variants, bool article = false) {
    return {{Stage::launch, Stage::mainloop, Stage::warps, Stage::epilogue}, std::move(variants), article};
}

SourceQuestion main_loop(std::vector<std::string> variants = {"v1", "v2"}) {
    return {{Stage::mainloop}, std::move(variants), false};
}

std::string without_escapes(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') {
            i = text.find('m', i);
        } else {
            result += text[i];
        }
    }
    return result;
}

std::string without_blanks(std::string text) {
    std::erase(text, ' ');
    return text;
}

/// The one line that has both, or a failure.
std::string line_with(const std::string& text, std::string_view one, std::string_view other) {
    std::string found;
    for (const std::string& line : lines(text)) {
        if (has(line, one) && has(line, other)) {
            CHECK(found.empty());
            found = line;
        }
    }
    CAPTURE(one);
    CAPTURE(other);
    CHECK_FALSE(found.empty());
    return found;
}

}  // namespace

TEST_CASE("source: no line is wider than the terminal, in either language, with or without box drawing") {
    for (const int columns : {20, 40, 79, 80, 110, 120, 149, 150, 160, 200, 240}) {
        for (const Language language : {Language::en, Language::zh}) {
            for (const bool article : {false, true}) {
                std::vector<std::string> variants{"v1", "v2"};
                if (!article) {
                    variants.emplace_back("v2-tuned");
                }
                const std::string shown =
                    show_source(everything(variants, article), language, terminal(columns, columns % 3 != 0));
                for (const std::string& line : lines(shown)) {
                    CAPTURE(columns);
                    CAPTURE(line);
                    CHECK(display_width(line) <= columns);
                }
            }
        }
    }
}

TEST_CASE("source: rows of a table have one width, and the rule between the columns stands in one place") {
    for (const int columns : {150, 160, 201}) {
        bool in_table = false;
        int rows = 0;
        std::size_t bar = 0;
        for (const std::string& line : lines(show_source(everything({"v1", "v2"}), Language::zh, terminal(columns)))) {
            const bool top = has(line, "┬") && !has(line, "┌");
            if (top) {
                in_table = true;
                bar = static_cast<std::size_t>(display_width(line.substr(0, line.find("┬"))));
            }
            if (in_table) {
                CAPTURE(line);
                CHECK(display_width(line) == columns);
                const std::size_t at = std::min({line.find("│"), line.find("┬"), line.find("┴")});
                REQUIRE(at != std::string::npos);
                CHECK(static_cast<std::size_t>(display_width(line.substr(0, at))) == bar);
                ++rows;
            }
            in_table = in_table && !has(line, "┴");
        }
        CHECK(rows > 200);
    }
}

TEST_CASE("source: no name of the step table is broken, from 80 columns on") {
    for (const Language language : {Language::en, Language::zh}) {
        for (const int columns : {80, 100, 120, 200}) {
            const std::string all = show_source(main_loop(), language, terminal(columns));
            const std::string table = all.substr(all.find("│ A  "));
            for (const char* name : {"out.reduce_max_after_sync", "out.reduce_sum_after_sync", "out.load_and_normalise",
                                     "softmax_rescale_o", "for (; n ...", "cp_async_commit"}) {
                CAPTURE(name);
                CHECK(has(table, name));
            }
        }
    }
}

TEST_CASE("source: side by side from 150 columns, the same steps on one line; below that the same letters") {
    const std::string wide = show_source(main_loop(), Language::en, terminal(150));
    line_with(wide, "gemm_q_k<T>", "gemm_qk<T>");
    line_with(wide, "scale_apply_exp<T>", "softmax_rescale_o<T>");
    line_with(wide, "for (int tile = 0;", "for (int step = 0;");
    const std::string narrow = show_source(main_loop(), Language::en, terminal(149));
    for (const std::string& line : lines(narrow)) {
        CHECK_FALSE((has(line, "gemm_q_k<T>") && has(line, "gemm_qk<T>")));
    }
    const auto letter_before = [&](std::string_view code) {
        for (const std::string& line : lines(narrow)) {
            if (has(line, code)) {
                return line.substr(4, line.find(' ', 4) - 4);
            }
        }
        return std::string();
    };
    CHECK(letter_before("gemm_q_k<T>(") == "C");
    CHECK(has(narrow, " C        gemm_qk<T>("));
    CHECK(has(narrow, " EFGK     softmax_rescale_o<T>("));
    CHECK(letter_before("scale_apply_exp<T>(") == "F");
}

TEST_CASE("source: numbers, text and files are the excerpts'") {
    const std::vector<std::string> variants{"v1"};
    const teaching::Part part = teaching::parts_of(Stage::mainloop, variants).back();
    const teaching::Excerpt& excerpt = part.sides.front().excerpts.front();
    const std::string shown = show_source(main_loop({"v1"}), Language::en, terminal(200));
    CHECK(
        has(shown, "kernels/v1/kernel.cuh:" + std::to_string(excerpt.first()) + "-" + std::to_string(excerpt.last())));
    for (const teaching::CodeLine& line : excerpt.lines) {
        const std::string number = std::to_string(line.number);
        const std::string code(line.text.substr(std::min<std::size_t>(4, line.text.size())));
        const auto all = lines(shown);
        CAPTURE(line.text);
        CHECK(std::any_of(all.begin(), all.end(), [&](const std::string& shown_line) {
            return has(shown_line.substr(0, 4), number) && has(shown_line, code);
        }));
    }
}

TEST_CASE("source: a side that has nothing to a topic says so; one variant alone is shown alone") {
    const SourceQuestion epilogue{{Stage::epilogue}, {"v1", "v2"}, false};
    CHECK(has(show_source(epilogue, Language::en, terminal(160)),
              "v2: Nothing: acc_o, m and l have never left the registers."));
    CHECK(has(show_source(epilogue, Language::en, terminal(80)),
              "v2: Nothing: acc_o, m and l have never left the registers."));
    const std::string alone = show_source(main_loop({"v2"}), Language::en, terminal(160));
    CHECK_FALSE(has(alone, "kernels/v1/"));
    CHECK(has(alone, "v2: Two loops over key blocks"));
    CHECK_FALSE(has(alone, "v1: "));
    CHECK(has(show_source(main_loop({"v2-tuned"}), Language::en, terminal(160)), "v2-tuned: One loop over key blocks"));
}

TEST_CASE("source: colours change no character, and none is there without a terminal for them") {
    for (const bool article : {false, true}) {
        for (const int columns : {80, 160}) {
            const SourceQuestion question = everything({"v1", "v2"}, article);
            const std::string plain = show_source(question, Language::en, terminal(columns));
            const std::string coloured = show_source(question, Language::en, terminal(columns, true, true));
            CHECK_FALSE(has(plain, "\x1b"));
            CHECK(has(coloured, "\x1b[38;5;133mif\x1b[0m"));
            CHECK(has(coloured, "\x1b[1;38;5;166mgemm_q_k\x1b[0m"));
            CHECK(has(coloured, "\x1b[1;38;5;161m__syncthreads\x1b[0m"));
            CHECK(without_escapes(coloured) == plain);
        }
    }
    const std::string ascii = show_source(everything({"v1", "v2"}), Language::en, terminal(160, false));
    CHECK(std::all_of(ascii.begin(), ascii.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

TEST_CASE("source: colours can be told from a dark and from a light ground") {
    const auto luminance = [](int colour) {
        // Of xterm's 6 x 6 x 6 cube.
        const auto linear = [](int level) {
            const double c = (level == 0 ? 0 : 55 + 40 * level) / 255.0;
            return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
        };
        REQUIRE(colour >= 16);
        REQUIRE(colour < 232);
        const int cube = colour - 16;
        return 0.2126 * linear(cube / 36) + 0.7152 * linear(cube / 6 % 6) + 0.0722 * linear(cube % 6);
    };
    for (const int colour : {colour::keyword, colour::type, colour::number, colour::string, colour::comment,
                             colour::preprocessor, colour::step, colour::load, colour::barrier}) {
        CAPTURE(colour);
        const double l = luminance(colour);
        CHECK((l + 0.05) / 0.05 >= 3.0);  // WCAG's contrast for large text, on black
        CHECK(1.05 / (l + 0.05) >= 3.0);  // and on white
    }
}

TEST_CASE("source: what is broken loses nothing, and is marked") {
    const std::vector<std::string> codes{
        "    out.load_previous(m, smem_lse + tile % 2 * 64, l * 16, n > 0);  // why it is so",
        "averyveryveryveryveryverylongwordwithoutanyblankinit",
        "// only a comment, but a long one",
        "",
        "x",
        "    // 注释：每个 warp 只有部分和 O"};
    for (const std::string& code : codes) {
        for (int width = 17; width < 100; ++width) {
            const CodeCell cell{"123", "EFGK", code, std::string_view(code).substr(0, 1), colour::step};
            const auto broken = code_lines(cell, {3, 4}, width, terminal(width));
            REQUIRE_FALSE(broken.empty());
            std::string all;
            for (std::size_t i = 0; i < broken.size(); ++i) {
                CAPTURE(broken[i]);
                CHECK(display_width(broken[i]) == width);
                CHECK(has(broken[i], i == 0 ? "123 EFGK " : "  ↳      "));
                all += broken[i].substr(i == 0 ? 9 : 11);
            }
            CHECK(without_blanks(all) == without_blanks(code));
        }
    }
    const auto beside_comment =
        code_lines({"1", "", "int a = 1;  // a reason", {}, colour::step}, {1, 0}, 20, terminal(20));
    REQUIRE(beside_comment.size() == 2);
    CHECK(beside_comment[0] == "1 int a = 1;        ");
    CHECK(beside_comment[1] == "↳     // a reason   ");
    CHECK(code_lines({"1", "", "int a = 1;  // a reason", {}, colour::step}, {1, 0}, 20, terminal(20, false))[1]
              .front() == '\\');
}

TEST_CASE("the lexer tells keywords, types, numbers, strings, comments and macros") {
    const auto kinds = [](std::string_view line, std::string_view word) {
        const std::vector<Token> all = tokens(line);
        const std::size_t at = line.find(word);
        REQUIRE(at != std::string_view::npos);
        std::set<Token> found(all.begin() + static_cast<std::ptrdiff_t>(at),
                              all.begin() + static_cast<std::ptrdiff_t>(at + word.size()));
        CHECK(found.size() == 1);
        return *found.begin();
    };
    const std::string_view line = "static constexpr int threads = Warps * 32;  // int, of \"warps\"";
    CHECK(kinds(line, "static") == Token::keyword);
    CHECK(kinds(line, "int") == Token::type);
    CHECK(kinds(line, "threads") == Token::plain);
    CHECK(kinds(line, "Warps") == Token::type);
    CHECK(kinds(line, "32") == Token::number);
    CHECK(kinds(line, "// int, of \"warps\"") == Token::comment);
    CHECK(kinds("    const Step step(\"a \\\" // b\");", "\"a \\\" // b\"") == Token::string);
    CHECK(kinds("#pragma unroll", "#pragma unroll") == Token::preprocessor);
    CHECK(kinds("#include \"a.h\"  // why", "// why") == Token::comment);
    CHECK(kinds("FLASHLENS_INLINE f32 quad_max(f32 value) {", "FLASHLENS_INLINE") == Token::preprocessor);
    CHECK(kinds("FLASHLENS_INLINE f32 quad_max(f32 value) {", "quad_max") == Token::plain);
    CHECK(kinds("x = max(c, 1e-30F);", "1e-30F") == Token::number);
    CHECK(kinds("x = 0x1F-1;", "0x1F") == Token::number);
    CHECK(kinds("x = 0xE-1;", "-") == Token::plain);
    CHECK(kinds("gemm(acc_s, Q, K)", "Q") == Token::plain);
    CHECK(kinds("typename T::Rows m;", "T") == Token::type);
    CHECK(kinds("__global__ void kernel()", "__global__") == Token::keyword);
    CHECK(kinds("a / b", "/") == Token::plain);
    CHECK(tokens("").empty());
    CHECK(tokens("   ").size() == 3);
    CHECK(tokens("\"open").back() == Token::string);
}

TEST_CASE("source --article: the article's lines beside ours, or above; what it leaves out is marked and named") {
    const SourceQuestion question{{Stage::mainloop}, {"v1", "v2"}, true};
    const std::string wide = show_source(question, Language::en, terminal(160));
    line_with(wide, "gemm_q_k(acc_p);", "gemm_q_k<T>(");
    line_with(wide, "smem_o.store(acc_o, 0);", "smem_o.store(acc_o);");
    line_with(wide, "// epilogue: normalize acc_o, write O and LSE", "normalize<T, Causal>(");
    line_with(wide, "+=", "// Q and V are in shared memory");
    CHECK_FALSE(has(line_with(wide, "// K is in shared memory", "__syncthreads();  "), "+"));
    const teaching::ArticleBeside v1 = teaching::article_beside("v1");
    for (const teaching::ArticleBeside::LeftOut& group : v1.left_out) {
        if (group.step == teaching::Step::barrier) {
            std::string numbers;
            for (const int number : group.lines) {
                numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
            }
            CHECK(has(wide, "+=  barrier, or wait for copies: " + numbers));
        }
    }
    const std::string narrow = show_source(question, Language::zh, terminal(80));
    for (const char* variant : {"v1", "v2"}) {
        for (const teaching::ArticleLine& line : teaching::article_loop(variant)) {
            CHECK(has(narrow, std::string(line.text)));
        }
    }
    CHECK(has(narrow, "文章略去的内容"));
    CHECK(has(wide, "softmax.unpack_noscale(acc_p); v1 has no line here"));
}

TEST_CASE("source as JSON: files, ranges, steps, texts, rows") {
    const auto json = nlohmann::json::parse(source_to_json(everything({"v1", "v2"}), Language::en));
    CHECK(json["variants"] == nlohmann::json({"v1", "v2"}));
    CHECK(json["steps"].size() == 14);
    REQUIRE(json["stages"].size() == 4);
    CHECK(json["stages"][1]["stage"] == "mainloop");
    const auto& loops = json["stages"][1]["parts"][1];
    CHECK(loops["part"] == "loops");
    const auto& excerpt = loops["variants"][0]["excerpts"][0];
    CHECK(excerpt["file"] == "kernels/v1/kernel.cuh");
    CHECK(excerpt["lines"].size() ==
          excerpt["last_line"].get<std::size_t>() - excerpt["first_line"].get<std::size_t>() + 1);
    const auto scores = std::find_if(excerpt["lines"].begin(), excerpt["lines"].end(),
                                     [](const auto& line) { return line["steps"] == nlohmann::json({"scores"}); });
    REQUIRE(scores != excerpt["lines"].end());
    CHECK(has((*scores)["text"].get<std::string>(), "gemm_q_k"));
    const auto row = std::find_if(loops["rows"].begin(), loops["rows"].end(),
                                  [&](const auto& r) { return !r[0].is_null() && r[0]["line"] == (*scores)["line"]; });
    REQUIRE(row != loops["rows"].end());
    const int beside = (*row)[1]["line"].get<int>();
    bool found = false;
    for (const auto& line : loops["variants"][1]["excerpts"][0]["lines"]) {
        found = found || (line["line"] == beside && has(line["text"].get<std::string>(), "gemm_qk"));
    }
    CHECK(found);

    const auto article = nlohmann::json::parse(source_to_json(everything({"v2"}, true), Language::zh));
    REQUIRE(article["article"].size() == 1);
    CHECK(article["article"][0]["article"][0]["text"] == "clear(acc_o);");
    CHECK(article["article"][0]["article"][0]["stands_for"].size() == 1);
    CHECK(article["article"][0]["left_out"].size() > 2);
    CHECK_FALSE(article.contains("stages"));
}
