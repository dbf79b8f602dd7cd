#include "report/svg_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/chart.h"
#include "report/width.h"

namespace flashlens::report::svg {
namespace {

/// Attributes of colour stand in classes, not in custom properties, which not every program that shows SVG knows.
/// Hues after Okabe and Ito, which people with any kind of colour vision tell apart; lighter ones on dark paper.
constexpr std::array<std::string_view, hues> on_light{"#0072b2", "#d55e00", "#007a5a", "#a8407f", "#8a6100", "#555555"};
constexpr std::array<std::string_view, hues> on_dark{"#56b4e9", "#ff9f43", "#3ddbb0", "#f39ac7", "#f0e442", "#c8c8c8"};
/// Latin letters are a little over half as wide as high, Chinese ones, two columns wide on a terminal, about as wide.
constexpr double width_per_column = 0.57;

/// Paper, what stands on it, and the hues.
struct Theme {
    std::string_view paper, ink, faint, grid, quiet;
    const std::array<std::string_view, hues>& colours;
};

std::string classes_of(const Theme& theme, Classes classes) {
    std::string css =
        fmt::format(".paper{{fill:{0}}}.ink{{fill:{1}}}.faint{{fill:{2}}}.grid{{stroke:{3}}}.axis{{stroke:{2}}}",
                    theme.paper, theme.ink, theme.faint, theme.grid);
    for (std::size_t i = 0; i < theme.colours.size(); ++i) {
        css += fmt::format(".line{0}{{stroke:{1}}}.full{0}{{fill:{1}}}", i, theme.colours[i]);
    }
    if (classes == Classes::slide) {
        css += fmt::format(".edge{{stroke:{}}}.outline{{stroke:{}}}.quiet{{fill:{}}}", theme.paper, theme.ink,
                           theme.quiet);
    }
    return css;
}

std::string style(Classes classes) {
    std::string css =
        "text{font-family:'Noto Sans','Noto Sans CJK SC','PingFang SC','Microsoft YaHei',system-ui,sans-serif}"
        ".series{fill:none;stroke-width:4;stroke-linejoin:round;stroke-linecap:butt}.marker{stroke-width:3}.hollow{"
        "fill:none}"
        ".grid{stroke-width:1}.axis{stroke-width:2}.level{stroke-width:2;stroke-dasharray:2 6}";
    css += classes == Classes::slide ? ".pale{fill-opacity:.3}" : "";
    css += classes_of({"#ffffff", "#1a1a1a", "#595959", "#dcdcdc", "#b7bec7", on_light}, classes);
    css += "@media (prefers-color-scheme:dark){" +
           classes_of({"#14171c", "#f2f2f2", "#b4b8bf", "#363b44", "#4b5360", on_dark}, classes) + "}";
    return css;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : printable(text)) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

double width_of(std::string_view text, double size) {
    return width_per_column * size * display_width(text);
}

int columns_of(double width, double size) {
    return std::max(static_cast<int>(width / (width_per_column * size)), 10);
}

std::string text(double x, double y, double size, std::string_view anchor, std::string_view ink, std::string_view words,
                 bool bold) {
    return fmt::format(
        "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.0f}\" text-anchor=\"{}\"{} "
        "xml:space=\"preserve\">{}</text>\n",
        ink, x, y, size, anchor, bold ? " font-weight=\"bold\"" : "", escaped(words));
}

std::string line(std::string_view kind, double x1, double y1, double x2, double y2) {
    return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind, x1, y1,
                       x2, y2);
}

std::string rectangle(std::string_view kind, double x, double y, double width, double height) {
    return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", kind, x,
                       y, width, height);
}

std::string document(std::string_view title, std::string_view description, double height, std::string_view body,
                     Classes classes) {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" role=\"img\">\n<title>{2}</title>\n<desc>{3}</desc>\n<style>{4}</style>\n"
        "<rect class=\"paper\" width=\"{0:.0f}\" height=\"{1:.0f}\"/>\n{5}</svg>\n",
        page_width, height, escaped(title), escaped(description), style(classes), body);
}

}  // namespace flashlens::report::svg
