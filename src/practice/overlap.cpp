#include "practice/overlap.h"

#include <string_view>

#include "practice/two_languages.h"

namespace flashlens::practice {

Overlap overlap_of(Attempt& attempt, const Problem& problem, std::int64_t blocks) {
    const simt::LaunchReport report = attempt.run(problem, random_inputs(problem)).report.value();
    const auto blocks_beside_copies = [&](std::string_view step) {
        const simt::Counters of = report.step(step);
        return of.mma == 0 ? 0.0 : static_cast<double>(of.mma_beside_copies * blocks) / static_cast<double>(of.mma);
    };
    Overlap overlap{blocks_beside_copies("gemm_qk"), blocks_beside_copies("gemm_pv"), {}};
    overlap.counted = both({"while a copy is on its way: S = Q K^T of {} of {} key blocks, P V of {}",
                            "有拷贝在途中时执行的：{1} 个 key block 中 {0} 个的 S = Q K^T，{2} 个的 P V"},
                           overlap.of_qk, blocks, overlap.of_pv);
    return overlap;
}

}  // namespace flashlens::practice
