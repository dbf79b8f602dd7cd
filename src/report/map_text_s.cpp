// The matrix S in a terminal, by CTA.
#include <algorithm>
#include <utility>

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

/// What the numbers beside S are: of v2-tuned's CTAs the launch order is another.
std::string_view owner_title(const Shown& shown, Language language) {
    return text(language, shown.variant->name == "v2-tuned" ? Text::map_block : Text::map_cta);
}

class SPanel {
public:
    SPanel(const Shown& shown, const Problem& problem, const Grain& grain, Language language, const Terminal& terminal)
        : shown_(shown),
          owner_of_(shown.ownership),
          problem_(problem),
          grain_(grain),
          language_(language),
          terminal_(terminal) {}

    /// Columns before S: the marker and the CTA's number, under their title.
    int gutter() const { return gutter_of(shown_, language_); }
    static int gutter_of(const Shown& shown, Language language) {
        const int number = display_width(std::to_string(shown.ownership.shares() - 1)) + 1;
        return std::max(number, display_width(owner_title(shown, language))) + 2;
    }
    int width() const { return gutter() + grain_.columns; }

    void draw(Picture& picture, int left, int top) const {
        const std::string_view title = owner_title(shown_, language_);
        picture.put(left + gutter() - 1 - display_width(title), top, title, {.dim = true});
        ruler(picture, left + gutter(), top);
        for (int line = 0; line < grain_.lines; ++line) {
            draw_line(picture, left, top + 1, line);
        }
        if (has_numbers()) {
            numbers(picture, left + gutter(), top + 1);
        }
    }

    /// Step numbers have room in every piece of the CTA that is shown, and a blank on each side.
    bool has_numbers() const {
        const std::int64_t steps = owner_of_.visits(shown_.share);
        const std::int64_t keys = owner_of_.keys(owner_of_.visited_end(owner_of_.units() - 1) - 1).size();
        const int width = display_width(std::to_string(steps)) + 2;
        return one_unit_a_line() && owner_of_.block_keys() % grain_.keys == 0 &&
               std::min(keys, owner_of_.block_keys()) / grain_.keys > width;
    }
    /// Is some line of the CTA that is shown, and of no other?
    bool marks() const {
        for (int line = 0; line < grain_.lines; ++line) {
            if (is_mine(line)) {
                return true;
            }
        }
        return false;
    }
    bool one_unit_a_line() const { return grain_.rows <= owner_of_.unit_rows(); }

private:
    Span rows(int line) const { return {line * grain_.rows, std::min((line + 1) * grain_.rows, problem_.seqlen_q)}; }
    Span keys(int column) const {
        return {column * grain_.keys, std::min((column + 1) * grain_.keys, problem_.seqlen_k)};
    }

    /// The numbers of the key blocks, over their first characters.
    void ruler(Picture& picture, int left, int top) const {
        const int widest = display_width(std::to_string(owner_of_.key_blocks() - 1)) + 1;
        const double block_width = static_cast<double>(owner_of_.block_keys()) / static_cast<double>(grain_.keys);
        const std::int64_t every = every_that_fits(widest, block_width);
        for (std::int64_t block = 0; block < owner_of_.key_blocks(); block += every) {
            const auto column = static_cast<int>(block * owner_of_.block_keys() / grain_.keys);
            const std::string number = std::to_string(block);
            if (column + display_width(number) <= grain_.columns) {
                picture.put(left + column, top, number, {.dim = true});
            }
        }
    }

    bool is_mine(int line) const {
        const Span span = rows(line);
        const std::int64_t unit = span.begin / owner_of_.unit_rows();
        return unit == (span.end - 1) / owner_of_.unit_rows() && owner_of_.owner(unit) == shown_.share;
    }

    void draw_line(Picture& picture, int left, int top, int line) const {
        const Span span = rows(line);
        const std::int64_t first = span.begin / owner_of_.unit_rows();
        const std::int64_t last = (span.end - 1) / owner_of_.unit_rows();
        const bool mine = is_mine(line);
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
        std::int64_t step = 0;
        for (const Visit& visit : owner_of_.walk(shown_.share, owner_of_.visits(shown_.share))) {
            const Span rows = owner_of_.rows(visit.unit);
            const Span keys = owner_of_.keys(visit.key_block);
            const auto first_line = static_cast<int>(rows.begin / grain_.rows);
            const auto last_line = static_cast<int>((rows.end - 1) / grain_.rows);
            const auto first_column = static_cast<int>(keys.begin / grain_.keys);
            const auto end_column = static_cast<int>((keys.end + grain_.keys - 1) / grain_.keys);
            const std::string number = " " + std::to_string(++step) + " ";
            picture.put(left + (first_column + end_column - display_width(number)) / 2,
                        top + (first_line + last_line) / 2, number, {.hue = shown_.hue, .bold = true});
        }
    }

    const Shown& shown_;
    const Ownership& owner_of_;
    const Problem& problem_;
    const Grain& grain_;
    Language language_;
    const Terminal& terminal_;
};

/// So many panels side by side that each still has a width to be read at.
int panels_across(std::size_t panels, int gutter, const Terminal& terminal) {
    constexpr int readable = 30;
    const int room = (terminal.columns - 5 + panel_gap) / (readable + gutter + panel_gap);
    return std::clamp(room, 1, static_cast<int>(panels));
}

}  // namespace

std::string ctas_as_text(const std::vector<Shown>& all, const Problem& problem, Language language,
                         const Terminal& terminal) {
    const auto word = [&](Text name) { return std::string(text(language, name)); };
    const int label = std::max(display_width(std::to_string(problem.seqlen_q)), display_width(word(Text::map_rows)));
    int gutter = 0;
    for (const Shown& one : all) {
        gutter = std::max(gutter, SPanel::gutter_of(one, language));
    }
    const int across = panels_across(all.size(), gutter, terminal);
    const auto grain_after = [&](int before) {
        const int room = (terminal.columns - before - (across - 1) * panel_gap) / across - gutter;
        return grain_for(problem, std::clamp(room, fewest_columns, most_columns));
    };
    // a blank after the row's number, unless S would be coarser for it
    const Grain grain = grain_after(label);
    const int before = grain_after(label + 1).keys == grain.keys ? label + 1 : label;
    std::string result;
    bool several = false;
    bool numbers = false;
    bool marks = false;
    bool visible[4] = {};
    for (std::size_t first = 0; first < all.size(); first += static_cast<std::size_t>(across)) {
        Picture picture;
        int left = before;
        const std::size_t end = std::min(first + static_cast<std::size_t>(across), all.size());
        for (std::size_t i = first; i < end; ++i) {
            const SPanel panel(all[i], problem, grain, language, terminal);
            picture.put(left + panel.gutter(), 0, all[i].variant->name, {.hue = all[i].hue, .bold = true});
            panel.draw(picture, left, 1);
            several = several || !panel.one_unit_a_line();
            numbers = numbers || panel.has_numbers();
            marks = marks || panel.marks();
            left += panel.width() + panel_gap;
        }
        picture.put(label - display_width(word(Text::map_rows)), 1, word(Text::map_rows), {.dim = true});
        for (int line = 0; line < grain.lines; line += 4) {
            const std::string row = std::to_string(line * grain.rows);
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
            result += paragraph(std::string(sign_of(legend[i].first, terminal)), word(legend[i].second), terminal);
        }
    }
    if (marks) {
        result += paragraph(word(Text::map_marked), terminal);
    }
    if (numbers) {
        result += paragraph(word(Text::map_number), terminal);
    }
    result += paragraph(fill(language, Text::map_scale, grain.rows, grain.keys), terminal);
    if (several) {
        result += paragraph(word(Text::map_several), terminal);
        result += paragraph(word(Text::map_majority), terminal);
    }
    for (const Shown& one : all) {
        result += "\n" + heading(cut_words(one, language), terminal);
        result += paragraph(" ", owns_words(one, language), terminal);
        result += paragraph(" ", order_words(one, language), terminal);
        result += paragraph(" ", fates_words(one, language), terminal);
    }
    return result;
}

}  // namespace flashlens::report
