// The compressed loops of v1 and v2 from the article that this project brings to life, and which lines of the kernels they
// stand for. The snippets are the article's own ("FlashAttention-2 相比 FlashAttention-1，到底改了什么": how the kernel's
// main loop is organised), re-typed line by line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "teaching/alignment.h"

namespace flashlens::teaching {

/// A line of the article's, with the kernel's names for what it stands for.
struct ArticleLine {
    std::string_view text;
    std::vector<std::string_view> ours;  ///< in the order in which the kernel has them
    bool nothing_to_do = false;          ///< a step of the sources that the kernel does without
};

/// The variants that the article has a loop of: "v1" and "v2".
bool article_has(std::string_view variant);
std::span<const ArticleLine> article_loop(std::string_view variant);

/// The article's loop beside the kernel's own lines.
struct ArticleBeside {
    std::string_view variant;
    std::vector<Excerpt> ours;  ///< before the loop, the loop, and after it where the article goes on

    /// What stands on one row: a line of the article's, one of ours, or both, where ours is the first that it stands for.
    struct Row {
        std::optional<std::size_t> article;
        std::optional<Place> ours;
    };
    std::vector<Row> rows;

    /// For each line of the article's the numbers of those of ours that it stands for.
    std::vector<std::vector<int>> stands_for;

    /// Lines of ours with code that the article leaves out, by what they do; without a step: the rest.
    struct LeftOut {
        std::optional<Step> step;
        std::vector<int> lines;
    };
    std::vector<LeftOut> left_out;
};

ArticleBeside article_beside(std::string_view variant);

}  // namespace flashlens::teaching
