#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/screen.h"
#include "cli/strict.h"
#include "cli/walk_request.h"
#include "report/table.h"
#include "report/walk_view.h"
#include "report/width.h"

namespace flashlens::cli {
namespace {

/// The text cut into screens of `lines` lines.
std::vector<std::string> screens_of(const std::string& text, int lines) {
    std::vector<std::string> screens;
    int count = 0;
    for (std::size_t start = 0; start < text.size(); ++count) {
        const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
        if (count % lines == 0) {
            screens.emplace_back();
        }
        screens.back() += text.substr(start, end - start);
        start = end;
    }
    return screens;
}

/// Pages through the walk. What it leaves on the terminal afterwards goes to `out`: the page that was last shown, and
/// with "a" all that follow.
class Pager {
public:
    Pager(const Context& context, const report::WalkShow& show)
        : context_(context), show_(show), terminal_(context.terminal) {}

    void run() {
        Screen screen(context_.dumb);
        for (bool going = true; going;) {
            draw(screen);
            going = obey(screen.key());
        }
        const std::size_t last = all_the_rest_ ? report::walk_pages(show_) : page_ + 1;
        for (std::size_t page = page_; page < last; ++page) {
            context_.out << (page > page_ ? "\n" : "") << report::walk_page(show_, page, context_.language, terminal_);
        }
    }

private:
    /// The part of the page at hand that fits the window, and the keys below.
    void draw(Screen& screen) {
        terminal_.columns = std::max(20, screen.columns());
        const int lines = std::max(2, screen.lines()) - 1;
        screens_ = screens_of(report::walk_page(show_, page_, context_.language, terminal_, lines), lines);
        part_ = std::min(part_, screens_.size() - 1);
        const std::size_t pages = report::walk_pages(show_);
        const bool at_end = page_ + 1 == pages && part_ + 1 == screens_.size();
        std::string keys = report::fill(
            context_.language, at_end ? report::Text::walk_keys_last : report::Text::walk_keys, page_ + 1, pages);
        keys = report::wrap(keys, terminal_.columns).front();
        // Keys stand on the last line, wherever the page ends.
        std::string text = screens_[part_];
        const auto used = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
        text += context_.dumb ? "" : std::string(std::max(0, lines - used), '\n');
        screen.show(text + report::styled(keys, report::Style::dim, terminal_) + (context_.dumb ? "\n" : ""));
    }

    /// False when that was all.
    bool obey(const Key& key) {
        using Kind = Key::Kind;
        if (key.kind == Kind::closed || key.kind == Kind::escape || key.is('q') || key.is('Q')) {
            return false;
        }
        if (key.is('a') || key.is('A')) {
            all_the_rest_ = true;
            return false;
        }
        if (key.kind == Kind::enter || key.is(' ') || key.is('n') || key.kind == Kind::right ||
            key.kind == Kind::down || key.kind == Kind::page_down) {
            return forward();
        }
        if (key.is('b') || key.is('p') || key.kind == Kind::backspace || key.kind == Kind::left ||
            key.kind == Kind::up || key.kind == Kind::page_up) {
            back();
        } else if (key.kind == Kind::home) {
            page_ = part_ = 0;
        } else if (key.kind == Kind::end) {
            page_ = report::walk_pages(show_) - 1;
            part_ = 0;
        }
        return true;
    }

    bool forward() {
        if (part_ + 1 < screens_.size()) {
            ++part_;
            return true;
        }
        if (page_ + 1 == report::walk_pages(show_)) {
            return false;
        }
        ++page_;
        part_ = 0;
        return true;
    }
    void back() {
        if (part_ > 0) {
            --part_;
        } else if (page_ > 0) {
            --page_;
        }
    }

    const Context& context_;
    const report::WalkShow& show_;
    report::Terminal terminal_;
    std::vector<std::string> screens_;  ///< of the page at hand
    std::size_t page_ = 0;
    std::size_t part_ = 0;
    bool all_the_rest_ = false;
};

/// --step: that step of each order that has so many.
std::string one_step(const Context& context, const report::WalkShow& show) {
    std::size_t most = 0;
    for (const teaching::Walk& walk : show.walks) {
        most = std::max(most, walk.steps.size());
    }
    const auto step = static_cast<std::size_t>(
        whole_number("--step", context.given.text("--step"), 1, static_cast<std::int64_t>(most), 1));
    std::string text;
    std::size_t page = 0;  // the problem; an order's steps and its result follow
    for (const teaching::Walk& walk : show.walks) {
        if (step <= walk.steps.size()) {
            text +=
                (text.empty() ? "" : "\n") + report::walk_page(show, page + step, context.language, context.terminal);
        }
        page += walk.steps.size() + 1;
    }
    return text;
}

}  // namespace

int run_walk(const Context& context) {
    const report::WalkShow show = to_walk(context.given, context.language);
    check_outputs(context);
    const bool one = context.given.has("--step");
    const std::string step = one ? one_step(context, show) : "";
    const bool paged = !one && context.takes_keys && !context.given.has("--all") && context.given.text("--json") != "-";
    if (paged) {
        Pager(context, show).run();
    }
    deliver(context,
            paged ? ""
            : one ? step
                  : report::all_walk_pages(show, context.language, context.terminal),
            {{"--json", [&] { return report::walk_to_json(show); }}});
    const bool right = std::all_of(show.walks.begin(), show.walks.end(), [&](const teaching::Walk& walk) {
        return teaching::walk_error(show.problem, walk, show.reference).ok();
    });
    return right ? all_right : wrong_result;
}

}  // namespace flashlens::cli
