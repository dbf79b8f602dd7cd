#include "report/json_parts.h"
#include "report/quiz_view.h"
#include "teaching/quiz_answer.h"

namespace flashlens::report {
namespace {

const char* unit_name(teaching::QuizUnit unit) {
    constexpr const char* names[] = {"count", "bytes", "percent", "flop", "tflops", "real"};
    return names[static_cast<int>(unit)];
}

Json json_of(const QuizOutcome& outcome) {
    const teaching::QuizQuestion& q = outcome.question;
    Json json;
    json["id"] = q.id;
    json["topic"] = q.topic;
    json["level"] = q.level;
    json["kind"] = name_of(q.kind);
    json["text"] = q.text;
    json["code"] = q.code;
    json["options"] = Json::array();
    for (const teaching::QuizOption& option : q.options) {
        json["options"].push_back(option.text);
    }
    const bool number =
        q.options.empty() && (q.kind == teaching::QuizKind::number || q.kind == teaching::QuizKind::run);
    json["unit"] = number ? Json(unit_name(q.unit)) : Json();
    json["drawn"] = Json::object();
    for (const auto& [name, value] : q.drawn) {
        json["drawn"][name] = report::number(value);
    }
    json["given"] = outcome.given;
    json["right"] = teaching::right_answer(q);
    json["points"] = report::number(outcome.points);
    json["why"] = q.why;
    json["model"] = q.model;
    json["grades"] = q.grades;
    json["follow_ups"] = Json::array();
    for (std::size_t i = 0; i < q.follow_ups.size(); ++i) {
        json["follow_ups"].push_back(
            {{"question", q.follow_ups[i].question},
             {"answer", q.follow_ups[i].answer},
             {"given", i < outcome.follow_up_answers.size() ? Json(outcome.follow_up_answers[i]) : Json()}});
    }
    json["show"] = q.show;
    json["read"] = q.read;
    return json;
}

}  // namespace

std::string quiz_to_json(const QuizRun& run, Language language) {
    Json json;
    json["seed"] = run.seed;
    json["language"] = language == Language::zh ? "zh" : "en";
    json["mock"] = run.mock;
    json["planned"] = run.planned;
    json["asked"] = run.asked.size();
    double points = 0.0;
    for (const QuizOutcome& outcome : run.asked) {
        points += outcome.points;
    }
    json["points"] = number(points);
    json["questions"] = Json::array();
    for (const QuizOutcome& outcome : run.asked) {
        json["questions"].push_back(json_of(outcome));
    }
    return json_text(json);
}

}  // namespace flashlens::report
