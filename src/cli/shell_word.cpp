#include "cli/shell_word.h"

#include <algorithm>
#include <string_view>

#include "report/width.h"

namespace flashlens::cli {

std::string shell_word(const std::string& text) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) {
        return text;
    }
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return result + "'";
}

std::string asked_of(Command other, const Given& given) {
    constexpr std::string_view answers[] = {"--json", "--csv", "--svg", "--output", "--no-color"};
    std::string command = "flashlens " + std::string(name_of(other));
    for (const std::string& name : given.order) {
        const Option& option = option_of(name);
        const bool of_answer = std::find(std::begin(answers), std::end(answers), name) != std::end(answers);
        if (!option.commands.contain(other) || of_answer) {
            continue;
        }
        command += " " + std::string(option.short_name.empty() ? option.name : option.short_name);
        if (option.values != Values::none) {
            command += " " + report::printable(shell_word(std::string(given.text(name))));
        }
    }
    return command;
}

}  // namespace flashlens::cli
