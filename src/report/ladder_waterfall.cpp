#include "report/ladder_waterfall.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "report/comparison_view.h"
#include "report/ladder_view.h"
#include "report/numbers.h"
#include "report/picture.h"
#include "report/width.h"
#include "teaching/ladder_ideas.h"

namespace flashlens::report {
namespace {

constexpr int widest_bars = 80;
constexpr int narrowest_bars = 16;  ///< narrower ones get lines of their own

using Kind = WaterfallBar::Kind;

std::string step_label(const Change& change, Language language) {
    if (change.before == change.after) {
        return fill(language, Text::ladder_same);
    }
    const bool timed = change.of == &ladder_time();
    const double difference = change.after - change.before;
    std::string label = (difference < 0.0 ? "-" : "+") + change.of->quantity.print(std::abs(difference));
    const std::string times = timed ? ratio(change.before / change.after) + "x" : factor(change, true);
    return times.empty() ? label : label + "  " + times;
}

/// How a kind is drawn, with colours and without.
struct Look {
    std::string_view utf8;
    std::string_view ascii;
    Ink ink;
};

Look look_of(Kind kind) {
    Ink ink;
    switch (kind) {
        case Kind::total:
            return {"█", "#", ink};
        case Kind::better:
            ink.hue = 0;
            return {"▒", "-", ink};
        case Kind::worse:
            ink.hue = 1;
            ink.bold = true;
            return {"▓", "+", ink};
        case Kind::same:
            break;
    }
    return {"│", "|", ink};
}

std::string label_of(const WaterfallBar& bar, const Terminal& terminal) {
    std::string label = bar.label;
    for (const auto& [sign, letter] : {std::pair{"÷", "/"}, std::pair{"×", "x"}}) {
        const std::size_t at = label.find(sign);
        if (!terminal.utf8 && at != std::string::npos) {
            label.replace(at, 2, letter);
        }
    }
    return label;
}

/// What the characters of the bars mean, of those that are there.
std::string legend(const Waterfall& waterfall, Language language, const Terminal& terminal) {
    constexpr std::array words{std::pair{Kind::total, Text::ladder_total}, std::pair{Kind::better, Text::ladder_better},
                               std::pair{Kind::worse, Text::ladder_worse}, std::pair{Kind::same, Text::ladder_same}};
    Picture picture;
    int column = 0;
    for (const auto& [kind, word] : words) {
        const bool there = std::any_of(waterfall.bars.begin(), waterfall.bars.end(),
                                       [kind = kind](const WaterfallBar& bar) { return bar.kind == kind; });
        if (there) {
            const Look look = look_of(kind);
            const std::string words_of_kind = fill(language, word);
            picture.put(column, 0, terminal.utf8 ? look.utf8 : look.ascii, look.ink);
            picture.put(column + 2, 0, words_of_kind);
            column += 2 + display_width(words_of_kind) + 3;
        }
    }
    return picture.text(terminal);
}

}  // namespace

Waterfall waterfall(const Comparison& comparison, const std::vector<StepFacts>& steps, const LadderQuantity& by,
                    Language language) {
    Waterfall result;
    const Quantity& quantity = by.quantity;
    const auto value = [&](std::size_t i) { return quantity.of(comparison.variants[i], comparison); };
    const auto known = [&](const StepFacts& s) { return value(s.step.from) && value(s.step.to); };
    if (steps.empty() || !std::all_of(steps.begin(), steps.end(), known)) {
        return result;
    }
    const auto total = [&](std::size_t i) {
        result.bars.push_back(
            {Kind::total, comparison.variants[i].name, "", 0.0, *value(i), quantity.print(*value(i))});
    };
    total(steps.front().step.from);
    for (const StepFacts& facts : steps) {
        const Change change{&by, *value(facts.step.from), *value(facts.step.to)};
        const bool is_time = &by == &ladder_time();
        // Of times two that are nearly the same are the same.
        const bool moved = is_time ? facts.pace == Pace::faster || facts.pace == Pace::slower : change.moved();
        const Kind kind = !moved ? Kind::same : change.better() ? Kind::better : Kind::worse;
        std::string what;
        for (const Idea idea : facts.step.ideas) {
            const std::string one(teaching::words_of(idea).title.in(language));
            what = what.empty() ? one : fill(language, Text::comma, what, one);
        }
        result.bars.push_back({kind, rung_name(comparison, facts.step.to), std::move(what), change.before, change.after,
                               step_label(change, language)});
        if (&facts == &steps.back() || comparison.variants[facts.step.to].name == "v2") {
            total(facts.step.to);
        }
    }
    for (const WaterfallBar& bar : result.bars) {
        result.highest = std::max({result.highest, bar.from, bar.to});
    }
    const std::string figure = fill(language, quantity.axis);
    result.title =
        fill(language, by.better == Better::higher ? Text::ladder_waterfall_more : Text::ladder_waterfall_less, figure);
    result.caption = {shape_line(comparison.problem, language), card_line(comparison, language),
                      fill(language, quantity.origin == Origin::timed     ? Text::ladder_by_card
                                     : quantity.origin == Origin::planned ? Text::ladder_by_plan
                                                                          : Text::ladder_by_counts)};
    return result;
}

std::string draw(const Waterfall& waterfall, Language language, const Terminal& terminal) {
    if (waterfall.bars.empty()) {
        return "";
    }
    int names = 0;
    int labels = 0;
    for (const WaterfallBar& bar : waterfall.bars) {
        names = std::max(names, display_width(bar.name));
        labels = std::max(labels, display_width(bar.label));
    }
    const int beside = terminal.columns - names - labels - 4;
    const bool below = beside < narrowest_bars;
    const int left = below ? 2 : names + 2;
    const int room = std::min(below ? std::max(terminal.columns - left - labels - 2, 4) : beside, widest_bars);
    const double unit = waterfall.highest > 0.0 ? room / waterfall.highest : 0.0;
    Picture picture;
    int line = 0;
    for (const WaterfallBar& bar : waterfall.bars) {
        const bool is_total = bar.kind == Kind::total;
        Ink bold;
        bold.bold = is_total;
        picture.put(0, line, bar.name, bold);
        line += below ? 1 : 0;
        const auto place = [&](double value) { return static_cast<int>(std::lround(value * unit)); };
        const int begin = place(std::min(bar.from, bar.to));
        const int width = std::max(place(std::max(bar.from, bar.to)) - begin, 0);
        const Look look = look_of(width == 0 && !is_total ? Kind::same : bar.kind);
        const std::string_view block = terminal.utf8 ? look.utf8 : look.ascii;
        const int drawn = is_total ? width : bar.kind == Kind::same ? 1 : std::max(width, 1);
        const int start = std::min(begin, room - 1);
        picture.put(left + start, line, repeated(block, drawn), look.ink);
        picture.put(left + room + 2, line, label_of(bar, terminal), look.ink);
        ++line;
    }
    return "\n" + labelled("", 0, waterfall.title, terminal, Style::bold) + picture.text(terminal) +
           legend(waterfall, language, terminal) + labelled("", 0, waterfall.caption.back(), terminal, Style::dim);
}

}  // namespace flashlens::report
