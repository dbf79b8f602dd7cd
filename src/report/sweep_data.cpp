#include "report/sweep_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "report/comparison_view.h"
#include "report/csv.h"
#include "report/facts.h"
#include "report/json_parts.h"
#include "report/quantity.h"

namespace flashlens::report {
namespace {

/// "seqlen-q" as a column of a table and a key of JSON.
std::string key_of(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

struct ProblemColumn {
    const char* key;
    std::string (*of)(const Comparison& comparison);
};

constexpr ProblemColumn problem_columns[] = {
    {"batch", [](const Comparison& c) { return fmt::format("{}", c.problem.batch); }},
    {"heads", [](const Comparison& c) { return fmt::format("{}", c.problem.heads); }},
    {"kv_heads", [](const Comparison& c) { return fmt::format("{}", c.problem.kv_heads); }},
    {"seqlen_q", [](const Comparison& c) { return fmt::format("{}", c.problem.seqlen_q); }},
    {"seqlen_k", [](const Comparison& c) { return fmt::format("{}", c.problem.seqlen_k); }},
    {"head_dim", [](const Comparison& c) { return fmt::format("{}", c.problem.head_dim); }},
    {"mask", [](const Comparison& c) { return std::string(c.problem.causal ? "causal" : "full"); }},
    {"align",
     [](const Comparison& c) {
         return std::string(c.problem.align == Align::bottom_right ? "bottom-right" : "top-left");
     }},
    {"dtype", [](const Comparison& c) { return dtype_name(c.problem.dtype); }},
    {"scale", [](const Comparison& c) { return fmt::format("{}", c.problem.scale); }},
    {"seed", [](const Comparison& c) { return fmt::format("{}", c.problem.seed); }},
    {"dist", [](const Comparison& c) { return distribution_name(c.problem.dist); }},
    {"gpu", [](const Comparison& c) { return c.card.name; }},
    {"sm_count", [](const Comparison& c) { return fmt::format("{}", c.card.sm_count); }},
};

/// Swept options that are no figure of the problem (a model, a length of both queries and keys): columns of their own.
std::vector<std::size_t> extra_options(const Sweep& sweep) {
    std::vector<std::size_t> extra;
    for (std::size_t o = 0; o < sweep.options.size(); ++o) {
        const std::string key = key_of(sweep.options[o].name);
        const auto known = [&](const ProblemColumn& column) { return key == column.key; };
        const bool is_quantity =
            std::any_of(quantities().begin(), quantities().end(), [&](const Quantity& q) { return q.key == key; });
        if (!is_quantity && std::none_of(std::begin(problem_columns), std::end(problem_columns), known)) {
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
    for (const ProblemColumn& column : problem_columns) {
        fields.emplace_back(column.key);
    }
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
    for (const ProblemColumn& column : problem_columns) {
        fields.push_back(point.refusal.empty() ? column.of(point.comparison) : setting(sweep, point, column.key));
    }
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
    json["reason"] = point.refusal;
    const bool has_figures = point.refusal.empty();
    json["problem"] = has_figures ? problem_json(point.comparison) : Json();
    json["gpu"] = has_figures ? Json(point.comparison.card.name) : Json();
    json["machine"] = !has_figures ? Json() : Json(point.comparison.machine == Machine::gpu ? "gpu" : "cpu");
    json["variants"] = Json::array();
    for (const VariantFacts& variant : point.comparison.variants) {
        if (has_figures) {
            Json& one = json["variants"].emplace_back(variant_json(variant, point.comparison, Detail::compared));
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
            fields.insert(fields.end(), {"", "false", point.refusal});
            fields.resize(fields.size() + quantities().size());
            result += csv_line(fields);
            continue;
        }
        for (const VariantFacts& variant : point.comparison.variants) {
            std::vector<std::string> fields = question;
            fields.insert(fields.end(), {variant.name, runs(variant) ? "true" : "false", variant.refusal});
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
            Json& one = json["cards"].emplace_back(card_json(card));
            one["here"] = point.comparison.card_is_here;
        }
        json["points"].push_back(point_json(sweep, point));
    }
    return dump(json);
}

}  // namespace flashlens::report
