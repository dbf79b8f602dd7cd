// What practice says of somebody's code, in both languages side by side: each such sentence is said in one place only.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "say.h"

namespace flashlens::practice {

/// Two texts with the same places, one for each argument. Checked when it is compiled, as say() is.
template <class... Args>
struct Texts {
    consteval Texts(const char* english, const char* chinese) : en(english), zh(chinese) {
        for (const std::string_view text : {en, zh}) {
            if (indices(text) != (std::uint64_t{1} << sizeof...(Args)) - 1) {
                throw "the text has not as many places as there are arguments";
            }
            bool counted = false;
            bool numbered = false;
            each_place(text, [&](const Place& place) {
                const char first = text[place.begin + 1];
                (first >= '0' && first <= '9' ? numbered : counted) = true;
            });
            if (counted && numbered) {
                throw "places are numbered or they count up: not both in one text";
            }
        }
    }
    std::string_view en;
    std::string_view zh;
};

/// both({"row {}", "第 {} 行"}, row): the texts with their places filled; arguments may be messages themselves.
template <class... Args>
Message both(std::type_identity_t<Texts<Args...>> texts, const Args&... args) {
    return {said::filled(texts.en, said::in(args, Language::en)...),
            said::filled(texts.zh, said::in(args, Language::zh)...)};
}

}  // namespace flashlens::practice
