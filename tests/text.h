// What tests ask of printed text.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace flashlens::tests {

inline bool has(std::string_view text, std::string_view words) {
    return text.find(words) != std::string_view::npos;
}

inline std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        result.push_back(line);
    }
    return result;
}

}  // namespace flashlens::tests
