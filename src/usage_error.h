#pragma once

#include <stdexcept>

namespace flashlens {

/// Bad input: the message names the option, the value and what would work. The program ends with exit code 2.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace flashlens
