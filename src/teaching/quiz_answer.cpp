#include "teaching/quiz_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <span>

namespace flashlens::teaching {
namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
        text.remove_prefix(1);
    }
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
        text.remove_suffix(1);
    }
    return text;
}

struct Unit {
    std::string_view name;
    double factor;
};

std::span<const Unit> units_of(QuizUnit unit) {
    static constexpr Unit none[] = {{"", 1}};
    static constexpr Unit counts[] = {{"", 1}, {"K", 1e3}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
    static constexpr Unit bytes[] = {{"", 1},     {"B", 1},      {"byte", 1},      {"bytes", 1},
                                     {"字节", 1}, {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
                                     {"KB", 1e3}, {"kB", 1e3},   {"MB", 1e6},      {"GB", 1e9}};
    static constexpr Unit percents[] = {{"", 1}, {"%", 1}};
    static constexpr Unit flops[] = {{"", 1},         {"FLOP", 1},     {"FLOPs", 1},     {"K", 1e3},
                                     {"M", 1e6},      {"G", 1e9},      {"T", 1e12},      {"P", 1e15},
                                     {"MFLOP", 1e6},  {"GFLOP", 1e9},  {"TFLOP", 1e12},  {"PFLOP", 1e15},
                                     {"MFLOPs", 1e6}, {"GFLOPs", 1e9}, {"TFLOPs", 1e12}, {"PFLOPs", 1e15}};
    static constexpr Unit rates[] = {{"", 1}, {"TFLOP/s", 1}, {"TFLOPS", 1}, {"TFLOPs/s", 1}};
    switch (unit) {
        case QuizUnit::count:
            return counts;
        case QuizUnit::bytes:
            return bytes;
        case QuizUnit::percent:
            return percents;
        case QuizUnit::flop:
            return flops;
        case QuizUnit::tflops:
            return rates;
        case QuizUnit::real:
            break;
    }
    return none;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// The digits before the point without their commas; nothing where a comma is not between thousands.
std::optional<std::string> without_commas(std::string_view whole) {
    if (whole.find(',') == std::string_view::npos) {
        return std::string(whole);
    }
    std::string digits;
    std::size_t start = 0;
    for (bool first = true; start <= whole.size(); first = false) {
        const std::size_t comma = std::min(whole.find(',', start), whole.size());
        const std::size_t size = comma - start;
        if (first ? size < 1 || size > 3 : size != 3) {
            return std::nullopt;
        }
        digits += whole.substr(start, size);
        start = comma + 1;
    }
    return digits;
}

}  // namespace

std::optional<QuizNumber> read_number(std::string_view text, QuizUnit unit) {
    text = trimmed(text);
    std::size_t at = 0;
    const bool minus = unit == QuizUnit::real && text.starts_with('-');
    text.remove_prefix(minus ? 1 : 0);
    while (at < text.size() && (is_digit(text[at]) || text[at] == ',')) {
        ++at;
    }
    const std::optional<std::string> whole = without_commas(text.substr(0, at));
    if (!whole || whole->empty()) {
        return std::nullopt;
    }
    std::string digits = *whole;
    int after_point = 0;
    const bool has_point = at < text.size() && text[at] == '.';
    if (has_point) {
        digits += '.';
        for (++at; at < text.size() && is_digit(text[at]); ++at, ++after_point) {
            digits += text[at];
        }
        if (after_point == 0) {
            return std::nullopt;
        }
    }
    std::string exponent;
    if (at + 1 < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        std::size_t end = at + 1;
        end += text[end] == '+' || text[end] == '-' ? 1 : 0;
        const std::size_t first = end;
        while (end < text.size() && is_digit(text[end])) {
            ++end;
        }
        if (end == first || end - first > 3) {
            return std::nullopt;
        }
        exponent = "e" + std::string(text.substr(at + 1, end - at - 1));
        exponent.erase(std::remove(exponent.begin(), exponent.end(), '+'), exponent.end());
        at = end;
    }
    const std::string_view name = trimmed(text.substr(at));
    const auto units = units_of(unit);
    const auto found = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
    const auto value_of = [](const std::string& written) {
        double value = 0.0;
        const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
        return error == std::errc() && end == written.data() + written.size() ? std::optional(value) : std::nullopt;
    };
    const std::optional<double> value = value_of(digits + exponent);
    const std::optional<double> scale = value_of("1" + exponent);
    if (found == units.end() || !value || !scale) {
        return std::nullopt;
    }
    const auto significant =
        std::count_if(std::find_if(digits.begin(), digits.end(), [](char c) { return c >= '1' && c <= '9'; }),
                      digits.end(), is_digit);
    const bool rounded = significant >= 3 && (has_point || found->factor != 1.0);
    return QuizNumber{(minus ? -1.0 : 1.0) * *value * found->factor,
                      rounded ? 0.5 * std::pow(10.0, -after_point) * *scale * found->factor : 0.0};
}

std::optional<std::size_t> read_letter(std::string_view text, std::size_t options) {
    text = trimmed(text);
    if (text.size() != 1) {
        return std::nullopt;
    }
    const int index = std::tolower(static_cast<unsigned char>(text.front())) - 'a';
    return index >= 0 && index < static_cast<int>(options) ? std::optional<std::size_t>(index) : std::nullopt;
}

std::optional<int> read_index(std::string_view text, int first, int last) {
    text = trimmed(text);
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool all = error == std::errc() && end == text.data() + text.size() && is_digit(text.front());
    return all && value >= first && value <= last ? std::optional(value) : std::nullopt;
}

bool is_right(const QuizQuestion& question, const QuizNumber& answer) {
    const double allowed = std::max(question.tolerance * std::abs(question.value), answer.rounding);
    const double rounding_of_doubles = 1e-9 * std::abs(question.value);
    return std::abs(answer.value - question.value) <= allowed + rounding_of_doubles;
}

std::optional<bool> judge(const QuizQuestion& question, std::string_view answer) {
    if (!question.options.empty()) {
        const auto index = read_letter(answer, question.options.size());
        return index ? std::optional(question.options[*index].right) : std::nullopt;
    }
    if (question.kind == QuizKind::line) {
        const auto line = read_index(answer, 1, static_cast<int>(question.code.size()));
        return line ? std::optional(*line == question.right_line) : std::nullopt;
    }
    const auto number = read_number(answer, question.unit);
    return number ? std::optional(is_right(question, *number)) : std::nullopt;
}

std::string right_answer(const QuizQuestion& question) {
    if (!question.options.empty()) {
        const auto right = std::find_if(question.options.begin(), question.options.end(),
                                        [](const QuizOption& option) { return option.right; });
        return std::string(1, static_cast<char>('a' + (right - question.options.begin())));
    }
    if (question.kind == QuizKind::line) {
        return std::to_string(question.right_line);
    }
    if (question.kind == QuizKind::open) {
        return std::to_string(question.grades.size());
    }
    return fmt::format("{}", question.value);
}

}  // namespace flashlens::teaching
