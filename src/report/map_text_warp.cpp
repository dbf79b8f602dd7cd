// In a terminal: a step of a CTA by warp, and an mma by lane.
#include <algorithm>
#include <array>
#include <utility>

#include "report/map_text.h"
#include "report/picture.h"
#include "report/width.h"
#include "teaching/fragment.h"

namespace flashlens::report {
namespace {

using teaching::Operand;
using teaching::Ownership;

constexpr std::int64_t rows_per_line = 8;
constexpr int o_columns = 8;  ///< characters that a row of O takes

std::string digit(int warp) {
    return std::to_string(warp % 10);
}

Ink ink_of(int warp) {
    return {.hue = static_cast<std::size_t>(warp)};
}

std::string step_as_text(const Shown& shown, Language language, const Terminal& terminal) {
    const auto word = [&](Text name) { return std::string(text(language, name)); };
    const Ownership& o = shown.ownership;
    const auto lines = static_cast<int>(o.unit_rows() / rows_per_line);
    std::int64_t keys_per_character = 4;
    while (o.block_keys() / keys_per_character > terminal.columns - 8) {
        keys_per_character *= 2;
    }
    const auto columns = static_cast<int>(o.block_keys() / keys_per_character);
    Picture picture;
    constexpr int left = 2;
    picture.put(left, 0, "S", {.dim = true});
    for (int line = 0; line < lines; ++line) {
        for (int column = 0; column < columns; ++column) {
            const int warp = o.warp_of(line * rows_per_line, column * keys_per_character);
            picture.put(left + column, 1 + line, digit(warp), ink_of(warp));
        }
    }
    std::string o_words = word(Text::map_own_o);
    if (o.is_v1()) {
        picture.put(left, lines + 1, "O", {.dim = true});
        const int top = lines + 2;
        int at = left;
        o_words = fill(language, Text::map_partial_o, o.warps());
        for (int warp = 0; warp < o.warps(); ++warp) {
            for (int line = 0; line < lines; ++line) {
                picture.put(at, top + line, std::string(o_columns, digit(warp).front()), ink_of(warp));
            }
            picture.put(at + o_columns + 1, top, warp + 1 < o.warps() ? "+" : "=", {});
            at += o_columns + 3;
        }
        for (int line = 0; line < lines; ++line) {
            picture.put(at, top + line, std::string(o_columns, 'O'), {.bold = true});
        }
    } else {
        // beside S where there is room, else below
        const bool beside = left + columns + 3 + o_columns <= terminal.columns;
        const int at = beside ? left + columns + 3 : left;
        const int top = beside ? 1 : lines + 2;
        picture.put(at, top - 1, "O", {.dim = true});
        for (int line = 0; line < lines; ++line) {
            const int warp = o.warp_of(line * rows_per_line, 0);
            picture.put(at, top + line, std::string(o_columns, digit(warp).front()), ink_of(warp));
        }
    }
    const std::int64_t head_dim = shown.variant->launch.tile.head_dim;
    std::string result = heading(split_words(shown, language), terminal);
    result += paragraph(step_words(shown, language), terminal);
    result += paragraph(word(Text::map_s_of_step), terminal) + picture.text(terminal);
    result += paragraph(o_words, terminal);
    result += paragraph(statistics_words(shown, language), terminal);
    result += paragraph(fill(language, Text::map_scale_warps, rows_per_line, keys_per_character, head_dim / o_columns),
                        terminal);
    return result;
}

/// An operand's elements with the numbers of their lanes, `cell` characters each.
void draw_operand(Picture& picture, Operand operand, int left, int top, int cell, int shown_lane,
                  const Terminal& terminal) {
    for (int row = 0; row < teaching::operand_rows; ++row) {
        for (int column = 0; column < teaching::columns_of(operand); ++column) {
            const int lane = teaching::place_of(operand, row, column).lane;
            const bool needs_a_sign = lane == shown_lane && !terminal.colour;
            const std::string number = (needs_a_sign ? "*" : "") + std::to_string(lane);
            picture.put(
                left + column * cell + cell - 1 - display_width(number), top + row, number,
                {.hue = static_cast<std::size_t>(lane % 4), .bold = lane == shown_lane, .reverse = lane == shown_lane});
        }
    }
}

std::string pairs(int first, int mask) {
    std::string result;
    for (int lane = first; lane < first + 4; ++lane) {
        if (lane < (lane ^ mask)) {
            result += (result.empty() ? "" : ", ") + std::to_string(lane) + "-" + std::to_string(lane ^ mask);
        }
    }
    return result;
}

}  // namespace

std::string warps_as_text(const std::vector<Shown>& all, Language language, const Terminal& terminal) {
    std::string result;
    for (const Shown& one : all) {
        result += (result.empty() ? "" : "\n") + step_as_text(one, language, terminal);
    }
    return result;
}

std::string lanes_as_text(Language language, const Terminal& terminal) {
    const auto word = [&](Text name) { return std::string(text(language, name)); };
    constexpr int cell = 3;
    constexpr int shown_lane = 5;
    constexpr int rows = teaching::operand_rows;
    const int a_width = cell * teaching::columns_of(Operand::a);
    const int c_left = 3 + a_width + 2;
    const bool wide = c_left + cell * 8 <= terminal.columns;
    Picture picture;
    if (wide) {
        // as one multiplies on paper: B above C, A to its left
        std::vector<std::string> notes;
        for (const Text name : {Text::map_lane_is, Text::map_lane_a, Text::map_lane_b, Text::map_lane_c}) {
            for (const std::string& line : wrap(word(name), a_width)) {
                notes.push_back(line);
            }
            notes.emplace_back();
        }
        for (std::size_t i = 0; i < notes.size(); ++i) {
            picture.put(0, static_cast<int>(i), notes[i]);
        }
        const int top = std::max(rows + 2, static_cast<int>(notes.size()) + 1);
        picture.put(c_left - 2, top - rows - 2, "B", {.bold = true});
        draw_operand(picture, Operand::b, c_left, top - rows - 1, cell, shown_lane, terminal);
        picture.put(0, top, "A", {.bold = true});
        draw_operand(picture, Operand::a, 2, top, cell, shown_lane, terminal);
        picture.put(c_left - 2, top, "C", {.bold = true});
        draw_operand(picture, Operand::c, c_left, top, cell, shown_lane, terminal);
    } else {
        int line = 0;
        for (const auto& [operand, name, words] : {std::tuple{Operand::a, "A", Text::map_lane_a},
                                                   {Operand::b, "B", Text::map_lane_b},
                                                   {Operand::c, "C", Text::map_lane_c}}) {
            for (const std::string& one : wrap(word(words), terminal.columns)) {
                picture.put(0, line++, one);
            }
            const int fits = 2 + cell * teaching::columns_of(operand) <= terminal.columns ? cell : 2;
            picture.put(0, line, name, {.bold = true});
            draw_operand(picture, operand, 2, line, fits, shown_lane, terminal);
            line += rows + 1;
        }
    }
    constexpr int row = shown_lane / 4;
    constexpr int first = 4 * row;
    std::string result = picture.text(terminal);
    result += paragraph(fill(language, Text::map_lane_shown, shown_lane), terminal);
    result += paragraph(fill(language, Text::map_lane_quad, row, first, first + 3), terminal);
    result += paragraph(" ", fill(language, Text::map_lane_shuffle, 1, pairs(first, 1)), terminal);
    result += paragraph(" ", fill(language, Text::map_lane_shuffle, 2, pairs(first, 2)), terminal);
    return result + paragraph(word(Text::map_lane_p), terminal);
}

}  // namespace flashlens::report
