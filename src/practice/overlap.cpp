#include "practice/overlap.h"

namespace flashlens::practice {

double blocks_beside_copies(const simt::LaunchReport& report, std::string_view step, std::int64_t blocks) {
    for (const simt::StepCounters& of : report.steps) {
        if (of.name == step && of.counters.mma > 0) {
            return static_cast<double>(of.counters.mma_beside_copies) * static_cast<double>(blocks) /
                   static_cast<double>(of.counters.mma);
        }
    }
    return 0.0;
}

}  // namespace flashlens::practice
