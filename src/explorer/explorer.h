// The explorer's front door: one request in, one comparison out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explorer/comparison.h"

namespace flashlens {

enum class MachineChoice { automatic, cpu, gpu };
enum class Verify { full, sample, off };

/// How many times a kernel is timed unless somebody asks for another number.
inline constexpr int timing_samples = 21;

struct Request {
    Problem problem;
    std::string card;  ///< a name for hardware::find_card; empty: the card here, else A100
    MachineChoice machine = MachineChoice::automatic;
    std::optional<int> splits;          ///< v1's num_splits; unset: its heuristic
    std::vector<std::string> variants;  ///< empty: v1 and v2; for bench all
    Verify verify = Verify::sample;
    std::string input_folder;   ///< q.npy, k.npy, v.npy; the shape in `problem` then comes from them
    std::string output_folder;  ///< empty: write nothing
    /// Long runs report here: what runs ("v1 on the CPU machine"), the share done in 0..1, the estimated total seconds.
    std::function<void(const Message&, double, double)> progress;
};

/// Names that --variants accepts, in the order shown: "v1", "v2", "v2-tuned".
std::vector<std::string> variant_names();
/// Names of the kernels between v1 and v2 that can be planned and run like those: the ladder's, and those in other orders.
std::vector<std::string> names_between();

/// The GPU of this machine, its properties read from the driver. Empty in a build without CUDA, without a card or
/// driver; `why` then says which of these, and what to do about it.
std::optional<hardware::Card> card_here(Message* why = nullptr);

/// Grid, occupancy, waves: everything that needs no run. Throws UsageError, also when no variant can run the shape.
Comparison explain(const Request& request);

/// explain, then runs every variant that can and the reference, and checks them. Throws UsageError as explain does.
Comparison compare(const Request& request);

}  // namespace flashlens
