// Which rows something is true of, in words, and the rows that nobody wrote.
#pragma once

#include <cstdint>
#include <vector>

#include "practice/attempt.h"

namespace flashlens::practice {

/// "row 3", "rows 64 to 127", "rows 0 to 7, 16 to 23, 32 to 39 and others"; `numbers` ascend.
Message rows_text(const std::vector<std::int64_t>& numbers);
/// The same of keys.
Message keys_text(const std::vector<std::int64_t>& numbers);
/// The same of lanes.
Message lanes_text(const std::vector<std::int64_t>& numbers);
/// The same of columns of O.
Message columns_text(const std::vector<std::int64_t>& numbers);

/// "batch 1, head 2: rows 64 to 99; batch ...", without batch and head where there is one only: the elements of a (batch,
/// heads, seqlen_q) list that are set.
Message places_text(const Problem& problem, const std::vector<bool>& rows);

/// Of a row of O: is any element of it one that nobody wrote? By (batch, heads, seqlen_q).
std::vector<bool> unwritten_rows_of_o(const Problem& problem, const Output& output);

/// Throws the Finding "rows-not-written", which says which, unless all rows of O and lse were written.
void all_rows_written(const Problem& problem, const Output& output);

/// "in a run with B 1  H 4  KV 2  Sq 33  Sk 65  D 64  causal", for evidence.
Message shape_text(const Problem& problem);

}  // namespace flashlens::practice
