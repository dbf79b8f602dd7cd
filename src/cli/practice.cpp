#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/practice_work.h"
#include "report/practice_view.h"
#include "report/width.h"
#include "say.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

using practice::Exercise;
using practice::Verdict;
using report::PracticeAnswer;

/// What is asked for, besides an exercise alone: one at a time.
constexpr std::array<std::string_view, 7> asks{"--task",     "--check", "--watch", "--hint",
                                               "--solution", "--list",  "--reset"};

/// The one that was given; empty: none. Throws UsageError.
std::string_view asked(const Given& given) {
    std::string_view found;
    for (const std::string_view ask : asks) {
        if (!given.has(ask)) {
            continue;
        }
        if (!found.empty()) {
            throw UsageError(say("{} with {}: each asks for something else; leave one of them out", found, ask));
        }
        found = ask;
    }
    if (given.has("--yes") && found != "--reset") {
        throw UsageError(say("--yes: answers what --reset asks; leave it out"));
    }
    if (found == "--list" && !given.word.empty()) {
        throw UsageError(say("practice {} --list: the list has all exercises; leave one of them out",
                             report::printable(given.word)));
    }
    if ((found == "--watch" || found == "--reset") && given.has("--json")) {
        throw UsageError(say("{} with {}: each asks for something else; leave one of them out", found, "--json"));
    }
    return found;
}

std::string text_of(const report::Lines& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line + "\n";
    }
    return text;
}

int list(const Context& context, const PracticeWork& work) {
    std::vector<report::PracticeRow> rows;
    for (const Exercise& exercise : practice::exercises()) {
        const report::PracticePage page = work.page(exercise);
        rows.push_back({std::string(exercise.name), page.statement.title, page.state,
                        std::string(work.folder().passed_at(exercise)), page.hints_taken, page.statement.hints.size()});
    }
    const report::PracticeProgress progress = work.progress();
    deliver(context,
            report::practice_list(rows, context.language, context.terminal) + "\n" +
                text_of(report::practice_progress(progress, context.language, context.terminal)),
            {{"--json", [&] {
                  return report::practice_list_to_json(rows, progress, work.folder().path().string(), context.language);
              }}});
    return all_right;
}

/// Asks on a terminal; an empty answer is no.
bool agrees(const Context& context, const std::string& file) {
    context.out << say("{}: as it was handed out again? Yours is kept beside it. [y/N] ", report::printable(file))
                       .in(context.language)
                << std::flush;
    std::string answer;
    std::getline(*context.surroundings.input, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

int reset(const Context& context, PracticeWork& work, const Exercise& exercise) {
    const std::string file = work.folder().file(exercise).string();
    if (!context.given.has("--yes")) {
        if (!context.takes_keys || context.surroundings.input == nullptr) {
            throw UsageError(say("--reset: nobody is there to ask; --yes answers that it shall be done"));
        }
        if (!agrees(context, file)) {
            context.out << say("nothing was changed").in(context.language) << "\n";
            return all_right;
        }
    }
    const std::filesystem::path kept = work.folder().reset(exercise);
    const Message done = kept.empty() ? say("{} is as it was handed out", report::printable(file))
                                      : say("{} is as it was handed out; yours is kept as {}", report::printable(file),
                                            report::printable(kept.filename().string()));
    context.out << done.in(context.language) << "\n";
    return all_right;
}

int answer(const Context& context, PracticeWork& work, const Exercise& exercise, std::string_view ask) {
    const auto practice_text = [&](const PracticeAnswer& a) {
        const report::Language language = context.language;
        return a.verdict          ? report::practice_verdict(a.page, *a.verdict, a.progress, language, context.terminal)
               : a.shows_hints    ? report::practice_hints(a.page, language, context.terminal)
               : a.shows_solution ? report::practice_solution(a.page, language, context.terminal)
                                  : report::practice_task(a.page, language, context.terminal);
    };
    PracticeAnswer result;
    result.shows_hints = ask == "--hint";
    result.shows_solution = ask == "--solution";
    const bool judges = ask == "--check" || (ask.empty() && !work.folder().as_handed_out(exercise));
    result.shows_task = !judges && !result.shows_hints && !result.shows_solution;
    if (result.shows_solution && work.folder().passed_at(exercise).empty()) {
        const report::PracticePage page = work.page(exercise);
        const std::size_t left = page.statement.hints.size() - page.hints_taken;
        throw Failure(left > 0 ? say("--solution: shown when {} has passed; hints left: {} ({} --hint)", exercise.name,
                                     left, work.command(exercise))
                               : say("--solution: shown when {} has passed; no hint is left", exercise.name));
    }
    if (result.shows_hints &&
        work.folder().hints(exercise) < std::ssize(practice::statement(exercise, context.language).hints)) {
        work.folder().take_hint(exercise);
    }
    if (judges) {
        work.check_machine(exercise);
        result.verdict = work.judge(exercise);
        result.on_gpu = work.on_gpu();
    }
    result.page = work.page(exercise);
    result.progress = work.progress(&exercise);
    deliver(context, text_of(practice_text(result)),
            {{"--json", [&] { return report::practice_to_json(result, context.language); }}});
    return !result.verdict || result.verdict->kind == Verdict::Kind::pass ? all_right : wrong_result;
}

}  // namespace

int run_practice(const Context& context) {
    const Given& given = context.given;
    const std::string_view ask = asked(given);
    const Exercise* exercise = given.word.empty() ? nullptr : &PracticeWork::find(given.word);
    if (ask == "--reset" && exercise == nullptr) {
        throw UsageError(say("--reset: needs an exercise; try flashlens practice 1 --reset"));
    }
    if (ask == "--watch" && !context.takes_keys) {
        throw UsageError(say("--watch: needs a terminal for its keys; leave it out to judge once"));
    }
    check_outputs(context);
    PracticeWork work(context);
    if (ask == "--list") {
        work.tell_note();
        return list(context, work);
    }
    if (exercise == nullptr) {
        exercise = work.folder().next();
    }
    if (exercise == nullptr) {
        if (!ask.empty()) {
            throw UsageError(say("{}: all exercises have passed; name one, as in flashlens practice 1 {}", ask, ask));
        }
        return list(context, work);
    }
    work.prepare();
    const int code = ask == "--watch"   ? watch(context, work, *exercise)
                     : ask == "--reset" ? reset(context, work, *exercise)
                                        : answer(context, work, *exercise, ask);
    work.tell_note();
    return code;
}

}  // namespace flashlens::cli
