#include "report/map_view.h"

#include <algorithm>
#include <iterator>

#include "report/comparison_view.h"
#include "report/map_text.h"
#include "report/map_words.h"
#include "report/table.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

std::string title_of(MapView view, const Comparison& comparison, Language language) {
    switch (view) {
        case MapView::ctas:
            return std::string(text(language, Text::map_ctas_title));
        case MapView::warps:
            return std::string(text(language, Text::map_warps_title));
        case MapView::lanes:
            return std::string(text(language, lanes_title(comparison)));
        case MapView::blocks:
            return std::string(text(language, Text::map_blocks_title));
        case MapView::sms:
            break;
    }
    return fill(language, Text::map_sms_title, printable(comparison.card.name));
}

std::string drawn(MapView view, const std::vector<Shown>& all, const Comparison& comparison, Language language,
                  const Terminal& terminal) {
    switch (view) {
        case MapView::ctas:
            return ctas_as_text(all, comparison.problem, language, terminal);
        case MapView::warps:
            return warps_as_text(all, language, terminal);
        case MapView::lanes:
            return lanes_as_text(language, terminal) +
                   (comparison.card.takes_sm75()
                        ? paragraph(std::string(text(language, Text::map_lane_halves)), terminal)
                        : "");
        case MapView::blocks:
            return blocks_as_text(all, comparison.problem, language, terminal);
        case MapView::sms:
            break;
    }
    return sms_as_text(all, comparison, language, terminal);
}

std::string header(const Comparison& comparison, Language language, const Terminal& terminal) {
    const std::string label = std::string(text(language, Text::card));
    const int width = display_width(label) + 2;
    std::string result = labelled("", 0, std::string(text(language, Text::title_map)), terminal, Style::bold);
    result += labelled("", width, shape_line(comparison.problem, language), terminal);
    result += labelled(label, width, card_line(comparison, language), terminal);
    for (const VariantFacts& variant : comparison.variants) {
        if (!variant.refusal.empty()) {
            result += labelled(variant.name, std::max(width, display_width(variant.name) + 2),
                               fill(language, Text::can_run_no, variant.refusal.in(language)), terminal);
        }
    }
    return result;
}

}  // namespace

std::vector<std::string> map_view_names() {
    return {"ctas", "warps", "lanes", "blocks", "sms"};
}

std::string_view name_of(MapView view) {
    constexpr std::string_view names[] = {"ctas", "warps", "lanes", "blocks", "sms"};
    return names[static_cast<std::size_t>(view)];
}

std::string heading(const std::string& words, const Terminal& terminal) {
    return labelled("", 0, words, terminal, Style::bold);
}

std::string paragraph(const std::string& words, const Terminal& terminal) {
    return labelled("", 0, words, terminal);
}

std::string paragraph(const std::string& sign, const std::string& words, const Terminal& terminal) {
    return labelled(sign, display_width(sign) + 1, words, terminal);
}

std::string show_map(const Comparison& comparison, const std::vector<MapView>& views, Language language,
                     const Terminal& terminal) {
    const std::vector<Shown> all = shown(comparison);
    std::string result = header(comparison, language, terminal);
    for (const MapView view : views) {
        result += "\n" + labelled("", 0, title_of(view, comparison, language), terminal, Style::bold);
        result += drawn(view, all, comparison, language, terminal);
    }
    return result;
}

}  // namespace flashlens::report
