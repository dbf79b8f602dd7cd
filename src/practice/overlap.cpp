#include "practice/overlap.h"

namespace flashlens::practice {

double blocks_beside_copies(const simt::LaunchReport& report, std::string_view step, std::int64_t blocks) {
    const simt::Counters of = report.step(step);
    return of.mma == 0 ? 0.0 : static_cast<double>(of.mma_beside_copies * blocks) / static_cast<double>(of.mma);
}

}  // namespace flashlens::practice
