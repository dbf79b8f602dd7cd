// In a terminal: one CTA and the blocks that it works through. S in the middle, with the number of each step; Q to its left,
// O to its right, K and V above.
#include <algorithm>
#include <string>
#include <vector>

#include "report/map_text.h"
#include "report/picture.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

using teaching::Ownership;

constexpr std::int64_t gap = -1;  ///< in a list of what is drawn: here some are left out

/// 0 .. count - 1, or the first ones, a gap, and the last.
std::vector<std::int64_t> shortened(std::int64_t count, std::int64_t most) {
    std::vector<std::int64_t> result;
    for (std::int64_t i = 0; i < (count <= most ? count : most - 2); ++i) {
        result.push_back(i);
    }
    if (count > most) {
        result.insert(result.end(), {gap, count - 1});
    }
    return result;
}

/// "7", or "0..6".
std::string from_to(std::int64_t first, std::int64_t last) {
    return first == last ? std::to_string(first) : std::to_string(first) + ".." + std::to_string(last);
}

class BlocksPicture {
public:
    BlocksPicture(const Shown& shown, const Terminal& terminal)
        : share_(shown.share), o_(shown.ownership), terminal_(terminal), mine_{.hue = shown.hue, .bold = true} {
        const int digits = display_width(std::to_string(std::max(o_.visits(share_), o_.key_blocks())));
        unit_width_ = std::max(2 * display_width(std::to_string(o_.units() - 1)) + 4, 8);
        s_left_ = q_left + unit_width_ + 3;
        const int room = std::max(terminal.columns - s_left_ - o_gap - unit_width_, 2 * (digits + 2));
        const auto blocks = static_cast<int>(std::min<std::int64_t>(o_.key_blocks(), 8));
        cell_ = std::clamp(room / std::max(blocks, 1), std::max(digits, 3) + 2, std::max(digits + 2, 8));
        blocks_ = shortened(o_.key_blocks(), std::max(room / cell_, 2));
        o_left_ = s_left_ + static_cast<int>(blocks_.size()) * cell_ + o_gap;
    }

    std::string text() {
        kv();
        picture_.put(q_left + 1, line_, "Q", mine_);
        picture_.put(o_left_ + 1, line_, "O", mine_);
        ++line_;
        std::int64_t next = 0;  // the first unit that is not drawn yet
        for (const std::int64_t i : shortened(o_.unit_count(share_), 5)) {
            if (i == gap) {
                picture_.put(q_left + 1, line_++, "...", dim_);
                next = gap;
                continue;
            }
            const std::int64_t unit = o_.first_unit(share_) + i * o_.unit_step();
            if (next != gap && next < unit) {
                units(from_to(next, unit - 1), dim_);
                ++line_;
            }
            units(std::to_string(unit), mine_);
            steps(unit);
            ++line_;
            next = unit + 1;
        }
        if (next < o_.units()) {
            units(from_to(next, o_.units() - 1), dim_);
        }
        return picture_.text(terminal_);
    }

    /// Is a pair drawn that the CTA skips? Known once there is a text.
    bool skips() const { return skips_; }

private:
    static constexpr int q_left = 1;
    static constexpr int o_gap = 1;

    void box(int left, int width, const std::string& words, const Ink& ink) {
        const int blanks = std::max(width - 2 - display_width(words), 0);
        const std::string before(static_cast<std::size_t>(blanks / 2), ' ');
        const std::string after(static_cast<std::size_t>(blanks - blanks / 2), ' ');
        picture_.put(left, line_, "[" + before + words + after + "]", ink);
    }

    void kv() {
        const std::int64_t last = o_.first_unit(share_) + (o_.unit_count(share_) - 1) * o_.unit_step();
        for (const char* name : {"K", "V"}) {
            line_ += *name == 'V' ? 1 : 0;
            picture_.put(s_left_ - 3, line_, name, mine_);
            int left = s_left_;
            for (const std::int64_t n : blocks_) {
                box(left, cell_, n == gap ? "..." : std::to_string(n), n < o_.visited_end(last) ? mine_ : dim_);
                left += cell_;
            }
        }
    }

    void units(const std::string& words, const Ink& ink) {
        box(q_left, unit_width_, words, ink);
        box(o_left_, unit_width_, words, ink);
    }

    void steps(std::int64_t unit) {
        int left = s_left_;
        for (const std::int64_t n : blocks_) {
            const bool met = n < o_.visited_end(unit);
            skips_ = skips_ || (n != gap && !met);
            box(left, cell_, n == gap ? "..." : met ? std::to_string(o_.step({unit, n})) : "-", met ? mine_ : dim_);
            left += cell_;
        }
    }

    std::int64_t share_;
    const Ownership& o_;
    const Terminal& terminal_;
    Ink mine_;
    Ink dim_{.dim = true};
    int unit_width_ = 0;  ///< of a box of Q or O
    int s_left_ = 0;
    int cell_ = 0;  ///< width of a box of S, K or V
    int o_left_ = 0;
    std::vector<std::int64_t> blocks_;
    Picture picture_;
    int line_ = 0;
    bool skips_ = false;
};

}  // namespace

std::string blocks_as_text(const std::vector<Shown>& all, const Problem& problem, Language language,
                           const Terminal& terminal) {
    std::string result;
    bool skips = false;
    for (const Shown& one : all) {
        result += heading(cut_words(one, language), terminal);
        result += paragraph(owns_words(one, language), terminal);
        result += paragraph(order_words(one, language), terminal);
        BlocksPicture picture(one, terminal);
        result += picture.text();
        skips = skips || picture.skips();
        for (const std::string& words : traffic_words(one, problem, language)) {
            result += paragraph(" ", words, terminal);
        }
        result += "\n";
    }
    result += paragraph(std::string(text(language, Text::map_number)), terminal);
    if (skips) {
        result += paragraph("-", std::string(text(language, Text::map_skipped)), terminal);
    }
    return result + paragraph(std::string(text(language, Text::map_blocks_tile)), terminal);
}

}  // namespace flashlens::report
