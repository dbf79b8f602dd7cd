#include "chinese.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "report/width.h"
#include "text.h"

namespace flashlens::tests {

bool holds_chinese(std::string_view text) {
    const std::vector<report::Glyph> all = report::glyphs(text);
    return std::any_of(all.begin(), all.end(),
                       [](const report::Glyph& g) { return g.character >= 0x4e00 && g.character <= 0x9fff; });
}

std::string english_word_in(std::string_view text) {
    std::string words = " ";
    for (const char c : text) {
        words += std::string_view(":;,.()'\"\n?").find(c) == std::string_view::npos ? c : ' ';
    }
    words += " ";
    for (const char* word :
         {" the ",  " is ",      " are ",   " not ",    " must ",  " try ",   " no ",    " of ",     " and ",
          " with ", " without ", " needs ", " needed ", " there ", " leave ", " would ", " see ",    " did ",
          " has ",  " takes ",   " one ",   " from ",   " or ",    " its ",   " it ",    " allows ", " expected "}) {
        if (has(words, word)) {
            return word;
        }
    }
    return "";
}

void check_told_in_chinese(const std::vector<std::string>& arguments, const cli::fake::Result& english,
                           cli::fake::World world) {
    world.variables["LANG"] = "zh_CN.UTF-8";
    const auto chinese = cli::fake::run(arguments, world);
    CAPTURE(english.err);
    CAPTURE(chinese.err);
    CHECK(chinese.code == english.code);
    CHECK(chinese.out == english.out);
    CHECK(chinese.err.rfind("flashlens: ", 0) == 0);
    CHECK(chinese.err.find('\n') == chinese.err.size() - 1);
    CHECK(holds_chinese(chinese.err));
    CHECK(english_word_in(chinese.err) == "");
    CHECK_FALSE(holds_chinese(english.err));
    // On a terminal, in rows of its width.
    world.terminal = true;
    for (const std::string& row : lines(cli::fake::run(arguments, world).err)) {
        CAPTURE(row);
        CHECK(report::display_width(row) <= 80);
    }
}

}  // namespace flashlens::tests
