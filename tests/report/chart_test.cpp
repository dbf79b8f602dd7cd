// Scales, ticks, and where values land in the drawings of a chart.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "report/chart.h"
#include "report/chart_text.h"
#include "report/scale.h"
#include "report/svg.h"
#include "report/width.h"
#include "text.h"

using namespace flashlens::report;
using namespace flashlens::tests;
using doctest::Approx;

namespace {

using Numbers = std::vector<double>;
using Indices = std::vector<std::size_t>;

int column_of(const std::string& line, const std::string& words) {
    const std::size_t at = line.find(words);
    return at == std::string::npos ? -1 : display_width(line.substr(0, at));
}

/// One line from (1, 0) to (9, 8), with its corner at (5, 8).
Chart corner() {
    Chart chart;
    chart.title = "height";
    chart.caption = {"of a card"};
    chart.value.title = "metres";
    chart.value.scale = Scale::linear(0.0, 8.0);
    chart.value.ticks = {{0.0, "0"}, {4.0, "4"}, {8.0, "8"}};
    chart.along.title = "way";
    chart.along.scale = Scale::linear(1.0, 9.0);
    chart.along.ticks = {{1.0, "1"}, {5.0, "5"}, {9.0, "9"}};
    chart.series = {{"one", 0, 1, {{1.0, 0.0, ""}, {5.0, 8.0, ""}, {9.0, 8.0, ""}}}};
    return chart;
}

Chart bars_of(const std::vector<double>& values) {
    Chart chart;
    chart.title = "bars";
    chart.value.scale = Scale::linear(0.0, 10.0);
    chart.value.ticks = {{0.0, "0"}, {10.0, "10"}};
    Series series{"one", 0, 1, {}};
    for (std::size_t i = 0; i < values.size(); ++i) {
        chart.categories.push_back("group " + std::to_string(i));
        series.points.push_back({static_cast<double>(i), values[i], std::to_string(static_cast<int>(values[i]))});
    }
    chart.series = {series};
    return chart;
}

/// The number behind the `which`-th `attribute="` of the text.
double attribute(const std::string& text, const std::string& attribute, int which = 0) {
    std::size_t at = 0;
    for (int i = 0; i <= which; ++i) {
        at = text.find(attribute + "=\"", at);
        REQUIRE(at != std::string::npos);
        at += attribute.size() + 2;
    }
    return std::stod(text.substr(at));
}

}  // namespace

TEST_CASE("a linear scale") {
    const Scale scale = Scale::linear(10.0, 30.0);
    CHECK(scale.at(10.0) == 0.0);
    CHECK(scale.at(15.0) == 0.25);
    CHECK(scale.at(30.0) == 1.0);
    CHECK(scale.at(40.0) == 1.5);
    CHECK(Scale::linear(3.0, 3.0).at(3.0) == 0.5);
    CHECK(scale.ticks(5) == Numbers{10, 15, 20, 25, 30});
    CHECK(scale.ticks(3) == Numbers{10, 20, 30});
    CHECK(scale.ticks(1).size() == 1);
    CHECK(Scale::linear(1.0, 264.0).ticks(6) == Numbers{50, 100, 150, 200, 250});
}

TEST_CASE("a logarithmic scale") {
    const Scale scale = Scale::logarithmic(512.0, 8192.0);
    CHECK(scale.at(512.0) == 0.0);
    CHECK(scale.at(1024.0) == Approx(0.25));
    CHECK(scale.at(2048.0) == Approx(0.5));
    CHECK(scale.at(8192.0) == Approx(1.0));
    const Numbers ticks = Scale::logarithmic(1.0, 1e6).ticks(7);
    REQUIRE(ticks.size() == 7);
    for (int i = 0; i < 7; ++i) {
        CHECK(ticks[static_cast<std::size_t>(i)] == Approx(std::pow(10.0, i)));
    }
    CHECK(Scale::logarithmic(1.0, 100.0).ticks(7) == Numbers{1, 2, 5, 10, 20, 50, 100});
    CHECK(Scale::logarithmic(1.0, 100.0).ticks(6) == Numbers{1, 3, 10, 30, 100});
    CHECK(Scale::logarithmic(1e-3, 1e12).ticks(6).size() <= 6);
    CHECK(Scale::logarithmic(2.0, 9.0).ticks(6) == Numbers{2, 4, 6, 8});
}

TEST_CASE("scales around values") {
    CHECK(Scale::from_zero({0.3, 0.97}).high() == Approx(1.0));
    CHECK(Scale::from_zero({1.4}).high() == Approx(1.5));
    CHECK(Scale::from_zero({1.4}).low() == 0.0);
    CHECK(Scale::from_zero({}).high() == 1.0);
    CHECK(Scale::from_zero({0.0}).high() == 1.0);
    CHECK(Scale::around({3.0, 700.0}).low() == Approx(2.0));
    CHECK(Scale::around({3.0, 700.0}).high() == Approx(1000.0));
    CHECK(Scale::around({20.0, 20.0}).low() < Scale::around({20.0, 20.0}).high());
    for (const double value : {1e-9, 0.7, 5.0, 123456.0, 9.99e15}) {
        CAPTURE(value);
        CHECK(Scale::from_zero({value}).at(value) <= 1.0 + 1e-9);
        CHECK(Scale::from_zero({value}).at(value) > 0.7);
        CHECK(Scale::around({value, 60 * value}).at(value) >= -1e-9);
        CHECK(Scale::around({value, 60 * value}).at(60 * value) <= 1.0 + 1e-9);
    }
}

TEST_CASE("a scale of equal factors where the values are in equal factors") {
    CHECK(Scale::over({512, 1024, 2048, 4096}).is_logarithmic());
    CHECK(Scale::over({1, 8, 32}).is_logarithmic());
    CHECK(Scale::over({4096, 1, 64}).is_logarithmic());
    CHECK_FALSE(Scale::over({1, 2, 3, 4, 5}).is_logarithmic());
    CHECK_FALSE(Scale::over({64, 128, 192, 256}).is_logarithmic());
    CHECK_FALSE(Scale::over({64, 128}).is_logarithmic());
    CHECK_FALSE(Scale::over({0, 1, 10, 100}).is_logarithmic());
    CHECK_FALSE(Scale::over({7}).is_logarithmic());
}

TEST_CASE("labels that have room") {
    CHECK(thinned({0, 10, 20, 30}, {4, 4, 4, 4}, 1) == Indices{0, 1, 2, 3});
    CHECK(thinned({0, 10, 20, 30}, {12, 12, 12, 12}, 1) == Indices{0, 2});
    CHECK(thinned({0, 1, 2}, {50, 50, 50}, 1) == Indices{0});
    CHECK(thinned({0, 1, 2, 3, 40, 80}, {4, 4, 4, 4, 4, 4}, 0) == Indices{0, 4, 5});  // at unequal distances
    CHECK(thinned({0, 40, 78, 80}, {4, 4, 4, 4}, 0) == Indices{0, 1, 3});             // the last one stays
    CHECK(thinned({}, {}, 1).empty());
}

TEST_CASE("in a terminal, values land where they should") {
    for (const bool utf8 : {true, false}) {
        const Terminal terminal{60, utf8, false};
        const std::vector<std::string> drawn = lines(draw(corner(), terminal));
        REQUIRE(drawn.size() == 2 + 16 + 3 + 2);
        CHECK(drawn[0] == "height");
        CHECK(drawn[1] == "metres");
        const std::string marker = utf8 ? "●" : "A";
        const std::string& top = drawn[2];
        const std::string& bottom = drawn[17];
        const std::string& labels = drawn[19];
        CHECK(top.rfind(utf8 ? "8 ┤" : "8 +", 0) == 0);
        CHECK(drawn[10].rfind(utf8 ? "4 ┤" : "4 +", 0) == 0);
        CHECK(bottom.rfind(utf8 ? "0 ┤" : "0 +", 0) == 0);
        // The first point stands in the corner, over its label; the second at the top over "5", the third over "9".
        CHECK(column_of(bottom, marker) == 3);
        CHECK(column_of(labels, "1") == 3);
        CHECK(column_of(top, marker) == column_of(labels, "5"));
        CHECK(display_width(top) - 1 == column_of(labels, "9"));
        CHECK(drawn[20].find("way") != std::string::npos);
        CHECK(drawn[21] == marker + " one");
        CHECK(drawn[22] == "of a card");
    }
}

TEST_CASE("a gap stays a gap") {
    Chart chart = corner();
    chart.series[0].points[1].value.reset();
    const std::vector<std::string> drawn = lines(draw(chart, {60, true, false}));
    for (std::size_t row = 3; row < 17; ++row) {
        CAPTURE(drawn[row]);
        CHECK(display_width(drawn[row]) <= 3);
    }
}

TEST_CASE("markers that share a place say so") {
    Chart chart = corner();
    chart.several = "several";
    CHECK(draw(chart, {60, false, false}).find("several") == std::string::npos);
    chart.series.push_back(chart.series[0]);
    CHECK(draw(chart, {60, false, false}).find("* several") != std::string::npos);
}

TEST_CASE("bars are as long as their values") {
    const std::vector<std::string> drawn = lines(draw(bars_of({10, 5, 0}), {60, false, false}));
    std::vector<std::ptrdiff_t> lengths;
    for (const std::string& line : drawn) {
        if (line.rfind("group", 0) == 0) {
            lengths.push_back(std::count(line.begin(), line.end(), '#'));
        }
    }
    REQUIRE(lengths.size() == 3);
    CHECK(lengths[0] > 30);
    CHECK(std::abs(2 * lengths[1] - lengths[0]) <= 1);
    CHECK(lengths[2] == 0);
    const std::string text = draw(bars_of({10, 5, 0}), {60, true, false});
    CHECK(text.find("█") != std::string::npos);
}

TEST_CASE("no line of a drawing is wider than the terminal, and none has a colour unasked") {
    Chart long_names = corner();
    long_names.title = "一个非常长的标题，比窄窄的终端还要宽得多";
    long_names.series[0].name = "一条名字很长的线，比窄窄的终端还要宽";
    long_names.caption = {"来源：在一张显卡上实测得出的数字"};
    long_names.along.ticks[2].label = "16384";
    Chart bars = bars_of({10, 5, 7});
    bars.categories[1] = "一张名字很长很长的显卡";
    for (const Chart& chart : {long_names, bars}) {
        for (const int columns : {20, 30, 40, 80, 160, 300}) {
            for (const bool utf8 : {true, false}) {
                CAPTURE(columns);
                const std::string plain = draw(chart, {columns, utf8, false});
                for (const std::string& line : lines(plain)) {
                    CAPTURE(line);
                    CHECK(display_width(line) <= columns);
                    CHECK((line.empty() || line.back() != ' '));
                }
                CHECK(plain.find('\x1b') == std::string::npos);
                CHECK(draw(chart, {columns, utf8, true}).find("\x1b[36m") != std::string::npos);
            }
        }
    }
}

TEST_CASE("in a picture, values land where they should") {
    const std::string svg = to_svg(corner());
    const std::string plot = svg.substr(svg.find("class=\"grid\""));
    const double left = attribute(plot, "x1");
    const double right = attribute(plot, "x2");
    const double zero = attribute(plot, "y1", 0);
    const double eight = attribute(plot, "y1", 2);
    CHECK(zero > eight);
    // The markers come after the line: the three points as circles.
    const std::string circles = svg.substr(svg.rfind("<path"));
    CHECK(attribute(circles, "cy", 0) == Approx(zero));
    CHECK(attribute(circles, "cy", 1) == Approx(eight));
    CHECK(attribute(circles, "cy", 2) == Approx(eight));
    const double first = attribute(circles, "cx", 0);
    const double last = attribute(circles, "cx", 2);
    CHECK(first - left == Approx(right - last));
    CHECK(attribute(circles, "cx", 1) == Approx((first + last) / 2.0).epsilon(0.001));
    CHECK(first > left);
}

TEST_CASE("bars of a picture") {
    const std::string svg = to_svg(bars_of({10, 5, 0}));
    const std::string drawn = svg.substr(svg.find("class=\"axis\""));
    const double whole = attribute(drawn, " width", 0);
    CHECK(whole > 600.0);
    CHECK(attribute(drawn, " width", 1) == Approx(whole / 2.0).epsilon(0.001));
    CHECK(attribute(drawn, " width", 2) == Approx(0.0));
    const std::size_t first = drawn.find("<rect");
    CHECK(attribute(drawn.substr(first), " y") < attribute(drawn.substr(drawn.find("<rect", first + 1)), " y"));
    CHECK(to_svg(bars_of(Numbers(60, 3.0))).find("viewBox=\"0 0 1280 720\"") == std::string::npos);  // more height
}

TEST_CASE("what XML has signs of its own for is escaped, and what it can't hold is not there") {
    Chart chart = corner();
    chart.title = "a<b & \"c\">d \x1b \xff";
    const std::string svg = to_svg(chart);
    CHECK(svg.find("a&lt;b &amp; &quot;c&quot;&gt;d ? ?") != std::string::npos);
    CHECK(svg.find('\x1b') == std::string::npos);
    CHECK(svg.find('\xff') == std::string::npos);
}
