#include <doctest/doctest.h>

#include <set>
#include <string>

#include "report/language.h"

using namespace flashlens::report;

namespace {

std::set<std::string> places(std::string_view text) {
    std::set<std::string> result;
    for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
        result.insert(std::string(text.substr(at, text.find('}', at) - at)));
    }
    return result;
}

}  // namespace

TEST_CASE("both languages have every text, with the same places to fill") {
    for (std::size_t i = 0; i < text_count; ++i) {
        const auto name = static_cast<Text>(i);
        const std::string_view english = text(Language::en, name);
        const std::string_view chinese = text(Language::zh, name);
        CAPTURE(i);
        CAPTURE(english);
        CAPTURE(chinese);
        CHECK_FALSE(english.empty());
        CHECK_FALSE(chinese.empty());
        CHECK(places(english) == places(chinese));
        for (const char c : english) {
            CHECK(static_cast<unsigned char>(c) < 0x80);
        }
        // Sentences are translated; only terms that Chinese readers use in English may stay.
        const bool sentence = english.find(' ', english.find(' ') + 1) != std::string_view::npos;
        const bool has_chinese =
            chinese.find_first_not_of(
                " \t!\"#$%&'()*+,-./"
                "0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~") !=
            std::string_view::npos;
        if (sentence && english.find_first_of("abcdefghijklmnopqrstuvwxyz") != std::string_view::npos &&
            english.substr(0, 1) != "{") {
            CHECK(has_chinese);
        }
    }
}

TEST_CASE("languages by name and by locale") {
    CHECK(find_language("en") == Language::en);
    CHECK(find_language("zh") == Language::zh);
    CHECK_FALSE(find_language("fr").has_value());
    CHECK_FALSE(find_language("").has_value());
    CHECK(language_of_locale("zh_CN.UTF-8") == Language::zh);
    CHECK(language_of_locale("en_US.UTF-8") == Language::en);
    CHECK(language_of_locale("") == Language::en);
}
