#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bilingual.h"
#include "cli/commands.h"
#include "cli/live.h"
#include "cli/screen.h"
#include "cli/scroll.h"
#include "cli/strict.h"
#include "report/document_text.h"
#include "report/table.h"
#include "report/width.h"
#include "teaching/document.h"
#include "teaching/lesson.h"

namespace flashlens::cli {
namespace {

constexpr int widest_prose = 100;
constexpr int narrowest = 20;

/// Titles and questions of all.
std::string list_of_lessons(const Context& context) {
    constexpr Bilingual heading{"Lessons", "课程"};
    constexpr Bilingual how{"flashlens lesson {} shows the first of them", "flashlens lesson {} 显示第一课"};
    constexpr int indent = 5;
    const int width = std::min(context.terminal.columns, widest_prose);
    std::string result =
        report::styled(std::string(heading.in(context.language)), report::Style::bold, context.terminal);
    result += "\n\n";
    const std::vector<teaching::Lesson> all = teaching::lessons(context.language);
    for (const teaching::Lesson& lesson : all) {
        std::string before = fmt::format("{:>3}  ", lesson.number);
        for (const std::string& line : report::wrap(lesson.title, width - indent)) {
            result += before + report::styled(line, report::Style::bold, context.terminal) + "\n";
            before = std::string(indent, ' ');
        }
        for (const std::string& line : report::wrap(lesson.question, width - indent)) {
            result += before + line + "\n";
        }
        result += "\n";
    }
    const std::string example =
        fmt::format(fmt::runtime(how.in(context.language)), all.empty() ? 0 : all.front().number);
    return result + report::styled(example, report::Style::dim, context.terminal) + "\n";
}

/// Pages through a lesson.
class Reader {
public:
    Reader(const Context& context, const teaching::Lesson& lesson)
        : context_(context),
          lesson_(lesson),
          page_(teaching::parse_document(lesson.markdown)),
          terminal_(context.terminal),
          answers_(context.given.has("--answers")) {}

    void run() {
        Screen screen(context_.dumb);
        for (bool going = true; going;) {
            draw(screen);
            going = obey(screen);
        }
    }

private:
    report::DocumentText text() const {
        const std::string_view folder = lesson_.path.substr(0, lesson_.path.rfind('/'));
        return report::document_text(page_, {context_.language, folder, answers_}, terminal_);
    }

    void lay_out(Screen& screen) {
        terminal_.columns = std::max(narrowest, screen.columns());
        const std::size_t block = text_.blocks.empty() ? 0 : text_.blocks[scroll_.top()];
        text_ = text();
        scroll_.set(text_.lines, screen.lines() - 1);
        // In another width, or with answers, a block stands elsewhere.
        if (text_.blocks[scroll_.top()] != block) {
            const auto at = std::lower_bound(text_.blocks.begin(), text_.blocks.end(), block);
            scroll_.go_to(static_cast<std::size_t>(at - text_.blocks.begin()));
        }
    }

    void draw(Screen& screen) {
        lay_out(screen);
        show(screen, scroll_, status());
    }
    void show(Screen& screen, const Scroll& scroll, const std::string& keys) const {
        const std::string line = report::wrap(keys, std::max(narrowest, screen.columns())).front();
        screen.show(scroll.seen(!context_.dumb) + report::styled(line, report::Style::dim, terminal_) +
                    (context_.dumb ? "\n" : ""));
    }

    std::string status() const {
        constexpr Bilingual forward{"Enter: on", "Enter 下一页"};
        constexpr Bilingual last{"Enter: close", "Enter 结束"};
        constexpr Bilingual back{"b: back  q: quit", "b 上一页  q 退出"};
        constexpr Bilingual section{"n p: section", "n p 换节"};
        constexpr Bilingual run{"r: run", "r 运行"};
        constexpr Bilingual open{"o: show answers", "o 显示答案"};
        constexpr Bilingual close{"o: hide answers", "o 隐藏答案"};
        const Language language = context_.language;
        const std::size_t share = text_.lines.empty() ? 100 : 100 * scroll_.end() / text_.lines.size();
        std::string keys = fmt::format("  {}% ", share);
        keys = report::pad(keys, 6) + std::string((scroll_.at_end() ? last : forward).in(language));
        keys += "  " + std::string(back.in(language));  // where the line is cut, these are there
        if (command_in_sight() != nullptr) {
            keys += "  " + std::string(run.in(language));
        }
        if (text_.has_answers) {
            keys += "  " + std::string((answers_ ? close : open).in(language));
        }
        return keys + "  " + std::string(section.in(language));
    }

    /// The first command that is seen, from `from` on.
    const report::DocumentText::Command* command_in_sight(std::size_t from = 0) const {
        for (const auto& command : text_.commands) {
            if (command.line >= std::max(scroll_.top(), from) && command.line < scroll_.end()) {
                return &command;
            }
        }
        return nullptr;
    }

    /// False when that was all.
    bool obey(Screen& screen) {
        const Key key = screen.key();
        using Kind = Key::Kind;
        if (key.kind == Kind::closed || key.kind == Kind::escape || key.is('q') || key.is('Q')) {
            return false;
        }
        if (key.kind == Kind::enter || key.is(' ')) {
            const bool was_last = scroll_.at_end();
            scroll_.page_down();
            return !was_last;
        }
        if (key.is('b') || key.kind == Kind::backspace) {
            scroll_.page_up();
        } else if (key.is('n') || key.kind == Kind::right) {
            next_section();
        } else if (key.is('p') || key.kind == Kind::left) {
            previous_section();
        } else if (key.is('o')) {
            answers_ = !answers_;
        } else if (key.is('r')) {
            return run_commands(screen);
        } else {
            scroll_.obey(key);
        }
        return true;
    }

    void next_section() {
        const auto next = std::upper_bound(text_.sections.begin(), text_.sections.end(), scroll_.top());
        scroll_.go_to(next == text_.sections.end() ? text_.lines.size() : *next);
    }
    void previous_section() {
        const auto at = std::lower_bound(text_.sections.begin(), text_.sections.end(), scroll_.top());
        scroll_.go_to(at == text_.sections.begin() ? 0 : *(at - 1));
    }

    /// The commands that are seen, one after the other, each on a page of its own. False when keys ended.
    bool run_commands(Screen& screen) {
        const auto* command = command_in_sight();
        while (command != nullptr) {
            const auto* after = command_in_sight(command->line + 1);
            const Key key = show_run(screen, *command, after != nullptr);
            if (key.kind == Key::Kind::closed) {
                return false;
            }
            command = key.is('r') ? after : nullptr;
        }
        return true;
    }

    /// Returns the key that ended it.
    Key show_run(Screen& screen, const report::DocumentText::Command& command, bool more) {
        constexpr Bilingual busy{"running ...", "运行中……"};
        constexpr Bilingual back{"q: back to the lesson", "q 回到课文"};
        constexpr Bilingual next{"r: the next command", "r 下一条命令"};
        const std::string title = report::styled("$ " + command.text, report::Style::bold, terminal_) + "\n\n";
        screen.show(title + std::string(busy.in(context_.language)));
        Scroll output;
        int columns = 0;
        for (;;) {
            if (columns != screen.columns()) {
                columns = screen.columns();
                const LiveRun run = run_live(context_, command.text, std::max(narrowest, columns));
                std::string all;
                for (const std::string& line : report::wrap("$ " + command.text, std::max(narrowest, columns))) {
                    all += report::styled(line, report::Style::bold, terminal_) + "\n";
                }
                output_ = lines_of(all + "\n" + run.out + run.err);
            }
            output.set(output_, screen.lines() - 1);
            std::string keys = "  " + std::string(back.in(context_.language));
            keys += more ? "  " + std::string(next.in(context_.language)) : "";
            show(screen, output, keys);
            const Key key = screen.key();
            if (key.kind == Key::Kind::closed || key.kind == Key::Kind::escape || key.is('q') ||
                (key.is('r') && more)) {
                return key;
            }
            if (key.kind == Key::Kind::enter || key.is(' ')) {
                if (output.at_end()) {
                    return key;
                }
                output.page_down();
            } else if (key.is('b') || key.kind == Key::Kind::backspace) {
                output.page_up();
            } else {
                output.obey(key);
            }
        }
    }

    const Context& context_;
    const teaching::Lesson& lesson_;
    std::vector<teaching::Block> page_;
    report::Terminal terminal_;
    bool answers_;
    report::DocumentText text_;
    Scroll scroll_;
    std::vector<std::string> output_;  ///< of a command
};

std::string whole(const Context& context, const teaching::Lesson& lesson) {
    const std::string_view folder = lesson.path.substr(0, lesson.path.rfind('/'));
    std::string result;
    for (const std::string& line : report::document_text(teaching::parse_document(lesson.markdown),
                                                         {context.language, folder, true}, context.terminal)
                                       .lines) {
        result += line + "\n";
    }
    return result;
}

}  // namespace

std::vector<std::string> lesson_names() {
    std::vector<std::string> names;
    for (const teaching::Lesson& lesson : teaching::lessons(Language::en)) {
        names.push_back(std::to_string(lesson.number));
    }
    return names;
}

int run_lesson(const Context& context) {
    const std::string& word = context.given.word;
    if (word.empty()) {
        context.out << list_of_lessons(context);
        return all_right;
    }
    const std::size_t which = choice("lesson", word, lesson_names());
    const std::vector<teaching::Lesson> all = teaching::lessons(context.language);
    if (context.takes_keys) {
        Reader(context, all.at(which)).run();
    } else {
        context.out << whole(context, all.at(which));
    }
    return all_right;
}

}  // namespace flashlens::cli
