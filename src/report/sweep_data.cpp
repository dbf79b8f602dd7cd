#include "report/sweep_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "report/comparison_view.h"
#include "report/csv.h"
#include "report/facts.h"
#include "report/json_parts.h"
#include "report/problem_columns.h"
#include "report/quantity.h"

namespace flashlens::report {
namespace {

/// "seqlen-q" as a column of a table and a key of JSON.
std::string key_of(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

/// What was asked at a point, and of which card.
std::vector<std::string> question_columns() {
    std::vector<std::string> names = problem_columns();
    names.insert(names.end(), {"gpu", "sm_count"});
    return names;
}

std::vector<std::string> question_fields(const Comparison& comparison) {
    std::vector<std::string> fields = problem_fields(comparison.problem);
    fields.insert(fields.end(), {comparison.card.name, fmt::format("{}", comparison.card.sm_count)});
    return fields;
}

/// Swept options that are no figure of the problem (a model, a length of both queries and keys): columns of their own.
std::vector<std::size_t> extra_options(const Sweep& sweep) {
    const std::vector<std::string> columns = question_columns();
    std::vector<std::size_t> extra;
    for (std::size_t o = 0; o < sweep.options.size(); ++o) {
        const std::string key = key_of(sweep.options[o].name);
        const bool is_quantity =
            std::any_of(quantities().begin(), quantities().end(), [&](const Quantity& q) { return q.key == key; });
        if (!is_quantity && std::find(columns.begin(), columns.end(), key) == columns.end()) {
            extra.push_back(o);
        }
    }
    return extra;
}

/// What a swept option is set to at the point, by the name of its column.
std::string setting(const Sweep& sweep, const SweepPoint& point, std::string_view key) {
    for (std::size_t o = 0; o < sweep.options.size(); ++o) {
        if (key_of(sweep.options[o].name) == key) {
            return sweep.options[o].values[point.at[o]];
        }
    }
    return {};
}

std::vector<std::string> csv_heading(const Sweep& sweep) {
    std::vector<std::string> fields;
    for (const std::size_t o : extra_options(sweep)) {
        fields.push_back(key_of(sweep.options[o].name));
    }
    const std::vector<std::string> columns = question_columns();
    fields.insert(fields.end(), columns.begin(), columns.end());
    for (const char* key : {"variant", "runs", "reason"}) {
        fields.emplace_back(key);
    }
    for (const Quantity& quantity : quantities()) {
        fields.emplace_back(quantity.key);
    }
    return fields;
}

/// Of a point: what was asked. Of one that nothing can run: what was swept, the rest is nowhere.
std::vector<std::string> csv_question(const Sweep& sweep, const SweepPoint& point) {
    std::vector<std::string> fields;
    for (const std::size_t o : extra_options(sweep)) {
        fields.push_back(sweep.options[o].values[point.at[o]]);
    }
    std::vector<std::string> asked = question_columns();
    if (point.refusal.empty()) {
        asked = question_fields(point.comparison);
    } else {
        std::transform(asked.begin(), asked.end(), asked.begin(),
                       [&](const std::string& key) { return setting(sweep, point, key); });
    }
    fields.insert(fields.end(), asked.begin(), asked.end());
    return fields;
}

Json settings(const Sweep& sweep, const SweepPoint& point) {
    Json json;
    for (std::size_t o = 0; o < sweep.options.size(); ++o) {
        json[key_of(sweep.options[o].name)] = sweep.options[o].values[point.at[o]];
    }
    return json;
}

Json point_json(const Sweep& sweep, const SweepPoint& point) {
    Json json;
    json["settings"] = settings(sweep, point);
    json["reason"] = point.refusal.en;
    const bool has_figures = point.refusal.empty();
    json["problem"] = has_figures ? json_of(point.comparison.problem) : Json();
    json["gpu"] = has_figures ? Json(point.comparison.card.name) : Json();
    json["machine"] = !has_figures ? Json() : Json(point.comparison.machine == Machine::gpu ? "gpu" : "cpu");
    json["variants"] = Json::array();
    for (const VariantFacts& variant : point.comparison.variants) {
        if (has_figures) {
            Json& one = json["variants"].emplace_back(json_of(variant, point.comparison, Detail::compared));
            const auto speed_up = find_quantity("speedup")->of(variant, point.comparison);
            one["speedup"] = speed_up ? number(*speed_up) : Json();
        }
    }
    return json;
}

}  // namespace

std::string sweep_to_csv(const Sweep& sweep) {
    std::string result = csv_line(csv_heading(sweep));
    for (const SweepPoint& point : sweep.points) {
        const std::vector<std::string> question = csv_question(sweep, point);
        if (!point.refusal.empty()) {
            std::vector<std::string> fields = question;
            fields.insert(fields.end(), {"", "false", point.refusal.en});
            fields.resize(fields.size() + quantities().size());
            result += csv_line(fields);
            continue;
        }
        for (const VariantFacts& variant : point.comparison.variants) {
            std::vector<std::string> fields = question;
            fields.insert(fields.end(), {variant.name, runs(variant) ? "true" : "false", variant.refusal.en});
            for (const Quantity& quantity : quantities()) {
                const auto value = quantity.of(variant, point.comparison);
                fields.push_back(value ? fmt::format("{}", *value) : "");
            }
            result += csv_line(fields);
        }
    }
    return result;
}

std::string sweep_to_json(const Sweep& sweep) {
    Json json;
    json["options"] = Json::array();
    for (const SweptOption& option : sweep.options) {
        json["options"].push_back({{"name", key_of(option.name)}, {"values", option.values}});
    }
    json["counted"] = sweep.counted;
    std::vector<std::string> names;
    json["cards"] = Json::array();
    json["points"] = Json::array();
    for (const SweepPoint& point : sweep.points) {
        const hardware::Card& card = point.comparison.card;
        if (point.refusal.empty() && std::find(names.begin(), names.end(), card.name) == names.end()) {
            names.push_back(card.name);
            Json& one = json["cards"].emplace_back(json_of(card));
            one["here"] = point.comparison.card_is_here;
        }
        json["points"].push_back(point_json(sweep, point));
    }
    return json_text(json);
}

}  // namespace flashlens::report
