#include "report/ladder_orders.h"

#include <algorithm>
#include <cmath>

#include "report/comparison_view.h"
#include "report/ladder_view.h"
#include "report/numbers.h"
#include "report/table.h"
#include "teaching/ladder_ideas.h"

namespace flashlens::report {

std::vector<IdeaGains> idea_gains(const Comparison& comparison, const LadderQuantity& by) {
    std::vector<IdeaGains> all;
    for (const LadderStep& step : idea_steps(comparison)) {
        const auto before = by.quantity.of(comparison.variants[step.from], comparison);
        const auto after = by.quantity.of(comparison.variants[step.to], comparison);
        if (!before || !after || *before <= 0.0 || *after <= 0.0) {
            continue;
        }
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const IdeaGains& gains) { return gains.idea == step.ideas.front(); });
        IdeaGains& gains = found != all.end() ? *found : all.emplace_back(IdeaGains{step.ideas.front(), {}, {}});
        gains.edges.push_back(step);
        gains.gains.push_back(by.better == Better::higher ? *after / *before : *before / *after);
    }
    std::stable_sort(all.begin(), all.end(), [](const IdeaGains& a, const IdeaGains& b) { return a.idea < b.idea; });
    for (IdeaGains& one : all) {
        double sum = 0.0;
        for (const double gain : one.gains) {
            sum += std::log(gain);
        }
        one.mean = std::exp(sum / static_cast<double>(one.gains.size()));
        one.least = *std::min_element(one.gains.begin(), one.gains.end());
        one.most = *std::max_element(one.gains.begin(), one.gains.end());
    }
    return all;
}

std::string show_orders(const Comparison& comparison, const LadderQuantity& by, Language language,
                        const Terminal& terminal) {
    const auto say = [&](Text name, const auto&... values) { return fill(language, name, values...); };
    const Quantity& quantity = by.quantity;
    std::string result = comparison_header(comparison, Text::title_orders, Detail::compared, language, terminal) + "\n";
    const std::vector<IdeaGains> all = idea_gains(comparison, by);
    Table table({{say(Text::ladder_idea), Style::bold},
                 {say(quantity.heading), Style::bold},
                 {say(Text::ladder_gain), Style::bold}});
    for (const IdeaGains& one : all) {
        table.group(std::string(teaching::words_of(one.idea).title.in(language)));
        for (std::size_t i = 0; i < one.edges.size(); ++i) {
            const VariantFacts& from = comparison.variants[one.edges[i].from];
            const VariantFacts& to = comparison.variants[one.edges[i].to];
            const std::string arrow = terminal.utf8 ? " → " : " -> ";
            table.row(from.name + arrow + to.name,
                      {{quantity.print(*quantity.of(from, comparison)) + arrow +
                        quantity.print(*quantity.of(to, comparison))},
                       {ratio(one.gains[i]) + "x", one.gains[i] > 1.0 + same_time           ? Style::good
                                                   : one.gains[i] < 1.0 / (1.0 + same_time) ? Style::bad
                                                                                            : Style::plain}});
        }
        if (one.gains.size() > 1) {
            table.row(say(Text::ladder_mean),
                      {{say(Text::ladder_spread, ratio(one.least) + "x", ratio(one.most) + "x")},
                       {ratio(one.mean) + "x", Style::bold}});
        }
    }
    if (!all.empty()) {
        result += table.render(terminal);
    }
    for (const VariantFacts& variant : comparison.variants) {
        if (!variant.refusal.empty()) {
            result += labelled("", 0, say(Text::said_of, variant.name, variant.refusal.in(language)), terminal);
        }
    }
    result += comparison_notes(comparison, language, terminal);
    const Text what = all.empty()                   ? Text::orders_nothing
                      : by.better == Better::higher ? Text::orders_more
                                                    : Text::orders_less;
    return result + labelled("", 0, say(what, say(quantity.axis)), terminal);
}

}  // namespace flashlens::report
