#include "report/idea_weights.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "report/ladder_quantities.h"

namespace flashlens::report {
namespace {

/// What an idea takes away, and what that is a part of: names of ladder quantities.
struct Saving {
    Idea idea;
    std::string_view part;
    std::string_view whole;
};

constexpr Saving savings[] = {
    {Idea::row_warps, "shared-exchange", "shared-traffic"},
    {Idea::loop_order, "o-tmp", "global-traffic"},
    {Idea::late_norm, "divisions", "fp32-ops"},
    {Idea::masking, "mask-ops", "fp32-ops"},
};

struct Pair {
    double v1 = 0.0;
    double v2 = 0.0;
};

/// How many fp32 operations the card does in the time of so many matmul FLOPs; 0 where a rate isn't known. The rate of
/// fp32 counts a fused multiply-add as two FLOPs; an operation, of whatever kind, is one instruction.
double matmul_in_fp32_ops(double mma_flops, const hardware::Card& card) {
    return card.matmul_tflops > 0.0 ? mma_flops * card.fp32_tflops / 2.0 / card.matmul_tflops : 0.0;
}

double weight_of(const Pair& part, const Pair& whole) {
    const double left = std::max(whole.v2, whole.v1 - (part.v1 - part.v2));
    return left > 0.0 && left < whole.v1 ? std::log(whole.v1 / left) : 0.0;
}

}  // namespace

std::vector<IdeaWeight> idea_weights(const VariantFacts& v1, const VariantFacts& v2, const Comparison& comparison) {
    const auto of_both = [&](std::string_view name) -> std::optional<Pair> {
        const Quantity& quantity = find_ladder_quantity(name)->quantity;
        const auto first = quantity.of(v1, comparison);
        const auto second = quantity.of(v2, comparison);
        return first && second ? std::optional(Pair{*first, *second}) : std::nullopt;
    };
    std::vector<IdeaWeight> weights;
    for (const Saving& saving : savings) {
        const auto part = of_both(saving.part);
        auto whole = of_both(saving.whole);
        const auto matmul = of_both("mma-flops");
        if (!part || !whole || !matmul) {
            return {};
        }
        if (saving.whole == "fp32-ops") {
            const double beside = matmul_in_fp32_ops(matmul->v1, comparison.card);
            whole->v1 += beside;
            whole->v2 += beside;
        }
        weights.push_back({saving.idea, weight_of(*part, *whole)});
    }
    const auto sms = of_both("sm-fill");
    if (sms && sms->v1 > 0.0 && sms->v2 > 0.0) {
        weights.push_back({Idea::grid, std::log(sms->v2 / sms->v1)});
    }
    std::erase_if(weights, [](const IdeaWeight& w) { return w.weight == 0.0; });
    std::stable_sort(weights.begin(), weights.end(),
                     [](const IdeaWeight& a, const IdeaWeight& b) { return std::abs(a.weight) > std::abs(b.weight); });
    return weights;
}

}  // namespace flashlens::report
