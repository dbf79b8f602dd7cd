// The matrix S in a terminal: by CTA, and with the blocks of Q, K, V and O around it.
#include <algorithm>
#include <array>
#include <map>

#include "report/map_text.h"
#include "report/picture.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

using teaching::Fate;
using teaching::Ownership;
using teaching::Span;
using teaching::Visit;

constexpr int most_lines = 32;
constexpr int most_columns = 64;
constexpr int fewest_columns = 8;
constexpr int panel_gap = 1;

/// What a fate looks like: a shade where there are colours, else a letter.
std::string_view sign_of(Fate fate, const Terminal& terminal) {
    const bool shades = terminal.utf8 && terminal.colour;
    switch (fate) {
        case Fate::plain:
            return shades ? "█" : "#";
        case Fate::hidden:
            return shades ? "▓" : "M";
        case Fate::vain:
            return shades ? "▒" : "m";
        case Fate::skipped:
            break;
    }
    return shades ? "·" : ".";
}

/// How much of S a character stands for, the same in all panels.
struct Grain {
    std::int64_t rows = 16;
    std::int64_t keys = 8;
    int lines = 0;
    int columns = 0;
};

Grain grain_for(const Problem& problem, int most_across) {
    Grain grain;
    const auto pieces = [](std::int64_t whole, std::int64_t piece) { return (whole + piece - 1) / piece; };
    while (pieces(problem.seqlen_q, grain.rows) > most_lines) {
        grain.rows *= 2;
    }
    while (pieces(problem.seqlen_k, grain.keys) > most_across) {
        grain.keys *= 2;
    }
    grain.lines = static_cast<int>(pieces(problem.seqlen_q, grain.rows));
    grain.columns = static_cast<int>(pieces(problem.seqlen_k, grain.keys));
    return grain;
}

/// The steps of the CTA that is shown, where a line is one query unit or less.
using Steps = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

Steps steps_of(const Shown& shown) {
    constexpr std::int64_t have_room = 4096;
    Steps steps;
    for (const Visit& visit : shown.ownership.walk(shown.share, have_room)) {
        const auto step = static_cast<std::int64_t>(steps.size()) + 1;
        steps[{visit.unit, visit.key_block}] = step;
    }
    return steps;
}

class SPanel {
public:
    SPanel(const Shown& shown, const Problem& problem, const Grain& grain, const Terminal& terminal)
        : shown_(shown), owner_of_(shown.ownership), problem_(problem), grain_(grain), terminal_(terminal) {}

    /// Columns before S: the marker and the CTA's number.
    int gutter() const { return gutter_of(owner_of_); }
    static int gutter_of(const Ownership& ownership) {
        return std::max(display_width(std::to_string(ownership.shares() - 1)) + 1, 3) + 2;
    }
    int width() const { return gutter() + grain_.columns; }

    void draw(Picture& picture, int left, int top, std::string_view owner_title) const {
        picture.put(left + gutter() - 1 - display_width(owner_title), top, owner_title, {.dim = true});
        ruler(picture, left + gutter(), top);
        for (int line = 0; line < grain_.lines; ++line) {
            draw_line(picture, left, top + 1, line);
        }
        if (one_unit_a_line()) {
            numbers(picture, left + gutter(), top + 1);
        }
    }

    bool one_unit_a_line() const { return grain_.rows <= owner_of_.unit_rows(); }

private:
    Span rows(int line) const { return {line * grain_.rows, std::min((line + 1) * grain_.rows, problem_.seqlen_q)}; }
    Span keys(int column) const {
        return {column * grain_.keys, std::min((column + 1) * grain_.keys, problem_.seqlen_k)};
    }

    /// The numbers of the key blocks, over their first characters.
    void ruler(Picture& picture, int left, int top) const {
        int free = 0;
        for (std::int64_t block = 0; block < owner_of_.key_blocks(); ++block) {
            const auto column = static_cast<int>(block * owner_of_.block_keys() / grain_.keys);
            const std::string number = std::to_string(block);
            if (column >= free && column + display_width(number) <= grain_.columns) {
                picture.put(left + column, top, number, {.dim = true});
                free = column + display_width(number) + 1;
            }
        }
    }

    void draw_line(Picture& picture, int left, int top, int line) const {
        const Span span = rows(line);
        const std::int64_t first = span.begin / owner_of_.unit_rows();
        const std::int64_t last = (span.end - 1) / owner_of_.unit_rows();
        const bool mine = first == last && owner_of_.owner(first) == shown_.share;
        const Ink ink = mine ? Ink{.hue = shown_.hue, .bold = true} : Ink{.dim = true};
        const bool begins = span.begin % owner_of_.unit_rows() == 0 || line == 0;
        const std::string owner = std::to_string(owner_of_.owner(first)) + (first == last ? "" : "+");
        if (begins) {
            picture.put(left + gutter() - 1 - display_width(owner), top + line, owner, ink);
        }
        if (mine) {
            picture.put(left, top + line, ">", ink);
        }
        for (int column = 0; column < grain_.columns; ++column) {
            const Fate fate = fate_of(owner_of_, span, keys(column));
            picture.put(left + gutter() + column, top + line, sign_of(fate, terminal_),
                        fate == Fate::skipped ? Ink{.dim = true} : ink);
        }
    }

    /// Step numbers amid the pieces of the CTA that is shown, where they fit.
    void numbers(Picture& picture, int left, int top) const {
        for (const auto& [place, step] : steps_of(shown_)) {
            const auto& [unit, block] = place;
            const Span rows = owner_of_.rows(unit);
            const Span keys = owner_of_.keys(block);
            const auto first_line = static_cast<int>(rows.begin / grain_.rows);
            const auto last_line = static_cast<int>((rows.end - 1) / grain_.rows);
            const auto first_column = static_cast<int>(keys.begin / grain_.keys);
            const auto end_column = static_cast<int>((keys.end + grain_.keys - 1) / grain_.keys);
            const std::string number = " " + std::to_string(step) + " ";
            const int width = display_width(number);
            if (owner_of_.block_keys() % grain_.keys == 0 && width + 1 < end_column - first_column) {
                picture.put(left + (first_column + end_column - width) / 2, top + (first_line + last_line) / 2, number,
                            {.hue = shown_.hue, .bold = true});
            }
        }
    }

    const Shown& shown_;
    const Ownership& owner_of_;
    const Problem& problem_;
    const Grain& grain_;
    const Terminal& terminal_;
};

/// So many panels side by side that each still has a width to be read at.
int panels_across(std::size_t panels, int gutter, const Terminal& terminal) {
    constexpr int readable = 30;
    const int room = (terminal.columns - 5 + panel_gap) / (readable + gutter + panel_gap);
    return std::clamp(room, 1, static_cast<int>(panels));
}

std::string row_label(std::int64_t row) {
    return std::to_string(row);
}

}  // namespace

std::string ctas_as_text(const std::vector<Shown>& all, const Problem& problem, Language language,
                         const Terminal& terminal) {
    const auto word = [&](Text name) { return std::string(text(language, name)); };
    const int label = std::max(display_width(std::to_string(problem.seqlen_q)), display_width(word(Text::map_rows)));
    int gutter = 0;
    for (const Shown& one : all) {
        gutter = std::max(gutter, SPanel::gutter_of(one.ownership));
    }
    const int across = panels_across(all.size(), gutter, terminal);
    const int room = (terminal.columns - label - (across - 1) * panel_gap) / across - gutter;
    const Grain grain = grain_for(problem, std::clamp(room, fewest_columns, most_columns));
    std::string result;
    bool several = false;
    bool visible[4] = {};
    for (std::size_t first = 0; first < all.size(); first += static_cast<std::size_t>(across)) {
        Picture picture;
        int left = label;
        const std::size_t end = std::min(first + static_cast<std::size_t>(across), all.size());
        for (std::size_t i = first; i < end; ++i) {
            const SPanel panel(all[i], problem, grain, terminal);
            picture.put(left + panel.gutter(), 0, all[i].variant->name, {.hue = all[i].hue, .bold = true});
            panel.draw(picture, left, 1,
                       all[i].variant->name == "v2-tuned" ? word(Text::map_block) : word(Text::map_cta));
            several = several || !panel.one_unit_a_line();
            left += panel.width() + panel_gap;
        }
        picture.put(label - display_width(word(Text::map_rows)), 1, word(Text::map_rows), {.dim = true});
        for (int line = 0; line < grain.lines; line += 4) {
            const std::string row = row_label(line * grain.rows);
            picture.put(label - display_width(row), 2 + line, row, {.dim = true});
        }
        result += picture.text(terminal) + "\n";
    }
    for (const Shown& one : all) {
        const teaching::Fates fates = one.ownership.fates();
        visible[0] = visible[0] || fates.plain > 0;
        visible[1] = visible[1] || fates.hidden > 0;
        visible[2] = visible[2] || fates.vain > 0;
        visible[3] = visible[3] || fates.skipped > 0;
    }
    constexpr std::pair<Fate, Text> legend[] = {{Fate::plain, Text::map_plain},
                                                {Fate::hidden, Text::map_hidden},
                                                {Fate::vain, Text::map_vain},
                                                {Fate::skipped, Text::map_skipped}};
    for (std::size_t i = 0; i < 4; ++i) {
        if (visible[i]) {
            result += say(std::string(sign_of(legend[i].first, terminal)), word(legend[i].second), terminal);
        }
    }
    result += say(word(Text::map_marked), terminal);
    result += say(word(Text::map_number), terminal);
    result += say(fill(language, Text::map_scale, grain.rows, grain.keys), terminal);
    if (several) {
        result += say(word(Text::map_several), terminal);
        result += say(word(Text::map_majority), terminal);
    }
    for (const Shown& one : all) {
        result += "\n" + say(cut_words(one, language), terminal);
        result += say(" ", owns_words(one, language), terminal);
        result += say(" ", order_words(one, language), terminal);
        result += say(" ", fates_words(one, language), terminal);
    }
    return result;
}

std::string blocks_as_text(const std::vector<Shown>& all, const Problem& problem, Language language,
                           const Terminal& terminal) {
    std::string result;
    for (const Shown& one : all) {
        const Ownership& o = one.ownership;
        // Q to the left of S, O to the right, K and V above: a box of three lines for the CTA's query units among the others.
        const int cell = std::clamp((terminal.columns - 34) / static_cast<int>(std::max<std::int64_t>(
                                                                  std::min<std::int64_t>(o.key_blocks(), 8), 1)),
                                    4, 8);
        const auto most_blocks = static_cast<std::int64_t>(std::max((terminal.columns - 34) / cell, 2));
        // the first blocks, and the last
        std::vector<std::int64_t> blocks;
        for (std::int64_t n = 0; n < o.key_blocks(); ++n) {
            if (o.key_blocks() <= most_blocks || n + 2 < most_blocks || n + 1 == o.key_blocks()) {
                blocks.push_back(n);
            } else if (blocks.back() >= 0) {
                blocks.push_back(-1);  // "..."
            }
        }
        std::vector<std::int64_t> units;
        const std::int64_t count = o.unit_count(one.share);
        for (std::int64_t i = 0; i < count; ++i) {
            if (count <= 6 || i < 3 || i + 1 == count) {
                units.push_back(o.first_unit(one.share) + i * o.unit_step());
            } else if (units.back() >= 0) {
                units.push_back(-1);
            }
        }
        const Steps steps = steps_of(one);
        const Ink mine{.hue = one.hue, .bold = true};
        const Ink dim{.dim = true};
        Picture picture;
        constexpr int q_left = 2;
        constexpr int q_width = 10;
        const int s_left = q_left + q_width + 3;
        const int s_width = static_cast<int>(blocks.size()) * cell;
        const int o_left = s_left + s_width + 3;
        const auto box = [&](int left, int top, int width, const std::string& words, const Ink& ink) {
            std::string inside = words.substr(0, 0);
            const int space = std::max(width - 2 - display_width(words), 0);
            inside = std::string(static_cast<std::size_t>(space / 2), ' ') + words +
                     std::string(static_cast<std::size_t>(space - space / 2), ' ');
            picture.put(left, top, "[" + inside + "]", ink);
        };
        picture.put(s_left - 3, 0, "K", mine);
        picture.put(s_left - 3, 1, "V", mine);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            for (int line = 0; line < 2; ++line) {
                const bool met =
                    blocks[i] >= 0 && blocks[i] < o.visited_end(o.first_unit(one.share) + (count - 1) * o.unit_step());
                box(s_left + static_cast<int>(i) * cell, line, cell, blocks[i] < 0 ? "..." : std::to_string(blocks[i]),
                    met ? mine : dim);
            }
        }
        picture.put(q_left, 1, "Q", mine);
        picture.put(o_left, 1, "O", mine);
        int line = 2;
        std::int64_t before = -1;
        for (const std::int64_t unit : units) {
            const std::int64_t next = unit;
            if (next < 0) {
                before = -1;
                picture.put(q_left + 1, line++, "...", dim);
                continue;
            }
            const auto others = [&](std::int64_t from, std::int64_t to) {  // other CTAs' rows between
                if (to >= from) {
                    const std::string words =
                        from == to ? std::to_string(from) : std::to_string(from) + ".." + std::to_string(to);
                    box(q_left, line, q_width, words, dim);
                    box(o_left, line, q_width, words, dim);
                    ++line;
                }
            };
            if (before >= 0 || unit == units.front()) {
                others(before + 1, unit - 1);
            }
            box(q_left, line, q_width, std::to_string(unit), mine);
            box(o_left, line, q_width, std::to_string(unit), mine);
            for (std::size_t i = 0; i < blocks.size(); ++i) {
                const auto step = steps.find({unit, blocks[i]});
                const bool met = blocks[i] >= 0 && blocks[i] < o.visited_end(unit);
                box(s_left + static_cast<int>(i) * cell, line, cell,
                    blocks[i] < 0         ? "..."
                    : !met                ? "-"
                    : step != steps.end() ? std::to_string(step->second)
                                          : "x",
                    met ? mine : dim);
            }
            ++line;
            before = unit;
        }
        if (before + 1 < o.units() && before >= 0) {
            const std::string words = before + 1 == o.units() - 1
                                          ? std::to_string(before + 1)
                                          : std::to_string(before + 1) + ".." + std::to_string(o.units() - 1);
            box(q_left, line, q_width, words, dim);
            box(o_left, line, q_width, words, dim);
        }
        result += say(cut_words(one, language), terminal);
        result += say(owns_words(one, language), terminal);
        result += say(order_words(one, language), terminal);
        result += picture.text(terminal);
        for (const std::string& words : traffic_words(one, problem, language)) {
            result += say(" ", words, terminal);
        }
        result += "\n";
    }
    return result + say(std::string(text(language, Text::map_blocks_tile)), terminal);
}

}  // namespace flashlens::report
