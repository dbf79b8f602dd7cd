#include "explorer/cta_work.h"

#include "kernels/v2_tuned/plan.h"

namespace flashlens {

GridPlace place_of(const Grid& grid, std::int64_t number) {
    return {number % grid.x, number / grid.x % grid.y, number / grid.x / grid.y};
}

CtaWork work_of(const VariantFacts& planned, const Problem& problem, const GridPlace& place) {
    if (planned.launch.splits) {
        return {place.x, place.y, place.z};
    }
    if (planned.name != "v2-tuned") {
        return {place.y, place.z, place.x};
    }
    const auto [head, block] =
        v2_tuned::work_of(planned.launch.order, planned.launch.ctas, problem.batch * problem.heads, place.x);
    return {head / problem.heads, head % problem.heads, block};
}

}  // namespace flashlens
