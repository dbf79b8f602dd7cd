// On a slide: a step of a CTA by warp, and an mma by lane.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "report/map_slide.h"
#include "report/width.h"
#include "teaching/fragment.h"

namespace flashlens::report {
namespace {

using svg::margin;
using svg::page_width;
using svg::small_size;
using svg::text_size;
using teaching::Operand;
using teaching::Ownership;

constexpr double number_size = 16.0;
constexpr std::int64_t piece = 16;  ///< rows or keys that a warp has side by side

void piece_of_warp(Slide& slide, int warp, double x, double y, double width, double height) {
    slide.rectangle(full(static_cast<std::size_t>(warp)), x, y, width - 1.0, height - 1.0);
    if (width > 12.0 && height > 15.0) {
        slide.text(x + width / 2, y + height / 2 + 0.36 * small_size, small_size, "middle", "paper",
                   std::to_string(warp), true);
    }
}

}  // namespace

void warps_on_slide(Slide& slide, const std::vector<Shown>& all, Language language) {
    const auto word = [&](Text name) { return std::string(text(language, name)); };
    const Panels place = panels(all.size());
    // One scale for all: pixels of a key, a row, or a column of O.
    double scale = 2.6;
    for (const Shown& one : all) {
        const Ownership& o = one.ownership;
        const int head_dim = one.variant->launch.tile.head_dim;
        const auto across = static_cast<double>(o.is_v1() ? std::max<std::int64_t>(o.block_keys(), head_dim + 24)
                                                          : o.block_keys() + head_dim + 24);
        scale = std::min(scale, place.width / across);
    }
    double head = slide.top();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const double y = slide.paragraph(place.left(i), slide.top(), place.width, text_size, full(all[i].hue),
                                         split_words(all[i], language), true);
        head = std::max(
            head, slide.paragraph(place.left(i), y, place.width, small_size, "ink", step_words(all[i], language)));
    }
    double bottom = 0.0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Ownership& o = all[i].ownership;
        const double left = place.left(i);
        const auto head_dim = static_cast<double>(all[i].variant->launch.tile.head_dim);
        double y = head + 10.0;
        y = slide.paragraph(left, y, place.width, small_size, "ink", word(Text::map_s_of_step));
        slide.text(left, y + small_size, small_size, "start", "faint", "S");
        y += 1.5 * small_size;
        const double side = scale * static_cast<double>(piece);
        if (o.is_v1()) {
            for (std::int64_t key = 0; key < o.block_keys(); key += piece) {
                piece_of_warp(slide, o.warp_of(0, key), left + scale * static_cast<double>(key), y, side, side);
            }
            y += side + 8.0;
            slide.text(left, y + small_size, small_size, "start", "faint", "O");
            y += 1.5 * small_size;
            constexpr double sign = 26.0;
            const auto sign_before = [&](const char* before) {
                slide.text(left + 6.0, y + side / 2 + 7.0, text_size, "start", "ink", before, true);
            };
            for (int warp = 0; warp < o.warps(); ++warp) {
                sign_before(warp == 0 ? "" : "+");
                piece_of_warp(slide, warp, left + sign, y, scale * head_dim, side);
                y += side + 4.0;
            }
            sign_before("=");
            slide.add(
                fmt::format("<rect class=\"outline\" fill=\"none\" stroke-width=\"2.5\" x=\"{:.1f}\" y=\"{:.1f}\" "
                            "width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                            left + sign, y, scale * head_dim, side));
            slide.text(left + sign + scale * head_dim / 2, y + side / 2 + 0.36 * small_size, small_size, "middle",
                       "ink", "O", true);
            y = slide.paragraph(left, y + side + 8.0, place.width, small_size, "ink",
                                fill(language, Text::map_partial_o, o.warps()));
        } else {
            const double o_left = left + scale * static_cast<double>(o.block_keys()) + 36.0;
            slide.text(o_left, y - 0.5 * small_size, small_size, "start", "faint", "O");
            for (std::int64_t row = 0; row < o.unit_rows(); row += piece) {
                const int warp = o.warp_of(row, 0);
                const double at = y + scale * static_cast<double>(row);
                piece_of_warp(slide, warp, left, at, scale * static_cast<double>(o.block_keys()), side);
                piece_of_warp(slide, warp, o_left, at, scale * head_dim, side);
            }
            y += scale * static_cast<double>(o.unit_rows()) + 8.0;
            y = slide.paragraph(left, y, place.width, small_size, "ink", word(Text::map_own_o));
        }
        bottom = std::max(
            bottom, slide.paragraph(left, y + 6.0, place.width, small_size, "ink", statistics_words(all[i], language)));
    }
    slide.needs(bottom + 12.0);
}

void lanes_on_slide(Slide& slide, Language language) {
    const auto word = [&](Text name) { return std::string(text(language, name)); };
    constexpr double cell_width = 29.0;
    constexpr double cell_height = 17.5;
    constexpr int shown_lane = 5;
    constexpr int rows = teaching::operand_rows;
    const double a_left = margin + 34.0;
    const double c_left = a_left + 16 * cell_width + 62.0;
    const double b_top = slide.top() + 6.0;
    const double c_top = b_top + rows * cell_height + 30.0;
    const auto draw = [&](Operand operand, double left, double top, const char* name) {
        slide.text(left - 12.0, top + 18.0, text_size, "end", "ink", name, true);
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < teaching::columns_of(operand); ++column) {
                const int lane = teaching::place_of(operand, row, column).lane;
                const bool mine = lane == shown_lane;
                const double x = left + column * cell_width;
                const double y = top + row * cell_height;
                slide.rectangle(full(static_cast<std::size_t>(lane % 4)) + (mine ? "" : " pale"), x, y,
                                cell_width - 1.0, cell_height - 1.0);
                slide.text(x + cell_width / 2, y + cell_height / 2 + 5.0, 15.0, "middle", mine ? "paper" : "ink",
                           std::to_string(lane), mine);
            }
        }
    };
    draw(Operand::b, c_left, b_top, "B");
    draw(Operand::a, a_left, c_top, "A");
    draw(Operand::c, c_left, c_top, "C");

    double y = b_top;
    for (const Text name : {Text::map_lane_a, Text::map_lane_b, Text::map_lane_c}) {
        y = slide.paragraph(margin, y, 16 * cell_width, text_size, "ink", word(name)) + 12.0;
    }
    // to the right: the quad of the lane that is shown
    const double right = c_left + 8 * cell_width + 36.0;
    const double width = page_width - margin - right;
    constexpr int row = shown_lane / 4;
    constexpr int first = 4 * row;
    y = slide.paragraph(right, b_top, width, small_size, full(shown_lane % 4),
                        fill(language, Text::map_lane_shown, shown_lane), true) +
        14.0;
    y = slide.paragraph(right, y, width, small_size, "ink",
                        fill(language, Text::map_lane_quad, row, first, first + 3)) +
        16.0;
    constexpr double box = 50.0;
    const double step = (width - box) / 3.0;
    const auto centre = [&](int i) { return right + box / 2 + i * step; };
    for (int level = 0; level < 3; ++level) {
        for (int i = 0; i < 4; ++i) {
            slide.rectangle(full(static_cast<std::size_t>(i)) + (i == shown_lane % 4 ? "" : " pale"),
                            centre(i) - box / 2, y, box, 26.0);
            slide.text(centre(i), y + 19.0, small_size, "middle", i == shown_lane % 4 ? "paper" : "ink",
                       std::to_string(first + i), i == shown_lane % 4);
        }
        if (level < 2) {
            const int mask = level + 1;  // xor 1, then xor 2
            for (int i = 0; i < 4; ++i) {
                for (const int from : {i, i ^ mask}) {
                    slide.add(svg::line("axis", centre(from), y + 28.0, centre(i), y + 66.0));
                }
            }
            slide.text(right, y + 90.0, small_size, "start", "faint", fmt::format("shuffle xor {}", mask));
            y += 102.0;
        }
    }
    y += 44.0;
    const double bottom = slide.paragraph(right, y, width, small_size, "ink", word(Text::map_lane_p));
    slide.needs(std::max(bottom, c_top + rows * cell_height) + 16.0);
}

}  // namespace flashlens::report
