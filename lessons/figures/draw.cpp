// Draws the lessons' figures with the program's own charts, from measurements that are stored:
//
//     flashlens_lesson_figures lessons/figures/figures.json lessons/figures
//
// writes NAME.en.svg and NAME.zh.svg for each figure that the first argument describes, into the second. A figure's keys:
// "data", a CSV file of `sweep --csv`, seen from the description; "along", the column that runs along; "value", the
// quantity, as --chart calls it; "lines", each [variant, mask, hue, form] (chart.h); and, by language, "title",
// "along_title", "shape" and "card". A waterfall of the ladder has "waterfall" for these: the columns that say which rows
// of "data" it is of, and their values.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "explorer/variant.h"
#include "report/chart.h"
#include "report/ladder_waterfall.h"
#include "report/language.h"
#include "report/quantity.h"
#include "report/svg.h"

namespace flashlens::report {
namespace {

using Row = std::map<std::string, std::string>;
using nlohmann::json;

std::vector<std::string> fields(const std::string& line) {
    std::vector<std::string> result;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');) {
        result.push_back(field);
    }
    return result;
}

std::ifstream open(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) {
        throw std::runtime_error(fmt::format("cannot read {}", file.string()));
    }
    return in;
}

/// The stored files have no field in quotes.
std::vector<Row> read_csv(const std::filesystem::path& file) {
    std::ifstream in = open(file);
    std::string line;
    std::getline(in, line);
    const std::vector<std::string> heading = fields(line);
    std::vector<Row> rows;
    while (std::getline(in, line)) {
        const std::vector<std::string> values = fields(line);
        Row& row = rows.emplace_back();
        for (std::size_t i = 0; i < heading.size(); ++i) {
            row[heading[i]] = i < values.size() ? values[i] : "";
        }
    }
    return rows;
}

Series line_of(const std::vector<Row>& rows, const json& line, const std::string& along, const Quantity& quantity,
               bool masks_differ) {
    const std::string variant = line.at(0);
    const std::string mask = line.at(1);
    Series series;
    series.name = masks_differ ? fmt::format("{}, {}", variant, mask) : variant;
    series.hue = line.at(2);
    series.form = line.at(3);
    // A point's rows are those of its variants, and v1, which alone has splits, is the first of them.
    std::string at;
    for (const Row& row : rows) {
        if (row.at("variant") == "v1") {
            at = row.at(along);
        }
        if (row.at("variant") == variant && row.at("mask") == mask) {
            series.points.push_back({std::stod(at), std::stod(row.at(std::string(quantity.key))), ""});
        }
    }
    if (series.points.empty()) {
        throw std::runtime_error(fmt::format("no row is of {}, {}", variant, mask));
    }
    return series;
}

Chart chart_of(const json& figure, const std::vector<Row>& rows, Language language) {
    const std::string_view name = language == Language::zh ? "zh" : "en";
    const Quantity* quantity = find_quantity(figure.at("value").get<std::string>());
    if (quantity == nullptr) {
        throw std::runtime_error(fmt::format("no quantity is called {}", figure.at("value").dump()));
    }
    Chart chart;
    chart.title = figure.at("title").at(name);
    chart.caption = {figure.at("shape").at(name), figure.at("card").at(name)};
    chart.several = text(language, Text::chart_several);
    std::set<std::string> masks;
    for (const json& line : figure.at("lines")) {
        masks.insert(line.at(1).get<std::string>());
    }
    std::vector<double> values;
    std::set<double> places;
    for (const json& line : figure.at("lines")) {
        chart.series.push_back(line_of(rows, line, figure.at("along"), *quantity, masks.size() > 1));
        for (const ChartPoint& point : chart.series.back().points) {
            values.push_back(*point.value);
            places.insert(point.x);
        }
    }
    if (quantity->name == "speedup") {
        chart.level = 1.0;
    }
    constexpr double wide_range = 50.0;
    const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
    const bool factors = *largest / *smallest >= wide_range;
    chart.value.scale = factors ? Scale::around(values) : Scale::from_zero(values);
    const std::string title = fill(language, quantity->axis, "v1");
    chart.value.title = factors ? fill(language, Text::axis_log, title) : title;
    for (const double tick : chart.value.scale.ticks(6)) {
        chart.value.ticks.push_back({tick, print_tick(*quantity, tick)});
    }
    chart.along.scale = Scale::over({places.begin(), places.end()});
    const std::string along = figure.at("along_title").at(name);
    chart.along.title = chart.along.scale.is_logarithmic() ? fill(language, Text::axis_log, along) : along;
    for (const double place : places) {
        chart.along.ticks.push_back({place, fmt::format("{:.15g}", place)});
    }
    return chart;
}

/// The times of the ladder's kernels, from v1 to v2, as a run of `ladder` has them.
Comparison ladder_of(const json& which, const std::vector<Row>& rows) {
    Comparison ladder;
    for (const std::string& name : ladder_variants()) {
        const auto is_it = [&](const Row& row) {
            return row.at("variant") == name && std::all_of(which.items().begin(), which.items().end(), [&](auto item) {
                       return row.at(item.key()) == item.value().template get<std::string>();
                   });
        };
        const auto found = std::find_if(rows.begin(), rows.end(), is_it);
        if (found == rows.end()) {
            throw std::runtime_error(fmt::format("no row is of {}, {}", name, which.dump()));
        }
        VariantFacts& variant = ladder.variants.emplace_back();
        variant.name = name;
        variant.timed = TimedFacts{.median_us = std::stod(found->at("time_us"))};
    }
    return ladder;
}

Waterfall waterfall_of(const json& figure, const std::vector<Row>& rows, Language language) {
    const std::string_view name = language == Language::zh ? "zh" : "en";
    const Comparison ladder = ladder_of(figure.at("waterfall"), rows);
    Waterfall result = waterfall(ladder, step_facts(ladder, ladder_steps(ladder)), ladder_time(), language);
    result.title = figure.at("title").at(name);
    result.caption = {figure.at("shape").at(name), figure.at("card").at(name)};
    return result;
}

std::string svg_of(const json& figure, const std::vector<Row>& rows, Language language) {
    return figure.contains("waterfall") ? waterfall_to_svg(waterfall_of(figure, rows, language), language)
                                        : to_svg(chart_of(figure, rows, language));
}

void draw_all(const std::filesystem::path& description, const std::filesystem::path& folder) {
    std::ifstream in = open(description);
    for (const json& figure : json::parse(in)) {
        const auto rows = read_csv(description.parent_path() / figure.at("data").get<std::string>());
        for (const std::string name : {"en", "zh"}) {
            const std::filesystem::path file = folder / (figure.at("name").get<std::string>() + "." + name + ".svg");
            std::ofstream out(file);
            out << svg_of(figure, rows, *find_language(name));
            if (!out.flush()) {
                throw std::runtime_error(fmt::format("cannot write {}", file.string()));
            }
        }
    }
}

}  // namespace
}  // namespace flashlens::report

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: flashlens_lesson_figures DESCRIPTION FOLDER\n";
        return 2;
    }
    try {
        flashlens::report::draw_all(argv[1], argv[2]);
    } catch (const std::exception& error) {
        std::cerr << "flashlens_lesson_figures: " << error.what() << '\n';
        return 1;
    }
}
