// Many comparisons at once: one question asked at every point of a grid of shapes, masks, types or cards.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "explorer/comparison.h"
#include "explorer/explorer.h"

namespace flashlens {

struct SweptOption {
    std::string name;                 ///< "seqlen"
    std::vector<std::string> values;  ///< as the user would give them, one by one
};

/// Every combination of the options' values, as the index of each one's value: the last option's fastest.
std::vector<std::vector<std::size_t>> combinations(const std::vector<SweptOption>& options);

/// What is asked at one point.
struct SweepQuestion {
    std::vector<std::size_t> at;  ///< which value of each swept option
    Request request;              ///< problem, card, machine, splits and variants; the rest is not read
    Message refusal;              ///< why the point can't even be asked; empty when it can
};

/// Are the counters of the CPU machine wanted? automatic: where they take seconds rather than minutes.
enum class Counting { automatic, on, off };

struct SweepRequest {
    std::vector<SweptOption> options;
    std::vector<SweepQuestion> questions;
    Counting counting = Counting::automatic;
    /// As Request's.
    std::function<void(const Message&, double, double)> progress;
};

struct SweepPoint {
    std::vector<std::size_t> at;
    Message refusal;        ///< why there is nothing to show; empty when some variant could be planned and measured
    bool failed = false;    ///< the refusal is an error met while measuring, not a limit known beforehand
    Comparison comparison;  ///< without reference and errors; as far as it got where there is a refusal
};

struct Sweep {
    std::vector<SweptOption> options;
    std::vector<SweepPoint> points;
    bool counted = false;
    bool counting_left_out = false;  ///< nobody forbade it: it would take too long
    double counting_seconds = 0.0;   ///< about how long it takes
};

/// What a sweep does at a point, apart so that tests can put something else in the place of a card.
struct SweepSteps {
    std::function<Comparison(const Request&)> explain;
    std::function<double(const VariantFacts&, const Problem&)> counting_flops;
    std::function<CountedFacts(const VariantFacts&, const Problem&, const std::function<void(double)>&)> count;
    /// Times those variants, which all run, in turns on the card.
    std::function<std::vector<TimedFacts>(const std::vector<const VariantFacts*>&, const Problem&)> time;
};

/// explain, the CPU machine on one CTA of each class, and the card of this machine.
SweepSteps real_sweep_steps();

/// Plans every point, times it where the machine is a GPU, and counts. Outputs are not checked: that is compare's to do.
/// A point that nothing can run, or that fails on the card, keeps its place and says why. Throws UsageError when no
/// point can run at all, and Failure when that is for failures.
Sweep sweep(const SweepRequest& request, const SweepSteps& steps = real_sweep_steps());

}  // namespace flashlens
