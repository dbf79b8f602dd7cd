#include "report/ladder_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "report/comparison_view.h"
#include "report/facts.h"
#include "report/ladder_waterfall.h"
#include "report/numbers.h"
#include "report/table.h"
#include "report/width.h"
#include "teaching/ladder_ideas.h"

namespace flashlens::report {
namespace {

constexpr int any_width = 1000;  ///< of a column: as wide as its text
constexpr int widest_steps = 110;
constexpr int narrow = 60;  ///< from here on names of rungs stand in each table, else in the first one alone

std::string arrow(const Terminal& terminal) {
    return terminal.utf8 ? " → " : " -> ";
}

std::string tile_of(const VariantFacts& variant) {
    return fmt::format("{}\u00a0x\u00a0{}", variant.launch.tile.block_m, variant.launch.tile.block_n);
}

class View {
public:
    View(const Comparison& comparison, const LadderQuantity& by, Language language, const Terminal& terminal)
        : comparison_(comparison),
          by_(by),
          language_(language),
          terminal_(terminal),
          steps_(step_facts(comparison, ladder_steps(comparison))) {}

    std::string whole() {
        std::string result = comparison_header(comparison_, Text::title_ladder, Detail::compared, language_, terminal_);
        result += "\n" + tables();
        result += comparison_notes(comparison_, language_, terminal_);
        result += draw(waterfall(comparison_, steps_, by_, language_), language_, terminal_);
        if (!steps_.empty()) {
            result += "\n" + labelled("", 0, say(Text::ladder_steps), terminal_, Style::bold);
            result += steps().render(terminal_);
        }
        return result;
    }

private:
    struct Column {
        std::string heading;
        std::vector<Cell> cells;  ///< one for each rung
        bool is_number = true;
    };
    using MakeCell = std::function<Cell(const VariantFacts&)>;

    template <typename... Values>
    std::string say(Text name, const Values&... values) const {
        return fill(language_, name, values...);
    }
    Cell nothing() const { return {say(Text::not_available), Style::dim}; }

    /// Of what all rungs that run have, else no column.
    void add(std::vector<Column>& columns, const std::string& heading, const MakeCell& cell, bool is_number) const {
        Column column{heading, {}, is_number};
        for (const VariantFacts& variant : comparison_.variants) {
            column.cells.push_back(runs(variant) ? cell(variant) : nothing());
        }
        columns.push_back(std::move(column));
    }

    void add(std::vector<Column>& columns, std::string_view name) const {
        const Quantity& quantity = find_ladder_quantity(name)->quantity;
        const auto has = [&](const VariantFacts& v) { return quantity.of(v, comparison_).has_value(); };
        if (std::any_of(comparison_.variants.begin(), comparison_.variants.end(), has)) {
            add(
                columns, say(quantity.heading),
                [&](const VariantFacts& v) {
                    const auto value = quantity.of(v, comparison_);
                    return value ? Cell{quantity.print(*value)} : nothing();
                },
                true);
        }
    }

    std::vector<Column> columns() const {
        std::vector<Column> all;
        add(
            all, say(Text::verdict),
            [&](const VariantFacts& v) {
                const Verdict verdict = v.error ? v.error->verdict : Verdict::not_run;
                return verdict == Verdict::pass   ? Cell{say(Text::verdict_ok), Style::good}
                       : verdict == Verdict::fail ? Cell{say(Text::verdict_fail), Style::bad}
                                                  : Cell{say(Text::verdict_not_run), Style::dim};
            },
            false);
        add(
            all, say(Text::grid),
            [](const VariantFacts& v) {
                const Grid& grid = v.launch.grid;
                return Cell{fmt::format("({},\u00a0{},\u00a0{})", grid.x, grid.y, grid.z)};
            },
            false);
        add(
            all, say(Text::tile), [](const VariantFacts& v) { return Cell{tile_of(v)}; }, true);
        for (const std::string_view name : {"ctas", "sm-fill", "ctas-per-sm", "occupancy", "global-traffic",
                                            "shared-traffic", "barriers", "fp32-per-kflop"}) {
            add(all, name);
        }
        add_times(all);
        return all;
    }

    /// The step that leads to a rung.
    const StepFacts* step_to(const VariantFacts& variant) const {
        const auto found = std::find_if(steps_.begin(), steps_.end(), [&](const StepFacts& s) {
            return &comparison_.variants[s.step.to] == &variant;
        });
        return found == steps_.end() ? nullptr : &*found;
    }

    void add_times(std::vector<Column>& all) const {
        if (comparison_.machine != Machine::gpu) {
            return;
        }
        add(all, "time");
        const Quantity& rate = *find_quantity("tflops");
        add(
            all, say(rate.heading),
            [&](const VariantFacts& v) {
                const auto value = rate.of(v, comparison_);
                return value ? Cell{rate.print(*value)} : nothing();
            },
            true);
        const auto gains = [&](Text heading, std::optional<double> StepFacts::*gain) {
            add(
                all, say(heading),
                [&](const VariantFacts& v) {
                    const StepFacts* const step = step_to(v);
                    return step != nullptr && step->*gain ? Cell{ratio(*(step->*gain)) + "x", style(*(step->*gain))}
                                                          : nothing();
                },
                true);
        };
        gains(Text::ladder_gain, &StepFacts::gain);
        gains(Text::ladder_so_far, &StepFacts::so_far);
        add(
            all, say(Text::ladder_explained),
            [&](const VariantFacts& v) {
                const StepFacts* const step = step_to(v);
                const Change* const change = step != nullptr && step->agrees() ? step->explains() : nullptr;
                return change != nullptr ? Cell{say(change->of->quantity.heading)} : nothing();
            },
            false);
    }

    static Style style(double gain) {
        return gain > 1.0 + same_time ? Style::good : gain < 1.0 / (1.0 + same_time) ? Style::bad : Style::plain;
    }

    Table table_of(const std::vector<Column>& columns, std::size_t first, std::size_t end) const {
        std::vector<Cell> heading{{say(Text::ladder_rung), Style::bold}};
        std::vector<int> widths;
        for (std::size_t c = first; c < end; ++c) {
            heading.push_back({columns[c].heading, Style::bold});
            int width = columns[c].is_number ? display_width(columns[c].heading) : 0;
            for (const Cell& cell : columns[c].cells) {
                width = std::max(width, columns[c].is_number ? display_width(cell.text) : 0);
            }
            widths.push_back(width);
        }
        Table table(std::move(heading));
        for (std::size_t i = 0; i < comparison_.variants.size(); ++i) {
            const VariantFacts& variant = comparison_.variants[i];
            const std::string name =
                first > 0 && terminal_.columns < narrow ? fmt::format("{}", i + 1) : rung_name(comparison_, i);
            if (!runs(variant) && first == 0) {
                table.span(name, {say(Text::can_run_no, printable(variant.refusal.in(language_))), Style::bad});
                continue;
            }
            std::vector<Cell> cells;
            for (std::size_t c = first; c < end; ++c) {
                Cell cell = columns[c].cells[i];
                const int before = widths[c - first] - display_width(cell.text);
                cell.text = repeated("\u00a0", std::max(before, 0)) + cell.text;
                cells.push_back(std::move(cell));
            }
            table.row(name, std::move(cells));
        }
        return table;
    }

    /// As many columns side by side as have room, and further tables for the others.
    std::string tables() const {
        const std::vector<Column> all = columns();
        std::string result;
        for (std::size_t first = 0; first < all.size();) {
            std::size_t end = first + 1;
            while (end < all.size() && table_of(all, first, end + 1).fits(terminal_, any_width)) {
                ++end;
            }
            result += table_of(all, first, end).render(terminal_);
            first = end;
        }
        return result;
    }

    std::string printed(const Change& change) const {
        const Quantity& quantity = change.of->quantity;
        return quantity.print(change.before) + arrow(terminal_) + quantity.print(change.after);
    }

    /// "/9.55, better".
    std::string judged(const Change& change) const {
        if (!change.moved()) {
            return say(Text::ladder_same);
        }
        const std::string by = factor(change, terminal_.utf8);
        const std::string word = change.better()  ? say(Text::ladder_better)
                                 : change.worse() ? say(Text::ladder_worse)
                                                  : "";
        return by.empty() ? word : word.empty() ? by : say(Text::ladder_judged, by, word);
    }

    static Style style(const Change& change) {
        return change.better() ? Style::good : change.worse() ? Style::bad : Style::plain;
    }

    std::string title_of(const StepFacts& facts) const {
        std::string title = rung_name(comparison_, facts.step.to);
        if (facts.step.to != facts.step.from + 1) {
            title = rung_name(comparison_, facts.step.from) + arrow(terminal_) + title;
        }
        std::string ideas;
        for (const Idea idea : facts.step.ideas) {
            const std::string one(teaching::words_of(idea).title.in(language_));
            ideas = ideas.empty() ? one : say(Text::comma, ideas, one);
        }
        return ideas.empty() ? title : say(Text::said_of, title, ideas);
    }

    void add_others(Table& table, const StepFacts& facts) const {
        std::string list;
        for (const Change& change : facts.others) {
            const std::string one =
                say(Text::ladder_other, say(change.of->quantity.heading), printed(change), judged(change));
            list = list.empty() ? one : say(Text::semicolon, list, one);
        }
        if (!list.empty()) {
            table.span(say(Text::ladder_others), {list});
        }
    }

    Table steps() const {
        Table table({{say(Text::ladder_step), Style::bold},
                     {say(Text::ladder_before_after), Style::bold},
                     {say(Text::ladder_change), Style::bold}});
        table.at_least(std::min(terminal_.columns, widest_steps));
        for (const StepFacts& facts : steps_) {
            table.group(title_of(facts));
            if (facts.step.ideas.size() == 1) {
                table.span(say(Text::ladder_idea),
                           {std::string(teaching::words_of(facts.step.ideas.front()).sentence.in(language_))});
            }
            for (const Change& change : facts.about) {
                table.row(say(change.of->quantity.heading), {{printed(change)}, {judged(change), style(change)}});
            }
            const std::string before = tile_of(comparison_.variants[facts.step.from]);
            const std::string after = tile_of(comparison_.variants[facts.step.to]);
            if (before != after) {
                table.row(say(Text::tile), {{fmt::format("{}{}{}", before, arrow(terminal_), after)}, {}});
            }
            add_others(table, facts);
            if (facts.gain) {
                const Quantity& time = ladder_time().quantity;
                const auto printed_time = [&](std::size_t i) {
                    return time.print(*time.of(comparison_.variants[i], comparison_));
                };
                table.row(say(time.heading), {{fmt::format("{}{}{}", printed_time(facts.step.from), arrow(terminal_),
                                                           printed_time(facts.step.to))},
                                              {ratio(*facts.gain) + "x", style(*facts.gain)}});
            }
            const std::string verdict = verdict_on(facts, terminal_, language_);
            if (!verdict.empty()) {
                table.span(say(Text::ladder_verdict), {verdict, Style::bold});
            }
        }
        return table;
    }

    const Comparison& comparison_;
    const LadderQuantity& by_;
    Language language_;
    const Terminal& terminal_;
    std::vector<StepFacts> steps_;
};

}  // namespace

std::string rung_name(const Comparison& comparison, std::size_t index) {
    return fmt::format("{} {}", index + 1, comparison.variants[index].name);
}

std::string factor(const Change& change, bool utf8) {
    if (!change.moved() || change.before <= 0.0 || change.after <= 0.0) {
        return "";
    }
    const bool fewer = change.after < change.before;
    const double times = fewer ? change.before / change.after : change.after / change.before;
    return (fewer ? (utf8 ? "÷" : "/") : (utf8 ? "×" : "x")) + ratio(times);
}

std::string verdict_on(const StepFacts& step, const Terminal& terminal, Language language) {
    const auto say = [&](Text name, const auto&... values) { return fill(language, name, values...); };
    // Where the figures that could get better or worse stay, others of the idea may have moved.
    std::string stay;
    for (const Change& change : step.about) {
        if (change.of->better != Better::neither) {
            const std::string heading = say(change.of->quantity.heading);
            stay = stay.empty() ? heading : say(Text::comma, stay, heading);
        }
    }
    const bool unmoved = step.moved == Moved::not_at_all || step.moved == Moved::elsewhere;
    const bool faster = step.pace == Pace::faster;
    if (step.moved == Moved::unknown || (unmoved && stay.empty())) {
        return "";
    }
    if (step.pace == Pace::unknown) {
        return unmoved                      ? say(Text::ladder_nothing, stay)
               : step.moved == Moved::worse ? say(Text::ladder_gets_worse)
               : step.moved == Moved::both  ? say(Text::ladder_gets_both)
                                            : "";
    }
    if (step.pace == Pace::same) {
        return unmoved ? say(Text::ladder_nothing_timed, stay)
                       : say(step.moved == Moved::better  ? Text::ladder_better_same
                             : step.moved == Moved::worse ? Text::ladder_worse_same
                                                          : Text::ladder_both_same);
    }
    if (unmoved) {
        return say(faster ? Text::ladder_unmoved_faster : Text::ladder_unmoved_slower, stay);
    }
    if (step.moved == Moved::both) {
        return say(faster ? Text::ladder_both_faster : Text::ladder_both_slower);
    }
    const Change* const change = step.agrees() ? step.explains() : step.goes_along();
    if (change != nullptr) {
        const Quantity& quantity = change->of->quantity;
        const Text text = step.agrees() ? Text::ladder_explained_by
                          : faster      ? Text::ladder_against_faster_but
                                        : Text::ladder_against_slower_but;
        return say(text, say(quantity.heading),
                   quantity.print(change->before) + arrow(terminal) + quantity.print(change->after));
    }
    return say(faster ? Text::ladder_against_faster : Text::ladder_against_slower);
}

const LadderQuantity& usual_waterfall(const Comparison& comparison) {
    const bool timed =
        std::any_of(comparison.variants.begin(), comparison.variants.end(),
                    [](const VariantFacts& variant) { return runs(variant) && variant.timed.has_value(); });
    return timed ? ladder_time() : *find_ladder_quantity("shared-traffic");
}

std::string show_ladder(const Comparison& comparison, const LadderQuantity& by, Language language,
                        const Terminal& terminal) {
    return View(comparison, by, language, terminal).whole();
}

}  // namespace flashlens::report
