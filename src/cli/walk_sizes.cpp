#include "cli/walk_sizes.h"

#include <initializer_list>
#include <limits>

#include "cli/strict.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

/// What the last of these options says, if one is given, must agree with what is known.
void agree_with_options(const Given& given, Size& known, std::initializer_list<std::string_view> names,
                        std::int64_t most, std::int64_t example, const Message& what) {
    std::string_view last;
    for (const std::string_view name : names) {
        last = given.has(name) ? name : last;
    }
    if (!last.empty()) {
        std::int64_t size = 0;
        set_size(given, last, most, example, size);
        known.say_by(last, size, what);
    }
}

}  // namespace

void set_size(const Given& given, std::string_view option, std::int64_t most, std::int64_t example,
              std::int64_t& size) {
    if (!given.has(option)) {
        return;
    }
    const std::string_view text = given.text(option);
    size = whole_number(option, text, 1, std::numeric_limits<std::int32_t>::max(), example);
    if (size > most) {
        refuse(option, text,
               say("a walk shows every number, and more than {} would not fit a screen; try {} {}", most, option,
                   example));
    }
}

void check_length(std::string_view option, std::string_view text, std::int64_t size, std::int64_t most,
                  const Message& what) {
    if (size > most) {
        refuse(option, text,
               say("{} {}; a walk shows every number, and more than {} would not fit a screen", size, what, most));
    }
}

void Size::say_by(std::string_view option, std::int64_t size, const Message& what) {
    if (known_ && known_->size != size) {
        throw UsageError(say("{0} with {1}: {0} has {2} and {1} {3}; they must be the same ({4})", known_->by, option,
                             known_->size, size, what));
    }
    if (!known_) {
        known_ = {option, size};
    }
}

void set_sizes(const Given& given, Sizes typed, Problem& problem) {
    agree_with_options(given, typed.queries, {"--seqlen", "--seqlen-q"}, most_length, 4, say("queries"));
    agree_with_options(given, typed.keys, {"--seqlen", "--seqlen-k"}, most_length, 6, say("keys"));
    agree_with_options(given, typed.columns, {"--head-dim"}, most_head_dim, 4, say("columns"));
    problem.seqlen_q = typed.queries.or_else(problem.seqlen_q);
    problem.seqlen_k = typed.keys.or_else(problem.seqlen_k);
    problem.head_dim = typed.columns.or_else(problem.head_dim);
}

}  // namespace flashlens::cli
