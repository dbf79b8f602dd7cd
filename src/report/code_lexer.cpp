#include "report/code_lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace flashlens::report {
namespace {

constexpr std::array<std::string_view, 45> keywords{"alignas",       "auto",        "break",
                                                    "case",          "class",       "const",
                                                    "constexpr",     "continue",    "default",
                                                    "delete",        "do",          "else",
                                                    "enum",          "explicit",    "false",
                                                    "for",           "friend",      "if",
                                                    "inline",        "namespace",   "noexcept",
                                                    "nullptr",       "operator",    "private",
                                                    "protected",     "public",      "requires",
                                                    "return",        "sizeof",      "static",
                                                    "static_assert", "static_cast", "struct",
                                                    "switch",        "template",    "this",
                                                    "true",          "typename",    "using",
                                                    "while",         "volatile",    "__global__",
                                                    "__device__",    "__host__",    "__launch_bounds__"};

constexpr std::array<std::string_view, 20> types{
    "bool",   "char",    "double",  "float",    "int",      "long",     "short", "signed", "unsigned", "void",
    "size_t", "int32_t", "int64_t", "uint16_t", "uint32_t", "uint64_t", "f32",   "f32x2",  "f32x4",    "bf16"};

template <std::size_t Size>
bool contains(const std::array<std::string_view, Size>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool part_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

Token kind_of(std::string_view word) {
    if (contains(keywords, word)) {
        return Token::keyword;
    }
    if (contains(types, word) || word == "fp16") {
        return Token::type;
    }
    const bool capital = word.front() >= 'A' && word.front() <= 'Z';
    const bool small_too = std::any_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (capital && !small_too && word.size() > 1) {
        return Token::preprocessor;
    }
    // T is the kernels' traits; Q, K, V, S, P, O are matrices.
    return capital && (word.size() > 1 || word == "T") ? Token::type : Token::plain;
}

/// One past the end of the token that starts at `at`, and what it is.
struct Found {
    std::size_t end;
    Token token;
};

Found token_at(std::string_view line, std::size_t at) {
    const auto while_is = [&](std::size_t from, const auto& belongs) {
        while (from < line.size() && belongs(line[from])) {
            ++from;
        }
        return from;
    };
    const char c = line[at];
    if (line.substr(at, 2) == "//") {
        return {line.size(), Token::comment};
    }
    if (c == '"' || c == '\'') {
        std::size_t end = at + 1;
        while (end < line.size() && line[end] != c) {
            end += line[end] == '\\' ? 2 : 1;
        }
        return {std::min(end + 1, line.size()), Token::string};
    }
    if (is_digit(c)) {
        // 1e-30F, 0x1F, 65'536
        std::size_t end = at;
        while (end < line.size() && (part_of_word(line[end]) || line[end] == '.' || line[end] == '\'' ||
                                     ((line[end] == '-' || line[end] == '+') &&
                                      (line[end - 1] == 'e' || line[end - 1] == 'E') && line.substr(at, 2) != "0x"))) {
            ++end;
        }
        return {end, Token::number};
    }
    if (part_of_word(c)) {
        const std::size_t end = while_is(at, part_of_word);
        return {end, kind_of(line.substr(at, end - at))};
    }
    return {at + 1, Token::plain};
}

}  // namespace

std::vector<Token> tokens(std::string_view line) {
    std::vector<Token> result(line.size(), Token::plain);
    const std::size_t start = line.find_first_not_of(' ');
    if (start == std::string_view::npos) {
        return result;
    }
    if (line[start] == '#') {
        const std::size_t comment = std::min(line.find("//"), line.size());
        std::fill(result.begin() + static_cast<std::ptrdiff_t>(start),
                  result.begin() + static_cast<std::ptrdiff_t>(comment), Token::preprocessor);
        std::fill(result.begin() + static_cast<std::ptrdiff_t>(comment), result.end(), Token::comment);
        return result;
    }
    for (std::size_t at = start; at < line.size();) {
        const Found found = token_at(line, at);
        std::fill(result.begin() + static_cast<std::ptrdiff_t>(at),
                  result.begin() + static_cast<std::ptrdiff_t>(found.end), found.token);
        at = found.end;
    }
    return result;
}

}  // namespace flashlens::report
