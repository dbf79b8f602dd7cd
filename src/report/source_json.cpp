#include <algorithm>

#include "report/json_parts.h"
#include "report/source_view.h"
#include "report/source_words.h"
#include "teaching/alignment.h"
#include "teaching/article.h"

namespace flashlens::report {
namespace {

Json json_of(const teaching::Excerpt& excerpt) {
    Json json{{"file", excerpt.path}, {"first_line", excerpt.first()}, {"last_line", excerpt.last()}};
    json["lines"] = Json::array();
    for (const teaching::CodeLine& line : excerpt.lines) {
        Json steps = Json::array();
        for (const teaching::Step step : line.steps) {
            steps.push_back(teaching::name_of(step));
        }
        json["lines"].push_back({{"line", line.number}, {"text", line.text}, {"steps", std::move(steps)}});
    }
    return json;
}

Json json_of(const std::vector<teaching::Excerpt>& excerpts) {
    Json json = Json::array();
    for (const teaching::Excerpt& excerpt : excerpts) {
        json.push_back(json_of(excerpt));
    }
    return json;
}

/// Which lines stand side by side: for each variant its file and line, or null.
Json rows_json(const teaching::Part& part) {
    Json rows = Json::array();
    for (const teaching::Row& row : teaching::rows_of(part)) {
        Json cells = Json::array();
        bool any = false;
        for (std::size_t i = 0; i < part.sides.size(); ++i) {
            if (row.places[i] && row.places[i]->line) {
                const teaching::Excerpt& excerpt = part.sides[i].excerpts[row.places[i]->excerpt];
                cells.push_back({{"file", excerpt.path}, {"line", excerpt.lines[*row.places[i]->line].number}});
                any = true;
            } else {
                cells.push_back(nullptr);
            }
        }
        if (any) {
            rows.push_back(std::move(cells));
        }
    }
    return rows;
}

Json stage_json(teaching::Stage stage, const std::vector<std::string>& variants, Language language) {
    Json json{{"stage", teaching::name_of(stage)}, {"title", stage_title(stage, language)}};
    json["parts"] = Json::array();
    for (const teaching::Part& part : teaching::parts_of(stage, variants)) {
        Json sides = Json::array();
        for (const teaching::Side& side : part.sides) {
            sides.push_back({{"variant", side.variant},
                             {"note", topic_note(part.topic, side.variant, language)},
                             {"excerpts", json_of(side.excerpts)}});
        }
        json["parts"].push_back({{"part", teaching::name_of(part.topic)},
                                 {"title", topic_title(part.topic, language)},
                                 {"variants", std::move(sides)},
                                 {"rows", rows_json(part)}});
    }
    return json;
}

Json article_json(const std::string& variant) {
    const teaching::ArticleBeside beside = teaching::article_beside(variant);
    const auto article = teaching::article_loop(variant);
    Json lines = Json::array();
    for (std::size_t i = 0; i < article.size(); ++i) {
        lines.push_back({{"text", article[i].text}, {"stands_for", beside.stands_for[i]}});
    }
    Json left_out = Json::array();
    for (const teaching::ArticleBeside::LeftOut& group : beside.left_out) {
        left_out.push_back(
            {{"step", group.step ? Json(teaching::name_of(*group.step)) : Json()}, {"lines", group.lines}});
    }
    return {{"variant", variant},
            {"article", std::move(lines)},
            {"excerpts", json_of(beside.ours)},
            {"left_out", std::move(left_out)}};
}

}  // namespace

std::string source_to_json(const SourceQuestion& question, Language language) {
    Json json;
    json["variants"] = question.variants;
    json["steps"] = Json::array();
    for (const teaching::Step step : teaching::all_steps()) {
        json["steps"].push_back({{"step", teaching::name_of(step)},
                                 {"letter", std::string(1, teaching::letter_of(step))},
                                 {"title", step_title(step, language)}});
    }
    if (question.article) {
        json["article"] = Json::array();
        for (const std::string& variant : question.variants) {
            json["article"].push_back(article_json(variant));
        }
    } else {
        json["stages"] = Json::array();
        for (const teaching::Stage stage : question.stages) {
            json["stages"].push_back(stage_json(stage, question.variants, language));
        }
    }
    return json_text(json);
}

}  // namespace flashlens::report
