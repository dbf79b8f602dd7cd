// A statement as data: what is compared, how, and with what. Nothing may be said in words that does not hold here.
#pragma once

#include <string>
#include <vector>

namespace flashlens::report {

enum class Unit { count, bytes, fraction, microseconds, number };

/// A number of this run, with where it comes from.
struct Figure {
    /// "v1.barriers", "card.sm_count", "problem.seqlen_q", "constant"; a quotient reads "v1.time_us/v2.time_us".
    std::string name;
    double value = 0.0;
    Unit unit = Unit::number;
};

/// As it stands in a sentence: "18,432", "8.39 MB", "12.5 %", "161 us", "3.3".
std::string print(const Figure& figure);

enum class Relation { greater, less, equal, about };

struct Claim {
    Figure left;
    Relation relation = Relation::equal;
    Figure right;
};

/// Is it true, and do the two figures as printed show it? greater and less: also the printed forms differ (a difference
/// that rounding hides is none to a reader). equal: exactly, and printed alike. about: within 3 % of the larger one. A
/// figure that is no finite number makes every claim false.
bool holds(const Claim& claim);

/// A sentence and everything it claims.
struct Sentence {
    std::string text;
    std::vector<Claim> claims;
    std::string command{};  ///< that the text names, as it stands there; empty where it names none
};

}  // namespace flashlens::report
