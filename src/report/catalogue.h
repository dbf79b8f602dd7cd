// How a language's catalogue is put together, and why one with a gap does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "report/language.h"

namespace flashlens::report {

struct Entry {
    Text name;
    std::string_view text;
};

using Catalogue = std::array<std::string_view, text_count>;

/// Entries in any order, each name once. Evaluated at compile time, where the throw is a compile error.
template <std::size_t Count>
consteval Catalogue make_catalogue(const Entry (&entries)[Count]) {
    static_assert(Count == text_count, "a text is missing from this catalogue, or there twice");
    Catalogue result{};
    for (const Entry& entry : entries) {
        std::string_view& place = result[static_cast<std::size_t>(entry.name)];
        if (!place.empty() || entry.text.empty()) {
            throw "a text is there twice, or empty";
        }
        place = entry.text;
    }
    return result;
}

extern const Catalogue catalogue_en;
extern const Catalogue catalogue_zh;

}  // namespace flashlens::report
