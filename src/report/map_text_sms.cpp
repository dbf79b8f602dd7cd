// In a terminal: CTAs on SMs, a cell for each SM.
#include <algorithm>

#include "report/chart.h"
#include "report/map_text.h"
#include "report/picture.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

using teaching::Dealing;
using teaching::Wave;

/// A number takes `number_width` columns.
std::string wave_as_text(const Dealing& dealing, const Wave& wave, int number_width, const Problem& problem,
                         Language language, const Terminal& terminal) {
    const int cell = dealing.ctas_per_sm() * (number_width + 1);
    const std::string widest = fill(language, Text::map_row_of_sms, dealing.sms() - 1) + "  ";
    const int label = display_width(widest);
    constexpr int between = 2;
    const int fits = std::max((terminal.columns - label) / (cell + between), 1);
    // a round number of SMs a line, where there is room for one
    const int across = fits >= 20 ? fits / 10 * 10 : fits >= 10 ? 10 : fits >= 8 ? 8 : fits;
    Picture picture;
    for (int sm = 0; sm < dealing.sms(); ++sm) {
        const int line = sm / across;
        if (sm % across == 0) {
            picture.put(0, line, fill(language, Text::map_row_of_sms, sm), {.dim = true});
        }
        for (int slot = 0; slot < dealing.ctas_per_sm(); ++slot) {
            const auto& cta = wave.at(sm, slot);
            const std::string words = cta ? std::to_string(cta->number) : ".";
            const int at = label + sm % across * (cell + between) + slot * (number_width + 1);
            const auto head = cta ? static_cast<std::size_t>(cta->work.batch * problem.heads + cta->work.head) : 0;
            picture.put(at + number_width - display_width(words), line, words,
                        cta ? Ink{.hue = head % hues} : Ink{.dim = true});
        }
    }
    return picture.text(terminal);
}

}  // namespace

std::string sms_as_text(const std::vector<Shown>& all, const Comparison& comparison, Language language,
                        const Terminal& terminal) {
    std::string result;
    int number_width = 1;  // one for all variants, so that an SM stands in one place
    for (const Shown& one : all) {
        number_width = std::max(number_width, display_width(std::to_string(one.variant->launch.ctas - 1)));
    }
    for (const Shown& one : all) {
        const Dealing dealing(*one.variant, comparison.problem, comparison.card);
        result += heading(dealing_words(one, dealing, language), terminal);
        std::int64_t next = 0;
        for (const std::int64_t index : waves_drawn(dealing)) {
            if (index > next) {
                result += paragraph(fill(language, Text::map_sm_more, next + 1, index), terminal);
            }
            const Wave wave = dealing.wave(index);
            result += paragraph(wave_words(dealing, wave, language), terminal);
            result += wave_as_text(dealing, wave, number_width, comparison.problem, language, terminal);
            next = index + 1;
        }
        if (dealing.waves() > 0) {
            result += paragraph(number_words(one, dealing.wave(0), language), terminal);
        }
        result += "\n";
    }
    if (terminal.colour) {
        result += paragraph(std::string(text(language, Text::map_sm_colour)), terminal);
    }
    result += paragraph(std::string(text(language, Text::map_sm_free)), terminal);
    return result + paragraph(std::string(text(language, Text::map_sm_model)), terminal);
}

}  // namespace flashlens::report
