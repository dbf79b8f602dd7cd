# Altered copies of the kernels. mutant(name variant file from to [file from to ...]) is defined by whoever includes this:
# CMakeLists.txt (to make a target of each) and alter.cmake (to make the copy of one).
#
# `from` has to be in the file; one that begins with ~ is a regular expression. What each must lead to stands in
# mutant_test.cpp.

# What only the counters can tell.
mutant(v1_plain_tiles v1 primitives/tile.cuh "return (row / rows_per_128_bytes) % swizzle_span;" "return row * 0;")
mutant(v2_plain_tiles v2 primitives/tile.cuh "return (row / rows_per_128_bytes) % swizzle_span;" "return row * 0;")
mutant(v1_plain_smem_o v1 v1/steps.cuh "(chunk ^ (row % 4 * 2))" "chunk")
mutant(v1_extra_shuffle v1 v1/steps.cuh "quad_max(m[half])" "quad_max(max(m[half], shuffle_xor(m[half], 1)))")
mutant(v2_extra_shuffle v2 v2/steps.cuh "quad_max(m[i][half])" "quad_max(max(m[i][half], shuffle_xor(m[i][half], 1)))")
mutant(tuned_no_room tuned v2_tuned/steps.cuh "return 8.0F * reciprocal(max(c, 1e-30F));" "return 0.0F;")
mutant(tuned_raises_neighbours tuned v2_tuned/steps.cuh "~m\\[i\\]\\[.\\] = select\\([^\n]*" "")

# What breaks CUDA's rules.
mutant(v1_barrier_moved v1 v1/kernel.cuh
  "~__syncthreads\\(\\);[^\n]*\n( *const bool last_pass[^\n]*\n *out\\.reduce_sum_after_sync[^\n]*\n)"
  "\\1__syncthreads();\n")
mutant(v2_barrier_moved v2 v2/kernel.cuh "~__syncthreads\\(\\);[^\n]*\n( *store<T>[^\n]*\n)" "\\1__syncthreads();\n")
mutant(v2_waits_for_too_few v2 v2/kernel.cuh "cp_async_wait<T, 0>()" "cp_async_wait<T, 1>()")
mutant(tuned_waits_for_too_few tuned v2_tuned/kernel.cuh "cp_async_wait<0>()" "cp_async_wait<1>()")
mutant(tuned_wide_barrier_moved tuned_wide v2_tuned/kernel.cuh
  "~__syncthreads\\(\\);[^\n]*\n( *v2::normalize<[^\n]*\n)" "\\1__syncthreads();\n")
mutant(tuned_loads_into_its_own_stage tuned v2_tuned/kernel.cuh "next(ring, n + 1)" "next(ring, n + 2)")
mutant(tuned_turns_to_the_start tuned v2_tuned/kernel.cuh "last - (x - order.turn_at)" "last - x")
mutant(v1_reads_past_the_keys v1 v1/steps.cuh "i * rows_per_pass < rows_left" "rows_left > -1000")
mutant(v2_reads_past_the_keys v2 v2/steps.cuh "valid && (whole || r + row() < rows)" "valid || whole")
mutant(v2_reads_past_head_dim v2 v2/steps.cuh "valid(chunk() * 8 < head_dim)" "valid(head_dim > 0)")
mutant(v2_reads_past_the_queries v2 v2/steps.cuh "r < rows_left" "rows_left > -1000")
mutant(v1_last_pass_too_early v1 v1/kernel.cuh "<= (n + 1) * T::block_n" "<= (n + 2) * T::block_n")

# What leaves something out.
mutant(v1_last_pass_missed v1 v1/kernel.cuh "<= (n + 1) * T::block_n" "<= n * T::block_n")
mutant(v1_skips_a_tile v1 v1/kernel.cuh "above / 16 : 0" "above / 16 + 1 : 0")
mutant(tuned_last_group_as_large tuned v2_tuned/kernel.cuh
  "heads - before < order.heads_together ? heads - before : order.heads_together" "order.heads_together")
mutant(tuned_block_of_a_large_group tuned v2_tuned/kernel.cuh "in_group / group" "in_group / order.heads_together")

# What is wrong.
mutant(v1_no_rescale v1 v1/output.cuh "smem_o.load(out[i], previous[i]," "smem_o.load(out[i], 1.0F,")
mutant(v2_no_rescale_of_o v2 v2/steps.cuh "acc_o[i][d][e] *= rescale[i][e / 2];" "")
mutant(v2_no_rescale_of_l v2 v2/steps.cuh "l[i][0] *= rescale[i][0];" "")
mutant(tuned_no_rescale_of_o tuned v2/steps.cuh "acc_o[i][d][e] *= rescale[i][e / 2];" "")
mutant(tuned_no_rescale_of_l tuned v2/steps.cuh "l[i][0] *= rescale[i][0];" "")
mutant(tuned_never_raises tuned v2_tuned/kernel.cuh "if (warp_any(max_has_grown<T>(acc_s, m, room)))" "if (false)")
mutant(tuned_raises_once tuned v2_tuned/kernel.cuh "if (warp_any(max_has_grown<T>(acc_s, m, room)))"
  "if (n == cta.key_blocks - 1)")
mutant(tuned_too_much_room tuned v2_tuned/steps.cuh "return 8.0F" "return 18.0F")
mutant(v2_sum_of_one_lane v2 v2/steps.cuh "quad_sum(l[i][half])" "l[i][half]")
mutant(v1_one_key_fewer v1 v1/steps.cuh "lane_index() / 4 + p.diagonal;" "lane_index() / 4 + p.diagonal - 1;")
mutant(v2_one_key_fewer v2 primitives/rows.cuh "row + p.diagonal + 1" "row + p.diagonal")
mutant(v1_one_key_more v1 v1/steps.cuh "lane_index() / 4 + p.diagonal;" "lane_index() / 4 + p.diagonal + 1;")
mutant(v2_one_key_more v2 primitives/rows.cuh "row + p.diagonal + 1" "row + p.diagonal + 2")
mutant(v1_a_key_past_the_last v1 v1/steps.cuh "key < p.seqlen_k" "key <= p.seqlen_k")
mutant(v2_a_key_past_the_last v2 v2/steps.cuh "n * 8 < seen" "n * 8 <= seen")
mutant(v2_one_masked_block_fewer v2 v2/kernel.cuh "(even ? 0 : 1)" "(even ? 0 : 0)")
mutant(tuned_one_masked_block_fewer tuned v2_tuned/kernel.cuh "unmasked_blocks = seen_by_first / T::block_n;"
  "unmasked_blocks = seen_by_first / T::block_n + 1;")
mutant(v1_wrong_kv_head v1 primitives/rows.cuh "head / (p.heads / p.kv_heads)" "head % p.kv_heads")
mutant(v2_wrong_kv_head v2 primitives/rows.cuh "head / (p.heads / p.kv_heads)" "head % p.kv_heads")
mutant(v1_huge_logits_forgotten v1 v1/steps.cuh
  "warp_any(abs(offset[0]) >= huge_logit || abs(offset[1]) >= huge_logit)" "warp_any(false)")
mutant(v2_huge_logits_forgotten v2 v2/steps.cuh "warp_any(huge)" "warp_any(false)")
mutant(tuned_huge_logits_forgotten tuned v2_tuned/steps.cuh "select(huge, -infinity, headroom<T>(c))" "headroom<T>(c)")
mutant(v1_other_warps_values v1 v1/steps.cuh "tile.load_b_trans(frag_v[g][c], g * 64 + warp_index() * 16, c * 16)"
  "tile.load_b_trans(frag_v[g][c], g * 64 + (warp_index() ^ 1) * 16, c * 16)")

# Right, but watched: they say which rows they load, and one warp's P V can be left out.
mutant(v1_watched v1
  v1/steps.cuh "#pragma once" "#pragma once\n#include \"mutants/watch.h\""
  v1/steps.cuh "const Step step(\"gemm_o\");" "const Step step(\"gemm_o\"); if (kernel_tests::silent(warp_index())) return;"
  v1/steps.cuh "const int row = first_row + lane_row();"
  "const int row = first_row + lane_row(); kernel_tests::note_load(from.row(first_row));")
mutant(v2_watched v2
  v2/steps.cuh "#pragma once" "#pragma once\n#include \"mutants/watch.h\""
  v2/steps.cuh "const Step step(\"gemm_pv\");" "const Step step(\"gemm_pv\"); if (kernel_tests::silent(warp_index())) return;"
  v2/steps.cuh "using Tile = SharedTile<Rows, Columns>;"
  "using Tile = SharedTile<Rows, Columns>; kernel_tests::note_load(from.row(first_row));"
  v2/steps.cuh "const unsigned char* from, int rows) const {"
  "const unsigned char* from, int rows) const { kernel_tests::note_load(from);")
mutant(tuned_watched tuned
  v2/steps.cuh "#pragma once" "#pragma once\n#include \"mutants/watch.h\""
  v2_tuned/steps.cuh "const Step step(\"gemm_pv\");" "const Step step(\"gemm_pv\"); if (kernel_tests::silent(warp_index())) return;"
  v2/steps.cuh "using Tile = SharedTile<Rows, Columns>;"
  "using Tile = SharedTile<Rows, Columns>; kernel_tests::note_load(from.row(first_row));"
  v2/steps.cuh "const unsigned char* from, int rows) const {"
  "const unsigned char* from, int rows) const { kernel_tests::note_load(from);")
