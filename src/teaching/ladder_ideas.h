// What each idea on the way from v1 to v2 is, and by which figures of a run it shows.
#pragma once

#include <span>
#include <string_view>

#include "bilingual.h"
#include "explorer/ladder.h"

namespace flashlens::teaching {

struct IdeaWords {
    Bilingual title;     ///< a few words
    Bilingual sentence;  ///< what is done instead of what
    /// What the idea is about: names of quantities (report/ladder_quantities.h), the one it is most about first.
    std::span<const std::string_view> about;
};

const IdeaWords& words_of(Idea idea);

}  // namespace flashlens::teaching
