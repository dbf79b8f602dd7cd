// What each exercise's attempt is tried with: one function each, in a file of the exercise's name.
#pragma once

#include "practice/attempt.h"

namespace flashlens::practice {

void check_v2_grid(Attempt& attempt);
void check_num_splits(Attempt& attempt);
void check_splits_merge_nothing(Attempt& attempt);
void check_grouped_heads(Attempt& attempt);
void check_tail_of_keys(Attempt& attempt);
void check_causal_mask(Attempt& attempt);
void check_quad_reduction(Attempt& attempt);
void check_running_maximum(Attempt& attempt);
void check_epilogue(Attempt& attempt);
void check_two_loops(Attempt& attempt);
void check_missing_barrier(Attempt& attempt);
void check_early_read(Attempt& attempt);
void check_bank_conflict(Attempt& attempt);
void check_warps_over_rows(Attempt& attempt);
void check_main_loop(Attempt& attempt);

}  // namespace flashlens::practice
