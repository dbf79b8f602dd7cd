#include "teaching/quiz_numbers.h"

#include <array>
#include <cstdint>

#include "teaching/quiz_asked.h"

namespace flashlens::teaching {
namespace {

constexpr std::array generators = std::to_array<QuizGenerator>({
    {"grid-n1", "grid", 1, asked::v2_ctas},
    {"grid-n2", "grid", 3, asked::v2_block_m},
    {"splits-n1", "splits", 3, asked::v1_num_splits},
    {"splits-n2", "splits", 1, asked::tiles_of_split},
    {"splits-n3", "splits", 2, asked::bytes_of_split},
    {"main-loop-n1", "main-loop", 1, asked::v1_passes},
    {"main-loop-n2", "main-loop", 3, asked::v1_o_tmp},
    {"online-softmax-n1", "online-softmax", 2, asked::sum_after_blocks},
    {"online-softmax-n2", "online-softmax", 1, asked::rescale_factor},
    {"warps-n1", "warps", 2, asked::warp_of_key},
    {"warps-n2", "warps", 1, asked::keys_of_warp},
    {"warps-n3", "warps", 3, asked::v2_barriers},
    {"shared-memory-n1", "shared-memory", 1, asked::v2_shared},
    {"shared-memory-n2", "shared-memory", 3, asked::v1_shared},
    {"occupancy-n1", "occupancy", 2, asked::ctas_per_sm},
    {"occupancy-n2", "occupancy", 2, asked::limiter},
    {"occupancy-n3", "occupancy", 1, asked::v2_waves},
    {"occupancy-n4", "occupancy", 1, asked::v2_sm_fill},
    {"numerics-n1", "numerics", 2, asked::log_sum_exp},
    {"masking-n1", "masking", 1, asked::pairs},
    {"masking-n2", "masking", 2, asked::visited_blocks},
    {"masking-n3", "masking", 3, asked::masked_blocks},
    {"gqa-n1", "gqa", 1, asked::kv_head},
    {"gqa-n2", "gqa", 2, asked::kv_bytes},
    {"ladder-n1", "ladder", 1, asked::query_blocks_ctas},
    {"ladder-n2", "ladder", 2, asked::row_warps_barriers},
    {"ladder-n3", "ladder", 3, asked::o_tmp_of_tile},
    {"ladder-n4", "ladder", 2, asked::divisions_of_norm},
    {"reading-n1", "reading", 1, asked::work},
    {"reading-n2", "reading", 2, asked::rate},
});

}  // namespace

std::span<const QuizGenerator> quiz_generators() {
    return generators;
}

QuizQuestion drawn_question(const QuizGenerator& generator, std::uint64_t seed, Language language) {
    QuizQuestion question;
    question.id = generator.id;
    question.topic = generator.topic;
    question.level = generator.level;
    question.kind = QuizKind::number;
    // Each generator has draws of its own: what else is asked does not change its numbers.
    for (const char c : generator.id) {
        seed = seed * 131 + static_cast<unsigned char>(c);
    }
    Draw draw(seed);
    generator.make(draw, language, question);
    return question;
}

}  // namespace flashlens::teaching
