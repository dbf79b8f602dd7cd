#include "report/ladder_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "report/comparison_view.h"
#include "report/csv.h"
#include "report/facts.h"
#include "report/json_parts.h"
#include "report/ladder_facts.h"
#include "report/ladder_orders.h"
#include "report/problem_columns.h"
#include "teaching/ladder_ideas.h"

namespace flashlens::report {
namespace {

Json json_of(const Change& change, const char* role) {
    return {{"name", change.of->quantity.key},
            {"role", role},
            {"before", number(change.before)},
            {"after", number(change.after)},
            {"moved", change.moved()},
            {"better", change.better() ? Json(true) : change.worse() ? Json(false) : Json()}};
}

Json asked(const Comparison& comparison) {
    Json json;
    json["problem"] = report::json_of(comparison.problem);
    json["problem"]["input"] = comparison.input_folder.empty() ? Json() : Json(comparison.input_folder);
    json["card"] = report::json_of(comparison.card);
    json["card"]["here"] = comparison.card_is_here;
    json["machine"] = comparison.machine == Machine::gpu ? "gpu" : "cpu";
    json["rungs"] = Json::array();
    for (const VariantFacts& variant : comparison.variants) {
        Json& rung = json["rungs"].emplace_back(report::json_of(variant, comparison, Detail::compared));
        for (const LadderQuantity& one : ladder_quantities()) {
            const std::string key(one.quantity.key);
            const auto value = one.quantity.of(variant, comparison);
            if (!rung.contains(key)) {
                rung[key] = value ? number(*value) : Json();
            }
        }
    }
    return json;
}

const char* word_of(Moved moved) {
    switch (moved) {
        case Moved::unknown:
            return "unknown";
        case Moved::not_at_all:
            return "not at all";
        case Moved::better:
            return "better";
        case Moved::worse:
            return "worse";
        case Moved::both:
            return "both";
        case Moved::elsewhere:
            break;
    }
    return "elsewhere";
}

Json step_json(const StepFacts& facts, const Comparison& comparison) {
    Json json;
    json["from"] = comparison.variants[facts.step.from].name;
    json["to"] = comparison.variants[facts.step.to].name;
    json["ideas"] = Json::array();
    for (const Idea idea : facts.step.ideas) {
        json["ideas"].push_back(
            {{"idea", name_of(idea)}, {"sentence", std::string(teaching::words_of(idea).sentence.en)}});
    }
    json["figures"] = Json::array();
    for (const Change& change : facts.about) {
        json["figures"].push_back(json_of(change, "idea"));
    }
    for (const Change& change : facts.others) {
        json["figures"].push_back(json_of(change, "other"));
    }
    json["figures_of_the_idea"] = word_of(facts.moved);
    json["gain"] = facts.gain ? number(*facts.gain) : Json();
    json["gain_so_far"] = facts.so_far ? number(*facts.so_far) : Json();
    const bool timed = facts.pace != Pace::unknown;
    const Change* const explains = facts.explains();
    json["figures_explain_the_time"] = timed ? Json(facts.agrees()) : Json();
    json["explained_by"] = timed && facts.agrees() && explains != nullptr ? Json(explains->of->quantity.key) : Json();
    return json;
}

}  // namespace

std::string ladder_to_json(const Comparison& comparison) {
    Json json = asked(comparison);
    json["steps"] = Json::array();
    for (const StepFacts& facts : step_facts(comparison, ladder_steps(comparison))) {
        json["steps"].push_back(step_json(facts, comparison));
    }
    return json_text(json);
}

std::string orders_to_json(const Comparison& comparison, const LadderQuantity& by) {
    Json json = asked(comparison);
    json["by"] = by.quantity.key;
    json["ideas"] = Json::array();
    for (const IdeaGains& one : idea_gains(comparison, by)) {
        Json idea{{"idea", name_of(one.idea)},
                  {"mean_gain", number(one.mean)},
                  {"least_gain", number(one.least)},
                  {"most_gain", number(one.most)},
                  {"edges", Json::array()}};
        for (std::size_t i = 0; i < one.edges.size(); ++i) {
            idea["edges"].push_back({{"from", comparison.variants[one.edges[i].from].name},
                                     {"to", comparison.variants[one.edges[i].to].name},
                                     {"gain", number(one.gains[i])}});
        }
        json["ideas"].push_back(std::move(idea));
    }
    return json_text(json);
}

std::string ladder_to_csv(const Comparison& comparison) {
    std::vector<const Quantity*> figures;
    for (const Quantity& quantity : quantities()) {
        figures.push_back(&quantity);
    }
    for (const LadderQuantity& one : ladder_quantities()) {
        if (find_quantity(one.quantity.name) == nullptr) {
            figures.push_back(&one.quantity);
        }
    }
    std::vector<std::string> heading = problem_columns();
    heading.insert(heading.end(), {"gpu", "sm_count", "rung", "variant", "runs", "reason", "verdict"});
    for (const Quantity* const quantity : figures) {
        heading.emplace_back(quantity->key);
    }
    std::string result = csv_line(heading);
    for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
        const VariantFacts& variant = comparison.variants[i];
        const Verdict verdict = variant.error ? variant.error->verdict : Verdict::not_run;
        std::vector<std::string> fields = problem_fields(comparison.problem);
        fields.insert(fields.end(),
                      {comparison.card.name, fmt::format("{}", comparison.card.sm_count), fmt::format("{}", i + 1),
                       variant.name, runs(variant) ? "true" : "false", variant.refusal.en,
                       verdict == Verdict::pass   ? "pass"
                       : verdict == Verdict::fail ? "fail"
                                                  : "not run"});
        for (const Quantity* const quantity : figures) {
            const auto value = quantity->of(variant, comparison);
            fields.push_back(value ? fmt::format("{}", *value) : "");
        }
        result += csv_line(fields);
    }
    return result;
}

}  // namespace flashlens::report
