#pragma once

#include <string_view>

namespace flashlens {

/// The languages of everything that the program says to people.
enum class Language { en, zh };

/// One text in each of them.
struct Bilingual {
    std::string_view en;
    std::string_view zh;

    constexpr std::string_view in(Language language) const { return language == Language::zh ? zh : en; }
};

}  // namespace flashlens
