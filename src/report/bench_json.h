// The times of a bench for scripts and spreadsheets, in base units.
#pragma once

#include <string>

#include "explorer/bench.h"

namespace flashlens::report {

/// As to_json of a comparison (json.h): what was not measured is null.
std::string bench_to_json(const Bench& bench);

/// A line of names, then one line for each variant on each row; what was not measured is empty.
std::string bench_to_csv(const Bench& bench);

}  // namespace flashlens::report
