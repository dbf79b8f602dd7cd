// How many queries, keys and columns a walk has: what fits a screen, and what several options say of one size.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/options.h"
#include "explorer/problem.h"
#include "message.h"

namespace flashlens::cli {

// What fits a screen that a lecture hall can read.
inline constexpr std::int64_t most_length = 16;
inline constexpr std::int64_t most_head_dim = 8;
inline constexpr std::int64_t most_block = 8;

/// The option's number if it is given, else what is there already. Throws UsageError for more than `most`.
void set_size(const Given& given, std::string_view option, std::int64_t most, std::int64_t example, std::int64_t& size);

/// Refuses numbers of which there are more than `most`; `what` is "queries", say.
void check_length(std::string_view option, std::string_view text, std::int64_t size, std::int64_t most,
                  const Message& what);

/// A size, and the option that said it first. Throws UsageError when another one says something else.
class Size {
public:
    void say_by(std::string_view option, std::int64_t size, const Message& what);
    std::int64_t or_else(std::int64_t usual) const { return known_ ? known_->size : usual; }

private:
    struct Said {
        std::string_view by;
        std::int64_t size = 0;
    };
    std::optional<Said> known_;
};

struct Sizes {
    Size queries, keys, columns;
};

/// Sets the problem's sizes: those of the numbers typed so far, else of the options, else the problem's own. Options that
/// name a size must agree with the numbers.
void set_sizes(const Given& given, Sizes typed, Problem& problem);

}  // namespace flashlens::cli
