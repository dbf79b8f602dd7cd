// How the program says what is wrong, in both languages at once: say("{} {}: must be 0 or more", option, value).
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "message.h"
#include "phrase.h"

namespace flashlens {

namespace said {

/// What stands for an argument in one language: a message's own text, anything else as it is.
template <class Arg>
const Arg& in(const Arg& arg, Language) {
    return arg;
}
inline const std::string& in(const Message& message, Language language) {
    return message.in(language);
}

/// A phrase that these arguments fill: as many as it has places, and numbers where it says how to write them.
template <class... Args>
struct Filled : Phrase {
    consteval Filled(const char* english) : Phrase(english) {
        constexpr bool is_real[] = {std::is_floating_point_v<Args>..., false};
        if (indices(en) != (std::uint64_t{1} << sizeof...(Args)) - 1) {
            throw "the phrase has not as many places as there are arguments";
        }
        for (const std::string_view text : {en, zh}) {
            each_place(text, [&](const Place& place) {
                if (!place.how.empty() && !is_real[place.index]) {
                    throw "only of real numbers a phrase says how they are written";
                }
            });
        }
    }
};

template <class... Args>
std::string filled(std::string_view text, const Args&... args) {
    return fmt::vformat(text, fmt::make_format_args(args...));
}

}  // namespace said

/// The phrase with its places filled; arguments may be messages themselves.
template <class... Args>
Message say(std::type_identity_t<said::Filled<Args...>> phrase, const Args&... args) {
    return {said::filled(phrase.en, said::in(args, Language::en)...),
            said::filled(phrase.zh, said::in(args, Language::zh)...)};
}

/// "a, b, c".
template <class Strings>
Message list(const Strings& items) {
    return {fmt::format("{}", fmt::join(items, ", ")), fmt::format("{}", fmt::join(items, "、"))};
}

/// "a, b or c".
template <class Strings>
Message one_of(const Strings& items) {
    Message result;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const bool last = i + 1 == items.size();
        result.en += fmt::format("{}{}", i == 0 ? "" : last ? " or " : ", ", items[i]);
        result.zh += fmt::format("{}{}", i == 0 ? "" : last ? " 或 " : "、", items[i]);
    }
    return result;
}

/// Reasons one after the other.
inline void add_reason(Message& reasons, const Message& reason) {
    reasons.en += (reasons.en.empty() ? "" : "; ") + reason.en;
    reasons.zh += (reasons.zh.empty() ? "" : "；") + reason.zh;
}

/// The same in every language: what another program or a person wrote.
inline Message as_it_is(std::string_view text) {
    return {std::string(text), std::string(text)};
}

}  // namespace flashlens
