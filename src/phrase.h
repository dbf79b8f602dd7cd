// An English text in the code, and its Chinese one in translations.h: found when the program is compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bilingual.h"
#include "translations.h"

namespace flashlens {

/// A place to fill in a text: {}, {1}, {:.3g}.
struct Place {
    std::size_t begin = 0;  ///< of "{"
    std::size_t end = 0;    ///< past "}"
    unsigned index = 0;     ///< of what fills it; {} count up
    std::string_view how;   ///< ":.3g", or nothing

    constexpr bool operator==(const Place&) const = default;
};

/// Calls `use` for each place of `text`, in order. {{ and }} are braces that are meant.
template <class Use>
constexpr void each_place(std::string_view text, const Use& use) {
    unsigned next = 0;
    for (std::size_t i = text.find('{'); i < text.size(); i = text.find('{', i)) {
        if (text.substr(i, 2) == "{{") {
            i += 2;
            continue;
        }
        Place place{i, text.find('}', i) + 1, 0, {}};
        std::string_view inside = text.substr(i + 1, place.end - i - 2);
        const bool numbered = !inside.empty() && inside.front() != ':';
        for (; !inside.empty() && inside.front() != ':'; inside.remove_prefix(1)) {
            place.index = 10 * place.index + static_cast<unsigned>(inside.front() - '0');
        }
        place.index = numbered ? place.index : next++;
        place.how = inside;
        use(place);
        i = place.end;
    }
}

/// The indices that fill `text`, a bit for each.
constexpr std::uint64_t indices(std::string_view text) {
    std::uint64_t found = 0;
    each_place(text, [&](const Place& place) { found |= std::uint64_t{1} << place.index; });
    return found;
}

/// Where the code says something to people it says it in English, as a Phrase: readable there, and not compiled unless
/// translations.h has it in Chinese, with the same places to fill.
class Phrase : public Bilingual {
public:
    consteval Phrase(const char* english) : Bilingual{english, chinese_of(english)} {
        if (indices(en) != indices(zh)) {
            throw "translations.h: the Chinese text has other places to fill than the English one";
        }
    }

private:
    static consteval std::string_view chinese_of(std::string_view english) {
        for (const Bilingual& words : translations) {
            if (words.en == english) {
                return words.zh;
            }
        }
        throw "translations.h has no Chinese text for this English one";
    }
};

}  // namespace flashlens
