// Option values read strictly: all of the text counts, and nothing is guessed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "message.h"

namespace flashlens::cli {

/// Throws the UsageError "option value: what is wrong", with an empty value as ''.
[[noreturn]] void refuse(std::string_view option, std::string_view value, const Message& what_is_wrong);

bool only_digits(std::string_view text);

/// What stands between blanks.
std::vector<std::string> words(std::string_view text);

/// Decimal digits only, `smallest` to `largest`. Throws UsageError: the option, the value, what is wrong with it, and
/// `example` as what would work.
std::int64_t whole_number(std::string_view option, std::string_view value, std::int64_t smallest, std::int64_t largest,
                          std::int64_t example);

/// 0 to 2^64 - 1.
std::uint64_t seed_number(std::string_view option, std::string_view value);

/// A finite number greater than zero.
double positive_number(std::string_view option, std::string_view value, double example);

/// The index of `value` in `choices`; throws UsageError that lists them.
std::size_t choice(std::string_view option, std::string_view value, const std::vector<std::string>& choices);

/// The items of a list with commas, each one of `choices`, none twice.
std::vector<std::string> choice_list(std::string_view option, std::string_view value,
                                     const std::vector<std::string>& choices);

/// Shapes with blanks between them, each "B,H,S,D" or "B,H,KV,Sq,Sk,D": four or six sizes from 1.
std::vector<std::vector<std::int64_t>> shape_list(std::string_view option, std::string_view value);

}  // namespace flashlens::cli
