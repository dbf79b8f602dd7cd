// The lessons and the lecture's script, as the program holds them.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <string>

#include "teaching/lecture.h"
#include "teaching/lesson.h"

using namespace flashlens;
using namespace flashlens::teaching;

namespace {

std::string content(const std::filesystem::path& file) {
    std::ostringstream all;
    all << std::ifstream(file).rdbuf();
    return all.str();
}

}  // namespace

TEST_CASE("every lesson of the repository is in the program, as it is there") {
    const std::filesystem::path root = FLASHLENS_ROOT;
    std::set<std::string> files;
    for (const char* folder : {"lessons/en", "lessons/zh", "lessons/lecture"}) {
        for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
            files.insert(std::filesystem::relative(entry.path(), root).generic_string());
        }
    }
    CHECK(lesson_texts().size() == files.size());
    for (const EmbeddedText& text : lesson_texts()) {
        CAPTURE(text.path);
        CHECK(files.count(std::string(text.path)) == 1);
        CHECK(text.text == content(root / text.path));
    }
}

TEST_CASE("both languages have the same lessons, each with a number, a title and a question") {
    const auto english = lessons(Language::en);
    const auto chinese = lessons(Language::zh);
    REQUIRE(english.size() == chinese.size());
    REQUIRE_FALSE(english.empty());
    for (std::size_t i = 0; i < english.size(); ++i) {
        CAPTURE(english[i].path);
        CHECK(english[i].number == chinese[i].number);
        CHECK((i == 0 || english[i - 1].number < english[i].number));
        CHECK(english[i].path.starts_with("lessons/en/" + std::to_string(english[i].number) + "-"));
        CHECK(english[i].title != chinese[i].title);
        for (const Lesson& lesson : {english[i], chinese[i]}) {
            CAPTURE(lesson.title);
            CAPTURE(lesson.question);
            CHECK(lesson.markdown.starts_with("# " + std::to_string(lesson.number) + ". " + lesson.title));
            CHECK((lesson.question.ends_with('?') || lesson.question.find("？") != std::string::npos));
            CHECK_FALSE(lesson.question.starts_with(' '));
        }
    }
}

TEST_CASE("a script: title, steps, what is seen and what is said") {
    const Lecture lecture = read_lecture(
        "# All\n\nHow it is written.\n\n## One\n\nA line\nand another\n\n```sh\nflashlens map\nflashlens "
        "devices\n```\n\n"
        "| a |\n| --- |\n| 1 |\n\n> **40 s.** Say this.\n>\n> And that.\n\n## Two\n\n- a\n\n> **5 秒。** 说\n");
    CHECK(lecture.title == "All");
    REQUIRE(lecture.steps.size() == 2);
    const LectureStep& one = lecture.steps[0];
    CHECK(one.title == "One");
    REQUIRE(one.text.size() == 1);
    CHECK(one.text[0].spans[0].text == "A line\nand another");
    CHECK(one.commands == std::vector<std::string>{"flashlens map", "flashlens devices"});
    CHECK(one.figures.size() == 1);
    CHECK(one.seconds == 40);
    REQUIRE(one.notes.size() == 2);
    CHECK(plain_text(one.notes[0].spans) == "Say this.");
    CHECK(lecture.steps[1].seconds == 5);
    CHECK(plain_text(lecture.steps[1].notes[0].spans) == "说");
    CHECK(lecture.steps[1].commands.empty());
}

TEST_CASE("the lecture: the same steps in both languages, and at most 20 minutes") {
    const Lecture english = lecture(Language::en);
    const Lecture chinese = lecture(Language::zh);
    CHECK(english.title != chinese.title);
    REQUIRE(english.steps.size() == chinese.steps.size());
    CHECK(english.steps.size() >= 18);
    CHECK(english.steps.size() <= 24);
    int seconds = 0;
    for (std::size_t i = 0; i < english.steps.size(); ++i) {
        const LectureStep& one = english.steps[i];
        const LectureStep& other = chinese.steps[i];
        CAPTURE(one.title);
        CHECK(one.title != other.title);
        CHECK(one.commands == other.commands);
        CHECK(one.figures.size() == other.figures.size());
        CHECK(one.seconds == other.seconds);
        CHECK(one.seconds >= 20);
        CHECK(one.seconds <= 90);
        for (const LectureStep& step : {one, other}) {
            CHECK_FALSE(step.text.empty());
            CHECK_FALSE(step.notes.empty());
        }
        seconds += one.seconds;
    }
    CHECK(seconds <= 20 * 60);
    CHECK(seconds >= 12 * 60);
}
