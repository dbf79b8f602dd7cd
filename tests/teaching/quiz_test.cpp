#include "teaching/quiz.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "message.h"
#include "split.h"
#include "teaching/kernel_texts.h"
#include "teaching/quiz_answer.h"
#include "teaching/quiz_texts.h"
#include "text.h"

using namespace flashlens;
using namespace flashlens::teaching;
using tests::has;

namespace {

const std::string choice_text = R"(# Splits

## splits-1 | 2 | choice
What does v1's `num_splits`
split?

- [ ] the keys
- [x] the query tiles

> Every tile
> meets all keys.

show: flashlens map --splits 4
read: 2, 7
)";
const std::string line_text = R"(## splits-2 | 3 | line
Which is wrong?

```cuda
1  for (;;) {
2      a();
10
```

answer: 2
> Because.
show: flashlens source
read: 3
)";
const std::string run_text = R"(## splits-3 | 1 | run
How many?

figure: v2.smem_bytes in flashlens explain -b 1
tolerance: 0.5 %
> So many.
show: flashlens explain -b 1
read: 2
)";
const std::string open_text = R"(## splits-4 | 1 | open
Why?

model: One
two.

Three.
follow: And
then? -- So
it is.
follow: Else? -- No.
grade: says one
and two
grade: says three
show: flashlens explain
read: 2
)";

std::string replaced(std::string text, const std::string& old, const std::string& by) {
    const std::size_t at = text.find(old);
    REQUIRE(at != std::string::npos);
    return text.replace(at, old.size(), by);
}

/// The error of a file, which names it.
std::string error_of(const std::string& text) {
    try {
        parse_quiz("lessons/quiz/en/splits.md", text);
    } catch (const Failure& error) {
        CHECK(has(error.message().zh, "splits.md"));
        return error.what();
    }
    return "";
}

std::string squeezed(std::string_view line) {
    std::string result;
    for (const char c : line) {
        if (c != ' ' || (!result.empty() && result.back() != ' ')) {
            result += c;
        }
    }
    while (result.ends_with(' ')) {
        result.pop_back();
    }
    return result;
}

/// Lines of code without their comments.
std::vector<std::string> code_lines(std::string_view text) {
    std::vector<std::string> lines;
    for (const std::string& line : split(text, '\n')) {
        const std::string code = squeezed(line.substr(0, line.find("//")));
        if (!code.empty()) {
            lines.push_back(code);
        }
    }
    return lines;
}

}  // namespace

TEST_CASE("quiz: each kind as a file has it") {
    const auto choices = parse_quiz("lessons/quiz/en/splits.md", choice_text);
    REQUIRE(choices.size() == 1);
    const QuizQuestion& choice = choices[0];
    CHECK(choice.id == "splits-1");
    CHECK(choice.topic == "splits");
    CHECK(choice.level == 2);
    CHECK(choice.kind == QuizKind::choice);
    CHECK(choice.text == "What does v1's `num_splits` split?");
    REQUIRE(choice.options.size() == 2);
    CHECK(choice.options[1].text == "the query tiles");
    CHECK_FALSE(choice.options[0].right);
    CHECK(choice.options[1].right);
    CHECK(choice.why == "Every tile meets all keys.");
    CHECK(choice.show == "flashlens map --splits 4");
    CHECK(choice.read == std::vector{2, 7});

    const std::string numbered = replaced(line_text, "10\n", "3  }\n");
    const QuizQuestion line = parse_quiz("splits.md", numbered).at(0);
    CHECK(line.code == std::vector<std::string>{"for (;;) {", "    a();", "}"});
    CHECK(line.right_line == 2);

    const QuizQuestion run = parse_quiz("splits.md", run_text).at(0);
    CHECK(run.figure == "v2.smem_bytes");
    CHECK(run.figure_command == "flashlens explain -b 1");
    CHECK(run.tolerance == doctest::Approx(0.005));
    CHECK(run.unit == QuizUnit::bytes);

    const QuizQuestion open = parse_quiz("splits.md", open_text).at(0);
    CHECK(open.model == "One two.\n\nThree.");
    REQUIRE(open.follow_ups.size() == 2);
    CHECK(open.follow_ups[0].question == "And then?");
    CHECK(open.follow_ups[0].answer == "So it is.");
    CHECK(open.follow_ups[1].answer == "No.");
    CHECK(open.grades == std::vector<std::string>{"says one and two", "says three"});

    CHECK(parse_quiz("splits.md", choice_text + numbered + run_text + open_text).size() == 4);
    // where lines of Chinese are joined no blank goes in between
    CHECK(parse_quiz("splits.md", replaced(run_text, "How many?", "一共\n多少个\nCTA？")).at(0).text ==
          "一共多少个 CTA？");
}

TEST_CASE("quiz: what is wrong with a file is told with its line") {
    struct Case {
        std::string text;
        const char* old;
        const char* by;
        int line;
        const char* part;
    };
    const std::string lines = replaced(line_text, "10\n", "3  }\n");
    const std::vector<Case> cases = {
        {choice_text, "| 2 |", "| 4 |", 3, "level 1, 2 or 3"},
        {choice_text, "| choice", "| guess", 3, "guess: no kind"},
        {choice_text, "| choice", "| number", 3, "no kind"},
        {choice_text, "splits-1", "grid-1", 3, "an id is splits-"},
        {choice_text, "splits-1", "splits-n1", 3, "an id is"},
        {choice_text, "[x]", "[ ]", 3, "one of them right"},
        {choice_text, "- [ ] the", "- [x] the", 3, "one of them right"},
        {choice_text, "- [ ] the", "- [y] the", 7, "only a choice has options"},
        {choice_text, "> Every tile\n> meets all keys.\n", "", 3, "no reason"},
        {choice_text, "> Every tile\n", "> Every tile\nthat\n", 11, "belongs to nothing"},
        {choice_text, "show: flashlens map --splits 4\n", "", 3, "no show"},
        {choice_text, "flashlens map", "flashlen map", 13, "begins with flashlens"},
        {choice_text, "read: 2, 7\n", "", 3, "no read"},
        {choice_text, "read: 2, 7", "read: 2, 77", 14, "0 to 10"},
        {choice_text, "read: 2, 7", "read:", 14, "needs a value"},
        {choice_text, "read: 2, 7", "answer: 2", 14, "has none"},
        {choice_text, "What does v1's `num_splits`\nsplit?\n", "", 3, "no text"},
        {choice_text, "- [ ]", "```\n", 7, "no end"},
        {line_text, "nothing", "", 7, "3 is expected"},
        {lines, "answer: 2", "answer: 4", 1, "one of its lines"},
        {lines, "answer: 2", "answer: two", 1, "one of its lines"},
        {lines, "answer: 2\n", "", 1, "one of its lines"},
        {run_text, "v2.smem_bytes in ", "", 4, "PATH in COMMAND"},
        {run_text, "0.5 %", "1", 5, "share of the figure"},
        {run_text, "0.5 %", "-0.1", 5, "share of the figure"},
        {run_text, "tolerance: 0.5 %\n", "", 1, "tolerance:"},
        {open_text, "Else? -- No.", "Else?", 1, "QUESTION -- ANSWER"},
        {open_text, "grade: says one\nand two\ngrade: says three\n", "", 1, "grade:"},
        {choice_text + choice_text.substr(choice_text.find("##")), "nothing", "", 15, "there twice"},
    };
    for (const Case& wrong : cases) {
        const bool as_it_is = std::string_view(wrong.old) == "nothing";
        const std::string error = error_of(as_it_is ? wrong.text : replaced(wrong.text, wrong.old, wrong.by));
        CAPTURE(wrong.old);
        CAPTURE(wrong.by);
        CAPTURE(error);
        CHECK(has(error, "lessons/quiz/en/splits.md:" + std::to_string(wrong.line) + ": "));
        CHECK(has(error, wrong.part));
    }
    CHECK_THROWS_AS(parse_quiz("lessons/quiz/en/nothing.md", choice_text), Failure);
}

TEST_CASE("quiz: numbers are read strictly") {
    const auto value = [](const char* text, QuizUnit unit) {
        const auto number = read_number(text, unit);
        return number ? number->value : -1.0;
    };
    using enum QuizUnit;
    CHECK(value("1,234", count) == 1234);
    CHECK(value(" 1234 ", count) == 1234);
    CHECK(value("1,234,567", count) == 1234567);
    CHECK(value("1e6", count) == 1e6);
    CHECK(value("2.5e+3", count) == 2500);
    CHECK(value("5.44 M", count) == doctest::Approx(5.44e6));
    CHECK(value("48 KiB", bytes) == 49152);
    CHECK(value("48KiB", bytes) == 49152);
    CHECK(value("8.39 MB", bytes) == doctest::Approx(8.39e6));
    CHECK(value("49152 字节", bytes) == 49152);
    CHECK(value("59.3 %", percent) == doctest::Approx(59.3));
    CHECK(value("59.3", percent) == doctest::Approx(59.3));
    CHECK(value("2.15 GFLOP", flop) == doctest::Approx(2.15e9));
    CHECK(value("180 TFLOP/s", tflops) == 180);
    CHECK(value("0.0067", real) == doctest::Approx(0.0067));
    for (const char* text :
         {"",   " ",  "12,34",  "1,2345", ",123", "1.",  ".5",   "1..2",   "1.2.3", "one", "12 x", "-3",
          "+3", "1e", "1e9999", "1 234",  "12 %", "3 B", "0x10", "1,234.", "nan",   "inf", "5 m"}) {
        CAPTURE(text);
        CHECK_FALSE(read_number(text, count));
    }
    CHECK_FALSE(read_number("48 K", bytes));  // 1,000 or 1,024?
    CHECK_FALSE(read_number("0.5 M", percent));

    QuizQuestion q;
    q.kind = QuizKind::number;
    q.unit = bytes;
    q.value = 36992;  // which is 36.125 KiB
    CHECK(judge(q, "36,992") == true);
    CHECK(judge(q, "36.1 KiB") == true);
    CHECK(judge(q, "36.2 KiB") == false);
    CHECK(judge(q, "36 KiB") == false);
    CHECK(judge(q, "36991") == false);
    CHECK_FALSE(judge(q, "about 36 KiB"));
    q.tolerance = 0.01;
    CHECK(judge(q, "37,300") == true);
    CHECK(judge(q, "37,400") == false);
}

TEST_CASE("quiz: letters and lines") {
    QuizQuestion q = parse_quiz("splits.md", choice_text).at(0);
    CHECK(right_answer(q) == "b");
    CHECK(judge(q, "b") == true);
    CHECK(judge(q, " B ") == true);
    CHECK(judge(q, "a") == false);
    for (const char* text : {"c", "ab", "1", "", "é"}) {
        CHECK_FALSE(judge(q, text));
    }
    q = parse_quiz("splits.md", replaced(line_text, "10\n", "3  }\n")).at(0);
    CHECK(judge(q, "2") == true);
    CHECK(judge(q, "3") == false);
    for (const char* text : {"4", "0", "-2", "2.0", "line 2"}) {
        CHECK_FALSE(judge(q, text));
    }
}

TEST_CASE("quiz: the files parse, and say the same in both languages") {
    const std::vector<QuizQuestion> english = quiz_questions(Language::en);
    const std::vector<QuizQuestion> chinese = quiz_questions(Language::zh);
    CHECK(quiz_texts().size() == 2 * quiz_topics().size());
    CHECK(english.size() >= 60);
    REQUIRE(english.size() == chinese.size());
    std::set<std::string> ids;
    std::set<std::string> topics;
    std::set<int> levels;
    std::set<QuizKind> kinds;
    for (std::size_t i = 0; i < english.size(); ++i) {
        const QuizQuestion& a = english[i];
        const QuizQuestion& b = chinese[i];
        CAPTURE(a.id);
        CHECK(ids.insert(a.id).second);
        topics.insert(a.topic);
        levels.insert(a.level);
        kinds.insert(a.kind);
        CHECK(a.id == b.id);
        CHECK(a.level == b.level);
        CHECK(a.kind == b.kind);
        CHECK(a.show == b.show);
        CHECK(a.read == b.read);
        CHECK(a.figure == b.figure);
        CHECK(a.figure_command == b.figure_command);
        CHECK(a.tolerance == b.tolerance);
        CHECK(a.right_line == b.right_line);
        CHECK(a.code == b.code);
        CHECK(a.grades.size() == b.grades.size());
        CHECK(a.follow_ups.size() == b.follow_ups.size());
        REQUIRE(a.options.size() == b.options.size());
        for (std::size_t o = 0; o < a.options.size(); ++o) {
            CHECK(a.options[o].right == b.options[o].right);
        }
    }
    CHECK(topics.size() == quiz_topics().size());
    CHECK(levels == std::set{1, 2, 3});
    CHECK(kinds == std::set{QuizKind::choice, QuizKind::line, QuizKind::run, QuizKind::open});
}

TEST_CASE("quiz: of a wrong line's code all other lines are a kernel's own, and it is none") {
    int found = 0;
    for (const QuizQuestion& q : quiz_questions(Language::en)) {
        if (q.kind != QuizKind::line) {
            continue;
        }
        ++found;
        CAPTURE(q.id);
        // The file whose lines follow each other in this order; the altered one is not among them there.
        bool somewhere = false;
        for (const EmbeddedText& file : kernel_texts()) {
            const std::vector<std::string> lines = code_lines(file.text);
            auto at = lines.begin();
            bool all = true;
            for (std::size_t i = 0; i < q.code.size() && all; ++i) {
                const std::string code = squeezed(q.code[i].substr(0, q.code[i].find("//")));
                if (static_cast<int>(i) + 1 == q.right_line || code.empty() || code == "…" || code == "...") {
                    continue;
                }
                at = std::find(at, lines.end(), code);
                all = at != lines.end();
                at += all ? 1 : 0;
            }
            const std::string& wrong = q.code[static_cast<std::size_t>(q.right_line) - 1];
            const std::string altered = squeezed(wrong.substr(0, wrong.find("//")));
            somewhere = somewhere || (all && std::find(lines.begin(), lines.end(), altered) == lines.end());
        }
        CHECK(somewhere);
    }
    CHECK(found >= 5);
}
