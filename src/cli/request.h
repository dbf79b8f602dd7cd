// From the command line to what the explorer is asked.
#pragma once

#include "cli/explorer_seam.h"
#include "cli/options.h"
#include "cli/ranges.h"

namespace flashlens::cli {

/// The default shape, B2 H16 S512 D64, no mask: seconds on two cores, enough query blocks (128) to give each SM of an
/// A100 one, and more than one key block for both kernels.
Problem default_problem();

/// What the numbers of an option may be: of sizes, --splits and --seed.
Bounds bounds_of(std::string_view option);

/// Throws UsageError for values that make no sense and for options that contradict each other. A model's preset gives
/// way to options given with it, --seqlen to --seqlen-q and --seqlen-k; kv_heads follows --heads unless a model or
/// --kv-heads sets it; the scale is 1/sqrt(head_dim) unless --scale sets it.
Request to_request(const Given& given, const Explorer& explorer);

}  // namespace flashlens::cli
