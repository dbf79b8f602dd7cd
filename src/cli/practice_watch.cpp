#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/commands.h"
#include "cli/practice_work.h"
#include "cli/screen.h"
#include "cli/scroll.h"
#include "practice/two_languages.h"
#include "report/practice_view.h"
#include "report/table.h"
#include "report/width.h"
#include "say.h"
#include "whole_file.h"

namespace flashlens::cli {
namespace {

using practice::both;
using practice::Exercise;

constexpr int narrowest = 20;
constexpr int poll_milliseconds = 200;

/// What tells that a file was saved, without reading it.
struct Stamp {
    ino_t file = 0;
    off_t size = -1;
    timespec changed{};

    bool operator==(const Stamp& other) const {
        return file == other.file && size == other.size && changed.tv_sec == other.changed.tv_sec &&
               changed.tv_nsec == other.changed.tv_nsec;
    }
};

Stamp stamp_of(const std::filesystem::path& file) {
    struct stat status {};
    return stat(file.c_str(), &status) == 0 ? Stamp{status.st_ino, status.st_size, status.st_mtim} : Stamp{};
}

/// Tells when a file holds something else. Editors empty it, write it in parts or put another in its place: it counts when
/// it has been the same twice.
class Watched {
public:
    void follow(const std::filesystem::path& file) {
        file_ = file;
        seen_ = stamp_of(file);
        settled_ = true;
        content_ = read_whole(file);
    }

    bool saved() {
        const Stamp now = stamp_of(file_);
        if (!(now == seen_)) {
            seen_ = now;
            settled_ = false;
            return false;
        }
        if (settled_ || now.size < 0) {
            return false;
        }
        settled_ = true;
        std::optional<std::string> content = read_whole(file_);
        if (content == content_) {
            return false;
        }
        content_ = std::move(content);
        return true;
    }

private:
    std::filesystem::path file_;
    Stamp seen_;
    bool settled_ = true;
    std::optional<std::string> content_;
};

class Watcher {
public:
    Watcher(const Context& context, PracticeWork& work, const Exercise& exercise)
        : context_(context), work_(work), exercise_(&exercise), terminal_(context.terminal) {}

    void run() {
        Screen screen(context_.dumb);
        screen_ = &screen;
        start(*exercise_);
        for (bool going = true; going;) {
            if (judge_due_) {
                judge();
            }
            if (draw_due_) {
                draw(keys());
            }
            if (pending_) {
                going = obey(*std::exchange(pending_, std::nullopt));
            } else if (const std::optional<Key> key = screen.key(poll_milliseconds)) {
                going = obey(*key);
            } else {
                judge_due_ = watched_.saved();
            }
        }
    }

private:
    enum class Shown { task, verdict, hints };

    void start(const Exercise& exercise) {
        exercise_ = &exercise;
        work_.check_machine(exercise);
        watched_.follow(work_.folder().file(exercise));
        verdict_.reset();
        const bool untouched = work_.folder().as_handed_out(exercise);
        show(untouched ? Shown::task : Shown::verdict);
        judge_due_ = !untouched;
    }

    void show(Shown shown) {
        shown_ = shown;
        scroll_ = {};
        draw_due_ = true;
    }

    /// Given up for a key that leads elsewhere and for another save; other keys wait.
    void judge() {
        judge_due_ = false;
        show(Shown::verdict);
        draw(busy());
        verdict_ = work_.judge(*exercise_, [&] {
            if (!pending_) {
                pending_ = screen_->key(0);
            }
            judge_due_ = judge_due_ || watched_.saved();
            return judge_due_ || (pending_ && leads_elsewhere(*pending_));
        });
        draw_due_ = true;
    }

    static bool leads_elsewhere(const Key& key) {
        constexpr std::string_view letters = "qQnhtr";
        return key.kind == Key::Kind::closed || key.kind == Key::Kind::escape ||
               (key.kind == Key::Kind::character && letters.find(key.character) != std::string_view::npos);
    }

    report::Lines lines() const {
        report::PracticePage page = work_.page(*exercise_);
        page.keys = true;
        if (shown_ == Shown::verdict && verdict_) {
            return report::practice_verdict(page, *verdict_, work_.progress(exercise_), context_.language, terminal_);
        }
        if (shown_ == Shown::hints) {
            return report::practice_hints(page, context_.language, terminal_);
        }
        return report::practice_task(page, context_.language, terminal_);
    }

    void draw(const std::string& last) {
        draw_due_ = false;
        terminal_.columns = std::max(narrowest, screen_->columns());
        terminal_.is_screen = true;
        scroll_.set(lines(), screen_->lines() - 1);
        if (std::exchange(to_the_end_, false)) {
            scroll_.go_to(scroll_.lines().size());
        }
        const std::string line = report::wrap(last, terminal_.columns).front();
        screen_->show(scroll_.seen(!context_.dumb) + report::styled(line, report::Style::dim, terminal_) +
                      (context_.dumb ? "\n" : ""));
    }

    std::string busy() const { return say("compiling and trying ...").in(context_.language); }

    std::string keys() const {
        const Message more = scroll_.lines().size() > static_cast<std::size_t>(screen_->lines() - 1)
                                 ? both({"  arrows: scroll", "  方向键滚动"})
                                 : Message{};
        const Message first = shown_ == Shown::task ? both({"r: judge  v: verdict", "r 判  v 结果"})
                                                    : both({"r: again  t: task", "r 再判  t 题目"});
        return both({"saving judges  {}  h: hint  n: next  q: quit{}", "保存即判  {}  h 提示  n 下一道  q 退出{}"},
                    first, more)
            .in(context_.language);
    }

    /// False when that was all.
    bool obey(const Key& key) {
        using Kind = Key::Kind;
        if (key.kind == Kind::closed || key.kind == Kind::escape || key.is('q') || key.is('Q')) {
            return false;
        }
        if (key.kind == Kind::redraw) {
            draw_due_ = true;
        } else if (key.is('r')) {
            judge_due_ = true;
        } else if (key.is('t')) {
            show(Shown::task);
        } else if (key.is('h')) {
            take_hint();
        } else if (key.is('v') || key.kind == Kind::enter) {
            back_to_verdict();
        } else if (key.is('n')) {
            if (const Exercise* next = work_.folder().next(exercise_)) {
                start(*next);
            }
        } else if (key.kind == Kind::character && key.is(' ')) {
            scroll_.page_down();
            draw_due_ = true;
        } else {
            draw_due_ = scroll_.obey(key);
        }
        return true;
    }

    void take_hint() {
        const report::PracticePage page = work_.page(*exercise_);
        if (page.hints_taken < page.statement.hints.size()) {
            work_.folder().take_hint(*exercise_);
        }
        show(Shown::hints);
        to_the_end_ = true;  // where the new one is
    }

    void back_to_verdict() {
        show(Shown::verdict);
        judge_due_ = !verdict_;
    }

    const Context& context_;
    PracticeWork& work_;
    const Exercise* exercise_;
    report::Terminal terminal_;
    Screen* screen_ = nullptr;
    Watched watched_;
    std::optional<practice::Verdict> verdict_;
    std::optional<Key> pending_;  ///< pressed while it was judged
    Shown shown_ = Shown::task;
    bool judge_due_ = false;
    bool draw_due_ = true;
    bool to_the_end_ = false;
    Scroll scroll_;
};

}  // namespace

int watch(const Context& context, PracticeWork& work, const Exercise& exercise) {
    work.check_machine(exercise);
    Watcher(context, work, exercise).run();
    return all_right;
}

}  // namespace flashlens::cli
