// From the command line to what bench is asked.
#pragma once

#include "cli/explorer_seam.h"
#include "cli/options.h"

namespace flashlens::cli {

/// Throws UsageError as to_request does. The shapes are those of --shapes; else the one of --batch, --heads and so on, where
/// any of these is given; else the standard table. Each under both masks, unless --causal or --no-causal picks one.
BenchRequest to_bench_request(const Given& given, const Explorer& explorer);

}  // namespace flashlens::cli
