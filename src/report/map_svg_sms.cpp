// On a slide: CTAs on SMs, a cell for each SM.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "report/chart.h"
#include "report/map_slide.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

using svg::margin;
using svg::page_width;
using svg::small_size;
using svg::text_size;
using teaching::Dealing;
using teaching::Wave;

constexpr double number_size = 14.0;
constexpr double slot_height = 17.0;
constexpr double between = 4.0;

/// Numbers are at most `widest`. Returns the bottom.
double wave_on_slide(Slide& slide, const Dealing& dealing, const Wave& wave, double widest, const Problem& problem,
                     double top) {
    const double room = page_width - 2 * margin;
    // as few lines as have room for the numbers, with about as many SMs in each
    const int fits = std::max(static_cast<int>((room + between) / (std::max(widest + 8.0, 22.0) + between)), 1);
    const int lines = (dealing.sms() + fits - 1) / fits;
    const int across = (dealing.sms() + lines - 1) / lines;
    const double width = std::min((room + between) / across - between, 90.0);
    const double cell_height = slot_height * dealing.ctas_per_sm();
    for (int sm = 0; sm < dealing.sms(); ++sm) {
        const int line = sm / across;
        const double x = margin + sm % across * (width + between);
        const double y = top + line * (cell_height + between);
        for (int slot = 0; slot < dealing.ctas_per_sm(); ++slot) {
            const auto& cta = wave.at(sm, slot);
            const double at = y + slot * slot_height;
            if (cta) {
                const auto head = static_cast<std::size_t>(cta->work.batch * problem.heads + cta->work.head);
                slide.rectangle(full(head % hues), x, at, width, slot_height - 1.0);
                slide.text(x + width / 2, at + 13.0, number_size, "middle", "paper", std::to_string(cta->number), true);
            } else {
                slide.add(
                    fmt::format("<rect class=\"axis\" stroke-opacity=\".45\" fill=\"none\" x=\"{:.1f}\" y=\"{:.1f}\" "
                                "width=\"{:.1f}\" "
                                "height=\"{:.1f}\"/>\n",
                                x + 0.5, at + 0.5, width - 1.0, slot_height - 2.0));
            }
        }
    }
    return top + lines * (cell_height + between);
}

}  // namespace

void sms_on_slide(Slide& slide, const std::vector<Shown>& all, const Comparison& comparison, Language language) {
    const auto word = [&](Text name) { return std::string(text(language, name)); };
    const double room = page_width - 2 * margin;
    double y = slide.top();
    double widest = 0.0;  // of the numbers of all variants, so that an SM stands in one place
    for (const Shown& one : all) {
        widest = std::max(widest, svg::width_of(std::to_string(one.variant->launch.ctas - 1), number_size));
    }
    for (const Shown& one : all) {
        const Dealing dealing(*one.variant, comparison.problem, comparison.card);
        y = slide.paragraph(margin, y, room, text_size, full(one.hue), dealing_words(one, dealing, language), true);
        std::int64_t next = 0;
        for (const std::int64_t index : waves_drawn(dealing)) {
            if (index > next) {
                y = slide.paragraph(margin, y, room, small_size, "faint",
                                    fill(language, Text::map_sm_more, next + 1, index));
            }
            const Wave wave = dealing.wave(index);
            y = slide.paragraph(margin, y, room, small_size, "faint", wave_words(dealing, wave, language)) + 4.0;
            y = wave_on_slide(slide, dealing, wave, widest, comparison.problem, y) + 4.0;
            next = index + 1;
        }
        if (dealing.waves() > 0) {
            y = slide.paragraph(margin, y, room, small_size, "ink", number_words(one, dealing.wave(0), language));
        }
        y += 14.0;
    }
    y = slide.paragraph(margin, y, room, small_size, "faint",
                        word(Text::map_sm_colour) + " " + word(Text::map_sm_model));
    slide.needs(y + 14.0);
}

}  // namespace flashlens::report
