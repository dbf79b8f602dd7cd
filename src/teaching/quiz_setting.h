// What the questions for a number are made of: a problem on a card that is drawn, and how one speaks of it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "explorer/variant.h"
#include "say.h"
#include "teaching/quiz.h"
#include "teaching/quiz_draw.h"

namespace flashlens::teaching::asked {

/// A text in both languages with the same places to fill, or it does not compile.
struct Words : Bilingual {
    consteval Words(const char* english, const char* chinese) : Bilingual{english, chinese} {
        if (indices(en) != indices(zh)) {
            throw "the Chinese text has other places to fill than the English one";
        }
    }
};

template <class... Args>
std::string filled(const Words& words, Language language, const Args&... args) {
    return said::filled(words.in(language), args...);
}

/// A problem on a card.
struct Setting {
    Problem problem;
    const hardware::Card* card = nullptr;
    std::string card_name;

    VariantFacts plan_of(std::string_view variant, std::optional<int> splits = std::nullopt) const {
        return plan(variant, problem, *card, false, splits);
    }
};

Setting draw_setting(Draw& draw, std::initializer_list<std::int64_t> head_dims, std::int64_t most_heads = 32);

/// The card's name for --gpu, in quotes where a shell would split it.
std::string card_option(const Setting& s);
/// " -b 2 -H 8 -s 4096 -d 64 --causal".
std::string shape_options(const Problem& p);
/// "flashlens NAME" on this card and shape.
std::string command(const char* name, const Setting& s);
/// "B 2, H 8, Sq = Sk = 4096, D 64, no mask".
std::string described(const Setting& s, Language language);

/// What the questions about a launch have in common.
void ask(QuizQuestion& q, const Setting& s, double value, QuizUnit unit, std::string text, std::string why,
         std::string show, int lesson);

}  // namespace flashlens::teaching::asked
