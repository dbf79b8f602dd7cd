// What a run says of each step of the ladder, judged by its figures alone.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "explorer/ladder.h"
#include "report/ladder_quantities.h"

namespace flashlens::report {

/// A figure before and after a step.
struct Change {
    const LadderQuantity* of = nullptr;
    double before = 0.0;
    double after = 0.0;

    /// Do they differ by more than a hundredth, and as printed?
    bool moved() const;
    /// By a quarter or more, or from or to nothing.
    bool moved_much() const;
    /// Moved the way it is meant to go, or the other way.
    bool better() const;
    bool worse() const;
    /// How far apart both are, as a logarithm; the most there is where one of them is zero.
    double distance() const;
};

/// What the figures that an idea is about say of a step.
enum class Moved {
    unknown,  ///< there are no such figures
    not_at_all,
    better,
    worse,
    both,       ///< some better, some worse
    elsewhere,  ///< only those moved that have no better way to go
};

enum class Pace { unknown, faster, slower, same };

struct StepFacts {
    LadderStep step;
    std::vector<Change> about;     ///< of the figures that its ideas are about, in their order, each once
    std::vector<Change> others;    ///< what else moved much
    std::optional<double> gain;    ///< time before / time after, on a card
    std::optional<double> so_far;  ///< of the first time
    Moved moved = Moved::unknown;
    Pace pace = Pace::unknown;
    /// Of the figures of its ideas the one that moved most in the direction that the time went; without times, the one that
    /// moved most. Null where there is none.
    const Change* explains() const;
    /// Of what else moved much, that which moved most in the direction that the time went. Null where there is none.
    const Change* goes_along() const;
    /// The time went the way of the figures: faster and better, slower and worse, or neither moved.
    bool agrees() const;
};

/// The step's time is "the same" within this share.
inline constexpr double same_time = 0.03;

std::vector<StepFacts> step_facts(const Comparison& comparison, const std::vector<LadderStep>& steps);

}  // namespace flashlens::report
