// A page of Markdown as data: what the lessons and the lecture's script are written in. Parsed by md4c.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flashlens::teaching {

/// Text in one style. A line's end in the source is a newline here: whether a blank stands for it depends on the script.
struct Span {
    std::string text{};
    bool strong = false;
    bool emphasis = false;
    bool code = false;
    bool image = false;    ///< the text is what stands for the picture
    std::string target{};  ///< of a link, and of an image
};

using Spans = std::vector<Span>;

enum class Align { none, left, centre, right };

struct Block {
    enum class Kind { heading, paragraph, list, item, quote, code, table, rule, details };
    Kind kind = Kind::paragraph;
    int level = 0;                           ///< heading
    Spans spans{};                           ///< heading, paragraph; details: the summary
    std::string language{};                  ///< code: what follows the fence
    std::string text{};                      ///< code
    bool ordered = false;                    ///< list
    unsigned first = 1;                      ///< list, ordered
    bool tight = false;                      ///< list: no blank lines between its items
    std::vector<Align> columns{};            ///< table
    std::vector<std::vector<Spans>> rows{};  ///< table: the heading first
    std::vector<Block> children{};           ///< list: its items; item, quote and details: what is in them
};

/// Comments are dropped, and so are HTML's tags but <details> and <summary>. A `details` that is not closed goes to the
/// end.
std::vector<Block> parse_document(std::string_view markdown);

/// Spans without their styles; a line's end is a blank.
std::string plain_text(const Spans& spans);

}  // namespace flashlens::teaching
