#include "report/timeline_view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/chart.h"
#include "report/comparison_view.h"
#include "report/facts.h"
#include "report/numbers.h"
#include "report/picture.h"
#include "report/timeline_words.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

/// So many rows let two variants, their sentences and the model stand on a screen of 34 lines.
constexpr int most_rows = 6;
constexpr int fewest_rows = 4;
constexpr int most_columns = 160;
constexpr int fewest_columns = 10;

/// How many SMs stand in a row: so that the last row lacks as few as can be.
int sms_in_a_row(int sm_count) {
    if (sm_count <= most_rows) {
        return 1;
    }
    int best = (sm_count + most_rows - 1) / most_rows;
    const auto missing = [&](int per_row) { return (sm_count + per_row - 1) / per_row * per_row - sm_count; };
    for (int rows = most_rows - 1; rows >= fewest_rows; --rows) {
        const int per_row = (sm_count + rows - 1) / rows;
        best = missing(per_row) < missing(best) ? per_row : best;
    }
    return best;
}

struct Glyphs {
    std::string_view none;                   ///< no CTA, while the kernel runs
    std::array<std::string_view, 4> shades;  ///< ever more places taken
    std::string_view left, across, corner, tick;
};
constexpr Glyphs box_glyphs{"·", {"░", "▒", "▓", "█"}, "│", "─", "└", "┴"};
constexpr Glyphs ascii_glyphs{".", {"-", "+", "*", "#"}, "|", "-", "+", "+"};

std::string_view shade(double share, const Glyphs& glyphs) {
    if (share <= 0.0) {
        return glyphs.none;
    }
    return glyphs.shades[share < 0.375 ? 0 : share < 0.625 ? 1 : share < 0.9 ? 2 : 3];
}

std::string row_words(int first, int last, Language language) {
    return first == last ? fill(language, Text::timeline_row_one, first)
                         : fill(language, Text::timeline_row, first, last);
}

int label_width(const std::vector<ShownTimeline>& all, Language language) {
    int width = 0;
    for (const ShownTimeline& one : all) {
        const int last = one.timeline->sm_count - 1;
        width = std::max(width, display_width(row_words(last, last + 1, language)));
    }
    return width + 1;
}

std::string drawn(const ShownTimeline& one, int label, int columns, double until, Language language,
                  const Terminal& terminal) {
    const Glyphs& glyphs = terminal.utf8 ? box_glyphs : ascii_glyphs;
    const Timeline& timeline = *one.timeline;
    const int per_row = sms_in_a_row(timeline.sm_count);
    const UseGrid grid = use_grid(timeline, per_row, columns, until);
    const int end = static_cast<int>(std::ceil(one.facts.end_us / until * columns));
    Picture picture;
    for (int row = 0; row < grid.rows; ++row) {
        const int first = row * per_row;
        const int last = std::min(first + per_row, timeline.sm_count) - 1;
        picture.put(0, row, row_words(first, last, language), {.dim = true});
        picture.put(label, row, glyphs.left, {.dim = true});
        for (int column = 0; column < std::min(columns, end); ++column) {
            const double share = grid.at(row, column);
            picture.put(label + 1 + column, row, shade(share, glyphs),
                        share > 0.0 ? Ink{.hue = one.hue} : Ink{.dim = true});
        }
    }
    return picture.text(terminal);
}

std::string axis(int label, int columns, double until, const Terminal& terminal) {
    const Glyphs& glyphs = terminal.utf8 ? box_glyphs : ascii_glyphs;
    Picture picture;
    picture.put(label, 0, glyphs.corner, {.dim = true});
    picture.put(label + 1, 0, repeated(glyphs.across, columns), {.dim = true});
    int free_from = 0;
    for (const double time : Scale::linear(0.0, until).ticks(std::max(columns / 9, 2))) {
        const int at = label + std::min(static_cast<int>(std::lround(time / until * columns)), columns);
        const std::string words = time == 0.0 ? "0" : duration(time);
        const int width = display_width(words);
        const int from = std::max(at - width / 2, 0);
        if (from >= free_from && from + width <= terminal.columns) {
            picture.put(at, 0, time == 0.0 ? glyphs.corner : glyphs.tick, {.dim = true});
            picture.put(from, 1, words);
            free_from = from + width + 2;
        }
    }
    return picture.text(terminal);
}

std::string header(const Timelines& timelines, Language language, const Terminal& terminal) {
    const Comparison& comparison = timelines.comparison;
    const std::string card(text(language, Text::card)), times(text(language, Text::timeline_times));
    const int width = std::max(display_width(card), display_width(times)) + 2;
    std::string result = labelled("", 0, std::string(text(language, Text::title_timeline)), terminal, Style::bold);
    result += labelled("", width, shape_line(comparison.problem, language), terminal);
    result += labelled(card, width, card_line(comparison, language), terminal);
    result += labelled(times, width, times_words(timelines, language), terminal);
    for (const VariantFacts& variant : comparison.variants) {
        if (!runs(variant)) {
            result += labelled(variant.name, std::max(width, display_width(variant.name) + 2),
                               fill(language, Text::can_run_no, variant.refusal.in(language)), terminal);
        }
    }
    return result;
}

}  // namespace

std::string show_timelines(const Timelines& timelines, Language language, const Terminal& terminal) {
    const std::vector<ShownTimeline> all = shown(timelines);
    const double until = end_of_all(all);
    const int label = label_width(all, language);
    const int columns = std::clamp(terminal.columns - label - 1, fewest_columns, most_columns);
    const Glyphs& glyphs = terminal.utf8 ? box_glyphs : ascii_glyphs;
    std::string result = header(timelines, language, terminal);
    for (const ShownTimeline& one : all) {
        result += "\n" + labelled("", 0, heading_words(one, language), terminal, Style::bold);
        result += drawn(one, label, columns, until, language, terminal);
        if (&one == &all.back()) {  // one axis for all
            result += axis(label, columns, until, terminal);
        }
        result += labelled("", 0, use_words(one, language), terminal);
    }
    result += labelled("", 0,
                       fill(language, Text::timeline_shades, glyphs.none, glyphs.shades[0], glyphs.shades[1],
                            glyphs.shades[2], glyphs.shades[3]),
                       terminal);
    const std::string model = model_words(timelines, language);
    return result + (model.empty() ? "" : labelled("", 0, model, terminal));
}

}  // namespace flashlens::report
