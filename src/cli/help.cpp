#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "cli/help_words.h"
#include "report/width.h"

namespace flashlens::cli {
namespace {

constexpr int title_width = 9;    ///< of sections
constexpr int option_width = 26;  ///< of an option with its value; the text of a longer one starts below it
constexpr int command_width = 14;

const Page& find_page(Command command) {
    const auto all = pages();
    return *std::find_if(all.begin(), all.end(), [&](const Page& page) { return page.command == command; });
}

std::string line(std::string_view before, std::string_view text) {
    return fmt::format("{}{}\n", before, text);
}

/// `text` in lines from `column` on, the first beside `before`, or below it where it is too wide for that.
std::string beside(const std::string& before, int column, std::string_view text, int columns) {
    std::string result;
    std::string left = report::pad(before, column);
    if (report::display_width(left) > column) {
        result = line(before, "");
        left = std::string(static_cast<std::size_t>(column), ' ');
    }
    for (const std::string& next : report::wrap(text, columns - column)) {
        result += line(left, next);
        left = std::string(static_cast<std::size_t>(column), ' ');
    }
    return result;
}

std::string value_of(const Option& option, const OptionWords& words, Command command) {
    const bool list = command == Command::sweep && option.swept;
    if (!words.placeholder.empty()) {
        return std::string(list ? "LIST" : words.placeholder);
    }
    switch (option.values) {
        case Values::none:
            return "";
        case Values::choices: {
            std::string choices(option.choices);
            std::replace(choices.begin(), choices.end(), ' ', list ? ',' : '|');
            return choices;
        }
        case Values::number:
            return list ? "LIST" : "N";
        case Values::models:
        case Values::cards:
            return list ? "LIST" : "NAME";
        case Values::variants:
            return "LIST";
        case Values::charts:
        case Values::counters:
        case Values::rungs:
            return "NAME";
        case Values::folder:
            return "DIR";
        case Values::file:
            break;
    }
    return "FILE";
}

std::string option_line(const std::string& title, const Option& option, const OptionWords& words, Command command,
                        Language language, int columns) {
    std::string left = fmt::format("{}{}{}{}", option.short_name, option.short_name.empty() ? "" : ", ", option.name,
                                   option.values == Values::none ? "" : " ");
    left += value_of(option, words, command);
    std::string text(words.text.in(language));
    if (!words.usual.empty()) {
        text += fmt::format(fmt::runtime(language == Language::zh ? "（默认 {}）" : " (default {})"), words.usual);
    }
    return beside(report::pad(title, title_width) + left, title_width + option_width, text, columns);
}

std::string options_of(Command command, Language language, int columns) {
    std::string result;
    std::optional<Section> section;
    for (const OptionWords& words : option_words()) {
        const Option& option = option_of(words.option);
        if (option.commands.contain(command) && words.commands.contain(command)) {
            const bool first = section != words.section;
            result += option_line(std::string(first ? title_of(words.section).in(language) : ""), option, words,
                                  command, language, columns);
            section = words.section;
        }
    }
    const std::string title(section == Section::show ? "" : title_of(Section::show).in(language));
    constexpr Bilingual this_page{"this page", "显示本页"};
    return result + beside(report::pad(title, title_width) + "-h, --help", title_width + option_width,
                           this_page.in(language), columns);
}

/// "-b, --batch 2   -H, --heads 16 ...": what most command lines set, with its default.
std::string usual_shape() {
    std::string result;
    for (const OptionWords& words : option_words()) {
        const Option& option = option_of(words.option);
        if (!option.short_name.empty() && words.commands.contain(Command::compare)) {
            result +=
                fmt::format("{}{}, {} {}", result.empty() ? "" : "  ", option.short_name, option.name, words.usual);
        }
    }
    return result;
}

std::string usage(std::string_view command, std::string_view operands, Language language) {
    constexpr Bilingual word{"usage: ", "用法："};
    return fmt::format("{}flashlens {} {}\n\n", word.in(language), command, operands);
}

std::string examples(const Page& page, std::size_t most, Language language) {
    constexpr Bilingual word{"examples", "示例"};
    std::string result = line(word.in(language), "");
    for (const std::string_view example : page.examples.first(std::min(most, page.examples.size()))) {
        result += line("  ", example);
    }
    return result;
}

}  // namespace

int help_columns(const report::Terminal& terminal) {
    return terminal.is_screen ? std::clamp(terminal.columns, 60, 100) : 80;
}

std::string overview(Language language, int columns) {
    constexpr Bilingual title{"flashlens: the forward kernels of FlashAttention-1 (v1) and -2 (v2) side by side",
                              "flashlens：并排比较 FlashAttention-1（v1）与 -2（v2）的前向 kernel"};
    constexpr Bilingual own_page{"flashlens COMMAND --help: the command's options, their defaults, examples",
                                 "flashlens COMMAND --help：该命令的选项、默认值和示例"};
    constexpr Bilingual shape{"shape", "形状"};
    constexpr Bilingual always{"always", "通用"};
    constexpr Bilingual exit_code{"exit code", "退出码"};
    constexpr Bilingual exit_codes{"0 all right, 1 could not run, 2 bad usage, 3 a result is wrong",
                                   "0 正常，1 无法运行，2 用法错误，3 结果有误"};
    std::string result = beside("", 0, title.in(language), columns) + "\n" + usage("[COMMAND]", "[options]", language);
    for (const Page& page : pages()) {
        result += beside(fmt::format("  {}", name_of(page.command)), command_width, page.summary.in(language), columns);
    }
    result += "\n" + beside("", 0, own_page.in(language), columns) + "\n";
    const auto row = [&](const Bilingual& before, std::string_view text) {
        result += beside(std::string(before.in(language)), command_width, text, columns);
    };
    row(shape, usual_shape());
    row(always, "--lang en|zh   --no-color   -h, --help   -V, --version");
    row(exit_code, exit_codes.in(language));
    return result + examples(find_page(Command::compare), 2, language);
}

std::string page_of(Command command, Language language, int columns) {
    const Page& page = find_page(command);
    return usage(name_of(command), page.operands, language) + beside("", 0, page.about.in(language), columns) + "\n" +
           options_of(command, language, columns) + "\n" + examples(page, page.examples.size(), language);
}

std::string version_text() {
    return "flashlens " FLASHLENS_VERSION;
}

}  // namespace flashlens::cli
