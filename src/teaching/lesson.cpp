#include "teaching/lesson.h"

#include <algorithm>
#include <charconv>

#include "teaching/document.h"

namespace flashlens::teaching {
namespace {

/// Without the number that a heading starts with: "7. Where v2 wins".
std::string without_number(const std::string& heading) {
    const std::size_t dot = heading.find(". ");
    const bool numbered = dot != std::string::npos && heading.find_first_not_of("0123456789") == dot;
    return numbered ? heading.substr(dot + 2) : heading;
}

std::string_view name_of_file(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

Lesson read_lesson(const EmbeddedText& file) {
    Lesson lesson{.path = file.path, .markdown = file.text};
    const std::string_view name = name_of_file(file.path);
    std::from_chars(name.data(), name.data() + name.size(), lesson.number);
    for (const Block& block : parse_document(file.text)) {
        if (block.kind == Block::Kind::heading && lesson.title.empty()) {
            lesson.title = without_number(plain_text(block.spans));
        } else if (block.kind == Block::Kind::paragraph && !block.spans.empty()) {
            // Its first words, in bold, say that it is the question.
            const bool named = block.spans.front().strong;
            lesson.question = plain_text(Spans(block.spans.begin() + (named ? 1 : 0), block.spans.end()));
            lesson.question.erase(0, lesson.question.find_first_not_of(' '));
            break;
        }
    }
    return lesson;
}

}  // namespace

std::vector<Lesson> lessons(Language language) {
    const std::string_view folder = language == Language::zh ? "lessons/zh/" : "lessons/en/";
    std::vector<Lesson> result;
    for (const EmbeddedText& file : lesson_texts()) {
        if (file.path.starts_with(folder)) {
            result.push_back(read_lesson(file));
        }
    }
    std::sort(result.begin(), result.end(), [](const Lesson& a, const Lesson& b) { return a.number < b.number; });
    return result;
}

}  // namespace flashlens::teaching
