#include "report/devices_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "report/comparison_view.h"
#include "report/numbers.h"
#include "report/table.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

constexpr int column_minimum = 7;

Table table_of_cards(Language language) {
    std::vector<Cell> heading;
    for (const Text name : {Text::device_name, Text::device_sms, Text::device_shared_per_sm,
                            Text::device_shared_per_cta, Text::device_matmul, Text::device_fp32, Text::device_memory}) {
        heading.push_back({std::string(text(language, name)), Style::bold});
    }
    heading.insert(heading.begin() + 1, Cell{"sm", Style::bold});
    Table table(std::move(heading));
    for (const hardware::Card& card : hardware::cards()) {
        table.row(printable(card.name), {{fmt::format("{}", card.chip)},
                                         {whole(card.sm_count)},
                                         {memory_size(card.shared_bytes_per_sm)},
                                         {memory_size(card.max_shared_bytes_per_cta)},
                                         {decimal(card.matmul_tflops)},
                                         {decimal(card.fp32_tflops)},
                                         {whole(std::llround(card.memory_gb_per_s))}});
    }
    return table;
}

/// For a terminal too narrow for columns: a paragraph for each card.
std::string list_of_cards(Language language, const Terminal& terminal) {
    int width = 0;
    for (const hardware::Card& card : hardware::cards()) {
        width = std::max(width, display_width(card.name) + 2);
    }
    std::string result;
    for (const hardware::Card& card : hardware::cards()) {
        const std::string summary =
            fill(language, Text::device_summary, card.chip, card.sm_count, memory_size(card.shared_bytes_per_sm),
                 memory_size(card.max_shared_bytes_per_cta), decimal(card.matmul_tflops), decimal(card.fp32_tflops),
                 whole(std::llround(card.memory_gb_per_s)));
        result += labelled(printable(card.name), std::min(width, terminal.columns / 2), summary, terminal);
    }
    return result;
}

}  // namespace

std::string show_devices(const std::optional<hardware::Card>& here, const Message& why_none_here, Language language,
                         const Terminal& terminal) {
    const auto say = [&](Text name) { return std::string(text(language, name)); };
    const std::string here_line = here ? fill(language, Text::devices_here, printable(here->name), here->sm_count,
                                              here->chip, printable(here->source.in(language)))
                                       : fill(language, Text::devices_none_here, printable(why_none_here.in(language)));
    std::string result = labelled("", 0, here_line, terminal) + "\n";
    result += labelled("", 0, say(Text::devices_known), terminal, Style::bold);
    const Table table = table_of_cards(language);
    result += table.fits(terminal, column_minimum) ? table.render(terminal) : list_of_cards(language, terminal);
    result += labelled("", 0, say(Text::device_unit_note), terminal);
    return result + labelled("", 0, say(Text::device_sm75_note), terminal);
}

}  // namespace flashlens::report
