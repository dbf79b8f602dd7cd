#include "teaching/lecture.h"

#include <algorithm>
#include <charconv>

#include "split.h"
#include "teaching/lesson.h"

namespace flashlens::teaching {
namespace {

/// The number that the notes begin with, in bold; the rest stays.
int take_seconds(std::vector<Block>& notes) {
    int seconds = 0;
    if (!notes.empty() && !notes.front().spans.empty() && notes.front().spans.front().strong) {
        Spans& spans = notes.front().spans;
        const std::string said = spans.front().text;
        std::from_chars(said.data(), said.data() + said.size(), seconds);
        spans.erase(spans.begin());
        if (!spans.empty()) {
            spans.front().text.erase(0, spans.front().text.find_first_not_of(' '));
        }
    }
    return seconds;
}

void add(LectureStep& step, Block block) {
    switch (block.kind) {
        case Block::Kind::quote:
            step.notes = std::move(block.children);
            step.seconds = take_seconds(step.notes);
            break;
        case Block::Kind::code:
            if (block.language == "sh") {
                for (std::string& line : split(block.text, '\n')) {
                    if (!line.empty()) {
                        step.commands.push_back(std::move(line));
                    }
                }
                break;
            }
            [[fallthrough]];
        case Block::Kind::table:
            step.figures.push_back(std::move(block));
            break;
        default:
            step.text.push_back(std::move(block));
    }
}

}  // namespace

Lecture read_lecture(std::string_view markdown) {
    Lecture lecture;
    for (Block& block : parse_document(markdown)) {
        if (block.kind == Block::Kind::heading && block.level == 1) {
            lecture.title = plain_text(block.spans);
        } else if (block.kind == Block::Kind::heading && block.level == 2) {
            lecture.steps.push_back({.title = plain_text(block.spans)});
        } else if (!lecture.steps.empty()) {
            add(lecture.steps.back(), std::move(block));
        }
    }
    return lecture;
}

Lecture lecture(Language language) {
    const std::string_view path = language == Language::zh ? "lessons/lecture/zh.md" : "lessons/lecture/en.md";
    const auto texts = lesson_texts();
    return read_lecture(
        std::find_if(texts.begin(), texts.end(), [&](const EmbeddedText& text) { return text.path == path; })->text);
}

}  // namespace flashlens::teaching
