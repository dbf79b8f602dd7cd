#include "report/claim.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "report/numbers.h"

namespace flashlens::report {

std::string print(const Figure& figure) {
    switch (figure.unit) {
        case Unit::count:
            return std::abs(figure.value) < 1e7 ? whole(static_cast<std::int64_t>(figure.value))
                                                : magnitude(figure.value);
        case Unit::bytes:
            return traffic(figure.value);
        case Unit::fraction:
            return percent(figure.value);
        case Unit::microseconds:
            return duration(figure.value);
        case Unit::number:
            break;
    }
    return decimal(figure.value);
}

bool holds(const Claim& claim) {
    const double left = claim.left.value;
    const double right = claim.right.value;
    if (!std::isfinite(left) || !std::isfinite(right)) {
        return false;
    }
    const bool printed_alike = print(claim.left) == print(claim.right);
    switch (claim.relation) {
        case Relation::greater:
            return left > right && !printed_alike;
        case Relation::less:
            return left < right && !printed_alike;
        case Relation::equal:
            return left == right && printed_alike;
        case Relation::about:
            return std::abs(left - right) <= 0.03 * std::max(std::abs(left), std::abs(right));
    }
    return false;
}

}  // namespace flashlens::report
