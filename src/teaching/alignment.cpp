#include "teaching/alignment.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace flashlens::teaching {
namespace {

/// Lines of the main loop are lined up by the kernels' own order of steps. Loads are not: each kernel has its own plan of
/// when. Nor are barriers.
Anchor step_anchor(const Side& side, const Place& place) {
    if (!place.line) {
        return {};
    }
    const std::vector<Step>& steps = side.excerpts[place.excerpt].lines[*place.line].steps;
    const bool free = steps.empty() || steps.front() == Step::load || steps.front() == Step::barrier;
    return free ? Anchor() : static_cast<int>(steps.front());
}

Anchor heading_anchor(const Place& place) {
    return place.line ? Anchor() : static_cast<int>(place.excerpt);
}

/// Whether all sides that have something to the part have as many excerpts.
bool as_many_excerpts(const Part& part) {
    std::size_t most = 0;
    for (const Side& side : part.sides) {
        most = std::max(most, side.excerpts.size());
    }
    return std::all_of(part.sides.begin(), part.sides.end(),
                       [&](const Side& side) { return side.excerpts.empty() || side.excerpts.size() == most; });
}

std::vector<Place> places_of(const Side& side) {
    std::vector<Place> places;
    for (std::size_t e = 0; e < side.excerpts.size(); ++e) {
        places.push_back({e, {}});
        for (std::size_t l = 0; l < side.excerpts[e].lines.size(); ++l) {
            places.push_back({e, l});
        }
    }
    return places;
}

/// A row on its way to being merged.
struct Draft {
    Row row;
    Anchor anchor;
    bool leads;  ///< a comment that belongs to an anchor below
};

bool is_comment(std::string_view line) {
    const std::size_t at = line.find_first_not_of(' ');
    return at != std::string_view::npos && line.substr(at, 2) == "//";
}

/// How many comments at the end belong to what follows.
std::size_t comments_that_lead(std::span<const Draft> drafts) {
    const auto last = std::find_if_not(drafts.rbegin(), drafts.rend(), [](const Draft& draft) { return draft.leads; });
    return static_cast<std::size_t>(last - drafts.rbegin());
}

/// Both side by side from the top, or, `at_end`, so that they end together; the shorter one leaves room.
void add_beside(std::vector<Draft>& result, std::span<const Draft> left, std::span<const Draft> right, std::size_t side,
                bool at_end) {
    const std::size_t start = result.size();
    const std::size_t height = std::max(left.size(), right.size());
    const std::size_t above_left = at_end ? height - left.size() : 0, above_right = at_end ? height - right.size() : 0;
    for (std::size_t i = 0; i < height; ++i) {
        const bool has_left = i >= above_left && i - above_left < left.size();
        const bool has_right = i >= above_right && i - above_right < right.size();
        result.push_back(has_left ? left[i - above_left] : right[i - above_right]);
        if (has_left && has_right) {
            const Draft& other = right[i - above_right];
            result.back().row.places[side] = other.row.places[side];
            result.back().row.together |= other.row.together;
            result.back().anchor = result.back().anchor ? result.back().anchor : other.anchor;
        }
    }
    if (result.size() > start && (left.empty() || at_end)) {
        result[start].row.together = true;
    }
}

/// What stands between two rows that belong together. If both sides have steps there that the other has not, those don't
/// stand beside each other: the right side's come after the left's.
void add_between(std::vector<Draft>& result, std::span<const Draft> left, std::span<const Draft> right,
                 std::size_t side) {
    const std::size_t left_end = left.size() - comments_that_lead(left);
    const std::size_t right_end = right.size() - comments_that_lead(right);
    const auto upper_left = left.first(left_end), upper_right = right.first(right_end);
    const auto is_bound = [](const Draft& draft) { return draft.anchor || draft.leads; };
    const auto bound = std::find_if(upper_right.begin(), upper_right.end(), is_bound);
    const bool left_bound = std::any_of(upper_left.begin(), upper_left.end(), is_bound);
    const std::size_t top = left_bound ? static_cast<std::size_t>(bound - upper_right.begin()) : right_end;
    add_beside(result, upper_left, upper_right.first(top), side, false);
    add_beside(result, {}, upper_right.subspan(top), side, false);
    add_beside(result, left.subspan(left_end), right.subspan(right_end), side, true);
}

std::vector<Draft> merged(std::span<const Draft> rows, std::span<const Draft> side, std::size_t s) {
    const auto anchors = [](std::span<const Draft> drafts) {
        std::vector<Anchor> all;
        std::transform(drafts.begin(), drafts.end(), std::back_inserter(all),
                       [](const Draft& draft) { return draft.anchor; });
        return all;
    };
    std::vector<Draft> result;
    std::size_t i = 0, j = 0;
    for (const auto& [row, place] : line_up(anchors(rows), anchors(side))) {
        add_between(result, rows.subspan(i, row - i), side.subspan(j, place - j), s);
        result.push_back(rows[row]);
        result.back().row.places[s] = side[place].row.places[s];
        result.back().row.together = true;
        i = row + 1;
        j = place + 1;
    }
    add_between(result, rows.subspan(i), side.subspan(j), s);
    return result;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> line_up(std::span<const Anchor> a, std::span<const Anchor> b) {
    const auto match = [&](std::size_t i, std::size_t j) { return a[i].has_value() && a[i] == b[j]; };
    // longest[i][j]: of the longest common subsequence of a[i ..] and b[j ..]
    std::vector<std::vector<std::size_t>> longest(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = a.size(); i-- > 0;) {
        for (std::size_t j = b.size(); j-- > 0;) {
            longest[i][j] = match(i, j) ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
        }
    }
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (match(i, j)) {
            pairs.emplace_back(i++, j++);
        } else if (longest[i + 1][j] >= longest[i][j + 1]) {
            ++i;
        } else {
            ++j;
        }
    }
    return pairs;
}

std::vector<Row> rows_of(const Part& part) {
    const bool by_step = part.topic == Topic::loops || part.topic == Topic::last_steps;
    const bool by_heading = !by_step && as_many_excerpts(part);
    std::vector<Draft> rows;
    for (std::size_t s = 0; s < part.sides.size(); ++s) {
        std::vector<Draft> side;
        for (const Place& place : places_of(part.sides[s])) {
            Row row{std::vector<std::optional<Place>>(s + 1)};
            row.places[s] = place;
            const Anchor anchor = by_step      ? step_anchor(part.sides[s], place)
                                  : by_heading ? heading_anchor(place)
                                               : Anchor();
            side.push_back({std::move(row), anchor, false});
        }
        for (std::size_t i = side.size(); i-- > 1;) {
            // A comment stays with the line below it.
            const Place& above = *side[i - 1].row.places[s];
            side[i - 1].leads = above.line && (side[i].anchor || side[i].leads) &&
                                is_comment(part.sides[s].excerpts[above.excerpt].lines[*above.line].text);
        }
        for (Draft& row : rows) {
            row.row.places.resize(s + 1);
        }
        rows = merged(rows, side, s);
    }
    std::vector<Row> result;
    std::transform(rows.begin(), rows.end(), std::back_inserter(result), [](const Draft& draft) { return draft.row; });
    return result;
}

}  // namespace flashlens::teaching
