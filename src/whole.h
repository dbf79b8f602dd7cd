#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace flashlens {

/// Digits in threes: "-1,234,567".
inline std::string with_thousands(std::string digits) {
    const std::size_t start = digits.front() == '-' ? 1 : 0;
    for (std::size_t at = digits.size(); at > start + 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

/// "1,234,567".
inline std::string whole(std::int64_t value) {
    return with_thousands(std::to_string(value));
}

}  // namespace flashlens
