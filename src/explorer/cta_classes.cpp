#include "explorer/cta_classes.h"

#include <tuple>

namespace flashlens {

CtaClasses::CtaClasses(const VariantFacts& planned, const Problem& problem) : planned_(planned), problem_(problem) {
    const Grid& grid = planned.launch.grid;
    std::map<Key, Class> classes;
    for (std::int64_t z = 0; z < grid.z; ++z) {
        for (std::int64_t y = 0; y < grid.y; ++y) {
            for (std::int64_t x = 0; x < grid.x; ++x) {
                const GridPlace cta{x, y, z};
                ++classes.try_emplace(key(cta), Class{.first = cta}).first->second.ctas;
            }
        }
    }
    for (auto& [key, of_key] : classes) {
        std::tie(of_key.alignment, of_key.place) = key;
        index_.emplace_hint(index_.end(), key, classes_.size());
        classes_.push_back(of_key);
    }
}

CtaClasses::Key CtaClasses::key(const GridPlace& cta) const {
    const bool v1 = planned_.launch.splits.has_value();
    auto [batch, head, place] = work_of(planned_, problem_, cta);
    const std::int64_t kv_head = head / (problem_.heads / problem_.kv_heads);
    const std::int64_t row_bytes = problem_.head_dim * 2;
    const std::int64_t q_row = batch * problem_.seqlen_q * problem_.heads + head;
    const std::int64_t k_row = batch * problem_.seqlen_k * problem_.kv_heads + kv_head;
    const std::int64_t lse_row = (batch * problem_.heads + head) * problem_.seqlen_q;
    const LaunchFacts& launch = planned_.launch;
    const std::int64_t rows = launch.query_rows > 0 ? launch.query_rows : launch.tile.block_m;
    const std::int64_t units = (problem_.seqlen_q + rows - 1) / rows;  // query blocks, or v1's tiles
    if (!v1 && !problem_.causal && place + 1 < units) {
        place = 0;
    }
    if (v1 && !problem_.causal) {
        // how many tiles the split has, and whether the last, which may be cut off, is among them
        const std::int64_t splits = *launch.splits;
        const std::int64_t mine = place < units ? (units - place + splits - 1) / splits : 0;
        place = 2 * mine + (units > 0 && (units - 1) % splits == place ? 1 : 0);
    }
    return {{q_row * row_bytes % 32, k_row * row_bytes % 32, lse_row * 4 % 32}, place};
}

}  // namespace flashlens
