// The matrix S on a slide: by CTA, and with the blocks of Q, K, V and O around it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "report/chart.h"
#include "report/map_slide.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

using svg::margin;
using svg::page_width;
using svg::small_size;
using svg::text_size;
using teaching::Fate;
using teaching::Ownership;
using teaching::Span;
using teaching::Visit;

constexpr double number_size = 16.0;
constexpr double most_lines = 400.0;

/// The mask's border.
std::string border(double x1, double y1, double x2, double y2) {
    return fmt::format(
        "<line class=\"outline\" stroke-width=\"2.5\" stroke-dasharray=\"7 5\" x1=\"{:.1f}\" y1=\"{:.1f}\" "
        "x2=\"{:.1f}\" "
        "y2=\"{:.1f}\"/>\n",
        x1, y1, x2, y2);
}

/// Downwards or to the left, as the second point has it.
std::string arrow(std::size_t hue, double x1, double y1, double x2, double y2) {
    constexpr double head = 7.0;
    const bool down = y2 > y1;
    const std::string tip = down ? fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", x2 - 0.7 * head, y2 - head,
                                               x2 + 0.7 * head, y2 - head, x2, y2)
                                 : fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", x2 + head, y2 - 0.7 * head,
                                               x2 + head, y2 + 0.7 * head, x2, y2);
    return fmt::format(
        "<line class=\"{}\" stroke-width=\"3\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n<polygon "
        "class=\"{}\" points=\"{}\"/>\n",
        stroke(hue), x1, y1, x2, y2, full(hue), tip);
}

/// S within a rectangle of the slide.
class SOnSlide {
public:
    SOnSlide(Slide& slide, const Shown& shown, const Problem& problem, double left, double top, double width,
             double height)
        : slide_(slide),
          shown_(shown),
          o_(shown.ownership),
          problem_(problem),
          left_(left),
          top_(top),
          width_(width),
          height_(height),
          units_a_line_((o_.units() + static_cast<std::int64_t>(most_lines) - 1) /
                        static_cast<std::int64_t>(most_lines)) {}

    std::int64_t units_a_line() const { return units_a_line_; }
    double x(std::int64_t key) const {
        return left_ + width_ * static_cast<double>(key) / static_cast<double>(problem_.seqlen_k);
    }
    double y(std::int64_t row) const {
        return top_ + height_ * static_cast<double>(row) / static_cast<double>(problem_.seqlen_q);
    }

    /// What happens where; the rows of the CTA that is shown in its hue, all others quiet.
    void fates() {
        for (std::int64_t first = 0; first < o_.units(); first += units_a_line_) {
            const std::int64_t last = std::min(first + units_a_line_, o_.units()) - 1;
            const Span rows{o_.rows(first).begin, o_.rows(last).end};
            const bool mine = first == last && o_.owner(first) == shown_.share;
            const std::string fill = mine ? full(shown_.hue) : "quiet";
            const double gap = y(rows.end) - y(rows.begin) > 5.0 ? 1.0 : 0.0;
            for (const auto& [fate, keys] : runs_of(first)) {
                slide_.add(fate_mark(fate, fill, x(keys.begin), y(rows.begin), x(keys.end) - x(keys.begin),
                                     y(rows.end) - y(rows.begin) - gap));
            }
        }
        key_block_borders();
        frame();
    }

    /// The steps of the CTA that is shown; where its rows are thin, on a plate that is not.
    void numbers() {
        constexpr std::int64_t have_room = 400;
        const double unit = y(o_.rows(0).end) - y(0);
        const double plate = unit >= 20.0 ? 20.0 : 17.0;
        const double apart = o_.is_v1() ? unit * static_cast<double>(o_.unit_step()) : unit;
        if (units_a_line_ > 1 || apart < plate || o_.visits(shown_.share) > have_room) {
            return;
        }
        const Span narrowest = o_.keys(o_.visited_end(o_.units() - 1) - 1);
        const double widest = svg::width_of(std::to_string(o_.visits(shown_.share)), number_size);
        if (widest + 2.0 > x(narrowest.end) - x(narrowest.begin)) {
            return;
        }
        std::int64_t step = 0;
        for (const Visit& visit : o_.walk(shown_.share, have_room)) {
            const std::string number = std::to_string(++step);
            const Span rows = o_.rows(visit.unit);
            const Span keys = o_.keys(visit.key_block);
            const double width = std::min(svg::width_of(number, number_size) + 12.0, x(keys.end) - x(keys.begin) - 2.0);
            const double middle_x = (x(keys.begin) + x(keys.end)) / 2;
            const double middle_y =
                std::clamp((y(rows.begin) + y(rows.end)) / 2, top_ + plate / 2, top_ + height_ - plate / 2);
            slide_.rectangle(full(shown_.hue), middle_x - width / 2, middle_y - plate / 2, width, plate);
            slide_.text(middle_x, middle_y + 0.36 * number_size, number_size, "middle", "paper", number, true);
        }
    }

    /// CTA numbers to the left: of all lines, staggered where these are thin, else of the lines of the CTA that is shown.
    void owners() {
        if (units_a_line_ > 1) {
            return;
        }
        const double unit = y(o_.rows(0).end) - y(0);
        const bool all = 2.0 * unit >= number_size;
        double free = top_ - 1.0;
        for (std::int64_t u = 0; u < o_.units(); ++u) {
            const bool mine = o_.owner(u) == shown_.share;
            const double middle = (y(o_.rows(u).begin) + y(o_.rows(u).end)) / 2;
            const bool second = all && unit < number_size && u % 2 == 1;
            if (all || (mine && middle >= free)) {
                slide_.text(left_ - 8.0 - (second ? 26.0 : 0.0), middle + 0.36 * number_size, number_size, "end",
                            mine ? full(shown_.hue) : "faint", std::to_string(o_.owner(u)), mine);
                free = middle + number_size;
            }
        }
    }

    /// Numbers of key blocks above S, and above them what they are.
    void key_blocks(const std::string& title) {
        slide_.text(left_ + width_ / 2, top_ - 26.0, number_size, "middle", "faint", title);
        const double widest = svg::width_of(std::to_string(o_.key_blocks() - 1), number_size) + 8.0;
        const std::int64_t every = every_that_fits(widest, x(o_.keys(0).end) - x(0));
        for (std::int64_t n = 0; n < o_.key_blocks(); n += every) {
            const double middle = (x(o_.keys(n).begin) + x(o_.keys(n).end)) / 2;
            slide_.text(middle, top_ - 8.0, number_size, "middle", "ink", std::to_string(n));
        }
    }

    /// The mask's border, a step a row: drawn straight.
    void diagonal() {
        if (!problem_.causal) {
            return;
        }
        // Row i's last visible key ends at i + diagonal + 1.
        const std::int64_t d = problem_.diagonal();
        const std::int64_t first = std::max<std::int64_t>(0, -d);
        const std::int64_t last = std::min(problem_.seqlen_q, problem_.seqlen_k - d);
        if (first < last) {
            slide_.add(
                fmt::format("<line class=\"outline\" stroke-width=\"2.5\" stroke-dasharray=\"7 5\" x1=\"{:.1f}\" "
                            "y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                            x(first + d), y(first), x(last + d), y(last)));
        }
    }

private:
    /// Along a line: spans of keys with one fate, and of what most of them are where the line is of several units.
    std::vector<std::pair<Fate, Span>> runs_of(std::int64_t first) const {
        std::vector<std::pair<Fate, Span>> runs;
        const std::int64_t unit = std::min(first + units_a_line_ / 2, o_.units() - 1);
        const teaching::Fates fates = o_.fates(unit);
        std::int64_t block = 0;
        for (const auto& [fate, count] : {std::pair{Fate::plain, fates.plain},
                                          {Fate::vain, fates.vain},
                                          {Fate::hidden, fates.hidden},
                                          {Fate::skipped, fates.skipped}}) {
            if (count > 0) {
                runs.emplace_back(fate, Span{o_.keys(block).begin, o_.keys(block + count - 1).end});
            }
            block += count;
        }
        return runs;
    }

    void key_block_borders() {
        if (x(o_.block_keys()) - x(0) < 6.0) {
            return;
        }
        for (std::int64_t n = 1; n < o_.key_blocks(); ++n) {
            slide_.add(
                fmt::format("<line class=\"edge\" stroke-width=\"2\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" "
                            "y2=\"{2:.1f}\"/>\n",
                            x(o_.keys(n).begin), top_, top_ + height_));
        }
    }

    void frame() {
        slide_.add(
            fmt::format("<rect class=\"axis\" fill=\"none\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                        "height=\"{:.1f}\"/>\n",
                        left_, top_, width_, height_));
    }

    Slide& slide_;
    const Shown& shown_;
    const Ownership& o_;
    const Problem& problem_;
    double left_;
    double top_;
    double width_;
    double height_;
    std::int64_t units_a_line_;
};

struct LegendItem {
    std::string words;
    Fate fate = Fate::plain;
    bool border = false;  ///< of the mask
};

/// Samples with words, row after row; returns the bottom.
double legend(Slide& slide, double y, const std::vector<LegendItem>& items) {
    constexpr double sample = 34.0;
    double x = margin;
    y += small_size;
    for (const LegendItem& item : items) {
        const double width = sample + 10.0 + svg::width_of(item.words, small_size);
        if (x > margin && x + width > page_width - margin) {
            x = margin;
            y += 1.45 * small_size;
        }
        if (item.border) {
            slide.add(border(x, y - 6.0, x + sample, y - 6.0));
            slide.text(x + sample + 10.0, y, small_size, "start", "ink", item.words);
            x += width + 20.0;
            continue;
        }
        slide.add(fate_mark(item.fate, "quiet", x, y - 15.0, sample, 18.0));
        if (item.fate == Fate::skipped) {
            slide.add(
                fmt::format("<rect class=\"axis\" fill=\"none\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                            "height=\"18\"/>\n",
                            x, y - 15.0, sample));
        }
        slide.text(x + sample + 10.0, y, small_size, "start", "ink", item.words);
        x += width + 20.0;
    }
    return y + 0.5 * small_size;
}

}  // namespace

void ctas_on_slide(Slide& slide, const std::vector<Shown>& all, const Problem& problem, Language language) {
    const auto word = [&](Text name) { return std::string(text(language, name)); };
    const Panels place = panels(all.size());
    constexpr double gutter = 62.0;
    // heads of the panels, one below the other, so that all pictures begin at one height
    double head = slide.top();
    for (std::size_t i = 0; i < all.size(); ++i) {
        double y = slide.paragraph(place.left(i), slide.top(), place.width, text_size, full(all[i].hue),
                                   cut_words(all[i], language), true);
        y = slide.paragraph(place.left(i), y, place.width, small_size, full(all[i].hue), owns_words(all[i], language),
                            true);
        y = slide.paragraph(place.left(i), y, place.width, small_size, "ink", order_words(all[i], language));
        head = std::max(head, y);
    }
    const double top = head + 46.0;
    const double height = std::max(360.0, svg::page_height - 104.0 - top);
    double bottom = 0.0;
    bool present[4] = {};
    std::int64_t together = 1;
    for (std::size_t i = 0; i < all.size(); ++i) {
        SOnSlide s(slide, all[i], problem, place.left(i) + gutter, top, place.width - gutter, height);
        slide.text(place.left(i) + gutter - 8.0, top - 8.0, number_size, "end", "faint",
                   all[i].variant->name == "v2-tuned" ? word(Text::map_block) : word(Text::map_cta));
        s.key_blocks(word(Text::map_key_block));
        s.fates();
        s.diagonal();
        s.numbers();
        s.owners();
        together = std::max(together, s.units_a_line());
        const teaching::Fates fates = all[i].ownership.fates();
        present[0] = present[0] || fates.plain > 0;
        present[1] = present[1] || fates.hidden > 0;
        present[2] = present[2] || fates.vain > 0;
        present[3] = present[3] || fates.skipped > 0;
        bottom = std::max(bottom, slide.paragraph(place.left(i), top + height + 6.0, place.width, number_size, "faint",
                                                  fates_words(all[i], language)));
    }
    std::vector<LegendItem> items;
    constexpr std::pair<Fate, Text> kinds[] = {{Fate::plain, Text::map_plain},
                                               {Fate::hidden, Text::map_hidden},
                                               {Fate::vain, Text::map_vain},
                                               {Fate::skipped, Text::map_skipped}};
    for (std::size_t i = 0; i < 4; ++i) {
        if (present[i]) {
            items.push_back({word(kinds[i].second), kinds[i].first});
        }
    }
    if (problem.causal) {
        items.push_back({word(Text::map_svg_diagonal), Fate::plain, true});
    }
    bottom = legend(slide, bottom + 4.0, items);
    if (together > 1) {
        bottom = slide.paragraph(margin, bottom, page_width - 2 * margin, number_size, "faint",
                                 fill(language, Text::map_svg_majority, together));
    }
    slide.needs(bottom + 10.0);
}

void blocks_on_slide(Slide& slide, const std::vector<Shown>& all, const Problem& problem, Language language) {
    const auto word = [&](Text name) { return std::string(text(language, name)); };
    const Panels place = panels(all.size());
    double head = slide.top();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const double y = slide.paragraph(place.left(i), slide.top(), place.width, text_size, full(all[i].hue),
                                         cut_words(all[i], language), true);
        head = std::max(
            head, slide.paragraph(place.left(i), y, place.width, small_size, "ink", owns_words(all[i], language)));
    }
    // What becomes of each matrix has a hue of its own.
    constexpr std::size_t kept = 0;
    constexpr std::size_t streams = 1;
    constexpr std::size_t registers = 2;
    constexpr std::size_t device = 3;
    constexpr double bar = 46.0;
    constexpr double gap = 14.0;
    double bottom = 0.0;
    const double height = 244.0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        Shown one = all[i];
        one.hue = hues - 1;  // S itself is none of the four
        const Ownership& o = one.ownership;
        const bool v1 = o.is_v1();
        const double left = place.left(i) + 26.0 + bar + gap;
        const double width = place.width - 2 * (bar + gap) - 52.0;
        const double k_top = head + 14.0;
        const double top = k_top + 2 * (0.62 * bar + gap) + 6.0;
        SOnSlide s(slide, one, problem, left, top, width, height);
        s.fates();
        s.numbers();
        // K and V above S
        const std::int64_t last_unit = o.first_unit(one.share) + (o.unit_count(one.share) - 1) * o.unit_step();
        for (int matrix = 0; matrix < 2; ++matrix) {
            const double y = k_top + matrix * (0.62 * bar + gap);
            slide.text(left - 10.0, y + 0.44 * bar, text_size, "end", "ink", matrix == 0 ? "K" : "V", true);
            const double widest = svg::width_of(std::to_string(o.key_blocks() - 1), number_size) + 4.0;
            for (std::int64_t n = 0; n < o.key_blocks(); ++n) {
                const double x1 = s.x(o.keys(n).begin);
                const double x2 = s.x(o.keys(n).end);
                const bool met = n < o.visited_end(last_unit);
                const double between = x2 - x1 > 6.0 ? 2.0 : 0.0;
                slide.rectangle(met ? full(v1 ? kept : streams) : "quiet", x1, y, x2 - x1 - between, 0.62 * bar);
                if (widest <= x2 - x1) {
                    slide.text((x1 + x2) / 2, y + 0.43 * bar, number_size, "middle", met ? "paper" : "faint",
                               std::to_string(n), met);
                }
            }
        }
        // Q to the left, O to the right: the units of the CTA that is shown
        for (int matrix = 0; matrix < 2; ++matrix) {
            const double x = matrix == 0 ? left - bar - gap : left + width + gap;
            const std::size_t hue = matrix == 0 ? (v1 ? streams : kept) : (v1 ? device : registers);
            slide.text(matrix == 0 ? x - 8.0 : x + bar + 8.0, top + height / 2, text_size,
                       matrix == 0 ? "end" : "start", "ink", matrix == 0 ? "Q" : "O", true);
            const std::int64_t together = s.units_a_line();
            for (std::int64_t u = 0; u < o.units(); u += together) {
                const double y1 = s.y(o.rows(u).begin);
                const double y2 = s.y(o.rows(std::min(u + together, o.units()) - 1).end);
                const bool mine = together == 1 && o.owner(u) == one.share;
                const double between = y2 - y1 > 5.0 ? 1.0 : 0.0;
                slide.rectangle(mine ? full(hue) : "quiet", x, y1, bar, y2 - y1 - between);
                if (mine && !v1 && y2 - y1 > 18.0) {
                    slide.text(x + bar / 2, (y1 + y2) / 2 + 0.36 * number_size, number_size, "middle", "paper",
                               std::to_string(u), true);
                }
            }
        }
        // what streams past, and which way
        if (v1) {
            slide.add(arrow(streams, left - gap / 2, top + 4.0, left - gap / 2, top + height - 4.0));
        } else {
            slide.add(arrow(streams, left + width - 4.0, top - 9.0, left + 4.0, top - 9.0));
        }
        double y = top + height + 10.0;
        const std::array<std::size_t, 3> sentence_hues{v1 ? kept : streams, v1 ? streams : kept,
                                                       v1 ? device : registers};
        std::size_t which = 0;
        for (const std::string& words : traffic_words(one, problem, language)) {
            slide.rectangle(full(sentence_hues[which++]), place.left(i), y + 4.0, 14.0, 14.0);
            y = slide.paragraph(place.left(i) + 22.0, y, place.width - 22.0, small_size, "ink", words) + 2.0;
        }
        bottom = std::max(bottom, y);
    }
    bottom = slide.paragraph(margin, bottom + 4.0, page_width - 2 * margin, small_size, "faint",
                             word(Text::map_blocks_tile));
    slide.needs(bottom + 12.0);
}

}  // namespace flashlens::report
