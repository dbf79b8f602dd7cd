// A page of `walk` in the making, and what stands on pages, one function each (walk_page_*.cpp).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/comparison_view.h"
#include "report/language.h"
#include "report/table.h"
#include "report/terminal.h"
#include "report/walk_number.h"
#include "report/walk_view.h"

namespace flashlens::report {

/// Each leaves out more than the one before: P V and what it is added to; blank lines; the line on the state.
enum class Density { roomy, plain, dense, terse };

class WalkPage {
public:
    static constexpr int label_width = 35;  ///< of formulas: two for the mark, the longest formula, two blanks

    WalkPage(const WalkShow& show, Language language, const Terminal& terminal, Density density);

    const WalkShow& show() const { return show_; }
    const teaching::WalkProblem& problem() const { return show_.problem; }
    const Terminal& terminal() const { return terminal_; }
    Density density() const { return density_; }
    bool narrow() const { return narrow_; }  ///< no room for numbers beside their label: they stand below it

    std::string say(Text name) const { return std::string(text(language_, name)); }
    template <typename... Values>
    std::string say(Text name, const Values&... values) const {
        return fill(language_, name, values...);
    }
    std::string bold(const std::string& text) const { return styled(text, Style::bold, terminal_); }
    std::string dim(const std::string& text) const { return styled(text, Style::dim, terminal_); }

    void line(const std::string& text = "") { out_ += text + "\n"; }
    void lines(std::string_view lines) { out_ += lines; }
    /// A blank line, if there is room for such.
    void gap();
    void paragraph(const std::string& text, Style style = Style::plain);
    void title(const std::string& text) { paragraph(text, Style::bold); }

    /// A number in its eight columns, or without blanks where there is no room.
    std::string number(double value) const;
    /// The same of what a formula yields: bold if that is new.
    std::string result(double value, bool changed) const { return changed ? bold(number(value)) : number(value); }
    /// Numbers of a row of a matrix.
    std::vector<std::string> numbers(const std::vector<double>& values, bool changed = false) const;

    /// A formula and what stands beside it. A mark stands before what changed, where no colour says so.
    void formula(std::string_view label, const std::vector<std::string>& cells, bool changed, Text comment);
    /// From here on comments stand beside formulas, if there is room, or no longer.
    void explain(bool explaining) { explaining_ = explaining; }
    /// Cells from a column on, in as many lines as they need, and the label before them; where narrow, above them.
    void labelled_cells(const std::string& label, int column, const std::vector<std::string>& cells,
                        const std::string& comment = "");

    std::string finished() && { return std::move(out_); }

private:
    const WalkShow& show_;
    Language language_;
    const Terminal& terminal_;
    Density density_;
    bool narrow_;
    bool commented_;
    bool explaining_ = false;
    std::string out_;
};

/// Columns that text with escape codes takes.
int visible_width(const std::string& text);

/// A maximum over no keys.
inline constexpr double no_key = -std::numeric_limits<double>::infinity();

/// Which keys a query sees.
std::string sees_words(const WalkPage& page, std::int64_t row);
bool in_detail(const WalkPage& page, std::int64_t row);

void problem_on_page(WalkPage& page);
void step_on_page(WalkPage& page, const teaching::Walk& walk, std::size_t step);
void result_on_page(WalkPage& page, const teaching::Walk& walk);
void difference_on_page(WalkPage& page);

/// What a step's page is made of: where its loops stand, and the formulas of a row.
void loops_on_page(WalkPage& page, const teaching::Walk& walk, std::size_t step);
void v1_row_on_page(WalkPage& page, const teaching::WalkStep& step, const teaching::WalkRow& row);
void v2_row_on_page(WalkPage& page, const teaching::WalkStep& step, const teaching::WalkRow& row);

}  // namespace flashlens::report
