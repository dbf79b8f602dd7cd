#include "report/sweep_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/comparison_view.h"
#include "report/numbers.h"
#include "report/width.h"

namespace flashlens::report {
namespace {

/// What `of` says of every point, where it says the same of all.
template <typename Of>
auto shared(const std::vector<const SweepPoint*>& points, const Of& of) {
    auto first = std::optional(of(points.front()->comparison));
    const bool alike =
        std::all_of(points.begin(), points.end(), [&](const SweepPoint* p) { return of(p->comparison) == *first; });
    return alike ? first : std::nullopt;
}

double usual_scale(const Problem& problem) {
    return 1.0 / std::sqrt(static_cast<double>(problem.head_dim));
}

}  // namespace

std::vector<const SweepPoint*> points_with_figures(const Sweep& sweep) {
    std::vector<const SweepPoint*> result;
    for (const SweepPoint& point : sweep.points) {
        if (point.refusal.empty()) {
            result.push_back(&point);
        }
    }
    return result;
}

std::string shared_shape(const Sweep& sweep, Language language) {
    const std::vector<const SweepPoint*> points = points_with_figures(sweep);
    if (points.empty()) {
        return {};
    }
    std::string result;
    const auto add = [&](const std::string& words) { result += (result.empty() ? "" : "  ") + words; };
    const auto size = [&](const char* name, std::int64_t Problem::*member) {
        const auto value = shared(points, [&](const Comparison& c) { return c.problem.*member; });
        if (value) {
            add(fmt::format("{}\u00a0{}", name, *value));
        }
        return value.has_value();
    };
    const auto always = [&](auto holds) {
        return std::all_of(points.begin(), points.end(),
                           [&](const SweepPoint* p) { return holds(p->comparison.problem); });
    };
    size("B", &Problem::batch);
    size("H", &Problem::heads);
    if (!size("KV", &Problem::kv_heads) && always([](const Problem& p) { return p.kv_heads == p.heads; })) {
        add("KV\u00a0=\u00a0H");
    }
    const bool queries_shared = size("Sq", &Problem::seqlen_q);
    const bool keys_shared = size("Sk", &Problem::seqlen_k);
    if (!queries_shared && !keys_shared && always([](const Problem& p) { return p.seqlen_q == p.seqlen_k; })) {
        add("Sq\u00a0=\u00a0Sk");
    }
    size("D", &Problem::head_dim);
    if (const auto dtype = shared(points, [](const Comparison& c) { return c.problem.dtype; })) {
        add(dtype_name(*dtype));
    }
    if (const auto name = shared(points, [](const Comparison& c) { return mask_name(c.problem); })) {
        add(std::string(text(language, *name)));
    }
    const auto scale = shared(points, [](const Comparison& c) { return c.problem.scale; });
    if (scale && !always([](const Problem& p) { return p.scale == usual_scale(p); })) {
        add(fmt::format("scale\u00a0{:.6g}", *scale));
    }
    return result;
}

std::string cards(const Sweep& sweep, Language language) {
    const std::vector<const SweepPoint*> points = points_with_figures(sweep);
    if (points.empty() || !shared(points, [](const Comparison& c) { return c.card.name; })) {
        return std::string(text(language, Text::sweep_cards));
    }
    const Comparison& comparison = points.front()->comparison;
    return fill(language, comparison.card_is_here ? Text::card_here : Text::card_not_here,
                printable(comparison.card.name), comparison.card.sm_count, comparison.card.chip);
}

std::string how_known(Origin origin, const Sweep& sweep, Language language) {
    switch (origin) {
        case Origin::planned: {
            const auto points = points_with_figures(sweep);
            const bool here = !points.empty() && points.front()->comparison.card_is_here;
            return std::string(text(language, here ? Text::sweep_planned_here : Text::sweep_planned));
        }
        case Origin::counted:
            return std::string(text(language, Text::sweep_counted));
        case Origin::timed:
            break;
    }
    int samples = 0;
    for (const SweepPoint& point : sweep.points) {
        for (const VariantFacts& variant : point.comparison.variants) {
            samples = std::max(samples, variant.timed ? variant.timed->runs : 0);
        }
    }
    return fill(language, Text::sweep_timed, samples);
}

std::vector<const Quantity*> known_quantities(const Sweep& sweep) {
    std::vector<const Quantity*> known;
    for (const Quantity& quantity : quantities()) {
        const auto has = [&](const SweepPoint* point) {
            const auto& variants = point->comparison.variants;
            return std::any_of(variants.begin(), variants.end(),
                               [&](const VariantFacts& v) { return quantity.of(v, point->comparison).has_value(); });
        };
        const auto points = points_with_figures(sweep);
        if (std::any_of(points.begin(), points.end(), has)) {
            known.push_back(&quantity);
        }
    }
    return known;
}

const Quantity& usual_quantity(const Sweep& sweep) {
    const std::vector<const Quantity*> known = known_quantities(sweep);
    for (const char* name : {"speedup", "tflops"}) {
        const Quantity* quantity = find_quantity(name);
        if (std::find(known.begin(), known.end(), quantity) != known.end()) {
            return *quantity;
        }
    }
    return *find_quantity("sm-fill");
}

}  // namespace flashlens::report
