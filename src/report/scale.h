// From a figure to its place on an axis, and the figures that stand beside the axis.
#pragma once

#include <vector>

namespace flashlens::report {

class Scale {
public:
    /// `low` at place 0, `high` at place 1, in equal steps; of nothing (low == high), everything is in the middle.
    static Scale linear(double low, double high) { return {low, high, false}; }
    /// In equal factors; both ends must be greater than zero.
    static Scale logarithmic(double low, double high) { return {low, high, true}; }

    /// Zero to the first round figure that is not below the largest of the values; -1 to 1 at least has room.
    static Scale from_zero(const std::vector<double>& values);
    /// Round figures around all of the values, which must be greater than zero; in equal factors.
    static Scale around(const std::vector<double>& values);
    /// Exactly from the smallest to the largest value, in equal factors where that spreads them more evenly: where the
    /// widest gap between neighbours is a smaller share of the axis.
    static Scale over(const std::vector<double>& values);

    /// 0 at the low end, 1 at the high one, beyond that for what lies outside.
    double at(double value) const;
    bool is_logarithmic() const { return logarithmic_; }
    double low() const { return low_; }
    double high() const { return high_; }

    /// Round figures (1, 2 or 5 times a power of ten) within the scale, at most `most` of them, ascending.
    std::vector<double> ticks(int most) const;

private:
    Scale(double low, double high, bool logarithmic) : low_(low), high_(high), logarithmic_(logarithmic) {}

    double low_;
    double high_;
    bool logarithmic_;
};

}  // namespace flashlens::report
