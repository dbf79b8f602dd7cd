#include "cli/strict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>
#include <system_error>

#include "report/width.h"
#include "say.h"
#include "split.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

/// Of digits; nothing when it is too large for the type.
template <typename Integer>
bool read(std::string_view digits, Integer& number) {
    return std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc{};
}

}  // namespace

void refuse(std::string_view option, std::string_view value, const Message& what_is_wrong) {
    const std::string shown = value.empty() ? "''" : report::printable(value);
    throw UsageError(say("{} {}: {}", option, shown, what_is_wrong));
}

bool only_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> words(std::string_view text) {
    std::istringstream stream{std::string(text)};
    return {std::istream_iterator<std::string>(stream), {}};
}

std::int64_t whole_number(std::string_view option, std::string_view value, std::int64_t smallest, std::int64_t largest,
                          std::int64_t example) {
    const Message instead = say("try {} {}", option, example);
    const bool negative = value.size() > 1 && value.front() == '-' && only_digits(value.substr(1));
    if (!negative && !only_digits(value)) {
        const bool several = value.find_first_of(",:") != std::string_view::npos;
        refuse(option, value,
               several ? say("not a whole number; {}; flashlens sweep takes lists and ranges", instead)
                       : say("not a whole number; {}", instead));
    }
    std::int64_t number = 0;
    if (negative) {
        refuse(option, value, say("must be at least {}; {}", smallest, instead));
    }
    if (!read(value, number) || number > largest) {
        refuse(option, value, say("must be at most {}; {}", largest, instead));
    }
    if (number < smallest) {
        refuse(option, value, say("must be at least {}; {}", smallest, instead));
    }
    return number;
}

std::uint64_t seed_number(std::string_view option, std::string_view value) {
    std::uint64_t number = 0;
    if (!only_digits(value) || !read(value, number)) {
        refuse(option, value,
               say("not a whole number from 0 to {}; try {} 1", std::numeric_limits<std::uint64_t>::max(), option));
    }
    return number;
}

double positive_number(std::string_view option, std::string_view value, double example) {
    double number = 0.0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const Message instead = say("try {} {:.6g}", option, example);
    if (value.empty() || end != value.data() + value.size() ||
        (error != std::errc{} && error != std::errc::result_out_of_range)) {
        refuse(option, value, say("not a number; {}", instead));
    }
    if (error == std::errc::result_out_of_range || !std::isfinite(number)) {
        refuse(option, value, say("not a finite number that a double can hold; {}", instead));
    }
    if (number <= 0.0) {
        refuse(option, value, say("must be greater than zero; {}", instead));
    }
    return number;
}

std::size_t choice(std::string_view option, std::string_view value, const std::vector<std::string>& choices) {
    const auto found = std::find(choices.begin(), choices.end(), value);
    if (found == choices.end()) {
        refuse(option, value, say("must be one of {}", list(choices)));
    }
    return static_cast<std::size_t>(found - choices.begin());
}

std::vector<std::string> choice_list(std::string_view option, std::string_view value,
                                     const std::vector<std::string>& choices) {
    std::vector<std::string> items;
    for (const std::string& item : split(value, ',')) {
        if (std::find(choices.begin(), choices.end(), item) == choices.end()) {
            refuse(option, value,
                   say("'{}' is none of {}; try {} {}", report::printable(item), list(choices), option,
                       fmt::join(choices, ",")));
        }
        if (std::find(items.begin(), items.end(), item) != items.end()) {
            refuse(option, value, say("{} is there twice", item));
        }
        items.push_back(item);
    }
    return items;
}

std::vector<std::vector<std::int64_t>> shape_list(std::string_view option, std::string_view value) {
    std::vector<std::vector<std::int64_t>> shapes;
    for (const std::string& word : words(value)) {
        std::vector<std::int64_t> sizes;
        bool right = true;
        for (const std::string& digits : split(word, ',')) {
            sizes.push_back(0);
            right = right && only_digits(digits) && read(digits, sizes.back()) && sizes.back() >= 1 &&
                    sizes.back() <= std::numeric_limits<std::int32_t>::max();
        }
        if (!right || (sizes.size() != 4 && sizes.size() != 6)) {
            refuse(option, word,
                   say("no shape; a shape is B,H,S,D or B,H,KV,Sq,Sk,D, sizes from 1, blanks between shapes: "
                       "try {} \"4,32,4096,64 1,32,8,1,4096,128\"",
                       option));
        }
        shapes.push_back(std::move(sizes));
    }
    if (shapes.empty()) {
        refuse(option, value, say("names no shape; try {} 4,32,4096,64", option));
    }
    return shapes;
}

}  // namespace flashlens::cli
