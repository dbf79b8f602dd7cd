#include "cli/ranges.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <system_error>

#include "cli/strict.h"
#include "report/width.h"
#include "say.h"
#include "split.h"
#include "whole.h"

namespace flashlens::cli {
namespace {

/// One option's list being read.
class Reader {
public:
    Reader(std::string_view option, std::string_view text, const Bounds& bounds, std::uint64_t most)
        : option_(option), text_(text), bounds_(bounds), most_(most) {}

    std::vector<std::uint64_t> all() {
        for (const std::string& item : comma_list(text_)) {
            add_item(item);
        }
        if (total_ > most_) {
            refuse(option_, text_,
                   say("would be {} values, and a sweep has at most {} points; a larger step, or a factor as "
                       "in 1:4096:x2, makes fewer",
                       count_text(), whole(static_cast<std::int64_t>(most_))));
        }
        return std::move(numbers_);
    }

private:
    [[noreturn]] void refuse_item(std::string_view item, const Message& what_is_wrong) const {
        refuse(option_, text_, item == text_ ? what_is_wrong : say("'{}': {}", report::printable(item), what_is_wrong));
    }

    Message instead() const {
        const std::uint64_t e = bounds_.example;
        return say("try {0} {1}, a list like {1},{2}, or a range like {1}:{3}:x2 or {1}:{3}:+{1}", option_, e, 2 * e,
                   4 * e);
    }

    std::uint64_t number(std::string_view item, std::string_view digits) const {
        if (!only_digits(digits)) {
            refuse_item(item, digits == item
                                  ? say("not a whole number; {}", instead())
                                  : say("'{}' is not a whole number; {}", report::printable(digits), instead()));
        }
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{} || value > bounds_.largest) {
            refuse_item(item, say("must be at most {}; {}", bounds_.largest, instead()));
        }
        if (value < bounds_.smallest) {
            refuse_item(item, say("must be at least {}; {}", bounds_.smallest, instead()));
        }
        return value;
    }

    void add_item(const std::string& item) {
        const std::vector<std::string> parts = split(item, ':');
        if (parts.size() == 1) {
            add(number(item, item));
            return;
        }
        if (parts.size() > 3) {
            refuse_item(item, say("a range is first:last, first:last:+step or first:last:xfactor; {}", instead()));
        }
        const std::uint64_t first = number(item, parts[0]);
        const std::uint64_t last = number(item, parts[1]);
        if (first > last) {
            refuse_item(item, say("a range goes upwards; try {} {}:{}{}", option_, last, first,
                                  parts.size() == 3 ? ":" + parts[2] : ""));
        }
        if (parts.size() == 3 && !parts[2].empty() && parts[2].front() == 'x') {
            multiply(item, first, last, parts[2].substr(1));
        } else {
            step(item, first, last, parts.size() == 3 ? parts[2] : "1");
        }
    }

    void step(const std::string& item, std::uint64_t first, std::uint64_t last, std::string_view by) {
        const std::string_view digits = !by.empty() && by.front() == '+' ? by.substr(1) : by;
        std::uint64_t step = 0;
        const bool read = only_digits(digits) &&
                          std::from_chars(digits.data(), digits.data() + digits.size(), step).ec == std::errc{};
        if (!read || step == 0) {
            refuse_item(item, say("'{}' is no step: a whole number from 1 on, or x and a factor; {}",
                                  report::printable(by), instead()));
        }
        const std::uint64_t more = (last - first) / step;
        count(more);
        count(1);
        for (std::uint64_t i = 0; i <= more && total_ <= most_; ++i) {
            keep(first + i * step);
        }
    }

    void multiply(const std::string& item, std::uint64_t first, std::uint64_t last, std::string_view by) {
        double factor = 0.0;
        const auto [end, error] = std::from_chars(by.data(), by.data() + by.size(), factor);
        if (by.empty() || end != by.data() + by.size() || error != std::errc{} || !std::isfinite(factor) ||
            factor <= 1.0) {
            refuse_item(item, say("'x{}' is no factor: x and a number above 1, as in x2 or x1.5; {}",
                                  report::printable(by), instead()));
        }
        if (first == 0) {
            refuse_item(item, say("0 times a factor stays 0; try {} 0,1:{}:x{}", option_,
                                  std::max<std::uint64_t>(last, 1), by));
        }
        const double from = static_cast<double>(first);
        const double to = static_cast<double>(last) + 0.5;
        count(static_cast<std::uint64_t>(std::log(to / from) / std::log(factor)) + 1);
        constexpr double two_to_64 = 18446744073709551616.0;
        for (double value = from; value < std::min(to, two_to_64) && total_ <= most_; value *= factor) {
            keep(std::min(static_cast<std::uint64_t>(std::round(value)), last));
        }
    }

    void add(std::uint64_t value) {
        count(1);
        keep(value);
    }
    void count(std::uint64_t more) {
        overflow_ = overflow_ || __builtin_add_overflow(total_, more, &total_);
        total_ = overflow_ ? ~std::uint64_t{0} : total_;
    }
    void keep(std::uint64_t value) {
        if (known_.insert(value).second) {
            numbers_.push_back(value);
        }
    }
    Message count_text() const {
        constexpr auto most_shown = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return overflow_ || total_ > most_shown ? say("over 2^63") : as_it_is(whole(static_cast<std::int64_t>(total_)));
    }

    std::string_view option_;
    std::string_view text_;
    const Bounds& bounds_;
    std::uint64_t most_;
    std::uint64_t total_ = 0;  ///< asked for, those that are there twice too
    bool overflow_ = false;
    std::set<std::uint64_t> known_;
    std::vector<std::uint64_t> numbers_;
};

}  // namespace

std::vector<std::uint64_t> number_list(std::string_view option, std::string_view text, const Bounds& bounds,
                                       std::uint64_t most) {
    return Reader(option, text, bounds, most).all();
}

std::vector<std::string> comma_list(std::string_view text) {
    std::vector<std::string> items = split(text, ',');
    for (std::string& item : items) {
        item.erase(0, item.find_first_not_of(' '));
        item.erase(item.find_last_not_of(' ') + 1);
    }
    return items;
}

}  // namespace flashlens::cli
