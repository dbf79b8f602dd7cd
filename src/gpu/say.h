// What this room says of the card, in both languages. say.h of the other rooms needs fmt, which nvcc is kept from.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "message.h"
#include "phrase.h"

namespace flashlens::gpu {

/// The same in every language: what the runtime says, a version, a name.
inline Message as_it_is(std::string_view text) {
    return {std::string(text), std::string(text)};
}

/// The phrase, its places filled with these texts.
inline Message say(const Phrase& phrase, std::initializer_list<Message> texts = {}) {
    const auto filled = [&](Language language) {
        const std::string_view text = phrase.in(language);
        std::string result;
        std::size_t done = 0;
        each_place(text, [&](const Place& place) {
            result += text.substr(done, place.begin - done);
            result += place.index < texts.size() ? texts.begin()[place.index].in(language) : "";
            done = place.end;
        });
        result += text.substr(done);
        return result;
    };
    return {filled(Language::en), filled(Language::zh)};
}

}  // namespace flashlens::gpu
