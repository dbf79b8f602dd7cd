#include <algorithm>
#include <functional>
#include <istream>
#include <map>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/quiz_figure.h"
#include "cli/quiz_scores.h"
#include "cli/strict.h"
#include "report/quiz_view.h"
#include "report/width.h"
#include "say.h"
#include "teaching/quiz_answer.h"
#include "teaching/quiz_numbers.h"
#include "usage_error.h"

namespace flashlens::cli {
namespace {

using report::QuizOutcome;
using report::QuizRun;
using teaching::QuizKind;
using teaching::QuizQuestion;

constexpr std::size_t usual_count = 10;

/// A question that may be asked; those with drawn numbers are made only then.
struct Candidate {
    std::string id;
    std::string topic;
    int level;
    QuizKind kind;
    std::function<QuizQuestion()> make;
};

std::vector<Candidate> candidates(Language language, std::uint64_t seed) {
    std::vector<Candidate> all;
    for (QuizQuestion& question : teaching::quiz_questions(language)) {
        Candidate candidate{question.id, question.topic, question.level, question.kind, {}};
        candidate.make = [question = std::move(question)] { return question; };
        all.push_back(std::move(candidate));
    }
    for (const teaching::QuizGenerator& generator : teaching::quiz_generators()) {
        all.push_back({std::string(generator.id), std::string(generator.topic), generator.level, QuizKind::number,
                       [&generator, seed, language] { return drawn_question(generator, seed, language); }});
    }
    return all;
}

/// Those that the options leave, in an order that the seed decides.
std::vector<Candidate> chosen(const Given& given, Language language, std::uint64_t seed, const QuizScores& scores) {
    std::vector<Candidate> all = candidates(language, seed);
    if (given.has("--topic")) {
        const auto topics = teaching::quiz_topics();
        const std::vector<std::string> wanted =
            choice_list("--topic", given.text("--topic"), {topics.begin(), topics.end()});
        std::erase_if(
            all, [&](const Candidate& c) { return std::find(wanted.begin(), wanted.end(), c.topic) == wanted.end(); });
    }
    if (given.has("--level")) {
        const std::vector<std::string> wanted = choice_list("--level", given.text("--level"), {"1", "2", "3"});
        std::erase_if(all, [&](const Candidate& c) {
            return std::find(wanted.begin(), wanted.end(), std::to_string(c.level)) == wanted.end();
        });
    }
    if (given.has("--review")) {
        std::erase_if(all, [&](const Candidate& c) { return !scores.missed(c.id); });
    }
    teaching::Draw draw(seed);
    draw.shuffle(all);
    return all;
}

/// Four in ten are open ones, the rest takes turns between the kinds.
void as_an_interview(std::vector<Candidate>& all, std::size_t count) {
    std::map<QuizKind, std::vector<Candidate>> by_kind;
    for (Candidate& candidate : all) {
        by_kind[candidate.kind].push_back(std::move(candidate));
    }
    std::vector<Candidate> picked;
    const auto take = [&](QuizKind kind) {
        std::vector<Candidate>& some = by_kind[kind];
        if (some.empty() || picked.size() == count) {
            return false;
        }
        // A topic that has not come up yet, where there is one.
        const auto fresh = std::find_if(some.begin(), some.end(), [&](const Candidate& c) {
            return std::none_of(picked.begin(), picked.end(), [&](const Candidate& p) { return p.topic == c.topic; });
        });
        const auto taken = fresh == some.end() ? some.begin() : fresh;
        picked.push_back(std::move(*taken));
        some.erase(taken);
        return true;
    };
    for (std::size_t open = 0; open < (4 * count + 5) / 10 && take(QuizKind::open); ++open) {
    }
    for (bool any = true; any;) {
        any = false;
        for (const QuizKind kind : {QuizKind::number, QuizKind::choice, QuizKind::line, QuizKind::run}) {
            any = take(kind) || any;
        }
    }
    while (take(QuizKind::open)) {
    }
    all = std::move(picked);
}

/// Asks and listens. In a pipe, answers are read line by line, and stand in the transcript after their prompts.
class Dialogue {
public:
    Dialogue(const Context& context, QuizRun& run, std::size_t count)
        : context_(context),
          run_(run),
          count_(count),
          json_alone_(context.given.text("--json") == "-"),
          typed_(context.surroundings.input_is_terminal) {}

    void show(const std::string& text) {
        if (json_alone_ && !typed_) {
            return;
        }
        std::ostream& where = json_alone_ ? context_.err : context_.out;
        where << text << std::flush;
    }

    /// False when the input has ended, or somebody has had enough.
    bool ask(const QuizQuestion& question) {
        QuizOutcome outcome;
        outcome.question = question;
        show(report::quiz_question(question, run_.asked.size() + 1, count_, context_.language, context_.terminal));
        const bool goes_on = question.kind == QuizKind::open ? ask_open(outcome) : ask_closed(outcome);
        if (goes_on) {
            show(report::quiz_verdict(outcome, context_.language, context_.terminal));
            run_.asked.push_back(std::move(outcome));
        }
        return goes_on;
    }

private:
    /// The next line; nothing at the end of the input, or for q.
    std::optional<std::string> line(const std::string& prompt) {
        show(prompt + " > ");
        std::string text;
        if (context_.surroundings.input == nullptr || !std::getline(*context_.surroundings.input, text)) {
            show("\n");
            return std::nullopt;
        }
        while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) {
            text.pop_back();
        }
        if (!typed_) {
            show(report::printable(text) + "\n");
        }
        return text == "q" ? std::nullopt : std::optional(text);
    }

    /// Asks again where an answer can't be read and somebody can type another one.
    template <class Understood>
    std::optional<std::string> line_until(const std::string& prompt, const Understood& understood) {
        for (;;) {
            std::optional<std::string> text = line(prompt);
            if (!text || text->empty() || !typed_ || understood(*text)) {
                return text;
            }
            show(std::string(report::text(context_.language, report::Text::quiz_again)) + "\n");
        }
    }

    bool ask_closed(QuizOutcome& outcome) {
        const QuizQuestion& q = outcome.question;
        const auto given = line_until(report::quiz_prompt(q, context_.language),
                                      [&](const std::string& text) { return teaching::judge(q, text).has_value(); });
        if (!given) {
            return false;
        }
        outcome.given = *given;
        if (q.kind == QuizKind::run) {
            // Only now: it may take a second.
            outcome.question.value = figure_of(q.figure, q.figure_command, context_.explorer) *
                                     (q.unit == teaching::QuizUnit::percent ? 100.0 : 1.0);
        }
        const std::optional<bool> right = teaching::judge(q, *given);
        outcome.understood = right.has_value();
        outcome.points = right.value_or(false) ? 1.0 : 0.0;
        return true;
    }

    bool ask_open(QuizOutcome& outcome) {
        using report::Text;
        const QuizQuestion& q = outcome.question;
        const std::optional<std::string> said = line(report::quiz_prompt(q, context_.language));
        if (!said) {
            return false;
        }
        outcome.given = *said;
        show(report::quiz_model(q, context_.language, context_.terminal));
        const int most = static_cast<int>(q.grades.size());
        const auto points_of = [&](const std::string& text) { return teaching::read_index(text, 0, most); };
        const auto points = line_until(report::fill(context_.language, Text::quiz_prompt_points, most),
                                       [&](const std::string& text) { return points_of(text).has_value(); });
        if (!points) {
            return false;
        }
        outcome.understood = points_of(*points).has_value();
        outcome.points = static_cast<double>(points_of(*points).value_or(0)) / most;
        return run_.mock ? follow_up(outcome) : list_follow_ups(q);
    }

    /// Without an interviewer they are for reading.
    bool list_follow_ups(const QuizQuestion& q) {
        std::string text = "\n";
        for (const teaching::QuizFollowUp& follow : q.follow_ups) {
            text += report::quiz_lines(follow.question, "  " + label(report::Text::quiz_follow_up), context_.terminal) +
                    report::quiz_lines(follow.answer, "    ", context_.terminal);
        }
        show(text);
        return true;
    }

    bool follow_up(QuizOutcome& outcome) {
        for (const teaching::QuizFollowUp& follow : outcome.question.follow_ups) {
            show("\n" + report::quiz_lines(follow.question, label(report::Text::quiz_follow_up), context_.terminal));
            const std::optional<std::string> said = line(label(report::Text::quiz_prompt_open));
            if (!said) {
                return false;
            }
            outcome.follow_up_answers.push_back(*said);
            show(report::quiz_lines(follow.answer, "  ", context_.terminal));
        }
        return true;
    }

    std::string label(report::Text name) const { return std::string(report::text(context_.language, name)); }

    const Context& context_;
    QuizRun& run_;
    std::size_t count_;
    bool json_alone_;
    bool typed_;
};

std::uint64_t seed_of(const Given& given) {
    if (given.has("--seed")) {
        return seed_number("--seed", given.text("--seed"));
    }
    return std::random_device{}() % 1000000;  // short enough to type again
}

}  // namespace

int run_quiz(const Context& context) {
    const Given& given = context.given;
    const std::size_t count =
        given.has("--count") ? static_cast<std::size_t>(whole_number("--count", given.text("--count"), 1, 1000, 10))
                             : usual_count;
    QuizRun run;
    run.seed = seed_of(given);
    run.mock = given.has("--mock");
    check_outputs(context);
    QuizScores scores(context.surroundings);
    if (given.has("--review") && !scores.any_missed()) {
        throw Failure(say("--review: nothing has been missed yet; flashlens quiz asks, and keeps what was missed"));
    }
    std::vector<Candidate> questions = chosen(given, context.language, run.seed, scores);
    if (questions.empty()) {
        throw Failure(say("no question is left by these options; leave one of them out"));
    }
    if (run.mock) {
        as_an_interview(questions, count);
    }
    questions.resize(std::min(questions.size(), count));
    std::stable_sort(questions.begin(), questions.end(),
                     [](const Candidate& a, const Candidate& b) { return a.level < b.level; });
    run.planned = questions.size();

    Dialogue dialogue(context, run, questions.size());
    dialogue.show(report::quiz_head(run, context.language, context.terminal));
    teaching::Draw draw(run.seed);
    for (const Candidate& candidate : questions) {
        QuizQuestion question = candidate.make();
        draw.shuffle(question.options);
        if (!dialogue.ask(question)) {
            break;
        }
        scores.add(run.asked.back());
    }
    dialogue.show(report::quiz_summary(run, context.language, context.terminal));
    if (!scores.note().empty() && !run.asked.empty()) {
        context.err << "flashlens: " << scores.note().in(context.language) << "\n";
    }
    deliver(context, "", {{"--json", [&] { return report::quiz_to_json(run, context.language); }}});
    return all_right;
}

}  // namespace flashlens::cli
