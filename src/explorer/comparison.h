// Everything one comparison found, as data: the report only shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explorer/problem.h"
#include "explorer/verdict.h"
#include "hardware/card.h"
#include "message.h"
#include "simt/counters.h"
#include "simt/launch.h"

namespace flashlens {

enum class Machine { cpu, gpu };

/// Facts that need no run.
struct LaunchFacts {
    Chip chip = 80;  ///< whose kernel, of those that are compiled
    Tile tile;
    Grid grid;
    Message axes;       ///< what x, y, z are: "query block, batch, head"
    std::string owns;   ///< what one CTA owns
    std::string warps;  ///< what the warps split: "4 warps over keys"
    bool warps_split_keys = false;
    int threads = 0;
    int smem_bytes = 0;
    int registers = 0;
    hardware::Occupancy occupancy;
    hardware::Waves waves;
    std::int64_t ctas = 0;            ///< in the grid
    std::int64_t ctas_with_work = 0;  ///< less those that find nothing to do and exit at once
    std::int64_t query_rows = 0;      ///< those of a CTA, which has consecutive ones; 0 for v1
    std::optional<int> splits;        ///< v1: num_splits
    CtaOrder order;                   ///< v2-tuned
    bool heaviest_first = false;      ///< order puts CTAs with more to do before others
};

struct CountedFacts {
    simt::LaunchReport report;
    bool sampled = false;  ///< one CTA of each class ran and was multiplied
    /// How often v2-tuned raises its maxima depends on data that counting alone does not have: as if they rose where a row
    /// meets its first keys, and nowhere else.
    bool raises_assumed = false;
};

struct TimedFacts {
    double median_us = 0.0;
    double min_us = 0.0;
    double max_us = 0.0;
    int runs = 0;
    double lower_quartile_us = 0.0;  ///< the middle half of the runs lies between these
    double upper_quartile_us = 0.0;
};

struct VariantFacts {
    std::string name;  ///< "v1", "v2", "v2-tuned", or a rung between v1 and v2
    Message refusal;   ///< why it can't run this shape on this card; empty when it can
    LaunchFacts launch;
    std::optional<CountedFacts> counted;
    std::optional<double> simulation_us;  ///< wall time of the CPU machine; never a speed comparison
    std::optional<TimedFacts> timed;      ///< on a GPU
    std::optional<ErrorReport> error;     ///< set when it ran and was verified
};

struct ReferenceFacts {
    double time_us = 0.0;
    std::int64_t rows_checked = 0;
    std::int64_t rows_total = 0;
};

struct Comparison {
    Problem problem;
    std::string input_folder;  ///< where q, k, v came from; empty for random inputs
    hardware::Card card;
    bool card_is_here = false;  ///< a real card, not one named or assumed
    Machine machine = Machine::cpu;
    std::vector<VariantFacts> variants;
    std::optional<ReferenceFacts> reference;
    /// Bytes that attention without fusion reads and writes in global memory: Q, K, V, O once, and S and P written and
    /// read in the kernels' 16-bit type.
    std::int64_t plain_read_bytes = 0;
    std::int64_t plain_write_bytes = 0;
};

}  // namespace flashlens
