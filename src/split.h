#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flashlens {

/// What stands between the separators: one part more than there are of them.
inline std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

}  // namespace flashlens
