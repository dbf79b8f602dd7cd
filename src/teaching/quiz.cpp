#include "teaching/quiz.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "say.h"
#include "split.h"
#include "teaching/lesson.h"
#include "teaching/quiz_texts.h"

namespace flashlens::teaching {
namespace {

constexpr std::array<std::string_view, 12> topics{"grid",    "splits",        "main-loop", "online-softmax",
                                                  "warps",   "shared-memory", "occupancy", "numerics",
                                                  "masking", "gqa",           "ladder",    "reading"};
constexpr std::array kinds{QuizKind::choice, QuizKind::number, QuizKind::line, QuizKind::run, QuizKind::open};

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) {
        return "";
    }
    return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::optional<int> small_number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

/// The number of the last one that there is.
int last_lesson() {
    const auto texts = lesson_texts();
    const auto english = [](const EmbeddedText& text) { return text.path.starts_with("lessons/en/"); };
    return static_cast<int>(std::count_if(texts.begin(), texts.end(), english)) - 1;
}

/// Adds a line to a text that a file breaks into lines. No blank goes where Chinese meets Chinese.
void add_line(std::string& text, const std::string& line) {
    if (line.empty()) {
        if (!text.empty() && !text.ends_with("\n\n")) {
            text += "\n\n";
        }
        return;
    }
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (!text.empty() && text.back() != '\n' && (is_ascii(text.back()) || is_ascii(line.front()))) {
        text += ' ';
    }
    text += line;
}

/// Reads one file, line by line.
class Parser {
public:
    Parser(std::string_view path, std::string_view text) : path_(path), lines_(split(text, '\n')) {
        const std::string_view file = path.substr(path.rfind('/') + 1);
        topic_ = std::string(file.substr(0, file.rfind('.')));
        if (std::find(topics.begin(), topics.end(), topic_) == topics.end()) {
            throw Failure(say("{}: no topic of the quiz; there are {}", path_, list(topics)));
        }
    }

    std::vector<QuizQuestion> questions() {
        for (at_ = 0; at_ < lines_.size(); ++at_) {
            const std::string& line = lines_[at_];
            if (line.starts_with("## ")) {
                finish();
                begin(line.substr(3));
            } else if (!questions_.empty()) {
                take(line);
            }
        }
        finish();
        return std::move(questions_);
    }

private:
    /// Where lines that begin nothing new belong.
    enum class Part { text, why, model, follow, grade, nothing };

    [[noreturn]] void fail(std::size_t line, const Message& what) const {
        throw Failure(say("{}:{}: {}", path_, line + 1, what));
    }
    QuizQuestion& now() { return questions_.back(); }

    void begin(const std::string& heading) {
        const std::vector<std::string> parts = split(heading, '|');
        const std::optional<int> level = parts.size() == 3 ? small_number(trimmed(parts[1])) : std::nullopt;
        if (!level || *level < 1 || *level > 3) {
            fail(at_, say("a question begins with ## ID | LEVEL | KIND, the level 1, 2 or 3"));
        }
        QuizQuestion question;
        question.id = trimmed(parts[0]);
        question.topic = topic_;
        question.level = *level;
        const std::string kind = trimmed(parts[2]);
        const auto known = std::find_if(kinds.begin(), kinds.end(), [&](QuizKind k) { return name_of(k) == kind; });
        if (known == kinds.end() || *known == QuizKind::number) {
            fail(at_, say("{}: no kind of question that a file has; there are choice, line, run, open", kind));
        }
        question.kind = *known;
        const std::string start = topic_ + "-";
        if (!question.id.starts_with(start) || !small_number(std::string_view(question.id).substr(start.size()))) {
            fail(at_, say("{}: an id is {} and a number", question.id, start));
        }
        if (std::any_of(questions_.begin(), questions_.end(),
                        [&](const QuizQuestion& other) { return other.id == question.id; })) {
            fail(at_, say("{} is there twice", question.id));
        }
        questions_.push_back(std::move(question));
        began_ = at_;
        part_ = Part::text;
        tolerance_given_ = false;
    }

    void take(const std::string& line) {
        if (line.starts_with("```")) {
            take_code();
        } else if (line.starts_with("- [")) {
            take_option(line);
        } else if (line.starts_with(">")) {
            part_ = Part::why;
            add_line(now().why, trimmed(line.substr(1)));
        } else if (!take_field(line)) {
            go_on(line);
        }
    }

    void take_code() {
        if (!now().code.empty()) {
            fail(at_, say("a question has one piece of code"));
        }
        const std::size_t opened = at_;
        for (++at_; at_ < lines_.size() && !lines_[at_].starts_with("```"); ++at_) {
            std::string line = lines_[at_];
            if (now().kind == QuizKind::line) {
                const std::string number = std::to_string(now().code.size() + 1);
                const std::string_view start =
                    std::string_view(line).substr(std::min(line.find_first_not_of(' '), line.size()));
                const std::size_t end = line.size() - start.size() + number.size();
                if (!start.starts_with(number) || (end < line.size() && line[end] != ' ')) {
                    fail(at_, say("the lines of the code are numbered: {} is expected here", number));
                }
                // Two blanks follow, and then the code with its indentation.
                const std::size_t code = std::min(line.find_first_not_of(' ', end), end + 2);
                line = code < line.size() ? line.substr(code) : "";
            }
            now().code.push_back(line);
        }
        if (at_ == lines_.size()) {
            fail(opened, say("this code has no end: ``` alone on a line"));
        }
    }

    void take_option(const std::string& line) {
        const bool right = line.starts_with("- [x] ");
        const std::string text = trimmed(std::string_view(line).substr(std::min<std::size_t>(6, line.size())));
        if (now().kind != QuizKind::choice || (!right && !line.starts_with("- [ ] ")) || text.empty()) {
            fail(at_, say("only a choice has options, each - [ ] TEXT, the right one - [x] TEXT"));
        }
        now().options.push_back({text, right});
        part_ = Part::nothing;
    }

    /// A line that begins with a field's name.
    bool take_field(const std::string& line) {
        const std::size_t colon = line.find(':');
        const std::string name = line.substr(0, colon);
        constexpr std::array<std::string_view, 8> fields{"answer", "figure", "tolerance", "show",
                                                         "read",   "model",  "follow",    "grade"};
        if (colon == std::string::npos || std::find(fields.begin(), fields.end(), name) == fields.end()) {
            return false;
        }
        const std::string value = trimmed(std::string_view(line).substr(colon + 1));
        if (value.empty()) {
            fail(at_, say("{}: needs a value", name));
        }
        const bool fits = name == "answer"                          ? now().kind == QuizKind::line
                          : name == "figure" || name == "tolerance" ? now().kind == QuizKind::run
                          : name == "show" || name == "read"        ? true
                                                                    : now().kind == QuizKind::open;
        if (!fits) {
            fail(at_, say("{}: a question of the kind {} has none", name, name_of(now().kind)));
        }
        part_ = Part::nothing;
        if (name == "answer") {
            now().right_line = small_number(value).value_or(0);
        } else if (name == "figure") {
            take_figure(value);
        } else if (name == "tolerance") {
            take_tolerance(value);
        } else if (name == "show") {
            now().show = command(value);
        } else if (name == "read") {
            take_lessons(value);
        } else if (name == "model") {
            part_ = Part::model;
            now().model = value;
        } else if (name == "follow") {
            part_ = Part::follow;
            follow_ = value;
            take_follow_up();
        } else {
            part_ = Part::grade;
            now().grades.push_back(value);
        }
        return true;
    }

    std::string command(const std::string& text) const {
        if (!text.starts_with("flashlens ")) {
            fail(at_, say("{}: a command begins with flashlens", text));
        }
        return text;
    }

    void take_figure(const std::string& value) {
        const std::size_t in = value.find(" in ");
        if (in == std::string::npos) {
            fail(at_, say("figure: is PATH in COMMAND, as v2.ctas in flashlens explain -b 1"));
        }
        now().figure = trimmed(value.substr(0, in));
        now().figure_command = command(trimmed(value.substr(in + 4)));
        now().unit = unit_of_figure(now().figure);
    }

    void take_tolerance(std::string value) {
        const bool of_hundred = value.ends_with("%");
        value = trimmed(of_hundred ? value.substr(0, value.size() - 1) : value);
        double number = 0.0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        number = of_hundred ? number / 100 : number;
        if (error != std::errc() || end != value.data() + value.size() || !(number >= 0.0 && number < 1.0)) {
            fail(at_, say("tolerance: is a share of the figure, from 0 to less than 1, as 0.01 or 1 %"));
        }
        now().tolerance = number;
        tolerance_given_ = true;
    }

    void take_lessons(const std::string& value) {
        for (const std::string& part : split(value, ',')) {
            const std::optional<int> lesson = small_number(trimmed(part));
            if (!lesson || *lesson > last_lesson()) {
                fail(at_, say("read: has numbers of lessons, 0 to {}, with commas between them", last_lesson()));
            }
            now().read.push_back(*lesson);
        }
    }

    /// QUESTION -- ANSWER, which may run over several lines.
    void take_follow_up() {
        const std::size_t dashes = follow_.find(" -- ");
        if (dashes == std::string::npos) {
            return;  // finish() tells when it never comes
        }
        now().follow_ups.push_back({trimmed(follow_.substr(0, dashes)), trimmed(follow_.substr(dashes + 4))});
        follow_.clear();
    }

    void go_on(const std::string& line) {
        const std::string text = trimmed(line);
        if (part_ == Part::nothing || part_ == Part::why) {
            if (!text.empty()) {
                fail(at_, say("this line belongs to nothing; a reason's lines begin with >"));
            }
        } else if (part_ == Part::text) {
            add_line(now().text, text);
        } else if (part_ == Part::model) {
            add_line(now().model, text);
        } else if (part_ == Part::grade && !text.empty()) {
            add_line(now().grades.back(), text);
        } else if (part_ == Part::follow && !text.empty()) {
            if (follow_.empty()) {
                add_line(now().follow_ups.back().answer, text);
            } else {
                add_line(follow_, text);
                take_follow_up();
            }
        }
    }

    /// What the question at hand must have.
    void finish() {
        if (questions_.empty()) {
            return;
        }
        QuizQuestion& q = now();
        const auto need = [&](bool there, const Message& what) {
            if (!there) {
                fail(began_, say("{}: {}", q.id, what));
            }
        };
        for (std::string* text : {&q.text, &q.why, &q.model}) {
            while (text->ends_with('\n')) {
                text->pop_back();
            }
        }
        need(!q.text.empty(), say("has no text"));
        need(follow_.empty(), say("a follow-up is QUESTION -- ANSWER"));
        need(!q.show.empty(), say("has no show: COMMAND"));
        need(!q.read.empty(), say("has no read: LESSON"));
        if (q.kind == QuizKind::open) {
            need(!q.model.empty() && !q.grades.empty() && !q.follow_ups.empty(),
                 say("an open question has model:, follow: and grade:"));
        } else {
            need(!q.why.empty(), say("has no reason: lines that begin with >"));
        }
        if (q.kind == QuizKind::choice) {
            need(
                q.options.size() >= 2 && q.options.size() <= 8 &&
                    std::count_if(q.options.begin(), q.options.end(), [](const QuizOption& o) { return o.right; }) == 1,
                say("a choice has two to eight options, one of them right"));
        }
        if (q.kind == QuizKind::line) {
            need(!q.code.empty() && q.right_line >= 1 && q.right_line <= static_cast<int>(q.code.size()),
                 say("a question for a line has code, and answer: one of its lines"));
        }
        if (q.kind == QuizKind::run) {
            need(!q.figure.empty() && tolerance_given_, say("a question of the kind run has figure: and tolerance:"));
        }
    }

    std::string path_;
    std::vector<std::string> lines_;
    std::string topic_;
    std::size_t at_ = 0;
    std::size_t began_ = 0;  ///< the heading of the question at hand
    Part part_ = Part::nothing;
    std::string follow_;  ///< a follow-up whose answer has not begun
    bool tolerance_given_ = false;
    std::vector<QuizQuestion> questions_;
};

}  // namespace

std::string_view name_of(QuizKind kind) {
    switch (kind) {
        case QuizKind::choice:
            return "choice";
        case QuizKind::number:
            return "number";
        case QuizKind::line:
            return "line";
        case QuizKind::run:
            return "run";
        case QuizKind::open:
            break;
    }
    return "open";
}

std::span<const std::string_view> quiz_topics() {
    return topics;
}

std::vector<QuizQuestion> parse_quiz(std::string_view path, std::string_view text) {
    return Parser(path, text).questions();
}

std::vector<QuizQuestion> quiz_questions(Language language) {
    const std::string folder = language == Language::zh ? "/zh/" : "/en/";
    std::vector<QuizQuestion> all;
    for (const std::string_view topic : topics) {
        for (const EmbeddedText& file : quiz_texts()) {
            if (file.path.ends_with(folder + std::string(topic) + ".md")) {
                std::vector<QuizQuestion> some = parse_quiz(file.path, file.text);
                std::move(some.begin(), some.end(), std::back_inserter(all));
            }
        }
    }
    return all;
}

QuizUnit unit_of_figure(std::string_view figure) {
    const std::string_view name = figure.substr(figure.rfind('.') + 1);
    if (name.ends_with("bytes")) {
        return QuizUnit::bytes;
    }
    if (name == "sm_fill" || name == "occupancy") {
        return QuizUnit::percent;
    }
    return name.ends_with("flops") ? QuizUnit::flop : QuizUnit::count;
}

}  // namespace flashlens::teaching
