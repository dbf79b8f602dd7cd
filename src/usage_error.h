#pragma once

#include "message.h"

namespace flashlens {

/// Bad input: the message names the option, the value and what would work. The program ends with exit code 2.
class UsageError : public Failure {
public:
    using Failure::Failure;
};

}  // namespace flashlens
