#include "report/ladder_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "report/facts.h"
#include "teaching/ladder_ideas.h"

namespace flashlens::report {
namespace {

constexpr double hardly = 1.01;
constexpr double much = 1.25;

std::optional<Change> change(const LadderQuantity& of, const VariantFacts& from, const VariantFacts& to,
                             const Comparison& comparison) {
    const std::optional<double> before = of.quantity.of(from, comparison);
    const std::optional<double> after = of.quantity.of(to, comparison);
    return before && after ? std::optional(Change{&of, *before, *after}) : std::nullopt;
}

/// The figures of all ideas of a step, each once.
std::vector<const LadderQuantity*> quantities_about(const std::vector<Idea>& ideas) {
    std::vector<const LadderQuantity*> all;
    for (const Idea idea : ideas) {
        for (const std::string_view name : teaching::words_of(idea).about) {
            const LadderQuantity* const quantity = find_ladder_quantity(name);
            if (std::find(all.begin(), all.end(), quantity) == all.end()) {
                all.push_back(quantity);
            }
        }
    }
    return all;
}

Moved moved(const std::vector<Change>& changes) {
    const auto any = [&](auto which) { return std::any_of(changes.begin(), changes.end(), which); };
    const bool better = any([](const Change& c) { return c.better(); });
    const bool worse = any([](const Change& c) { return c.worse(); });
    if (changes.empty()) {
        return Moved::unknown;
    }
    if (better || worse) {
        return better && worse ? Moved::both : better ? Moved::better : Moved::worse;
    }
    return any([](const Change& c) { return c.moved(); }) ? Moved::elsewhere : Moved::not_at_all;
}

/// The change that went furthest in the direction of the time; without times, in any.
const Change* furthest(const std::vector<Change>& changes, Pace pace) {
    const Change* most = nullptr;
    for (const Change& change : changes) {
        const bool fits = pace == Pace::faster   ? change.better()
                          : pace == Pace::slower ? change.worse()
                                                 : pace == Pace::unknown && (change.better() || change.worse());
        if (fits && (most == nullptr || change.distance() > most->distance())) {
            most = &change;
        }
    }
    return most;
}

Pace pace(const std::optional<double>& gain) {
    if (!gain) {
        return Pace::unknown;
    }
    return *gain > 1.0 + same_time ? Pace::faster : *gain < 1.0 / (1.0 + same_time) ? Pace::slower : Pace::same;
}

}  // namespace

bool Change::moved() const {
    return distance() > std::log(hardly) && of->quantity.print(before) != of->quantity.print(after);
}

bool Change::moved_much() const {
    return moved() && distance() >= std::log(much);
}

bool Change::better() const {
    return moved() && (of->better == Better::lower ? after < before : of->better == Better::higher && after > before);
}

bool Change::worse() const {
    return moved() && of->better != Better::neither && !better();
}

double Change::distance() const {
    if (before == after) {
        return 0.0;
    }
    return before > 0.0 && after > 0.0 ? std::abs(std::log(after / before)) : std::numeric_limits<double>::infinity();
}

const Change* StepFacts::explains() const {
    return furthest(about, pace);
}

const Change* StepFacts::goes_along() const {
    return furthest(others, pace);
}

bool StepFacts::agrees() const {
    switch (pace) {
        case Pace::faster:
            return moved == Moved::better;
        case Pace::slower:
            return moved == Moved::worse;
        case Pace::same:
            return moved == Moved::not_at_all;
        case Pace::unknown:
            break;
    }
    return false;
}

std::vector<StepFacts> step_facts(const Comparison& comparison, const std::vector<LadderStep>& steps) {
    std::vector<StepFacts> all;
    for (const LadderStep& step : steps) {
        const VariantFacts& from = comparison.variants[step.from];
        const VariantFacts& to = comparison.variants[step.to];
        StepFacts facts;
        facts.step = step;
        const std::vector<const LadderQuantity*> about = quantities_about(step.ideas);
        for (const LadderQuantity* const quantity : about) {
            if (const auto one = change(*quantity, from, to, comparison)) {
                facts.about.push_back(*one);
            }
        }
        for (const LadderQuantity& quantity : ladder_quantities()) {
            const bool seen = std::find(about.begin(), about.end(), &quantity) != about.end();
            const auto one = change(quantity, from, to, comparison);
            if (!seen && quantity.on_its_own && one && one->moved_much()) {
                facts.others.push_back(*one);
            }
        }
        const auto time_of = [&](const VariantFacts& variant) {
            return ladder_time().quantity.of(variant, comparison);
        };
        if (time_of(from) && time_of(to)) {
            facts.gain = *time_of(from) / *time_of(to);
            const auto first = time_of(comparison.variants[steps.front().from]);
            facts.so_far = first ? std::optional(*first / *time_of(to)) : std::nullopt;
        }
        facts.moved = moved(facts.about);
        facts.pace = pace(facts.gain);
        all.push_back(std::move(facts));
    }
    return all;
}

}  // namespace flashlens::report
