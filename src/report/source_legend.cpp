#include "report/source_legend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "report/comparison_view.h"
#include "report/source_words.h"
#include "report/table.h"
#include "teaching/steps.h"

namespace flashlens::report {
namespace {

using teaching::Step;

constexpr int legend_column = 24;

/// By which names a kernel takes a step; none is broken between lines.
std::string names_of(Step step, const std::string& variant) {
    std::vector<std::string> names;
    for (const teaching::StepName& name : teaching::step_names(variant)) {
        if (std::find(name.steps.begin(), name.steps.end(), step) != name.steps.end()) {
            names.push_back(std::string(name.name) + (step == Step::loop ? " ..." : ""));
            std::string& whole = names.back();
            for (std::size_t at = whole.find(' '); at != std::string::npos; at = whole.find(' ', at)) {
                whole.replace(at, 1, "\u00a0");
            }
        }
    }
    return names.empty() ? "-" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string source_legend(const std::vector<std::string>& variants, Language language, const Terminal& terminal) {
    std::vector<Cell> heading{{std::string(text(language, Text::source_letters)), Style::bold}};
    for (const std::string& variant : variants) {
        heading.push_back({variant, Style::bold});
    }
    Table table(std::move(heading));
    std::string paragraphs;
    for (const Step step : teaching::all_steps()) {
        const std::string letter(1, teaching::letter_of(step));
        std::vector<Cell> names;
        std::string sentence = step_title(step, language);
        for (const std::string& variant : variants) {
            names.push_back({names_of(step, variant)});
            sentence = fill(language, Text::source_step_names, sentence, variant, names.back().text);
        }
        table.row(letter + "  " + step_title(step, language), std::move(names));
        paragraphs += labelled(letter, 3, sentence, terminal);
    }
    return "\n" + (table.fits(terminal, legend_column) ? table.render(terminal) : paragraphs);
}

}  // namespace flashlens::report
