#include "teaching/kernel_file.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string>

#include "teaching/kernel_texts.h"

namespace flashlens::teaching {
namespace {

bool starts_with(std::string_view text, std::string_view beginning) {
    return text.substr(0, beginning.size()) == beginning;
}

bool blank(std::string_view line) {
    return line.find_first_not_of(' ') == std::string_view::npos;
}

/// Where a kernel is compiled several times over, by key block (v1): what holds its main loop. It begins with the loading
/// of K and V.
constexpr std::string_view key_block = " key_block(const AttentionParams";

bool part_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

std::string_view code_of(std::string_view line) {
    return line.substr(0, line.find("//"));
}

std::size_t find_word(std::string_view code, std::string_view name) {
    for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
        const char before = at == 0 ? ' ' : code[at - 1];
        const std::size_t end = at + name.size();
        const bool ends = !part_of_word(name.back()) || end == code.size() || !part_of_word(code[end]);
        if (!part_of_word(before) && before != '.' && before != ':' && ends) {
            return at;
        }
    }
    return std::string_view::npos;
}

KernelFile::KernelFile(std::string_view path) : path_(path) {
    const auto texts = kernel_texts();
    const auto found = std::find_if(texts.begin(), texts.end(), [&](const EmbeddedText& t) { return t.path == path; });
    if (found == texts.end()) {
        refuse("the file");
    }
    std::string_view rest = found->text;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        lines_.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

void KernelFile::refuse(std::string_view what) const {
    throw std::logic_error(std::string(path_) + ": no " + std::string(what) + " where it belongs");
}

bool KernelFile::is_comment(int number) const {
    const std::string_view text = line(number);
    const std::size_t at = text.find_first_not_of(' ');
    return at != std::string_view::npos && starts_with(text.substr(at), "//");
}

int KernelFile::end_of_braces(int first) const {
    int depth = 0;
    bool opened = false;
    for (int number = first; number <= size(); ++number) {
        for (const char c : code_of(line(number))) {
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            opened = opened || c == '{';
        }
        if (opened && depth == 0) {
            return number;
        }
    }
    refuse("closing brace");
}

LineRange KernelFile::declaration(std::string_view start) const {
    int at = 0;
    for (int number = 1; number <= size(); ++number) {
        if (code_of(line(number)).find(start) != std::string_view::npos) {
            if (at != 0) {
                refuse("single " + std::string(start));
            }
            at = number;
        }
    }
    if (at == 0) {
        refuse(start);
    }
    int first = at;
    const auto belongs = [&](int number) {
        return is_comment(number) || starts_with(line(number), "template <") || starts_with(line(number), "__global__");
    };
    while (first > 1 && belongs(first - 1)) {
        --first;
    }
    return {first, end_of_braces(at)};
}

LineRange KernelFile::head_paragraph(std::string_view word) const {
    const std::string start = "// " + std::string(word) + " ";
    int first = 1;
    while (first <= size() && is_comment(first) && !starts_with(line(first), start)) {
        ++first;
    }
    if (first > size() || !is_comment(first)) {
        refuse("paragraph of " + std::string(word));
    }
    int last = first;
    while (last < size() && starts_with(line(last + 1), "//    ")) {
        ++last;
    }
    return {first, last};
}

LineRange KernelFile::kernel() const {
    for (int number = 1; number <= size(); ++number) {
        if (starts_with(line(number), "__global__") || line(number).find(key_block) != std::string_view::npos) {
            return {number, end_of_braces(number)};
        }
    }
    refuse("__global__");
}

LineRange KernelFile::loops() const {
    const LineRange body = kernel();
    const bool of_key_block = line(body.first).find(key_block) != std::string_view::npos;
    LineRange found{0, 0};
    for (int number = body.first; number <= body.last; ++number) {
        if (starts_with(line(number), "    for (") ||
            (of_key_block && found.first == 0 && line(number).find("first_tile(n)") != std::string_view::npos)) {
            found = {found.first == 0 ? number : found.first, end_of_braces(number)};
        }
    }
    if (found.first == 0) {
        refuse("main loop");
    }
    return found;
}

LineRange KernelFile::main_loop() const {
    LineRange loop = loops();
    while (is_comment(loop.first - 1)) {
        --loop.first;
    }
    return loop;
}

LineRange KernelFile::before_loop() const {
    LineRange before{kernel().first, main_loop().first - 1};
    while (before.first < before.last && !blank(line(before.first))) {
        ++before.first;
    }
    ++before.first;
    while (before.last > before.first && blank(line(before.last))) {
        --before.last;
    }
    if (before.first > before.last) {
        refuse("line before the main loop");
    }
    return before;
}

LineRange KernelFile::after_loop() const {
    LineRange after{loops().last + 1, kernel().last - 1};
    while (after.first < after.last && blank(line(after.first))) {
        ++after.first;
    }
    if (after.first > after.last) {
        refuse("line after the main loop");
    }
    return after;
}

LineRange KernelFile::in_loop(std::string_view first, std::string_view last) const {
    const LineRange loop = loops();
    LineRange found{0, 0};
    for (int number = loop.first; number <= loop.last; ++number) {
        if (found.first == 0 && find_word(code_of(line(number)), first) != std::string_view::npos) {
            found.first = number;
        }
        if (found.first != 0 && find_word(code_of(line(number)), last) != std::string_view::npos) {
            found.last = number;
        }
    }
    if (found.last == 0) {
        refuse(std::string(first) + " .. " + std::string(last));
    }
    return found;
}

}  // namespace flashlens::teaching
