#include "report/sweep_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "report/chart_text.h"
#include "report/comparison_view.h"
#include "report/facts.h"
#include "report/numbers.h"
#include "report/sweep_chart.h"
#include "report/sweep_words.h"
#include "report/table.h"
#include "report/width.h"
#include "split.h"

namespace flashlens::report {
namespace {

constexpr std::size_t most_notes = 12;

/// Which quantities get columns first where the terminal has not room for all.
constexpr std::array by_importance = std::to_array<std::string_view>(
    {"speedup",  "time",     "tflops",         "sm-fill",      "global-read",    "ctas",      "waves",
     "barriers", "splits",   "shared-traffic", "global-write", "fp32-per-kflop", "mma-flops", "exponentials",
     "shuffles", "fp32-ops", "occupancy",      "ctas-per-sm",  "shared-memory",  "registers", "bank-conflicts"});

/// One quantity of one variant, with a text for each point.
struct Column {
    const Quantity* quantity = nullptr;
    std::string variant;
    std::vector<std::string> texts;
    bool constant = true;  ///< has a figure at every point, the same one

    int width() const {
        int widest = 0;
        for (const std::string& text : texts) {
            widest = std::max(widest, display_width(text));
        }
        return widest;
    }
};

std::string right_aligned(const std::string& text, int width) {
    return std::string(static_cast<std::size_t>(std::max(width - display_width(text), 0)), ' ') + text;
}

class View {
public:
    View(const Sweep& sweep, const Quantity* charted, Language language, const Terminal& terminal)
        : sweep_(sweep), charted_(charted), language_(language), terminal_(terminal) {}

    std::string whole() {
        std::string result = header() + "\n";
        make_columns();
        choose_columns();
        result += table();
        result += notes();
        if (charted_ != nullptr) {
            result += "\n" + draw(sweep_chart(sweep_, *charted_, language_), terminal_);
        }
        return result;
    }

private:
    template <typename... Values>
    std::string say(Text name, const Values&... values) const {
        return fill(language_, name, values...);
    }

    std::string header() const {
        std::string options;
        for (const SweptOption& option : sweep_.options) {
            const std::string one = say(Text::sweep_option, option.name, option.values.size());
            options = options.empty() ? one : say(Text::sweep_order, options, one);
        }
        if (sweep_.options.size() > 1) {
            options = say(Text::sweep_last_fastest, options);
        }
        int width = 0;
        for (const Text label : {Text::sweep_fixed, Text::card, Text::sweep_figures}) {
            width = std::max(width, display_width(text(language_, label)) + 2);
        }
        const auto line = [&](Text label, const std::string& what) {
            return labelled(say(label), width, what, terminal_);
        };
        std::string result = labelled("", 0, say(Text::title_sweep, whole_number(sweep_.points.size()), options),
                                      terminal_, Style::bold);
        result += line(Text::sweep_fixed, shared_shape(sweep_, language_)) + line(Text::card, cards(sweep_, language_));
        std::string how;
        for (const Origin origin : {Origin::timed, Origin::planned, Origin::counted}) {
            const std::vector<const Quantity*> known = known_quantities(sweep_);
            if (std::any_of(known.begin(), known.end(), [&](const Quantity* q) { return q->origin == origin; })) {
                const std::string one = how_known(origin, sweep_, language_);
                how = how.empty() ? one : say(Text::semicolon, how, one);
            }
        }
        return result + line(Text::sweep_figures, how);
    }

    /// Goes on with a list.
    void add(std::string& list, const std::string& item) const {
        list = list.empty() ? item : say(Text::comma, list, item);
    }

    static std::string whole_number(std::size_t value) { return flashlens::whole(static_cast<std::int64_t>(value)); }

    void make_columns() {
        std::vector<std::string> variants;
        for (const SweepPoint* point : points_with_figures(sweep_)) {
            for (const VariantFacts& variant : point->comparison.variants) {
                if (std::find(variants.begin(), variants.end(), variant.name) == variants.end()) {
                    variants.push_back(variant.name);
                }
            }
        }
        for (const Quantity* quantity : known_quantities(sweep_)) {
            for (const std::string& variant : variants) {
                add_column(*quantity, variant);
            }
        }
    }

    void add_column(const Quantity& quantity, const std::string& variant) {
        Column column{&quantity, variant, {}, true};
        bool any = false;
        for (const SweepPoint& point : sweep_.points) {
            std::optional<double> value;
            for (const VariantFacts& facts : point.comparison.variants) {
                if (point.refusal.empty() && facts.name == variant) {
                    value = quantity.of(facts, point.comparison);
                }
            }
            any = any || value;
            column.texts.push_back(value ? quantity.print(*value) : say(Text::not_available));
            column.constant = column.constant && value && column.texts.back() == column.texts.front();
        }
        if (any) {
            columns_.push_back(std::move(column));
        }
    }

    /// Quantities in the order in which they get room.
    std::vector<const Quantity*> wanted() const {
        std::vector<const Quantity*> result;
        if (charted_ != nullptr) {
            result.push_back(charted_);
        }
        for (const std::string_view name : by_importance) {
            const Quantity* quantity = find_quantity(name);
            const bool is_swept = std::any_of(sweep_.options.begin(), sweep_.options.end(),
                                              [&](const SweptOption& option) { return option.name == name; });
            if (quantity != charted_ && !is_swept) {
                result.push_back(quantity);
            }
        }
        return result;
    }

    /// A heading takes more lines rather than more columns.
    std::vector<std::string> heading(const Column& column) const {
        const std::string words = say(column.quantity->heading);
        int widest = std::max(column.width(), display_width(column.variant));
        for (const std::string& word : split(words, ' ')) {
            widest = std::max(widest, display_width(word));
        }
        std::vector<std::string> lines{""};
        for (const std::string& word : split(words, ' ')) {
            const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
            if (display_width(longer) <= widest) {
                lines.back() = longer;
            } else {
                lines.push_back(word);
            }
        }
        lines.push_back(column.variant);
        return lines;
    }

    int width_with_border(const Column& column) const {
        int widest = column.width();
        for (const std::string& line : heading(column)) {
            widest = std::max(widest, display_width(line));
        }
        return 3 + widest;
    }

    void choose_columns() {
        int left = terminal_.columns - 1;
        for (const SweptOption& option : sweep_.options) {
            int widest = display_width(option.name);
            for (const std::string& value : option.values) {
                widest = std::max(widest, display_width(printable(value)));
            }
            left -= widest + 3;
        }
        left -= marks_width();
        for (const Quantity* quantity : wanted()) {
            int needed = 0;
            bool constant = quantity != charted_ && sweep_.points.size() > 1;
            bool known = false;
            for (const Column& column : columns_) {
                if (column.quantity == quantity) {
                    needed += width_with_border(column);
                    constant = constant && column.constant;
                    known = true;
                }
            }
            if (!known) {
                continue;
            }
            if (constant) {
                constant_.push_back(quantity);
            } else if (needed <= left || chosen_.empty()) {
                chosen_.push_back(quantity);
                left -= needed;
            } else {
                no_room_.push_back(quantity);
            }
        }
    }

    static bool among(const Quantity* quantity, const std::vector<const Quantity*>& some) {
        return std::find(some.begin(), some.end(), quantity) != some.end();
    }

    /// "[2]" for each reason for which something does not run at the point.
    std::string marks(const SweepPoint& point) {
        std::vector<std::string> reasons;
        if (!point.refusal.empty()) {
            reasons.push_back(point.refusal.in(language_));
        } else {
            for (const VariantFacts& variant : point.comparison.variants) {
                if (!runs(variant)) {
                    reasons.push_back(say(Text::said_of, variant.name, variant.refusal.in(language_)));
                }
            }
        }
        std::string result;
        for (const std::string& reason : reasons) {
            auto known = std::find(reasons_.begin(), reasons_.end(), reason);
            if (known == reasons_.end()) {
                reasons_.push_back(reason);
                known = reasons_.end() - 1;
            }
            result += fmt::format("{}[{}]", result.empty() ? "" : " ", known - reasons_.begin() + 1);
        }
        return result;
    }

    int marks_width() {
        int widest = 0;
        for (const SweepPoint& point : sweep_.points) {
            marks_.push_back(marks(point));
            widest = std::max(widest, display_width(marks_.back()));
        }
        return widest > 0 ? widest + 3 : 0;
    }

    std::string table() const {
        std::vector<std::vector<std::string>> texts;  // of each column, the heading first
        for (std::size_t o = 0; o < sweep_.options.size(); ++o) {
            std::vector<std::string>& column = texts.emplace_back();
            column.push_back(sweep_.options[o].name);
            for (const SweepPoint& point : sweep_.points) {
                column.push_back(printable(sweep_.options[o].values[point.at[o]]));
            }
        }
        for (const Column& column : columns_) {
            if (among(column.quantity, chosen_)) {
                std::vector<std::string>& all = texts.emplace_back(column.texts);
                all.insert(all.begin(), joined(heading(column)));
            }
        }
        if (!reasons_.empty()) {
            std::vector<std::string>& all = texts.emplace_back(marks_);
            all.insert(all.begin(), "");
        }
        lower_headings(texts);
        if (!align(texts)) {
            return list();
        }
        std::vector<Cell> heading;
        heading.reserve(texts.size());
        for (const auto& column : texts) {
            heading.push_back({column.front(), Style::bold});
        }
        Table result(std::move(heading));
        for (std::size_t row = 1; row <= sweep_.points.size(); ++row) {
            std::vector<Cell> cells;
            for (std::size_t c = 1; c < texts.size(); ++c) {
                cells.push_back({texts[c][row]});
            }
            result.row(texts.front()[row], std::move(cells));
        }
        return result.render(terminal_);
    }

    static std::string joined(const std::vector<std::string>& lines) {
        std::string text = lines.front();
        for (std::size_t i = 1; i < lines.size(); ++i) {
            text += "\n" + lines[i];
        }
        return text;
    }

    /// All headings end on the same line.
    static void lower_headings(std::vector<std::vector<std::string>>& columns) {
        std::size_t most = 0;
        for (const auto& column : columns) {
            most = std::max(most, split(column.front(), '\n').size());
        }
        for (auto& column : columns) {
            column.front().insert(0, most - split(column.front(), '\n').size(), '\n');
        }
    }

    /// For a terminal too narrow for columns: a paragraph for each point.
    std::string list() const {
        std::string result;
        for (std::size_t row = 0; row < sweep_.points.size(); ++row) {
            std::string words;
            for (std::size_t o = 0; o < sweep_.options.size(); ++o) {
                const SweptOption& option = sweep_.options[o];
                add(words, option.name + " " + printable(option.values[sweep_.points[row].at[o]]));
            }
            std::string figures;
            for (const Column& column : columns_) {
                if (among(column.quantity, chosen_)) {
                    add(figures, say(column.quantity->heading) + " " + column.variant + " " + column.texts[row]);
                }
            }
            if (!figures.empty()) {
                words = say(Text::said_of, words, figures);
            }
            result += labelled("-", 2, words + (marks_[row].empty() ? "" : " " + marks_[row]), terminal_);
        }
        return result;
    }

    /// To the right, line by line; false where the terminal has not enough columns.
    bool align(std::vector<std::vector<std::string>>& columns) const {
        int total = 1;
        std::vector<int> widths;
        for (const auto& column : columns) {
            int widest = 0;
            for (const std::string& text : column) {
                for (const std::string& line : split(text, '\n')) {
                    widest = std::max(widest, display_width(line));
                }
            }
            widths.push_back(widest);
            total += widest + 3;
        }
        if (total > terminal_.columns) {
            return false;
        }
        for (std::size_t c = 0; c < columns.size(); ++c) {
            for (std::string& text : columns[c]) {
                std::vector<std::string> lines = split(text, '\n');
                for (std::string& line : lines) {
                    line = right_aligned(line, widths[c]);
                }
                text = joined(lines);
            }
        }
        return true;
    }

    std::string notes() const {
        std::string result;
        const auto note = [&](const std::string& words) { result += labelled("", 0, words, terminal_); };
        for (std::size_t i = 0; i < std::min(reasons_.size(), most_notes); ++i) {
            note(say(Text::sweep_note, i + 1, printable(reasons_[i])));
        }
        if (reasons_.size() > most_notes) {
            note(say(Text::sweep_more_notes, most_notes + 1, reasons_.size() - most_notes));
        }
        if (!constant_.empty()) {
            note(say(Text::sweep_same, constants()));
        }
        if (!no_room_.empty()) {
            std::string names;
            for (const Quantity* quantity : no_room_) {
                add(names, say(quantity->heading));
            }
            note(say(Text::sweep_no_room, names));
        }
        if (sweep_.counting_left_out) {
            note(say(Text::sweep_counting_left_out, duration(1e6 * sweep_.counting_seconds)));
        }
        const auto points = points_with_figures(sweep_);
        const auto any = [&](auto has) {
            return std::any_of(points.begin(), points.end(), [&](const SweepPoint* p) {
                return std::any_of(p->comparison.variants.begin(), p->comparison.variants.end(), has);
            });
        };
        if (sweep_.counted) {
            note(say(Text::note_requests));
        }
        if (any([](const VariantFacts& v) { return v.counted && v.counted->raises_assumed; })) {
            note(say(Text::note_raises));
        }
        if (any([](const VariantFacts& v) { return v.timed && v.timed->median_us < launch_overhead_us; })) {
            note(say(Text::note_launch_overhead));
        }
        return result;
    }

    /// "occupancy 12.5 %" where it is alike for all variants too, else "registers 255 (v1), 128 (v2)".
    std::string constants() const {
        std::string result;
        for (const Quantity* quantity : constant_) {
            std::vector<const Column*> of;
            for (const Column& column : columns_) {
                if (column.quantity == quantity) {
                    of.push_back(&column);
                }
            }
            const bool alike = std::all_of(of.begin(), of.end(),
                                           [&](const Column* c) { return c->texts.front() == of[0]->texts.front(); });
            std::string figures = of[0]->texts.front();
            if (!alike || of.size() == 1) {
                figures.clear();
                for (const Column* column : of) {
                    add(figures, fmt::format("{} ({})", column->texts.front(), column->variant));
                }
            }
            const std::string one = say(quantity->heading) + " " + figures;
            result = result.empty() ? one : say(Text::semicolon, result, one);
        }
        return result;
    }

    const Sweep& sweep_;
    const Quantity* charted_;
    Language language_;
    const Terminal& terminal_;
    std::vector<Column> columns_;
    std::vector<const Quantity*> chosen_;
    std::vector<const Quantity*> constant_;
    std::vector<const Quantity*> no_room_;
    std::vector<std::string> reasons_;
    std::vector<std::string> marks_;
};

}  // namespace

std::string show_sweep(const Sweep& sweep, const Quantity* charted, Language language, const Terminal& terminal) {
    return View(sweep, charted, language, terminal).whole();
}

}  // namespace flashlens::report
