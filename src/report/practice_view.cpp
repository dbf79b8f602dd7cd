#include "report/practice_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string_view>

#include "practice/two_languages.h"
#include "report/code_difference.h"
#include "report/document_text.h"
#include "report/practice_code.h"
#include "report/table.h"
#include "report/width.h"
#include "split.h"

namespace flashlens::report {
namespace {

using practice::both;
using practice::State;
using practice::Verdict;
using teaching::Block;

constexpr int widest = 100;  // lines of prose are not longer, however wide the terminal is

/// Lines of a page, one after the other.
class Page {
public:
    Page(Language language, const Terminal& terminal)
        : language_(language), terminal_(terminal), width_(std::min(terminal.columns, widest)) {}

    void blank() {
        if (!lines_.empty() && !lines_.back().empty()) {
            lines_.emplace_back();
        }
    }
    /// A text in lines: `first` before the first one, blanks as wide before the others.
    void text(const Message& message, Style style = Style::plain, const std::string& first = "",
              Style first_style = Style::plain) {
        const int indent = display_width(first);
        std::string before = first.empty() ? "" : styled(first, first_style, terminal_);
        for (const std::string& line : wrap(message.in(language_), std::max(width_ - indent, 10))) {
            lines_.push_back(line.empty() ? "" : before + styled(line, style, terminal_));
            before = std::string(static_cast<std::size_t>(indent), ' ');
        }
    }
    void document(const std::vector<Block>& blocks, std::string_view exercise) {
        const std::string folder = fmt::format("lessons/exercises/{}", exercise);
        add(document_text(blocks, {language_, folder, true}, terminal_).lines);
    }
    void add(const Lines& lines) { lines_.insert(lines_.end(), lines.begin(), lines.end()); }
    /// A path or a command: broken only where a line is full.
    void exact(const std::string& text, Style style, const std::string& first) {
        const int indent = display_width(first);
        std::string before = first;
        for (const std::string& line : cut(text, std::max(terminal_.columns - indent, 10))) {
            lines_.push_back(before + styled(line, style, terminal_));
            before = std::string(static_cast<std::size_t>(indent), ' ');
        }
    }
    /// A command, and what it does: beside it, or below where there is no room.
    void command(const std::string& text, int width, const Message& what, const std::string& first) {
        exact(text, Style::bold, first);
        const std::string gap = pad("", width - display_width(text)) + "   ";
        const std::string& words = what.in(language_);
        if (display_width(first) + display_width(text + gap + words) <= terminal_.columns) {
            lines_.back() += gap + styled(words, Style::dim, terminal_);
        } else {
            this->text(what, Style::dim, pad("", display_width(first) + 2));
        }
    }
    /// What a program wrote: its lines stay whole but on a screen, which would break them anywhere. A compiler's errors
    /// stand out.
    void verbatim(const std::string& output) {
        for (const std::string& line : code_to_show(output)) {
            const bool bad = line.find("error:") != std::string::npos;
            for (const std::string& part : terminal_.is_screen ? cut(line, terminal_.columns) : Lines{line}) {
                lines_.push_back(styled(part, bad ? Style::bad : Style::plain, terminal_));
            }
        }
    }
    /// A mark before what is right, or wrong.
    std::string mark(bool right) const {
        if (terminal_.utf8) {
            return right ? "  ✓ " : "  ✗ ";
        }
        return right ? "  ok  " : "  !!  ";
    }
    const Terminal& terminal() const { return terminal_; }
    Language language() const { return language_; }
    Lines take() {
        if (!lines_.empty() && lines_.back().empty()) {
            lines_.pop_back();
        }
        return std::move(lines_);
    }

private:
    static Lines cut(const std::string& text, int width) {
        Lines lines{""};
        int used = 0;
        for (const Glyph& glyph : glyphs(text)) {
            if (used + glyph.width > width) {
                lines.emplace_back();
                used = 0;
            }
            lines.back() += glyph.bytes;
            used += glyph.width;
        }
        return lines;
    }

    Language language_;
    Terminal terminal_;
    int width_;
    Lines lines_;
};

Message state_name(State state) {
    switch (state) {
        case State::passed:
            return both({"passed", "已通过"});
        case State::begun:
            return both({"begun", "进行中"});
        case State::untouched:
            break;
    }
    return both({"untouched", "未动"});
}

std::string title_of(const PracticePage& page) {
    return fmt::format("{}. {}", page.exercise->number, page.statement.title);
}

void title(Page& page, const PracticePage& of) {
    page.text({title_of(of), title_of(of)}, Style::bold);
    page.blank();
}

/// To stand in a sentence on one line.
std::string unbroken(std::string_view command) {
    std::string result;
    for (const char c : command) {
        result += c == ' ' ? std::string("\u00a0") : std::string(1, c);
    }
    return result;
}

void took(Page& page, const Verdict& verdict) {
    page.text(both({"compiled in {:.1f} s, tried in {:.1f} s", "编译 {:.1f} 秒，检验 {:.1f} 秒"},
                   verdict.compile_seconds, verdict.run_seconds),
              Style::dim, "    ");
}

/// What helps: lessons, and the next hint.
void helps(Page& page, const PracticePage& of) {
    std::vector<Message> lines;
    const std::vector<int> lessons = lessons_named(of.statement);
    if (!lessons.empty()) {
        std::string commands;
        for (const int lesson : lessons) {
            commands += (commands.empty() ? "" : ", ") + unbroken(fmt::format("flashlens lesson {}", lesson));
        }
        lines.push_back(both({"To read: {}", "可读：{}"}, commands));
    }
    const std::size_t all = of.statement.hints.size();
    const std::string hint = unbroken(of.command + " --hint");
    if (of.hints_taken < all && !of.keys) {
        lines.push_back(
            both({"A hint: {} ({} of {} taken)", "提示：{0}（共 {2} 条，已看 {1} 条）"}, hint, of.hints_taken, all));
    } else if (of.hints_taken < all) {
        lines.push_back(
            both({"h: a hint ({} of {} taken)", "h 看提示（共 {1} 条，已看 {0} 条）"}, of.hints_taken, all));
    } else if (all > 0 && !of.keys) {
        lines.push_back(both({"All {} hints again: {}", "重看全部 {} 条提示：{}"}, all, hint));
    }
    page.blank();
    for (const Message& line : lines) {
        page.text(line, Style::dim);
    }
}

void held(Page& page, const Verdict& verdict) {
    for (const Message& what : verdict.held) {
        page.text(what, Style::plain, page.mark(true), Style::good);
    }
}

void add_progress(Page& page, const PracticeProgress& progress, bool keys) {
    page.text(
        both({"{} of {} exercises have passed.", "共 {1} 道练习，已通过 {0} 道。"}, progress.passed, progress.all),
        Style::bold);
    if (progress.next.empty()) {
        page.text(both({"That was all of them.", "全部完成。"}));
    } else if (keys) {
        page.text(both({"n: on to {}", "n 下一道：{}"}, progress.next));
    } else {
        page.text(both({"Next: {} ({})", "下一道：{}（{}）"}, progress.next, unbroken(progress.next_command)));
    }
}

void printed(Page& page, const Verdict& verdict) {
    if (!verdict.printed.empty()) {
        page.blank();
        page.text(both({"Your code printed:", "你的代码打印了："}));
        page.verbatim(verdict.printed);
    }
}

void passed(Page& page, const PracticePage& of, const Verdict& verdict, const PracticeProgress& progress) {
    const auto summary = [&] {
        page.text(both({"{} passed.", "{} 通过。"}, std::string(of.exercise->name)), Style::good);
        add_progress(page, progress, of.keys);
        page.blank();
    };
    if (of.keys) {
        summary();  // pages are seen from the top
    }
    held(page, verdict);
    took(page, verdict);
    printed(page, verdict);
    page.blank();
    const Lines differ = differences(of.code, of.exercise->solution, page.terminal());
    if (differ.empty()) {
        page.text(both({"Your code is the solution, line by line.", "你的代码与参考解答逐行相同。"}));
    } else {
        page.text(both({"Yours (-) and the solution (+), where they differ:", "你的（-）与参考解答（+）不同之处："}),
                  Style::bold);
        page.blank();
        page.add(differ);
    }
    if (!of.statement.after.empty()) {
        page.blank();
        page.document(of.statement.after, of.exercise->name);
    }
    if (!of.keys) {
        page.blank();
        summary();  // of what runs past, the end is seen
    }
}

void wrong(Page& page, const PracticePage& of, const Verdict& verdict) {
    held(page, verdict);
    page.text(verdict.finding.what, Style::bad, page.mark(false), Style::bad);
    for (const Message& evidence : verdict.finding.evidence) {
        page.text(evidence, Style::plain, "      ");
    }
    took(page, verdict);
    printed(page, verdict);
    if (!verdict.compiler_output.empty()) {
        page.blank();
        page.text(both({"It compiles, and the compiler warns:", "编译通过，但编译器有警告："}));
        page.verbatim(verdict.compiler_output);
    }
    helps(page, of);
}

/// The words of a page, without their styles.
void add_text(const std::vector<Block>& page, std::string& text) {
    for (const Block& block : page) {
        text += teaching::plain_text(block.spans) + "\n";
        for (const auto& row : block.rows) {
            for (const teaching::Spans& cell : row) {
                text += teaching::plain_text(cell) + "\n";
            }
        }
        add_text(block.children, text);
    }
}

}  // namespace

std::vector<int> lessons_named(const practice::Statement& statement) {
    std::string text;
    for (const auto* part : {&statement.task, &statement.after}) {
        add_text(*part, text);
    }
    static const std::regex named("[Ll]essons?(,? (and )?[0-9])+|第 ?[0-9] ?课");  // "lessons 3 and 6", too
    std::vector<int> lessons;
    for (std::sregex_iterator at(text.begin(), text.end(), named); at != std::sregex_iterator(); ++at) {
        for (const char c : (*at).str()) {
            const int number = c - '0';
            if (number >= 0 && number <= 9 && std::find(lessons.begin(), lessons.end(), number) == lessons.end()) {
                lessons.push_back(number);
            }
        }
    }
    return lessons;
}

Lines practice_task(const PracticePage& of, Language language, const Terminal& terminal) {
    Page page(language, terminal);
    title(page, of);
    page.document(of.statement.task, of.exercise->name);
    page.blank();
    if (of.state == State::passed) {
        page.text(both({"You have passed it.", "你已经通过了这一道。"}), Style::good);
    }
    const Message edit = both({"Edit   ", "编辑  "});
    const Message then = both({"Then   ", "然后  "});
    page.exact(printable(of.file), Style::bold, edit.in(language));
    if (!of.keys) {
        const std::string watch = of.command + " --watch";
        page.command(of.command, display_width(watch), both({"judges it", "判这一道"}), then.in(language));
        page.command(watch, display_width(watch), both({"judges it whenever you save", "每次保存都判"}),
                     std::string(static_cast<std::size_t>(display_width(then.in(language))), ' '));
    }
    return page.take();
}

Lines practice_hints(const PracticePage& of, Language language, const Terminal& terminal) {
    Page page(language, terminal);
    title(page, of);
    const std::size_t all = of.statement.hints.size();
    const std::size_t taken = std::min(of.hints_taken, all);
    for (std::size_t i = 0; i < taken; ++i) {
        page.blank();
        page.text(both({"Hint {} of {}", "提示 {}/{}"}, i + 1, all), Style::bold);
        page.document(of.statement.hints[i], of.exercise->name);
    }
    page.blank();
    if (all == 0) {
        page.text(both({"This exercise has no hints.", "这一道没有提示。"}), Style::dim);
    } else if (taken == all) {
        page.text(both({"These are all hints.", "提示就这些。"}), Style::dim);
    } else if (of.keys) {
        page.text(both({"h: the next hint", "h 下一条提示"}), Style::dim);
    } else {
        page.text(both({"The next one: {}", "下一条：{}"}, unbroken(of.command + " --hint")), Style::dim);
    }
    return page.take();
}

Lines practice_solution(const PracticePage& of, Language language, const Terminal& terminal) {
    Page page(language, terminal);
    title(page, of);
    page.add(code_listing(of.exercise->solution, terminal));
    if (!of.statement.after.empty()) {
        page.blank();
        page.document(of.statement.after, of.exercise->name);
    }
    return page.take();
}

Lines practice_verdict(const PracticePage& of, const Verdict& verdict, const PracticeProgress& progress,
                       Language language, const Terminal& terminal) {
    Page page(language, terminal);
    title(page, of);
    switch (verdict.kind) {
        case Verdict::Kind::pass:
            passed(page, of, verdict, progress);
            break;
        case Verdict::Kind::wrong:
            wrong(page, of, verdict);
            break;
        case Verdict::Kind::does_not_compile:
            page.text(both({"It does not compile. The compiler says:", "编译不通过，编译器说："}), Style::bad);
            page.blank();
            page.verbatim(verdict.compiler_output);
            break;
    }
    return page.take();
}

Lines practice_progress(const PracticeProgress& progress, Language language, const Terminal& terminal) {
    Page page(language, terminal);
    add_progress(page, progress, false);
    return page.take();
}

std::string practice_list(const std::vector<PracticeRow>& rows, Language language, const Terminal& terminal) {
    const auto in = [&](const Message& message) { return message.in(language); };
    Table table({{in(both({"exercise", "练习"})), Style::bold},
                 {in(both({"title", "题目"})), Style::bold},
                 {in(both({"state", "状态"})), Style::bold},
                 {in(both({"hints taken", "已看提示"})), Style::bold}});
    for (const PracticeRow& row : rows) {
        const Style style = row.state == State::passed  ? Style::good
                            : row.state == State::begun ? Style::bold
                                                        : Style::dim;
        const Message hints =
            row.hints_taken == 0 ? both({"-", "-"}) : both({"{} of {}", "{}/{}"}, row.hints_taken, row.hints);
        table.row(row.name, {{row.title}, {in(state_name(row.state)), style}, {in(hints)}});
    }
    return table.render(terminal);
}

}  // namespace flashlens::report
