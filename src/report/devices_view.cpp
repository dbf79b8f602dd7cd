#include "report/devices_view.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "report/comparison_view.h"
#include "report/numbers.h"
#include "report/table.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

std::string rates(const hardware::Card& card) {
    return fmt::format("{}, {}; {}", decimal(card.matmul_tflops), decimal(card.fp32_tflops), decimal(card.memory_gb_per_s));
}

std::string shared(const hardware::Card& card) {
    return fmt::format("{}, {}", memory_size(card.shared_bytes_per_sm), memory_size(card.max_shared_bytes_per_cta));
}

}  // namespace

std::string show_devices(const std::optional<hardware::Card>& here, const std::string& why_none_here, Language language,
                         const Terminal& terminal) {
    const auto say = [&](Text name) { return std::string(text(language, name)); };
    const std::string here_line = here ? fill(language, Text::devices_here, printable(here->name), here->sm_count, here->chip,
                                              printable(here->source))
                                       : fill(language, Text::devices_none_here, printable(why_none_here));
    std::string result = labelled("", 0, here_line, terminal) + "\n";
    result += styled(say(Text::devices_known), Style::bold, terminal) + "\n";
    Table table({{say(Text::device_name), Style::bold},
                 {"sm", Style::bold},
                 {say(Text::device_sms), Style::bold},
                 {say(Text::device_shared), Style::bold},
                 {say(Text::device_rates), Style::bold}});
    for (const hardware::Card& card : hardware::cards()) {
        table.row(printable(card.name), {{fmt::format("{}", card.chip)}, {whole(card.sm_count)}, {shared(card)}, {rates(card)}});
    }
    result += table.render(terminal);
    return result + labelled("", 0, say(Text::device_unit_note), terminal);
}

}  // namespace flashlens::report
