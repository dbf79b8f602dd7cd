#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/document_text.h"
#include "report/json_parts.h"
#include "report/practice_view.h"

namespace flashlens::report {
namespace {

using practice::State;
using practice::Verdict;

const char* name_of(State state) {
    constexpr const char* names[] = {"untouched", "begun", "passed"};
    return names[static_cast<int>(state)];
}

const char* name_of(Verdict::Kind kind) {
    constexpr const char* names[] = {"pass", "wrong", "does-not-compile"};
    return names[static_cast<int>(kind)];
}

/// A page as text without colours.
std::string text_of(const std::vector<teaching::Block>& page, std::string_view exercise, Language language) {
    Terminal plain;
    plain.columns = 100;
    plain.utf8 = true;
    const std::string folder = fmt::format("lessons/exercises/{}", exercise);
    return fmt::format("{}", fmt::join(document_text(page, {language, folder, true}, plain).lines, "\n"));
}

Json texts(const std::vector<Message>& messages, Language language) {
    Json json = Json::array();
    for (const Message& message : messages) {
        json.push_back(message.in(language));
    }
    return json;
}

Json json_of(const PracticeProgress& progress) {
    return {{"passed", progress.passed},
            {"exercises", progress.all},
            {"next", progress.next_command.empty() ? Json() : Json(progress.next_command)}};
}

const char* code_of(Language language) {
    return language == Language::zh ? "zh" : "en";
}

}  // namespace

std::string practice_to_json(const PracticeAnswer& answer, Language language) {
    const PracticePage& page = answer.page;
    Json json;
    json["language"] = code_of(language);
    json["number"] = page.exercise->number;
    json["exercise"] = page.exercise->name;
    json["title"] = page.statement.title;
    json["file"] = page.file;
    json["state"] = name_of(page.state);
    json["machine"] = answer.verdict ? Json(answer.on_gpu ? "gpu" : "cpu") : Json();
    json["verdict"] = answer.verdict ? Json(name_of(answer.verdict->kind)) : Json();
    json["finding"] = Json();
    json["held"] = Json::array();
    json["compiler_output"] = Json();
    json["printed"] = Json();
    json["compile_seconds"] = Json();
    json["run_seconds"] = Json();
    if (answer.verdict) {
        const Verdict& verdict = *answer.verdict;
        if (verdict.kind == Verdict::Kind::wrong) {
            json["finding"] = {{"id", verdict.finding.id},
                               {"what", verdict.finding.what.in(language)},
                               {"evidence", texts(verdict.finding.evidence, language)}};
        }
        json["held"] = texts(verdict.held, language);
        json["compiler_output"] = verdict.compiler_output;
        json["printed"] = verdict.printed;
        json["compile_seconds"] = number(verdict.compile_seconds);
        json["run_seconds"] = number(verdict.run_seconds);
    }
    const auto shown = [&](bool is_shown, const std::vector<teaching::Block>& text) {
        return is_shown ? Json(text_of(text, page.exercise->name, language)) : Json();
    };
    json["task"] = shown(answer.shows_task, page.statement.task);
    json["hints"] = {{"taken", page.hints_taken}, {"all", page.statement.hints.size()}, {"texts", Json::array()}};
    for (std::size_t i = 0; answer.shows_hints && i < page.hints_taken; ++i) {
        json["hints"]["texts"].push_back(text_of(page.statement.hints[i], page.exercise->name, language));
    }
    const bool passes = answer.verdict && answer.verdict->kind == Verdict::Kind::pass;
    json["solution"] = answer.shows_solution || passes ? Json(page.exercise->solution) : Json();
    json["after"] = shown(answer.shows_solution || passes, page.statement.after);
    json["progress"] = json_of(answer.progress);
    return json_text(json);
}

std::string practice_list_to_json(const std::vector<PracticeRow>& rows, const PracticeProgress& progress,
                                  const std::string& folder, Language language) {
    Json json;
    json["language"] = code_of(language);
    json["folder"] = folder;
    json["exercises"] = Json::array();
    for (const PracticeRow& row : rows) {
        json["exercises"].push_back({{"exercise", row.name},
                                     {"title", row.title},
                                     {"state", name_of(row.state)},
                                     {"passed_at", row.passed_at.empty() ? Json() : Json(row.passed_at)},
                                     {"hints_taken", row.hints_taken},
                                     {"hints", row.hints}});
    }
    json["progress"] = json_of(progress);
    return json_text(json);
}

}  // namespace flashlens::report
