#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bilingual.h"
#include "cli/commands.h"
#include "cli/live.h"
#include "cli/screen.h"
#include "cli/scroll.h"
#include "cli/strict.h"
#include "report/lecture_view.h"
#include "report/table.h"
#include "report/width.h"
#include "teaching/lecture.h"

namespace flashlens::cli {
namespace {

constexpr int narrowest = 20;

struct Shown {
    std::vector<report::Printed> printed;
    int code = all_right;
    std::string err;
};

/// Runs a step's commands.
Shown run_step(const Context& context, const teaching::LectureStep& step, int columns) {
    Shown shown;
    for (const std::string& command : step.commands) {
        const LiveRun run = run_live(context, command, columns);
        shown.printed.push_back({command, lines_of(run.out)});
        shown.err += run.err;
        shown.code = shown.code == all_right ? run.code : shown.code;
        for (const std::string& line : lines_of(run.err)) {
            shown.printed.back().lines.push_back(line);
        }
    }
    return shown;
}

/// A step at a time, on a screen that somebody records: nothing on it but the step, unless it is asked for.
class Player {
public:
    Player(const Context& context, const teaching::Lecture& lecture, std::size_t step)
        : context_(context),
          lecture_(lecture),
          terminal_(context.terminal),
          step_(step),
          notes_(context.given.has("--notes")) {}

    void run() {
        Screen screen(context_.dumb);
        for (bool going = true; going;) {
            draw(screen);
            going = obey(screen.key());
        }
    }

private:
    void draw(Screen& screen) {
        terminal_.columns = std::max(narrowest, screen.columns());
        const auto lines_at_hand = [&] {
            return report::lecture_screen(lecture_, step_, shown_.printed, notes_, context_.language, terminal_);
        };
        if (step_ != shown_step_ || terminal_.columns != shown_columns_) {
            const std::size_t top = step_ == shown_step_ ? scroll_.top() : 0;
            shown_ = {};
            scroll_ = {};
            scroll_.set(lines_at_hand(), screen.lines() - 1);
            if (!context_.dumb) {
                screen.show(scroll_.seen(false));  // the title stands while the commands run
            }
            shown_ = run_step(context_, lecture_.steps[step_], terminal_.columns);
            scroll_.set(lines_at_hand(), screen.lines());
            scroll_.go_to(top);
            shown_step_ = step_;
            shown_columns_ = terminal_.columns;
        }
        const std::vector<std::string> lines = lines_at_hand();
        const std::string line = last_line(std::ssize(lines) > screen.lines());
        scroll_.set(lines, screen.lines() - (line.empty() ? 0 : 1));
        std::string text = scroll_.seen(!line.empty() && !context_.dumb);
        if (!line.empty()) {
            text += report::styled(report::wrap(line, terminal_.columns).front(), report::Style::dim, terminal_);
        } else if (!context_.dumb && !text.empty()) {
            text.pop_back();  // a newline on the last line would scroll
        }
        screen.show(text + (context_.dumb ? "\n" : ""));
    }

    /// The keys, a number that is typed, or that there is more below; mostly nothing.
    std::string last_line(bool scrolls) const {
        constexpr Bilingual keys{
            "Enter: next  b: back  number Enter: that step  arrows: scroll  s: notes  ?: these keys  q: quit",
            "Enter 下一步  b 上一步  数字加 Enter 跳到该步  方向键滚动  s 讲稿  ? 按键  q 退出"};
        constexpr Bilingual go{"to step {}: Enter", "跳到第 {} 步：Enter"};
        constexpr Bilingual more{"more: arrows scroll", "还有内容：方向键滚动"};
        if (!number_.empty()) {
            return fmt::format(fmt::runtime(go.in(context_.language)), number_);
        }
        if (keys_) {
            return std::string(keys.in(context_.language));
        }
        return scrolls ? std::string(more.in(context_.language)) : "";
    }

    /// False when that was all.
    bool obey(const Key& key) {
        using Kind = Key::Kind;
        const std::string number = std::exchange(number_, "");
        const bool digit = key.kind == Kind::character && key.character >= '0' && key.character <= '9';
        if (key.kind == Kind::redraw) {
            number_ = number;
            return true;
        }
        if (digit) {
            constexpr std::size_t most_digits = 3;
            number_ = (number + key.character).substr(0, most_digits);
            return true;
        }
        if (!number.empty()) {
            if (key.kind == Kind::enter) {
                jump(static_cast<std::size_t>(std::stoul(number)));
                return true;
            }
            if (key.kind == Kind::backspace) {
                number_ = number.substr(0, number.size() - 1);
                return true;
            }
            if (key.kind == Kind::escape) {
                return true;
            }
        }
        if (key.kind == Kind::closed || key.kind == Kind::escape || key.is('q') || key.is('Q')) {
            return false;
        }
        if (key.kind == Kind::enter || key.is(' ') || key.is('n') || key.kind == Kind::right) {
            if (step_ + 1 == lecture_.steps.size()) {
                return false;
            }
            ++step_;
        } else if (key.is('b') || key.is('p') || key.kind == Kind::backspace || key.kind == Kind::left) {
            step_ = step_ > 0 ? step_ - 1 : 0;
        } else if (key.is('?')) {
            keys_ = !keys_;
        } else if (key.is('s')) {
            notes_ = !notes_;
        } else {
            scroll_.obey(key);
        }
        return true;
    }

    void jump(std::size_t number) { step_ = std::clamp<std::size_t>(number, 1, lecture_.steps.size()) - 1; }

    const Context& context_;
    const teaching::Lecture& lecture_;
    report::Terminal terminal_;
    std::size_t step_;
    bool notes_;
    bool keys_ = false;
    std::string number_;  ///< typed so far
    Shown shown_;
    std::size_t shown_step_ = static_cast<std::size_t>(-1);  ///< whose output shown_ is, and how wide
    int shown_columns_ = 0;
    Scroll scroll_;
};

/// All steps from `first` on. Stops at one whose command fails, and says why.
int print(const Context& context, const teaching::Lecture& lecture, std::size_t first) {
    for (std::size_t step = first; step < lecture.steps.size(); ++step) {
        const Shown shown = run_step(context, lecture.steps[step], context.terminal.columns);
        if (shown.code != all_right) {
            context.err << shown.err;
            return shown.code;
        }
        context.out << (step > first ? "\n\n" : "");
        for (const std::string& line : report::lecture_screen(
                 lecture, step, shown.printed, context.given.has("--notes"), context.language, context.terminal)) {
            context.out << line << "\n";
        }
    }
    return all_right;
}

}  // namespace

int run_lecture(const Context& context) {
    const teaching::Lecture lecture = teaching::lecture(context.language);
    std::int64_t first = 1;
    if (context.given.has("--step")) {
        first = whole_number("--step", context.given.text("--step"), 1, std::ssize(lecture.steps), 1);
    }
    const auto step = static_cast<std::size_t>(first - 1);
    if (!context.takes_keys) {
        return print(context, lecture, step);
    }
    Player(context, lecture, step).run();
    return all_right;
}

}  // namespace flashlens::cli
