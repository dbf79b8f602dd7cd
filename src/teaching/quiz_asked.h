// The questions for a number, by what they are about; quiz_numbers.cpp has their topics and levels. Each draws its numbers
// and computes the answer.
#pragma once

#include "bilingual.h"
#include "teaching/quiz.h"
#include "teaching/quiz_draw.h"

namespace flashlens::teaching::asked {

using Question = void(Draw& draw, Language language, QuizQuestion& q);

// quiz_launch.cpp
Question v2_ctas, v2_block_m, v1_num_splits, tiles_of_split, bytes_of_split, v1_passes, v1_o_tmp;
// quiz_softmax.cpp
Question sum_after_blocks, rescale_factor, log_sum_exp;
// quiz_keys.cpp
Question warp_of_key, keys_of_warp, v2_barriers, pairs, visited_blocks, masked_blocks;
// quiz_sm.cpp
Question v2_shared, v1_shared, ctas_per_sm, limiter, v2_waves, v2_sm_fill;
// quiz_ladder.cpp
Question query_blocks_ctas, row_warps_barriers, o_tmp_of_tile, divisions_of_norm;
// quiz_work.cpp
Question kv_head, kv_bytes, work, rate;

}  // namespace flashlens::teaching::asked
