// What the commands need of the explorer, so that tests can put something else in its place.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explorer/bench.h"
#include "explorer/explorer.h"
#include "explorer/sweep.h"
#include "explorer/timeline.h"

namespace flashlens::cli {

struct Explorer {
    std::function<Comparison(const Request&)> compare;
    std::function<Comparison(const Request&)> explain;
    std::function<Timelines(const Request&)> timeline;
    std::function<Sweep(const SweepRequest&)> sweep;
    std::function<Bench(const BenchRequest&)> bench;
    std::function<std::optional<hardware::Card>(Message* why)> card_here;
    /// Sets the shape of the problem from the folder's q.npy, k.npy, v.npy.
    std::function<void(const std::filesystem::path& folder, Problem&)> read_shape;
    /// Sets the shape, the mask and the scale of the model of this name.
    std::function<void(std::string_view name, Problem&)> apply_model;
    std::vector<std::string> variant_names;
    std::vector<std::string>
        names_between;                ///< kernels between v1 and v2, which --variants takes where it plans or runs
    std::vector<std::string> ladder;  ///< ladder_variants()
    std::vector<std::string> graph;   ///< graph_variants()
    std::vector<std::string> model_names;
};

/// The explorer of src/explorer.
Explorer real_explorer();

}  // namespace flashlens::cli
